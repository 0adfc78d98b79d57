// Tests that an agent whose text is thought speaks in replies alone.
import assert from "node:assert/strict";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { spokenBy } from "../../../src/core/transcript/spoken.ts";

function fold(bodies: readonly EventBody[]) {
	return bodies.reduce((state, body, index) => {
		const event = { id: `e${index + 1}`, seq: index + 1, at: "2026-01-01T00:00:00.000Z", by: "model", ...body } as TranscriptEvent;
		return applyEvent(state, event);
	}, createTranscript());
}

const channel = { type: "vscode", channelId: "main" };

describe("what an agent says", () => {
	it("is its text and thinking, and nothing of an answer that is unspoken", () => {
		assert.deepEqual(spokenBy({ text: "Hello", thinking: "Hm" }), { text: "Hello", thinking: "Hm" });
		assert.deepEqual(spokenBy({ text: "Hello", thinking: "Hm", unspoken: true }), { text: "", thinking: "" });
	});

	it("names and counts a session by its replies, not by what it thought", () => {
		const thought: EventBody = { type: "assistant", text: "They want the time.", unspoken: true };
		assert.deepEqual([fold([thought]).snippet, fold([thought]).messages], [undefined, 0]);
		const said = fold([thought, { type: "reply", call: "c1", text: "It is noon.", channel }]);
		assert.deepEqual([said.snippet, said.messages], ["It is noon.", 1]);
	});
});
