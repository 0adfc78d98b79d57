// Tests the diff and merge editors of a task's changes, with real files and a real copy.
import assert from "node:assert/strict";
import { join } from "node:path";
import { commands, Selection, TabInputTextDiff, type Uri, window, workspace } from "vscode";
import { CopyDocuments } from "../../src/vscode/review/copyDocuments.ts";
import { createTaskReview } from "../../src/vscode/review/taskReview.ts";
import { edited, FILES, finishedTask, type Taken } from "../unit/delegation/applyChanges/finishedTask.ts";
import { closeTestTasks } from "../unit/delegation/tasks/testTasks.ts";
import { until } from "./heard.ts";
import { select } from "./selections.ts";
import { window as stubbed } from "./stubs.ts";

/** The extension has its own. */
const SCHEME = "troupe-copy-test";

const activeTab = () => window.tabGroups.activeTabGroup.activeTab;

type Merge = { input2: { uri: Uri } };

/** Acts while that stands in for the merge editor. */
async function withMergeEditor(merge: (given: Merge) => Promise<unknown>, act: () => Promise<void>): Promise<void> {
	const execute = commands.executeCommand;
	(commands as { executeCommand: unknown }).executeCommand = async (name: string, ...rest: [Merge]) =>
		name === "_open.mergeEditor" ? merge(...rest) : execute(name, ...rest);
	try {
		await act();
	} finally {
		(commands as { executeCommand: unknown }).executeCommand = execute;
	}
}

describe("the editors of a task's changes", function () {
	this.timeout(120_000);
	let documents: CopyDocuments;
	let task: Taken;
	let said: string[];

	async function review() {
		const { sessions, delegation } = task.app;
		const { applyChanges } = delegation.tasks;
		documents = new CopyDocuments(applyChanges, () => undefined, SCHEME);
		return createTaskReview(sessions, applyChanges, documents);
	}

	/** The two texts of the diff that is shown. */
	async function diff(): Promise<{ left: string; right: string; label: string; input: TabInputTextDiff }> {
		let shown: TabInputTextDiff | undefined;
		await until(async () => {
			const input = activeTab()?.input;
			assert.ok(input instanceof TabInputTextDiff);
			shown = input;
		});
		const input = shown ?? assert.fail();
		const [left, right] = await Promise.all([input.original, input.modified].map((uri) => workspace.openTextDocument(uri)));
		return { left: left?.getText() ?? "", right: right?.getText() ?? "", label: activeTab()?.label ?? "", input };
	}

	beforeEach(async () => {
		said = [];
		for (const name of ["showWarningMessage", "showInformationMessage"]) stubbed[name] = async (text: string) => void said.push(text);
		task = await finishedTask();
	});

	afterEach(async () => {
		await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await commands.executeCommand("workbench.action.closeAllEditors");
		documents?.dispose();
		await closeTestTasks();
	});

	it("a task's file is shown read-only beside the user's file and can be taken", async () => {
		task.change("src/b.ts", "theirs\n");
		const { open, takeFile } = await review();
		await open(task.taskId, "src/b.ts");
		const { left, right, label, input } = await diff();
		assert.deepEqual([left, right, label], [FILES["src/b.ts"], "theirs\n", "src/b.ts (Workspace ↔ count)"]);
		assert.equal(input.original.fsPath, join(task.app.folder, "src/b.ts"));
		assert.equal(workspace.fs.isWritableFileSystem(input.modified.scheme), false);
		await takeFile();
		assert.equal(task.read("src/b.ts"), "theirs\n");
		assert.ok(!(activeTab()?.input instanceof TabInputTextDiff));
		assert.deepEqual(said, []);
	});

	it("taking the selected part of a task's changes leaves the rest to review", async () => {
		task.change("src/a.ts", edited(2, 25));
		const { open, takeSelection } = await review();
		await open(task.taskId, "src/a.ts");
		const { input } = await diff();
		const editorOf = (uri: Uri) => window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
		await until(async () => assert.ok(editorOf(input.modified)));
		const editor = editorOf(input.modified) ?? assert.fail();
		// A diff goes to its first change by itself, which must not come after a selection.
		await until(async () => assert.equal(editor.selection.start.line, 2));
		await select(editor, new Selection(10, 0, 10, 0));
		await takeSelection();
		assert.match(said.join(), /No change is selected/);
		await select(editor, new Selection(25, 0, 25, 3));
		await takeSelection();
		assert.equal(task.read("src/a.ts"), edited(25));
		await until(async () => {
			const { left, right } = await diff();
			assert.deepEqual([left, right], [edited(25), edited(2, 25)]);
		});
		assert.equal(window.tabGroups.all.flatMap(({ tabs }) => tabs).filter((tab) => tab.input instanceof TabInputTextDiff).length, 1);
	});

	it("files created or deleted by a task are compared with an empty text", async () => {
		task.change("new.txt", "new\n");
		task.change("old.txt", undefined);
		const { open } = await review();
		await open(task.taskId, "new.txt");
		const created = await diff();
		assert.deepEqual([created.left, created.right], ["", "new\n"]);
		await open(task.taskId, "old.txt");
		await until(async () => {
			const deleted = await diff();
			assert.deepEqual([deleted.left, deleted.right], ["old\n", ""]);
		});
		await open(task.taskId);
		await until(async () => assert.match(activeTab()?.label ?? "", /^Changes of count/));
	});

	it("a file changed by task and user opens in a merge editor and stays unchanged", async () => {
		task.change("src/a.ts", edited(2));
		task.put("src/a.ts", edited(2, 25).replace("changed 2\n", "mine\n"));
		const mine = task.read("src/a.ts");
		const { open } = await review();
		await open(task.taskId, "src/a.ts");
		await until(async () => assert.match(activeTab()?.label ?? "", /^Merging: a\.ts/));
		assert.equal(task.read("src/a.ts"), mine);
		await until(async () => {
			const texts = workspace.textDocuments.filter(({ uri }) => uri.scheme === SCHEME).map((document) => document.getText());
			assert.deepEqual(texts.sort(), [FILES["src/a.ts"], edited(2), mine].sort());
		});
	});

	it("a merge uses the user's current file even if an earlier version is open", async () => {
		task.change("src/b.ts", "theirs\n");
		const { open } = await review();
		const merged: string[] = [];
		const read = async ({ input2 }: Merge) => merged.push((await workspace.openTextDocument(input2.uri)).getText());
		for (const mine of ["mine\n", "mine, later\n"]) {
			task.put("src/b.ts", mine);
			await withMergeEditor(read, () => open(task.taskId, "src/b.ts"));
		}
		assert.deepEqual(merged, ["mine\n", "mine, later\n"]);
	});

	it("a file changed by task and user is compared if there is no merge editor", async () => {
		task.change("src/b.ts", "theirs\n");
		task.put("src/b.ts", "mine\n");
		const { open } = await review();
		const isMissing = () => Promise.reject(new Error("command not found"));
		await withMergeEditor(isMissing, () => open(task.taskId, "src/b.ts"));
		const { left, right } = await diff();
		assert.deepEqual([left, right], ["mine\n", "theirs\n"]);
	});
});
