// The model's window: what it holds, what an answer cost, and how room is made in it.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { ModelError, type ModelRequest, withCost } from "../../../src/core/ports/model.ts";
import { applyEvent, createTranscript, visibleEvents } from "../../../src/core/transcript/fold.ts";
import { measureContextUsage } from "../../../src/session/contextWindow/usage.ts";
import type { ScriptedAnswer } from "../../fakes/scriptedModel.ts";
import { closeTestSessions, FILES, openTestSession } from "./testSession.ts";

/** Lines that a read returns whole: about 10 kB. */
const LONG = Array.from({ length: 200 }, (_, line) => `export const value${line} = "${"x".repeat(28)}";`).join("\n");
const files = Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`src/f${at}.ts`, `${LONG}\n// ${at}`]));

/** Four bytes a token. */
function tokensOf({ system, tools, events }: ModelRequest): number {
	return Math.ceil(JSON.stringify([system, tools, events.map(shownOf)]).length / 4);
}

function shownOf(event: TranscriptEvent): unknown {
	if (event.type === "result") return event.output;
	if (event.type === "assistant") return [event.text, event.calls];
	return "text" in event ? event.text : "";
}

/** Reads one file after another, then says so; tells how many tokens each request had. */
const reading =
	(count: number) =>
	(request: ModelRequest, call: number): ScriptedAnswer => {
		const usage = { input: tokensOf(request), output: 20 };
		if (request.tools.length === 0) return { text: "Goal: read. Next step: go on.", usage };
		if (call < count) return { calls: [{ name: "read_file", input: { path: `src/f${call % 12}.ts` } }], usage };
		return { text: "All read.", usage };
	};

const isPrefix = (earlier: ModelRequest, later: ModelRequest) =>
	JSON.stringify(later.events.slice(0, earlier.events.length)) === JSON.stringify(earlier.events);

describe("what an answer cost", () => {
	const price = { input: 3, output: 15, cached: 0.3, written: 3.75 };

	it("counts what came from the cache and what went into it at their own prices", () => {
		const usage = { input: 10_000, output: 1_000, cached: 6_000, written: 2_000 };
		assert.equal(withCost(usage, price).cost?.toFixed(6), "0.030300");
	});

	it("is left open without a price, and left as it is where the provider told it", () => {
		assert.deepEqual(withCost({ input: 1, output: 1 }, undefined), { input: 1, output: 1 });
		assert.equal(withCost({ input: 1, output: 1, cost: 7 }, price).cost, 7);
	});

	it("is kept with the answer, and summed for the turn and for the session", async () => {
		const usage = { input: 1_000, output: 100 };
		const { session } = await openTestSession(
			[
				{ text: "One.", usage },
				{ text: "Two.", usage },
			],
			{ files: FILES, info: { price } },
		);
		await session.send("Hello");
		await session.send("Again");
		const { turn, session: all, priced } = measureContextUsage(session);
		const cost = 0.0045;
		assert.deepEqual([turn, all], [totals(1, cost), totals(2, 2 * cost)]);
		assert.equal(priced, true);
		await closeTestSessions();
	});

	it("says how many answers had no price", async () => {
		const { session } = await openTestSession([{ text: "One." }], { files: FILES });
		await session.send("Hello");
		assert.deepEqual(measureContextUsage(session).session, { input: 100, output: 10, cached: 0, cost: 0, unpriced: 1 });
		await closeTestSessions();
	});

	const totals = (times: number, cost: number) => ({ input: 1_000 * times, output: 100 * times, cached: 0, cost, unpriced: 0 });
});

