// Tests approvals of other sessions in the chat panel's state.
import assert from "node:assert/strict";
import type { ChatStatus, DisplayEvent } from "../../../src/shared/protocol/chat.ts";
import { applyUpdate, approvalsElsewhere, transcript } from "../../../webview-ui/state.ts";

const at = "2025-01-01T00:00:00.000Z";
const shown = (sessionId: string) =>
	({ session: { sessionId, agentId: "default", role: "planner" }, roles: [], agents: [] }) as unknown as ChatStatus;
const asked = (request: string): DisplayEvent => ({
	...{ id: request, seq: 9, at, by: "host" as const },
	...{ type: "asked" as const, request, call: "c", summary: "Run it", hash: "h", reason: "It asks." },
});
const other = (event: DisplayEvent) => applyUpdate({ type: "event", session: "other", event });

describe("an approval of another session", () => {
	beforeEach(() => {
		applyUpdate({ type: "snapshot", events: [], surroundings: shown("this"), live: "", token: "t" });
	});

	after(() => {
		applyUpdate({ type: "snapshot", events: [], surroundings: { roles: [], agents: [] } as unknown as ChatStatus, live: "", token: "t" });
	});

	it("waits on the page with the session it belongs to, outside the conversation, until it is answered or its turn ends", () => {
		const before = transcript.value.folded.seq;
		assert.equal(other(asked("r1")), "taken");
		other(asked("r2"));
		assert.deepEqual(
			[...approvalsElsewhere.value].map(([request, { session }]) => [request, session]),
			[
				["r1", "other"],
				["r2", "other"],
			],
		);
		assert.equal(transcript.value.folded.seq, before);
		other({ id: "x", seq: 10, at, by: "person", type: "answered", request: "r1", answer: { allow: true } });
		assert.deepEqual([...approvalsElsewhere.value.keys()], ["r2"]);
		other({ id: "y", seq: 11, at, by: "host", type: "ended", outcome: "done" });
		assert.equal(approvalsElsewhere.value.size, 0);
	});

	it("is part of the conversation as soon as that session is the one shown", () => {
		other(asked("r1"));
		applyUpdate({ type: "snapshot", events: [], surroundings: shown("other"), live: "", token: "t" });
		assert.equal(approvalsElsewhere.value.size, 0);
	});
});
