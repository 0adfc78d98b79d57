// Background tasks in the status bar: their number, the list behind a click, and notifications for whoever is elsewhere.
import assert from "node:assert/strict";
import type { EventOf } from "../../../src/core/events.ts";
import type { TaskState } from "../../../src/core/task.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { taskRecord, taskSummary } from "../storage/support.ts";

type Parts = typeof import("../../../src/vscode/statusBar/taskStatus.ts") &
	Pick<typeof import("../../../src/vscode/taskPicker.ts"), "pickTask"> &
	Pick<typeof import("../../../src/vscode/windowFocus.ts"), "watchWindowFocus">;

const FILES = ["statusBar/taskStatus", "taskPicker", "windowFocus"].map((name) => `src/vscode/${name}.ts`);

const task = (id: string, state: TaskState) => taskSummary(id, taskRecord(state), { name: `Task ${id}` });
const changed = (state: TaskState): EventOf<"task"> => ({
	...{ id: "e1", seq: 1, at: "2026-01-01T00:00:00Z", by: "host", type: "task", task: "a", state, name: "Count $(files)" },
});

describe("background tasks in the status bar", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Parts>>>;

	before(async () => {
		editor = await onEditorWindow<Parts>("taskStatus", ...FILES);
	});

	function created() {
		const status = editor.createTaskStatus();
		const item = editor.statusItems.at(-1);
		assert.ok(item);
		const show = (...tasks: ReturnType<typeof task>[]) => status.refresh({ tasks: async () => tasks });
		return { status, item, show };
	}

	it("are not there until one works or waits, and again when none does", async () => {
		const { item, show } = created();
		assert.equal(item.isShown, false);
		await show(task("a", "done"), task("b", "interrupted"));
		assert.equal(item.isShown, false);
		await show(task("a", "running"), task("b", "waiting"), task("c", "failed"));
		assert.deepEqual([item.isShown, item.text], [true, "$(server-process) 2"]);
		assert.equal(item.tooltip, "2 background tasks\nTask a: Running\nTask b: Needs information");
		assert.equal(item.accessibilityInformation?.label, "2 background tasks, Task a: Running, Task b: Needs information");
		await show(task("a", "done"));
		assert.equal(item.isShown, false);
	});

	it("are read once more for all that changes during a read", async () => {
		const { status, item } = created();
		let reads = 0;
		const list = { tasks: async () => [task("a", ++reads === 1 ? "queued" : "waiting")] };
		await Promise.all([status.refresh(list), Promise.resolve().then(() => Promise.all([1, 2, 3].map(() => status.refresh(list))))]);
		assert.equal(reads, 2);
		assert.match(item.tooltip, /Needs information/);
	});

	it("are picked from a list, those that are open first", async () => {
		editor.asked.length = 0;
		editor.answers.push("Task c");
		assert.equal(await editor.pickTask([task("a", "done"), task("b", "failed"), task("c", "running")]), "c");
		assert.deepEqual(editor.asked.at(-1)?.labels, ["$(loading~spin) Task c", "$(pass) Task a", "$(error) Task b"]);
		assert.equal(await editor.pickTask([]), undefined);
		assert.equal(editor.shown.pop()?.text, "There are no background tasks.");
	});

	it("are announced when they end, fail or ask while the window has no focus, and a click opens them", async () => {
		const { status } = created();
		const done: unknown[] = [];
		for (const command of ["troupe.open", "troupe.showWaiting"])
			editor.commands.registerCommand(command, (target: unknown) => void done.push([command, target]));
		editor.window.state.focused = false;
		editor.watchWindowFocus();
		editor.presses("Show");
		editor.shown.length = 0;
		for (const state of ["queued", "running", "done", "waiting", "failed", "interrupted", "cancelled"] as const)
			await status.handleEvent(changed(state));
		assert.deepEqual(
			editor.shown.map(({ how, text }) => [how, text.replace(/^.*: /, "")]),
			[
				["info", "Completed"],
				["info", "Needs information"],
				["warning", "Failed"],
			],
		);
		const target = { sessionId: "a" };
		assert.deepEqual(done, [
			["troupe.open", target],
			["troupe.showWaiting", target],
			["troupe.open", target],
		]);
		editor.window.state.focused = true;
		editor.watchWindowFocus();
		await status.handleEvent(changed("done"));
		assert.equal(editor.shown.length, 3);
	});

	it("are announced once for each end, although the sessions that started and continued it both show that", async () => {
		const { status } = created();
		editor.window.state.focused = false;
		editor.watchWindowFocus();
		editor.shown.length = 0;
		const twice = async (state: TaskState) => {
			await status.handleEvent(changed(state));
			await status.handleEvent(changed(state));
			return editor.shown.length;
		};
		assert.deepEqual([await twice("done"), await twice("running"), await twice("done")], [1, 1, 2]);
		await status.handleEvent({ ...changed("done"), task: "b" });
		assert.equal(editor.shown.length, 3);
	});
});
