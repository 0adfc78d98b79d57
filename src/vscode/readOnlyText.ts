// Shows and compares texts in read-only documents that are not on disk.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

const SCHEME = "troupe-text";
/** Its lines wrap, since text beyond the editor's edge goes unread. */
const LANGUAGE = "troupe-text";
/** Older texts are dropped; open editors keep their content. */
const MAX_TEXTS = 40;

const texts = new Map<string, string>();
let count = 0;
let provided = false;

/** A code lens above the first line, shown until `run` resolves with true. */
export interface TextAction {
	title: string;
	run(): Promise<boolean>;
}

const actions = new Map<string, readonly TextAction[]>();
let actionsChanged: vscode.EventEmitter<void> | undefined;

/** `text` is already sanitized for display. */
export async function showReadOnlyText(title: string, text: string, offered: readonly TextAction[] = []): Promise<void> {
	const uri = addDocument(title, text);
	if (offered.length > 0) registerActions(uri.toString(), offered);
	await vscode.window.showTextDocument(await opened(uri), { preview: true });
}

function registerActions(uri: string, offered: readonly TextAction[]): void {
	actions.set(uri, offered);
	if (actionsChanged) return;
	const changed = new vscode.EventEmitter<void>();
	actionsChanged = changed;
	// An unguessable id, so that only the user can run these actions.
	const command = `troupe.textAct.${randomUUID()}`;
	vscode.commands.registerCommand(command, async (of: string, place: number) => {
		if (!(await actions.get(of)?.[place]?.run())) return;
		actions.delete(of);
		changed.fire();
	});
	vscode.languages.registerCodeLensProvider(
		{ scheme: SCHEME },
		{
			onDidChangeCodeLenses: changed.event,
			provideCodeLenses: (document) => {
				const of = document.uri.toString();
				const top = new vscode.Range(0, 0, 0, 0);
				return (actions.get(of) ?? []).map(({ title }, place) => new vscode.CodeLens(top, { command, title, arguments: [of, place] }));
			},
		},
	);
}

export async function showTextDiff(title: string, before: string, after: string): Promise<void> {
	const sides = [addDocument(title, before), addDocument(title, after)];
	await Promise.all(sides.map(opened));
	await vscode.commands.executeCommand("vscode.diff", ...sides, title, { preview: true });
}

async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
	return vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), LANGUAGE);
}

function addDocument(title: string, text: string): vscode.Uri {
	if (!provided)
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: (uri) => texts.get(uri.toString()) });
	provided = true;
	count += 1;
	const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replace(/[^\p{L}\p{N} ._-]/gu, "")}`, query: String(count) });
	texts.set(uri.toString(), text);
	for (const old of [...texts.keys()].slice(0, -MAX_TEXTS)) {
		texts.delete(old);
		actions.delete(old);
	}
	return uri;
}
