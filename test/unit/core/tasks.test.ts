// Tests the fold of background tasks that a session started.
import assert from "node:assert/strict";
import type { EventBody, TranscriptEvent } from "../../../src/core/events.ts";
import type { TaskState } from "../../../src/core/task.ts";
import { applyEvent, createTranscript } from "../../../src/core/transcript/fold.ts";
import { openTasks } from "../../../src/core/transcript/tasks.ts";

function fold(bodies: readonly EventBody[]) {
	return bodies.reduce((state, body, index) => {
		const event = { id: `e${index + 1}`, seq: index + 1, at: "2026-01-01T00:00:00.000Z", by: "host", ...body } as TranscriptEvent;
		return applyEvent(state, event);
	}, createTranscript());
}

const changed = (state: TaskState, text?: string): EventBody => ({
	type: "task",
	task: "t1",
	state,
	name: "Find it",
	...(text !== undefined && { text }),
});
const started: EventBody = { type: "delegated", call: "c1", task: "t1" };

function news(state: TaskState): EventBody {
	const usage = { input: 10, output: 5, cached: 0, cost: 0, unpriced: 0 };
	const about = { kind: "task", session: "t1", call: "c1", turn: "turn1", agent: "task-general", state, usage } as const;
	return { type: "queued", message: `news-${state}`, from: "agent:task-general", text: "It is done.", about };
}

const TAKEN: EventBody = { type: "user", text: "It is done.", message: "news-done" };

describe("the tasks of a session", () => {
	it("have the state of their latest event, and what they last said", () => {
		const task = fold([started, changed("queued"), changed("running", "Looking"), changed("waiting")]).tasks.get("t1");
		assert.deepEqual([task?.name, task?.state, task?.text], ["Find it", "waiting", "Looking"]);
	});

	it("end with the message that says so, whose usage counts once a turn takes it", () => {
		const waiting = [started, changed("running"), news("done")];
		assert.deepEqual([fold(waiting).tasks.get("t1")?.state, fold(waiting).calledUsage.input], ["done", 0]);
		assert.equal(fold([...waiting, TAKEN]).calledUsage.input, 10);
	});

	it("are open with their call until they have ended", () => {
		assert.deepEqual(
			openTasks(fold([started, changed("running")])).map(({ type }) => type),
			["delegated", "task"],
		);
		assert.deepEqual(openTasks(fold([started, changed("running"), news("failed")])), []);
	});
});
