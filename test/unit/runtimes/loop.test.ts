// Tests the agent loop in the real app when the model fails, stalls or sends malformed calls.

// Uses clocks controlled by the test.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { EventOf, LiveEvent } from "../../../src/core/events.ts";
import { type ModelChunk, ModelError, type ModelProvider, type ModelRequest } from "../../../src/core/ports/model.ts";
import { defaultRetryTiming } from "../../../src/runtimes/loop/retry.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp, type TestAppOptions } from "../../fakes/testApp.ts";

type Answer = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelChunk>;

const busy = (retryAfter?: number) =>
	new ModelError("overloaded", "The server is busy.", { retryable: true, ...(retryAfter !== undefined && { retryAfter }) });
const END: ModelChunk = { type: "stop", reason: "end" };

describe("the loop", () => {
	const apps: TestApp[] = [];
	afterEach(async () => {
		for (const app of apps.splice(0)) await app.close();
	});

	async function open(model: ModelProvider, options: Partial<TestAppOptions> = {}) {
		const waits: number[] = [];
		const pause = async (milliseconds: number) => {
			waits.push(milliseconds);
		};
		const settings = { approval: "auto", defaultRole: "actor" } as const;
		const app = await openTestApp({ model, settings, retryTiming: { pause, stallTimeout: 60_000 }, ...options });
		apps.push(app);
		const { sessionId } = await app.sessions.create({ role: "actor" });
		const session = await app.sessions.get(sessionId);
		const live: LiveEvent[] = [];
		app.sessions.listen({ live: (_, event) => live.push(event) });
		const events = <T extends "assistant" | "ended" | "status">(type: T) =>
			session.state.events.filter((event): event is EventOf<T> & typeof event => event.type === type) as EventOf<T>[];
		return { app, session, waits, live, events, note: join(app.folder, "note.txt") };
	}

	/** Each request takes the next answer. */
	function model(...answers: Answer[]): ModelProvider {
		let next = 0;
		return {
			id: "test",
			models: async () => [],
			stream: (request, signal) => (answers[next++] as Answer)(request, signal),
		};
	}

	it("ends within 200 ms when the person stops it while it waits to ask again", async () => {
		const failing = model(async function* () {
			yield* [];
			throw busy(30_000);
		});
		const { session, events, app } = await open(failing, { retryTiming: defaultRetryTiming });
		const waiting = new Promise<void>((resolve) => {
			app.sessions.listen({ event: (_, { type }) => type === "status" && resolve() });
		});
		const turn = session.send("Hello");
		await waiting;
		const began = Date.now();
		await session.cancel();
		assert.equal((await turn).outcome, "cancelled");
		assert.ok(Date.now() - began < 200, `${Date.now() - began} ms`);
		assert.match(events("status")[0]?.text ?? "", /The server is busy\. Retrying in 30 s \(1 of 5\)\./);
	});

	it("counts what attempts cost that came to nothing, and forgets what they thought", async () => {
		const { session, events, waits } = await open(
			model(
				async function* () {
					yield { type: "usage", usage: { input: 100, output: 1, cached: 40 } };
					yield { type: "thinking", text: "First thoughts" };
					throw busy();
				},
				async function* () {
					yield { type: "usage", usage: { input: 100, output: 1, written: 7 } };
					yield { type: "thinking", text: "Second thoughts" };
					yield { type: "text", text: "Hi" };
					yield { type: "usage", usage: { input: 100, output: 20, written: 7 } };
					yield END;
				},
			),
		);
		await session.send("Hello");
		const [said] = events("assistant");
		assert.deepEqual(
			[said?.text, said?.thinking, said?.usage, waits],
			["Hi", "Second thoughts", { input: 200, output: 21, cached: 40, written: 7 }, [2_000]],
		);
	});

	it("counts what a turn cost that never got a word", async () => {
		const { session, events } = await open(
			model(async function* () {
				yield { type: "usage", usage: { input: 100, output: 1 } };
				throw new ModelError("invalid_request", "No.");
			}),
		);
		await session.send("Hello");
		assert.deepEqual(
			[events("assistant")[0]?.usage, session.state.usage.input, events("ended")[0]?.error],
			[{ input: 100, output: 1 }, 100, "No."],
		);
	});

	describe("of a model that keeps silent", () => {
		const stalls = (live: readonly LiveEvent[]) => live.flatMap((event) => (event.type === "stall" ? [event.seconds] : []));

		it("tells, and takes it back once words flow", async () => {
			let speak = () => {};
			const silence = new Promise<void>((resolve) => {
				speak = resolve;
			});
			const { session, live, app } = await open(scriptedModel([{ text: "At last.", until: silence }]), {
				retryTiming: { ...defaultRetryTiming, stallTimeout: 20 },
			});
			app.sessions.listen({ live: (_, { type }) => type === "stall" && speak() });
			await session.send("Hello");
			assert.deepEqual(stalls(live), [1, 0]);
		});

		it("says nothing while pieces of a call arrive", async () => {
			const { session, live } = await open(
				model(async function* ({ alive }) {
					for (let piece = 0; piece < 40; piece += 1) {
						await new Promise((resolve) => setTimeout(resolve, 10));
						alive?.();
					}
					yield { type: "text", text: "Hi" };
					yield END;
				}),
				{ retryTiming: { ...defaultRetryTiming, stallTimeout: 200 } },
			);
			await session.send("Hello");
			assert.deepEqual(stalls(live), []);
		});
	});

	describe("of what is no call", () => {
		const call = (raw: string): ModelChunk => ({ type: "call", id: "", name: "create_file", arguments: raw });
		const WHOLE = '{"path":"note.txt","content":"a\\nb"}';
		const answer = (stop: "calls" | "length" | "refused", ...calls: ModelChunk[]): Answer =>
			async function* () {
				yield* calls;
				yield { type: "stop", reason: stop };
			};
		const end: Answer = async function* () {
			yield { type: "text", text: "Well." };
			yield END;
		};

		it("runs nothing, wherever its JSON was cut", async () => {
			const cuts = Array.from({ length: WHOLE.length - 1 }, (_, index) => WHOLE.slice(0, index + 1));
			const { session, note } = await open(model(...cuts.flatMap((raw) => [answer("calls", call(raw)), end])));
			for (const _ of cuts) await session.send("Write");
			const results = [...session.state.calls.values()].map(({ result }) => result);
			assert.equal(results.length, cuts.length);
			assert.ok(results.every((result) => result?.status === "error" && /not valid JSON. Nothing ran/.test(result.output)));
			assert.equal(existsSync(note), false);
		});

		it("runs nothing that would have to be repaired first", async () => {
			const almost = [
				`${WHOLE}}`,
				WHOLE.replace("}", ",}"),
				WHOLE.replaceAll('"', "'"),
				`\`\`\`json\n${WHOLE}\n\`\`\``,
				`[${WHOLE}]`,
				JSON.stringify(WHOLE),
			];
			const { session, note } = await open(model(...almost.flatMap((raw) => [answer("calls", call(raw)), end])));
			for (const _ of almost) await session.send("Write");
			assert.deepEqual(
				[...session.state.calls.values()].map(({ result }) => result?.status),
				almost.map(() => "error"),
			);
			assert.equal(existsSync(note), false);
		});

		it("stops after three in a row", async () => {
			const { session, events } = await open(model(answer("calls", call("{")), answer("calls", call("{a"), call("["))));
			await session.send("Write");
			assert.deepEqual([events("ended")[0]?.outcome, /three times in a row/.test(events("ended")[0]?.error ?? "")], ["failed", true]);
		});

		it("runs nothing of an answer that was refused", async () => {
			const { session, events, note } = await open(model(answer("refused", call(WHOLE))));
			await session.send("Write");
			assert.deepEqual([events("ended")[0]?.outcome, session.state.calls.size, existsSync(note)], ["failed", 0, false]);
		});

		it("takes no arguments for none where the answer was cut before they came", async () => {
			const list: ModelChunk = { type: "call", id: "", name: "list_directory", arguments: "" };
			const { session } = await open(model(answer("length", list), end));
			await session.send("List");
			assert.match([...session.state.calls.values()][0]?.result?.output ?? "", /not valid JSON/);
		});
	});
});
