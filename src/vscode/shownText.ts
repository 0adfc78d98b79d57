// Texts that are opened to be read, and compared: nobody can write in them, and nothing of them is on disk.
import * as vscode from "vscode";

const SCHEME = "troupe-text";
/** Its lines wrap: what is beyond the edge of an editor is not read. */
const LANGUAGE = "troupe-text";
/** Older ones are forgotten: their editors keep what they show. */
const MOST = 40;

const texts = new Map<string, string>();
let count = 0;
let provided = false;

/** `text` is written out already. */
export async function showText(title: string, text: string): Promise<void> {
	await vscode.window.showTextDocument(await opened(keep(title, text)), { preview: true });
}

export async function compareTexts(title: string, before: string, after: string): Promise<void> {
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
	for (const old of [...texts.keys()].slice(0, -MOST)) texts.delete(old);
	return uri;
}
