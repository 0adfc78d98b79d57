// Inserts code from an answer at the cursor, or proposes it as a change to accept or discard.
import { lstat, realpath } from "node:fs/promises";
import { basename, dirname, join, sep } from "node:path";
import * as vscode from "vscode";
import { proposeCode, type TextRange } from "../../integrations/codeProposal.ts";
import { t } from "../../shared/l10n.ts";
import { showNotification } from "../notifications.ts";

/** Schemes of documents that users write in. */
const WRITABLE = new Set(["file", "untitled", "vscode-remote", "vscode-vfs"]);
const SCHEME = "troupe-proposal";

const proposed = new Map<string, string>();
/** The last active document and its selection, since a chat in an editor tab replaces the active editor. */
let last: { uri: vscode.Uri; selection: vscode.Selection } | undefined;

/** Tracks the active editor and serves the proposals' text. */
export function registerCodeBlocks(): vscode.Disposable {
	trackEditor(vscode.window.activeTextEditor);
	return vscode.Disposable.from(
		vscode.window.onDidChangeActiveTextEditor(trackEditor),
		vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => trackEditor(textEditor)),
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
			provideTextDocumentContent: (uri) => proposed.get(uri.query) ?? "",
		}),
		vscode.workspace.onDidCloseTextDocument(({ uri }) => uri.scheme === SCHEME && proposed.delete(uri.query)),
	);
}

function trackEditor(editor: vscode.TextEditor | undefined): void {
	if (editor && WRITABLE.has(editor.document.uri.scheme)) last = { uri: editor.document.uri, selection: editor.selection };
}

export async function insertCode(code: string): Promise<void> {
	if (!last) {
		void showNotification("info", t("Open a file and place the cursor where the code should go, then insert the code again."));
		return;
	}
	const { uri, selection } = last;
	const editor = await vscode.window.showTextDocument(uri, { selection, ...columnOf(uri) });
	const text = code.replace(/\n$/, "");
	const done = await editor.edit((edit) => edit.replace(editor.selection, text));
	if (!done) void showNotification("warning", t("Could not insert the code because {0} can't be edited. Nothing was written.", name(uri)));
}

/** Resolves to true if the user accepts, and to undefined if the question is dismissed. */
type Ask = (question: string) => Promise<boolean | undefined>;

async function askPerson(question: string): Promise<boolean | undefined> {
	const accept = t("Accept");
	const answer = await showNotification("info", question, accept, t("Discard"));
	return answer === undefined ? undefined : answer === accept;
}

/** `path`: the file that the block names; defaults to the last active document. */
export async function applyCode(code: string, path?: string, ask: Ask = askPerson): Promise<void> {
	const named = path === undefined ? undefined : await inWorkspace(path);
	const uri = named ?? last?.uri;
	if (!uri) {
		void showNotification("info", t("Open the file that the code is for, then apply the code again."));
		return;
	}
	const document = await vscode.workspace.openTextDocument(uri).then(
		(found) => found,
		() => undefined,
	);
	const before = document?.getText() ?? "";
	// The selection counts only if the code names no file.
	const after = proposeCode(before, code, document && !named ? selectedRange(document) : undefined);
	if (after === before) {
		void showNotification("info", t("{0} already contains this code. Nothing was changed.", name(uri)));
		return;
	}
	const version = document?.version;
	const query = String(Date.now());
	proposed.set(query, after);
	const right = uri.with({ scheme: SCHEME, query, authority: "" });
	await vscode.commands.executeCommand(
		"vscode.diff",
		document ? uri : right.with({ query: "" }),
		right,
		t("{0} (proposed)", basename(uri.path)),
	);
	const accepted = await ask(document ? t("Make this change in {0}?", name(uri)) : t("Create {0} with this content?", name(uri)));
	if (accepted === undefined) return;
	await closeDiff(right);
	if (!accepted) return;
	if (path !== undefined && named && !(await inWorkspace(path)))
		void showNotification("warning", t("{0} now points outside the workspace. Nothing was written.", name(uri)));
	else await write(uri, document, version, after);
}

async function write(
	uri: vscode.Uri,
	document: vscode.TextDocument | undefined,
	version: number | undefined,
	after: string,
): Promise<void> {
	if (document && document.version !== version) {
		void showNotification(
			"warning",
			t(
				"{0} has changed since the code was proposed. Nothing was written. Apply the code again to compare it with the current file.",
				name(uri),
			),
		);
		return;
	}
	const edit = new vscode.WorkspaceEdit();
	if (document) {
		const { from, to, words } = difference(document.getText(), after);
		edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), words);
	} else {
		edit.createFile(uri, { ignoreIfExists: false });
		edit.insert(uri, new vscode.Position(0, 0), after);
	}
	if (await vscode.workspace.applyEdit(edit)) await vscode.window.showTextDocument(uri, columnOf(uri));
	else void showNotification("warning", t("Could not change {0}. Nothing was written.", name(uri)));
}

/** The changed range between the common prefix and suffix. */
function difference(before: string, after: string): { from: number; to: number; words: string } {
	let from = 0;
	while (from < before.length && from < after.length && before[from] === after[from]) from += 1;
	let end = 0;
	while (end < before.length - from && end < after.length - from && before.at(-1 - end) === after.at(-1 - end)) end += 1;
	return { from, to: before.length - end, words: after.slice(from, after.length - end) };
}

function selectedRange(document: vscode.TextDocument): TextRange | undefined {
	if (last?.uri.toString() !== document.uri.toString()) return undefined;
	return { from: document.offsetAt(last.selection.start), to: document.offsetAt(last.selection.end) };
}

/** The file's URI if it resolves into a workspace folder; the file need not exist. */
async function inWorkspace(path: string): Promise<vscode.Uri | undefined> {
	// A dangling link leads outside; it is not a free name.
	const exists = await lstat(path).catch(() => undefined);
	const real = await realpath(exists ? path : dirname(path)).then(
		(found) => (exists ? found : join(found, basename(path))),
		() => undefined,
	);
	for (const folder of real === undefined ? [] : (vscode.workspace.workspaceFolders ?? [])) {
		const root = await realpath(folder.uri.fsPath).catch(() => undefined);
		if (root !== undefined && real?.startsWith(root + sep)) return vscode.Uri.file(path);
	}
	return undefined;
}

/** The column that already shows the document. */
function columnOf(uri: vscode.Uri): { viewColumn?: vscode.ViewColumn } {
	const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
	return editor?.viewColumn === undefined ? {} : { viewColumn: editor.viewColumn };
}

async function closeDiff(right: vscode.Uri): Promise<void> {
	const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
	const diff = tabs.filter(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === right.toString());
	if (diff.length > 0) await vscode.window.tabGroups.close(diff);
}

function name(uri: vscode.Uri): string {
	return vscode.workspace.asRelativePath(uri);
}