describe("the meter", () => {
	afterEach(closeTestSessions);

	it("is exact where the provider counted, and adds an estimate of what came since", async () => {
		const { session, app } = await openTestSession(reading(1), { files, info: { window: 100_000 } });
		assert.equal(measureContextUsage(session, { id: "", name: "", window: 100_000 }).basis, "size");
		await session.send("Read it");
		const counted = measureContextUsage(session);
		const last = session.state.events.findLast((event) => event.type === "assistant");
		assert.ok(last?.type === "assistant" && last.usage);
		assert.deepEqual([counted.used, counted.basis], [last.usage.input + last.usage.output, "counted"]);
		await session.eventLog.emit({ type: "user", text: "word ".repeat(800) }, "person");
		const since = measureContextUsage(session);
		assert.equal(since.basis, "since");
		assert.ok(Math.abs(since.used - counted.used - 1_000) < 200, `${since.used - counted.used} tokens for 4,000 bytes`);
		assert.equal(app.services.tools.length > 5, true);
	});

	it("does not take another model's count for its own after a switch", async () => {
		const { session } = await openTestSession(reading(1), { files });
		await session.send("Read it");
		assert.equal(measureContextUsage(session, { id: "scripted/one", name: "" }).basis, "counted");
		const other = measureContextUsage(session, { id: "other/model", name: "" });
		assert.equal(other.basis, "size");
		assert.ok(other.used > 0);
		assert.equal(measureContextUsage(session, { id: "scripted/one", name: "" }).basis, "counted");
	});

	it("counts what stays trimmed as trimmed when the note about it is gone back behind", async () => {
		const { session } = await openTestSession(reading(2), { files });
		await session.send("Read two");
		const { eventLog: journal, state } = session;
		const whole = measureContextUsage(session).parts.outputs;
		const upTo = state.events.findLast((event) => event.type === "result");
		await journal.emit({ type: "status", level: "info", text: "Trimmed.", trimmed: upTo?.id ?? "" }, "host");
		const note = state.events.at(-1)?.id ?? "";
		const trimmed = measureContextUsage(session).parts.outputs;
		assert.ok(trimmed < whole / 4, `${trimmed} of ${whole} tokens`);
		await journal.emit({ type: "rewound", to: note }, "person");
		assert.ok(state.hidden.has(note));
		assert.ok(measureContextUsage(session).parts.outputs < whole / 4, `${measureContextUsage(session).parts.outputs} of ${whole} tokens`);
	});

	it("names what fills the window, in parts that sum up to it", async () => {
		const { session } = await openTestSession(reading(2), { files });
		await session.send("Read two");
		const { used, parts, window } = measureContextUsage(session);
		const sum = Object.values(parts).reduce((total, part) => total + part, 0);
		assert.ok(Math.abs(sum - used) <= 4);
		assert.ok(parts.outputs > used / 2 && parts.system > 0 && parts.tools > 0 && parts.messages > 0 && parts.images === 0);
		assert.equal(window, undefined);
	});

	it("counts a transcript that was loaded as it counted the one that grew", async () => {
		const { session } = await openTestSession(reading(11), { files, info: { window: 24_000, maxOutput: 2_000 } });
		await session.send("Read them all");
		const grown = measureContextUsage(session);
		session.eventLog.state = session.state.events.reduce(applyEvent, createTranscript());
		assert.deepEqual(measureContextUsage(session), grown);
		assert.ok(session.state.trimmed, "nothing was trimmed on the way");
	});
});

