// Tests what the dialogs say of background tasks before a session is cleared or deleted, with real copies.

import assert from "node:assert/strict";
import { describeClearing, describeDeletion } from "../../../../src/delegation/tasks/describeLoss.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { finishedTask } from "../applyChanges/finishedTask.ts";
import { closeTestTasks } from "./testTasks.ts";

const DELETED = "This permanently deletes its messages and its background tasks. Your files are not affected.";
const CLEARED = "This permanently deletes its messages. The name, agent, and role are kept. Your files are not affected.";

describe("the question before a session with background tasks is removed", () => {
	afterEach(closeTestTasks);

	it("says that changes that were not taken are deleted, of the session as of the task itself", async () => {
		const task = await finishedTask();
		const { sessions, delegation } = task.app;
		const { applyChanges } = delegation.tasks;
		assert.deepEqual(await describeDeletion(sessions, applyChanges, task.caller.sessionId), [DELETED]);
		task.change("src/b.ts", "theirs\n");
		assert.deepEqual(await describeDeletion(sessions, applyChanges, task.caller.sessionId), [
			DELETED,
			"1 task has changes that you haven't taken. They are deleted with it.",
		]);
		assert.deepEqual(await describeDeletion(sessions, applyChanges, task.taskId), [
			"This permanently deletes its messages. Your files are not affected.",
			"It has changes that you haven't taken. They are deleted with it.",
		]);
		assert.deepEqual(await describeClearing(sessions, task.caller.sessionId), [CLEARED]);
		await task.takeAll();
		assert.deepEqual(await describeDeletion(sessions, applyChanges, task.caller.sessionId), [DELETED]);
	});

	it("says that running tasks are stopped", async () => {
		const { until, open } = createDeferred();
		const task = await finishedTask({ until });
		const { sessions, delegation } = task.app;
		const { applyChanges } = delegation.tasks;
		const stopped = "1 task that is running or waiting is stopped.";
		assert.deepEqual(await describeDeletion(sessions, applyChanges, task.caller.sessionId), [DELETED, stopped]);
		assert.deepEqual(await describeClearing(sessions, task.caller.sessionId), [CLEARED, stopped]);
		await sessions.clear(task.caller.sessionId);
		open();
		await task.state("cancelled");
		assert.deepEqual(await describeClearing(sessions, task.caller.sessionId), [CLEARED]);
	});
});
