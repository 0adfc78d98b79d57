// A conversation summed up: what goes on from it, what waits, what is kept, and what a crash leaves.
import assert from "node:assert/strict";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { ModelError, type ModelRequest } from "../../../src/core/ports/model.ts";
import { currentPlan, pendingQuestion } from "../../../src/core/transcript/state.ts";
import { UserError } from "../../../src/core/userError.ts";
import { createTroupeApi } from "../../../src/integrations/exportedApi.ts";
import { createOfflineProvider } from "../../../src/models/offline/offline.ts";
import { measureContextUsage } from "../../../src/session/contextWindow/usage.ts";
import { readArchiveAsMarkdown } from "../../../src/sessions/exportSession.ts";
import { nodeFileSystem } from "../../../src/storage/fileSystem.ts";
import { createSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { buildHouse } from "../../fakes/house.ts";
import { type ScriptedAnswer, scriptedModel } from "../../fakes/scriptedModel.ts";
import { FILES, PLAN, stage, strike } from "./stage.ts";

const SUMMARY = "## Goal\nSay hello louder.\n## Next step\nChange the greeting.";
const isSummary = ({ tools }: ModelRequest) => tools.length === 0;
const PLAN_CALL = { calls: [{ name: "present_plan", input: PLAN }] };

/** Plays its answers, and sums up when it is asked to. */
function playing(answers: ScriptedAnswer[], summary: ScriptedAnswer = { text: SUMMARY }) {
	let next = 0;
	return (request: ModelRequest) => (isSummary(request) ? summary : (answers[next++] ?? { text: "Done." }));
}

const types = (events: readonly TranscriptEvent[]) => events.map(({ type }) => type);

describe("a conversation that is summed up", () => {
	const homes: string[] = [];
	const home = () => {
		const made = mkdtempSync(join(tmpdir(), "troupe-home-"));
		homes.push(made);
		return made;
	};
	afterEach(async () => {
		await strike();
		for (const made of homes.splice(0)) rmSync(made, { recursive: true, force: true });
	});

	it("goes on with who it is, the summary, and what the session cost; the archive holds the rest", async () => {
		const usage = { input: 1_000, output: 100 };
		const { conversation, house, session, model } = await stage(playing([{ text: "Hi.", usage }], { text: SUMMARY, usage }), {
			files: FILES,
			info: { price: { input: 1, output: 10 } },
		});
		await conversation.send("Hello");
		const before = structuredClone(conversation.state.events);
		await conversation.compact();
		const { state } = conversation;
		assert.deepEqual(types(state.events), ["agent", "role", "compacted", "ended"]);
		assert.deepEqual(
			state.events.map(({ seq }) => seq),
			[1, 2, 3, 4],
		);
		const compacted = state.events[2];
		assert.ok(compacted?.type === "compacted");
		assert.equal(compacted.summary, SUMMARY);
		assert.deepEqual([state.messages, state.title, state.role], [2, "Hello", "planner"]);
		assert.deepEqual(measureContextUsage(conversation).session, { input: 2_000, output: 200, cached: 0, cost: 0.004, unpriced: 0 });
		const archived = await house.store.read(session.sessionId, compacted.archive);
		assert.deepEqual(archived.events.slice(0, before.length), before);
		assert.match(await readArchiveAsMarkdown(house.sessions, session.sessionId, compacted.archive), /## You\n\nHello\n\n## Agent\n\nHi\./);
		await conversation.send("And now?");
		const said = model.requests.at(-1)?.events.map((event) => ("summary" in event ? event.summary : "text" in event ? event.text : ""));
		assert.deepEqual(said?.filter(Boolean), [SUMMARY, "And now?"]);
		const [listed] = await house.sessions.list();
		assert.deepEqual([listed?.messageCount, listed?.attributes?.["title"]], [4, "Hello"]);
	});

	it("leaves the list of sessions as it was", async () => {
		const { conversation, house } = await stage(playing([{ text: "Hi there." }]), { files: FILES });
		await conversation.send("Hello");
		await conversation.compact();
		const [listed] = await house.sessions.list();
		assert.deepEqual([listed?.messageCount, listed?.lastSnippet, listed?.role], [2, "Hi there.", "planner"]);
	});

	it("reads the same from disk, in this window and in another", async () => {
		const place = home();
		const scene = await stage(playing([PLAN_CALL]), { files: FILES, home: place });
		await scene.conversation.send("Plan");
		await scene.conversation.compact();
		const grown = structuredClone(scene.conversation.state);
		await strike();
		const { conversation } = await stage([], { home: place });
		assert.deepEqual(structuredClone(conversation.state), grown);
	});

	it("keeps a proposed plan that can be executed, and a plan that runs with its steps", async () => {
		const step = (status: string) => ({ name: "update_step", input: { step_number: 1, status } });
		const plan = { calls: [{ name: "present_plan", input: { ...PLAN, steps: [...PLAN.steps, { step_number: 2, action: "Look" }] } }] };
		const scene = await stage(playing([plan, { calls: [step("running"), step("done")] }, { text: "Half done." }]), { files: FILES });
		const { conversation } = scene;
		await conversation.send("Plan");
		await conversation.compact();
		assert.equal(currentPlan(conversation.state)?.state, "proposed");
		assert.equal((await conversation.executePlan({})).outcome, "done");
		await conversation.compact();
		const { run } = conversation.state;
		assert.deepEqual([run?.state, [...(run?.steps ?? [])], conversation.state.role], ["running", [[1, "done"]], "actor"]);
		await conversation.cancel();
		await conversation.compact();
		assert.deepEqual([currentPlan(conversation.state)?.state, conversation.state.run], ["stopped", undefined]);
	});

	it("keeps a question that waits, and its answer arrives", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which one?", allow_custom: true } }] };
		const { conversation, clock } = await stage(playing([ask, { text: "Blue it is." }]), { files: FILES });
		await conversation.send("Choose");
		const request = pendingQuestion(conversation.state)?.request ?? "";
		await conversation.compact();
		assert.equal(pendingQuestion(conversation.state)?.request, request);
		clock.ahead += 1_000;
		const end = await conversation.answer(request, { value: "Blue" }, "person");
		assert.equal(end?.outcome, "done");
		assert.equal(conversation.state.requests.get(request)?.state, "answered");
	});

	it("says why there is no summary, and nothing else has changed", async () => {
		const { conversation, house, session } = await stage(playing([{ text: "Hi." }], { error: new UserError("The server is gone.") }), {
			files: FILES,
		});
		await conversation.send("Hello");
		const before = structuredClone(conversation.state.events);
		await conversation.compact();
		const { events } = conversation.state;
		assert.deepEqual(events.slice(0, before.length), before);
		assert.deepEqual(types(events.slice(before.length)), ["started", "status", "ended"]);
		const status = events.at(-2);
		assert.match(status?.type === "status" ? status.text : "", /conversation is unchanged.*server is gone/);
		assert.deepEqual(await house.store.archives(session.sessionId), []);
	});

	it("is refused while a turn runs and where nothing was said, and a message sent meanwhile comes after it", async () => {
		let open: () => void = () => undefined;
		const until = new Promise<void>((resolve) => {
			open = resolve;
		});
		const { conversation, event } = await stage(playing([{ text: "Hi." }, { text: "Later." }], { text: SUMMARY, until }), { files: FILES });
		await assert.rejects(conversation.compact(), { code: "nothing-to-compact" });
		await conversation.send("Hello");
		const compacting = conversation.compact();
		await event("started", ({ seq }) => seq > 6);
		await assert.rejects(conversation.compact(), { code: "turn-running" });
		const later = conversation.send("Later");
		await event("queued");
		open();
		await compacting;
		assert.equal((await later).outcome, "done");
		assert.deepEqual(types(conversation.state.events).slice(2, 7), ["compacted", "queued", "ended", "user", "started"]);
	});

	it("can be stopped, and then nothing has changed", async () => {
		const { conversation, event, house, session } = await stage(
			playing([PLAN_CALL], { text: SUMMARY, until: new Promise(() => undefined) }),
			{ files: FILES },
		);
		await conversation.send("Plan");
		const compacting = conversation.compact();
		await event("started", ({ seq }) => seq > 6);
		await conversation.cancel();
		await compacting;
		assert.deepEqual(await house.store.archives(session.sessionId), []);
		assert.equal(currentPlan(conversation.state)?.state, "proposed");
	});

	it("comes by itself in a turn whose window is full of words, and the turn goes on", async () => {
		const long = "word ".repeat(8_000);
		const count = (request: ModelRequest) => ({ input: Math.ceil(JSON.stringify(request.events).length / 4), output: 10 });
		const calls = () => [{ name: "read_file", input: { path: "README.md", end: asked } }];
		let asked = 0;
		const { conversation, model, house, session } = await stage(
			(request) => {
				if (isSummary(request)) return { text: SUMMARY, usage: count(request) };
				asked += 1;
				return asked < 4
					? { text: long, calls: calls(), usage: { ...count(request), output: 10_000 } }
					: { text: "Finished.", usage: count(request) };
			},
			{ files: FILES, info: { window: 32_000, maxOutput: 2_000 } },
		);
		const told = await createTroupeApi(house.sessions).send(session.sessionId, "Talk a lot");
		assert.equal(told.outcome, "done");
		assert.deepEqual(
			told.toolCalls.map(({ name, status }) => [name, status]),
			[1, 2, 3].map(() => ["read_file", "ok"]),
		);
		const { state } = conversation;
		assert.ok(types(state.events).includes("compacted"), types(state.events).join());
		assert.equal(state.events.find((event) => event.type === "user")?.text, "Talk a lot");
		assert.equal(state.turn, undefined);
		assert.ok(model.requests.every((request) => count(request).input < 30_000));
	});

	it("keeps what a running plan did not foresee, and which files changed", async () => {
		const stray = { name: "create_file", input: { path: "notes.md", content: "Stray\n" } };
		const start = { name: "update_step", input: { step_number: 1, status: "running" } };
		const tooLong = new ModelError("context", "The prompt is longer than the model takes.");
		const { conversation } = await stage(playing([PLAN_CALL, { calls: [start, stray] }, { error: tooLong }, { text: "Continued." }]), {
			files: FILES,
		});
		await conversation.send("Plan");
		assert.equal((await conversation.executePlan({})).outcome, "done");
		const { state } = conversation;
		assert.ok(types(state.events).includes("compacted"));
		assert.deepEqual([state.run?.step, state.run?.deviations.map(({ path }) => path)], [1, ["notes.md"]]);
		assert.deepEqual([...state.changed.keys()], ["notes.md"]);
		const warning = state.events.find((event) => event.type === "status" && event.level === "warning");
		assert.match(warning?.type === "status" ? warning.text : "", /outside the plan: notes\.md/);
	});

	it("is summed up by rules where the model is the offline one", async () => {
		const house = await buildHouse({ model: createOfflineProvider(), files: FILES });
		const { sessionId } = await house.sessions.create({ role: "planner" });
		const conversation = await house.sessions.get(sessionId);
		await conversation.send("Rename greeting to salute in src/hello.ts");
		await conversation.compact();
		const compacted = conversation.state.events.find((event) => event.type === "compacted");
		assert.match(compacted?.type === "compacted" ? compacted.summary : "", /Goal[\s\S]*- Rename greeting to salute[\s\S]*Files touched/);
		await house.close();
	});

	it("leaves the old conversation or the new one, whole, wherever it is cut", async () => {
		const place = home();
		const scene = await stage(playing([PLAN_CALL, { text: "Hi." }]), { files: FILES, home: place });
		await scene.conversation.send("Plan");
		await scene.conversation.send("Hello");
		const { sessionId } = scene.session;
		const old = structuredClone(scene.conversation.state.events);
		await strike();
		const seen = new Set<string>();
		for (let cut = 0; ; cut += 1) {
			const copy = home();
			cpSync(place, copy, { recursive: true });
			const finished = await compactUntil(copy, sessionId, cut);
			const house = await buildHouse({ home: copy, model: scriptedModel([]) });
			const conversation = await house.sessions.get(sessionId);
			const { events } = conversation.state;
			const isNew = events.some(({ type }) => type === "compacted");
			if (isNew) {
				const compacted = events.find((event) => event.type === "compacted");
				const archived = await house.store.read(sessionId, compacted?.type === "compacted" ? compacted.archive : "");
				assert.deepEqual(archived.events.slice(0, old.length), old, `cut ${cut}: the archive lacks something`);
				assert.equal(currentPlan(conversation.state)?.state, "proposed");
			} else assert.deepEqual(events.slice(0, old.length), old, `cut ${cut}: the old conversation lacks something`);
			assert.equal(conversation.damaged, 0);
			seen.add(isNew ? "new" : "old");
			await conversation.note("Goes on");
			assert.equal((await house.store.read(sessionId)).events.at(-1)?.type, "status");
			await house.close();
			if (finished) break;
		}
		assert.deepEqual([...seen].sort(), ["new", "old"]);
	});
});

/** Sums up with a disk that stops working, as it would in a crash, after so many steps; true when it did not come to that. */
async function compactUntil(home: string, sessionId: string, steps: number): Promise<boolean> {
	let left = steps;
	let dead = false;
	const dying = <Step extends (...values: never[]) => Promise<unknown>>(step: Step): Step =>
		(async (...values: Parameters<Step>) => {
			if (armed && left === 0) dead = true;
			if (dead) throw Object.assign(new Error("the machine is gone"), { code: "EIO" });
			if (armed) left -= 1;
			return step(...values);
		}) as unknown as Step;
	let armed = false;
	const { open, rename, link, rm } = nodeFileSystem;
	const files = {
		...nodeFileSystem,
		open: dying(open),
		rename: dying(rename as never),
		link: dying(link as never),
		rm: dying(rm as never),
	} as typeof nodeFileSystem;
	const root = join(home, "storage");
	const store = createSessionStore({ root, files, index: { get: () => undefined, set: async () => undefined } });
	const model = scriptedModel([{ text: SUMMARY }]);
	const house = await buildHouse({ home, model });
	const { Session } = await import("../../../src/session/session.ts");
	const nobody = { event() {}, live() {}, changed() {}, reloaded() {}, taken() {}, reading() {}, returned() {} };
	const conversation = await new Session(sessionId, {
		services: { ...house.services, store },
		policy: house.policy,
		own: house.services.window,
		listener: nobody,
	}).open();
	armed = true;
	await conversation.compact().catch(() => undefined);
	armed = false;
	dead = true;
	await store.close().catch(() => undefined);
	await house.close();
	// The lock of a process that died is nobody's; this one lives on.
	rmSync(join(root, "sessions", sessionId, "owner.json"), { force: true });
	return left > 0;
}
