// Tests sessions as Markdown: steps and endings of turns are sentences.
import assert from "node:assert/strict";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { joinText, streamMarkdown } from "../../../src/sessions/exportSession.ts";

const summary = { sessionId: "s", agentId: "default", role: "actor", createdAt: "2026-01-15T14:07:03Z", updatedAt: "2026-01-15T14:07:03Z" };

async function exported(...bodies: object[]): Promise<string> {
	const events = bodies.map(
		(body, index) =>
			({ v: 1, seq: index + 1, id: `e${index}`, at: summary.createdAt, by: "host", turn: "t", ...body }) as unknown as TranscriptEvent,
	);
	const state = events.reduce(applyEvent, createTranscript());
	return joinText(streamMarkdown(summary as Parameters<typeof streamMarkdown>[0], state, events));
}

describe("a session as Markdown", () => {
	it("says what became of a step and of a turn in sentences", async () => {
		const text = await exported(
			{ type: "step", step_number: 2, status: "done" },
			{ type: "ended", outcome: "interrupted", error: "The window was closed." },
		);
		assert.match(text, /\n\n\*Step 2 completed\*\n\n\*The turn was interrupted\. The window was closed\.\*\n$/);
	});

	it("has no words for a turn that was done", async () => {
		assert.doesNotMatch(await exported({ type: "ended", outcome: "done" }), /turn/);
	});
});
