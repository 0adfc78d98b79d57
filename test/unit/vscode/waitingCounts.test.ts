// How many approvals and questions the badge counts.
import assert from "node:assert/strict";
import { backTo } from "../../../src/app/rewind.ts";
import type { EventBody } from "../../../src/core/events.ts";
import { apply, emptyTranscript } from "../../../src/core/transcript.ts";
import { CHANGES_WAITING, waitingCounts } from "../../../src/vscode/waitingCounts.ts";
import { FILES, stage, strike } from "../app/stage.ts";
import { transcript } from "../models/helpers.ts";

const asked = (request: string): EventBody => ({ type: "asked", request, call: "c", summary: "Run it", hash: "h", reason: "It runs." });
const question: EventBody = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } };
const allowed: EventBody = { type: "answered", request: "a", answer: { allow: true } };

const folded = (...events: EventBody[]) => transcript(...events).reduce(apply, emptyTranscript());

function memory() {
	const kept = new Map<string, unknown>();
	return { get: (key: string) => kept.get(key), update: async (key: string, value: unknown) => void kept.set(key, value) };
}

describe("the number of what waits", () => {
	it("counts approvals and questions over all sessions, and says when it changes", () => {
		const counts = waitingCounts(memory());
		assert.equal(counts.look("one", folded(asked("a"), asked("b"))), true);
		assert.equal(counts.look("two", folded(question)), true);
		assert.deepEqual([counts.of("one"), counts.of("two"), counts.of(undefined), counts.total()], [2, 1, 0, 3]);
		assert.equal(counts.look("one", folded(asked("a"), asked("b"))), false);
		assert.equal(counts.look("one", folded(asked("a"), allowed)), true);
		assert.equal(counts.total(), 1);
	});

	it("knows questions after a reload, and no approvals: those ended with their host", () => {
		const kept = memory();
		const before = waitingCounts(kept);
		before.look("one", folded(asked("a")));
		before.look("two", folded(question));
		const later = waitingCounts(kept);
		assert.deepEqual([later.of("one"), later.of("two")], [0, 1]);
	});

	it("is looked at again when a question is taken back, and when its session is cleared", async () => {
		const ask = { calls: [{ name: "ask_question", input: { question: "Which one?", allow_custom: true } }] };
		const { conversation, house, session } = await stage(() => ask, { files: FILES });
		const counts = waitingCounts(memory());
		house.conversations.listen({
			async event(id, event) {
				if (CHANGES_WAITING.has(event.type)) counts.look(id, (await house.conversations.get(id)).state);
			},
		});
		const looked = () => new Promise((resolve) => setImmediate(resolve));
		await conversation.send("Choose");
		await looked();
		assert.equal(counts.total(), 1);
		const place = conversation.state.events.findIndex(({ type }) => type === "user");
		await backTo(conversation, place, true);
		await looked();
		assert.equal(counts.total(), 0);
		await conversation.send("Choose");
		await looked();
		assert.equal(counts.total(), 1);
		await house.conversations.clear(session.sessionId);
		await looked();
		assert.equal(counts.total(), 0);
		await strike();
	});

	it("forgets sessions that are gone", () => {
		const kept = memory();
		const counts = waitingCounts(kept);
		counts.look("one", folded(question));
		assert.equal(counts.keep(["two"]), true);
		assert.equal(counts.total(), 0);
		assert.equal(waitingCounts(kept).total(), 0);
		assert.equal(counts.keep([]), false);
	});

	it("takes nothing strange from what was kept", () => {
		const strange = { get: () => ({ one: "many", two: -1, three: 2 }), update: async () => undefined };
		assert.equal(waitingCounts(strange).total(), 2);
	});
});
