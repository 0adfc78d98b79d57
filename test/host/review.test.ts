// Tests reviewing a turn's changes in a real editor: comparing, keeping and undoing parts or all.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { commands, extensions, Position, type TextDocument, Uri, WorkspaceEdit, window, workspace } from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import { heardIn, until } from "./heard.ts";
import { restoreWindow, window as stubbed } from "./stubs.ts";

const PATH = "src/cart.ts";
/** Where the sample's file names what is renamed. */
const [FIRST, LAST] = [1, 46];

let api: TroupeApi;
let folder: string;
let earlier: string;

const text = () => readFileSync(join(folder, PATH), "utf8");
const part = (line: number) => [
	{ originalStartLineNumber: line, originalEndLineNumber: line, modifiedStartLineNumber: line, modifiedEndLineNumber: line },
];
/** As menus of the Source Control view call commands. */
const entry = { file: { path: PATH } };

let looks = 0;

/** Asked anew each time: the editor keeps a document that was opened too early as it was. */
async function original(): Promise<TextDocument> {
	looks += 1;
	return workspace.openTextDocument(Uri.file(join(folder, PATH)).with({ scheme: "troupe-original", query: `look=${looks}` }));
}

/** The document that the file is compared with holds that text, once the review has taken in what happened. */
async function comparedWith(wanted: string): Promise<void> {
	await until(async () => assert.equal((await original()).getText(), wanted));
}

/** The document as the turn left it: an open one takes a moment to follow the disk. */
async function opened(wanted: string): Promise<TextDocument> {
	const document = await workspace.openTextDocument(Uri.file(join(folder, PATH)));
	await window.showTextDocument(document);
	await until(async () => assert.equal(document.getText(), wanted));
	return document;
}

/** One session renames a name in the file, at two places. */
async function rename(from: string, to: string): Promise<string> {
	const { sessionId } = await api.createSession({ role: "actor" });
	const heard = await heardIn(api, sessionId);
	const turn = api.send(sessionId, `Rename ${from} to ${to} in ${PATH}`);
	const { request } = await heard.first("asked");
	await until(() => api.answer(sessionId, request, { allow: true }));
	await heard.first("result");
	await until(async () => assert.ok(text().includes(to)));
	await api.cancel(sessionId);
	await turn;
	heard.dispose();
	return sessionId;
}

function lines(content: string, replaced: Record<number, string>): string {
	return content
		.split("\n")
		.map((line, index) => replaced[index + 1] ?? line)
		.join("\n");
}

describe("the review of what turns changed", function () {
	this.timeout(180_000);
	let after: string;
	let session: string;

	before(async () => {
		api = await (extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
		earlier = text();
	});

	beforeEach(async () => {
		session = await rename("formatPrice", "formatMoney");
		after = text();
		assert.notEqual(after, earlier);
		await comparedWith(earlier);
	});

	afterEach(async () => {
		await commands.executeCommand("workbench.action.revertAndCloseActiveEditor");
		await commands.executeCommand("workbench.action.closeAllEditors");
		await commands.executeCommand("troupe.keepAllChanges");
		execFileSync("git", ["checkout", "--quiet", "--", "."], { cwd: folder });
	});

	it("keeping one part of a change leaves the rest to review", async () => {
		const uri = (await opened(after)).uri;
		const changed = after.split("\n");
		await commands.executeCommand("troupe.keepHunk", uri, part(FIRST), 0);
		await comparedWith(lines(earlier, { [FIRST]: changed[FIRST - 1] as string }));
		await commands.executeCommand("troupe.keepHunk", uri, part(LAST), 0);
		await comparedWith(after);
		assert.equal(text(), after);
		const kept = (await api.transcript(session)).findLast((event) => event.type === "status");
		assert.deepEqual(kept?.type === "status" ? kept.reviewed : undefined, [{ path: PATH }]);
	});

	it("undoing one part of a change is a saved edit that Undo can revert", async () => {
		const uri = Uri.file(join(folder, PATH));
		const document = await opened(after);
		await commands.executeCommand("troupe.undoHunk", uri, part(LAST), 0);
		const partly = lines(after, { [LAST]: earlier.split("\n")[LAST - 1] as string });
		assert.deepEqual([document.getText(), text(), document.isDirty], [partly, partly, false]);
		await commands.executeCommand("undo");
		assert.equal(document.getText(), after);
		await commands.executeCommand("redo");
		await document.save();
		// The rest is still all ours, so the file can be undone as a whole.
		await commands.executeCommand("troupe.undoChange", entry);
		assert.equal(text(), earlier);
	});

	it("undoing one part of a change keeps the person's unsaved text", async () => {
		const uri = Uri.file(join(folder, PATH));
		const document = await opened(after);
		const edit = new WorkspaceEdit();
		edit.insert(uri, new Position(2, 0), "// mine\n");
		assert.ok(await workspace.applyEdit(edit));
		await commands.executeCommand("troupe.undoHunk", uri, part(FIRST), 0);
		assert.equal(document.lineAt(0).text, earlier.split("\n")[0]);
		assert.deepEqual([document.lineAt(2).text, document.isDirty, text()], ["// mine", true, after]);
	});

	it("undoing a changed file brings the earlier text into its editor", async () => {
		const document = await opened(after);
		await commands.executeCommand("troupe.undoChange", entry);
		assert.equal(text(), earlier);
		await until(async () => assert.equal(document.getText(), earlier));
	});

	it("the review of changes shows all files in one editor", async () => {
		await commands.executeCommand("troupe.reviewChanges");
		await until(async () => assert.match(window.tabGroups.activeTabGroup.activeTab?.label ?? "", /^Changes by Troupe/));
	});

	it("a file changed by two sessions is compared with its text before both", async () => {
		await rename("formatMoney", "formatAmount");
		await comparedWith(earlier);
		await commands.executeCommand("troupe.undoChange", entry);
		assert.equal(text(), earlier);
	});

	it("Undo All says why no file can be undone, instead of asking", async () => {
		const sessionId = await rename("formatMoney", "formatSum");
		const document = await opened(text());
		const edit = new WorkspaceEdit();
		edit.insert(document.uri, new Position(0, 0), "// mine\n");
		assert.ok(await workspace.applyEdit(edit));
		const shown: unknown[] = [];
		stubbed["showWarningMessage"] = async (message: string, options: unknown) => void shown.push([message, typeof options]);
		await commands.executeCommand("troupe.undoAllChanges");
		restoreWindow();
		assert.deepEqual(shown, [[`${PATH} was not changed. The file has unsaved changes in an editor.`, "string"]]);
		await commands.executeCommand("workbench.action.files.revert");
		await commands.executeCommand("troupe.undoChange", entry);
		assert.equal(text(), earlier, sessionId);
	});
});
