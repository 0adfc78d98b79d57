// Tests the events sent to the page: the newest first, the rest in pages, long output on demand.
import assert from "node:assert/strict";
import { findNewestPageStart, splitIntoPages, toDisplayEvent } from "../../../src/chat/eventPages.ts";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";

let seq = 0;
const event = (body: object) => ({ id: `e${++seq}`, seq, at: "2025-01-15T14:07:00Z", by: "host", ...body }) as TranscriptEvent;
const turns = (count: number, size = 100) =>
	Array.from({ length: count }, () => [
		event({ type: "user", text: "Go on", by: "person" }),
		event({ type: "started", agent: "default", definitionHash: "h", role: "planner", model: "m" }),
		event({ type: "assistant", text: "x".repeat(size), by: "model" }),
		event({ type: "ended", outcome: "done" }),
	]).flat();

describe("what the page gets of a session", () => {
	beforeEach(() => {
		seq = 0;
	});

	it("is everything at once while that is little", () => {
		assert.equal(findNewestPageStart(turns(20).reduce(applyEvent, createTranscript())), 0);
	});

	it("is the end first, from a message of the person on, and then the rest in order, nothing twice", () => {
		const events = turns(2_000, 1_000);
		const from = findNewestPageStart(events.reduce(applyEvent, createTranscript()));
		assert.equal(events[from]?.type, "user");
		assert.ok(events.length - from < 600, `${events.length - from} events at once`);
		const rest = [...splitIntoPages(events, from)];
		assert.ok(rest.length > 1);
		assert.deepEqual([...rest.flat(), ...events.slice(from)], events);
	});

	it("begins no later than what still waits for an answer", () => {
		const events = [...turns(100), event({ type: "user", text: "Ask", by: "person" })];
		const asked = events.length;
		events.push(event({ type: "asked", request: "r1", call: "c1", summary: "s", hash: "h", reason: "r" }), ...turns(100));
		assert.ok(findNewestPageStart(events.reduce(applyEvent, createTranscript())) < asked);
	});

	it("cuts long output and says so, and leaves out what only the model reads", () => {
		const result = event({ type: "result", call: "c1", status: "ok", output: `begin${"x".repeat(100_000)}end` });
		const shown = toDisplayEvent(result);
		assert.ok(shown.type === "result" && shown.output.length < 10_000);
		assert.match(shown.output, /^begin[\s\S]*end$/);
		assert.equal(shown.left, 100_008 - 2 * 4_096);
		const short = event({ type: "result", call: "c1", status: "ok", output: "x".repeat(2_000) });
		assert.equal(toDisplayEvent(short), short);
		const answer = event({ type: "assistant", text: "a", opaque: { encrypted: "…" } });
		assert.equal("opaque" in toDisplayEvent(answer), false);
		const attached = event({ type: "user", text: "a", attachments: [{ kind: "file", label: "a.ts", text: "x".repeat(50_000) }] });
		assert.ok(JSON.stringify(toDisplayEvent(attached)).length < 10_000);
	});
});