describe("a window that fills", () => {
	afterEach(closeTestSessions);

	it("loses old tool output, with a note in its place, and the last steps keep theirs", async () => {
		const { session, model } = await openTestSession(reading(11), { files, info: { window: 24_000, maxOutput: 2_000 } });
		assert.equal((await session.send("Read them all")).outcome, "done");
		const cuts = session.state.events.filter((event) => event.type === "status" && event.trimmed);
		assert.ok(cuts.length >= 1 && cuts.length <= 3, `trimmed ${cuts.length} times`);
		for (const request of model.requests) assert.ok(tokensOf(request) <= 22_500, `a request of ${tokensOf(request)} tokens`);
		const outputs = model.requests.at(-1)?.events.flatMap((event) => (event.type === "result" ? [event.output] : [])) ?? [];
		assert.match(
			outputs[0] ?? "",
			/^\[Output of read_file src\/f0\.ts, \d+ kB, was left out to make room\. Call the tool again if you need it\.\]$/,
		);
		for (const kept of outputs.slice(-3)) assert.match(kept, /value199/);
		assert.equal(
			model.requests.every(({ tools }) => tools.length > 0),
			true,
		);
	});

	it("keeps requests append-only but where it is trimmed", async () => {
		const { session, model } = await openTestSession(reading(11), { files, info: { window: 24_000, maxOutput: 2_000 } });
		await session.send("Read them all");
		const breaks = model.requests.slice(1).filter((request, at) => !isPrefix(model.requests[at] as ModelRequest, request)).length;
		const cuts = session.state.events.filter((event) => event.type === "status" && event.trimmed).length;
		assert.equal(breaks, cuts);
	});

	it("shows the same notes after a reload", async () => {
		const { session, app, summary } = await openTestSession(reading(11), { files, info: { window: 24_000, maxOutput: 2_000 } });
		await session.send("Read them all");
		const before = visibleEvents(session.state);
		const { events } = await app.store.read(summary.sessionId);
		assert.deepEqual(visibleEvents(events.reduce(applyEvent, createTranscript())), before);
		const stored = events.flatMap((event) => (event.type === "result" ? [event.output] : []));
		assert.ok(
			stored.every((output) => output.includes("value199")),
			"what was trimmed is not on disk any more",
		);
	});

	it("asks the provider's own count near the limit only", async () => {
		const setup = await openTestSession(reading(6), { files, info: { window: 24_000, maxOutput: 2_000 } });
		const counts: number[] = [];
		setup.model.count = async (request) => {
			counts.push(tokensOf(request));
			return tokensOf(request);
		};
		await setup.session.send("Read six");
		assert.ok(counts.length > 0 && counts.every((tokens) => tokens > 17_000), counts.join());
	});

	it("is not asked for what cannot fit: the person is told, and nothing is sent", async () => {
		const { session, model } = await openTestSession(reading(1), { files, info: { window: 8_000 } });
		assert.equal((await session.send("word ".repeat(20_000))).outcome, "failed");
		const end = session.state.events.at(-1);
		assert.match(end?.type === "ended" ? (end.error ?? "") : "", /needs about \d+ tokens.*Nothing was sent/);
		assert.equal(model.requests.length, 0);
	});

	it("does nothing beforehand where nobody knows its size", async () => {
		const { session, model } = await openTestSession(reading(11), { files });
		await session.send("Read them all");
		const last = model.requests.at(-1) as ModelRequest;
		assert.ok(last.events.every((event) => event.type !== "result" || event.output.includes("value199")));
	});
});

describe("a request that the provider finds too long", () => {
	afterEach(closeTestSessions);
	const tooLong = () => new ModelError("context", "The prompt is longer than the model takes.");

	it("is sent once more after one summary, and never the same again", async () => {
		const { session, model, types } = await openTestSession(
			(request, call) => {
				if (request.tools.length === 0) return { text: "Goal: look around." };
				return call === 0 ? { text: "", error: tooLong() } : { text: "Here I am." };
			},
			{ files: FILES },
		);
		assert.equal((await session.send("Hello")).outcome, "done");
		assert.equal(model.requests.length, 3);
		assert.notDeepEqual(model.requests[2]?.events, model.requests[0]?.events);
		assert.deepEqual(types().slice(-5), ["started", "compacted", "user", "assistant", "ended"]);
	});

	it("ends the turn with a clear error when the summary did not help", async () => {
		const { session, model } = await openTestSession(
			(request) => (request.tools.length === 0 ? { text: "Goal: look around." } : { error: tooLong() }),
			{ files: FILES },
		);
		assert.equal((await session.send("Hello")).outcome, "failed");
		const end = session.state.events.at(-1);
		assert.match(end?.type === "ended" ? (end.error ?? "") : "", /longer than the model takes/);
		assert.equal(model.requests.filter(({ tools }) => tools.length > 0).length, 2);
	});

	it("keeps everything when the summary fails, too, and says so", async () => {
		const { session, model } = await openTestSession(() => ({ error: tooLong() }), { files: FILES });
		assert.equal((await session.send("Hello")).outcome, "failed");
		assert.equal(model.requests.length, 2);
		const warning = session.state.events.find((event) => event.type === "status" && event.level === "warning");
		assert.ok(warning);
		assert.equal(session.state.events.find((event) => event.type === "user")?.text, "Hello");
	});
});
