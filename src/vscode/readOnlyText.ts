// Shows and compares texts in read-only documents that are not on disk.
import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

const SCHEME = "troupe-text";
/** Its lines wrap: what is beyond the edge of an editor is not read. */
const LANGUAGE = "troupe-text";
/** Older ones are forgotten: their editors keep what they show. */
const MOST = 40;

const texts = new Map<string, string>();
let count = 0;
let provided = false;

/** A button above the first line. It stays until `run` resolves with true. */
export interface TextAction {
	title: string;
	run(): Promise<boolean>;
}

const acts = new Map<string, readonly TextAction[]>();
let actsChanged: vscode.EventEmitter<void> | undefined;

/** `text` is written out already. */
export async function showReadOnlyText(title: string, text: string, offered: readonly TextAction[] = []): Promise<void> {
	const uri = keep(title, text);
	if (offered.length > 0) offer(uri.toString(), offered);
	await vscode.window.showTextDocument(await opened(uri), { preview: true });
}

function offer(uri: string, offered: readonly TextAction[]): void {
	acts.set(uri, offered);
	if (actsChanged) return;
	const changed = new vscode.EventEmitter<void>();
	actsChanged = changed;
	// A name that nothing else can know: what is approved here only a person approves.
	const command = `troupe.textAct.${randomUUID()}`;
	vscode.commands.registerCommand(command, async (of: string, place: number) => {
		if (!(await acts.get(of)?.[place]?.run())) return;
		acts.delete(of);
		changed.fire();
	});
	vscode.languages.registerCodeLensProvider(
		{ scheme: SCHEME },
		{
			onDidChangeCodeLenses: changed.event,
			provideCodeLenses: (document) => {
				const of = document.uri.toString();
				const top = new vscode.Range(0, 0, 0, 0);
				return (acts.get(of) ?? []).map(({ title }, place) => new vscode.CodeLens(top, { command, title, arguments: [of, place] }));
			},
		},
	);
}

export async function showTextDiff(title: string, before: string, after: string): Promise<void> {
	const sides = [keep(title, before), keep(title, after)];
	await Promise.all(sides.map(opened));
	await vscode.commands.executeCommand("vscode.diff", ...sides, title, { preview: true });
}

async function opened(uri: vscode.Uri): Promise<vscode.TextDocument> {
	return vscode.languages.setTextDocumentLanguage(await vscode.workspace.openTextDocument(uri), LANGUAGE);
}

function keep(title: string, text: string): vscode.Uri {
	if (!provided)
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, { provideTextDocumentContent: (uri) => texts.get(uri.toString()) });
	provided = true;
	count += 1;
	const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replace(/[^\p{L}\p{N} ._-]/gu, "")}`, query: String(count) });
	texts.set(uri.toString(), text);
	for (const old of [...texts.keys()].slice(0, -MOST)) {
		texts.delete(old);
		acts.delete(old);
	}
	return uri;
}
