// Tests what a turn does to a file that is open in a real editor.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commands, extensions, Position, type TextDocument, Uri, WorkspaceEdit, window, workspace } from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { EventOf } from "../../src/core/events.ts";
import { type Heard, heardIn, until } from "./heard.ts";
import { revertUnsaved } from "./stubs.ts";

let api: TroupeApi;
let folder: string;
let heard: Heard;

function text(path: string): string {
	return readFileSync(join(folder, path), "utf8");
}

async function session(role: string): Promise<string> {
	const { sessionId } = await api.createSession({ role });
	heard = await heardIn(api, sessionId);
	return sessionId;
}

/** Allows what is asked, as soon as it is old enough to be answered. Resolves with what came of it. */
async function allow(sessionId: string): Promise<EventOf<"result">> {
	const { request, call } = await heard.first("asked");
	await until(() => api.answer(sessionId, request, { allow: true }));
	return heard.first("result", (result) => result.call === call);
}

/** Resolves once the editor has loaded what is on disk: a document that was open before may hold an earlier text. */
async function show(path: string): Promise<TextDocument> {
	const document = await workspace.openTextDocument(Uri.file(join(folder, path)));
	await window.showTextDocument(document);
	await textOf(document, (now) => document.isDirty || now === text(path));
	return document;
}

/** What the document holds once that fits. */
function textOf(document: TextDocument, wanted: (text: string) => boolean): Promise<string> {
	const now = document.getText();
	if (wanted(now)) return Promise.resolve(now);
	return new Promise((resolve) => {
		const listening = workspace.onDidChangeTextDocument((change) => {
			if (change.document !== document || !wanted(document.getText())) return;
			listening.dispose();
			resolve(document.getText());
		});
	});
}

async function insert(document: TextDocument, words: string): Promise<void> {
	const edit = new WorkspaceEdit();
	edit.insert(document.uri, new Position(document.lineCount, 0), words);
	assert.ok(await workspace.applyEdit(edit), "the editor took no text");
}

describe("a turn's changes to open files", function () {
	this.timeout(120_000);

	before(async () => {
		api = await (extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
	});

	afterEach(async () => {
		heard.dispose();
		await revertUnsaved();
		await commands.executeCommand("workbench.action.closeAllEditors");
		execFileSync("git", ["checkout", "--quiet", "--", "."], { cwd: folder });
	});

	it("a turn changes an open file, and Undo restores the old text", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		const before = document.getText();
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		assert.equal((await allow(id)).status, "ok");
		const after = await textOf(document, (now) => now.includes("formatMoney"));
		assert.equal(after, before.replaceAll("formatPrice", "formatMoney"));
		assert.equal(document.isDirty, false);
		assert.equal(text("src/money.ts"), after);
		await api.cancel(id);
		await turn;
		await show("src/money.ts");
		await commands.executeCommand("undo");
		assert.equal(await textOf(document, (now) => now === before), before);
	});

	it("a turn that changes a file with unsaved text keeps that text and Undo", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		await insert(document, "// Not saved yet, formatPrice.\n");
		const unsaved = document.getText();
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		assert.equal((await allow(id)).status, "ok");
		const after = document.getText();
		assert.equal(after, unsaved.replaceAll("formatPrice", "formatMoney"));
		await api.cancel(id);
		await turn;
		assert.equal(text("src/money.ts"), after, "what the model changed is on disk");
		await show("src/money.ts");
		// One step back for each of the edits it took.
		for (let steps = 0; document.getText() !== unsaved && steps < 5; steps += 1) await commands.executeCommand("undo");
		assert.equal(document.getText(), unsaved);
	});

	it("a turn leaves a file alone if the editor can't save its unsaved text", async () => {
		const id = await session("actor");
		const document = await show("src/money.ts");
		await insert(document, "// Not saved yet, formatPrice.\n");
		const unsaved = document.getText();
		const other = `${text("src/money.ts")}// Written by another program.\n`;
		writeFileSync(join(folder, "src/money.ts"), other);
		const turn = api.send(id, "Rename formatPrice to formatMoney in src/money.ts");
		const { output } = await allow(id);
		assert.match(
			output,
			/^src\/money\.ts could not be written: its editor could not save it, .*; ask the user to save or revert it\. Nothing was changed\.$/,
		);
		await api.cancel(id);
		await turn;
		assert.deepEqual([document.getText(), document.isDirty, text("src/money.ts")], [unsaved, true, other]);
	});
});
