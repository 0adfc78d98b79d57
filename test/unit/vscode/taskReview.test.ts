// Tests the title of the editor with all changes of a task.
import assert from "node:assert/strict";
import { CopyDocuments } from "../../../src/vscode/review/copyDocuments.ts";
import { createTaskReview } from "../../../src/vscode/review/taskReview.ts";
import { handlers } from "../../fakes/editorWindow.ts";
import { finishedTask } from "../delegation/applyChanges/finishedTask.ts";
import { closeTestTasks } from "../delegation/tasks/testTasks.ts";

describe("the editor of all changes of a task", () => {
	afterEach(async () => {
		handlers.delete("vscode.changes");
		await closeTestTasks();
	});

	it("says in its title where it shows only the first 100", async () => {
		const task = await finishedTask();
		for (let file = 0; file < 101; file += 1) task.change(`many/${file}.txt`, `${file}\n`);
		const { sessions, delegation } = task.app;
		const { applyChanges } = delegation.tasks;
		const opened: [title: string, files: unknown[]][] = [];
		handlers.set("vscode.changes", (title, files) => opened.push([String(title), files as unknown[]]));
		await createTaskReview(sessions, applyChanges, new CopyDocuments(applyChanges, () => undefined)).open(task.taskId);
		assert.deepEqual(
			opened.map(([title, files]) => [title, files.length]),
			[["First 100 of 101 changes of count", 100]],
		);
	});
});
