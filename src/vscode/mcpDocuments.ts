// Texts about MCP servers that are opened to be read: what one wrote, what has changed of a tool, what would be started.
import * as vscode from "vscode";

const SCHEME = "troupe-mcp";
/** Older ones are forgotten: their editors keep what they show. */
const MOST = 40;

export interface McpDocuments extends vscode.Disposable {
	show(title: string, text: string): Promise<void>;
	compare(title: string, before: string, after: string): Promise<void>;
}

export function mcpDocuments(): McpDocuments {
	const texts = new Map<string, string>();
	let count = 0;
	const registration = vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
		provideTextDocumentContent: (uri) => texts.get(uri.toString()),
	});
	const keep = (title: string, text: string): vscode.Uri => {
		count += 1;
		const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title.replace(/[^\p{L}\p{N} ._-]/gu, "")}`, query: String(count) });
		texts.set(uri.toString(), text);
		for (const old of [...texts.keys()].slice(0, -MOST)) texts.delete(old);
		return uri;
	};
	return {
		async show(title, text) {
			const document = await vscode.workspace.openTextDocument(keep(title, text));
			await vscode.window.showTextDocument(document, { preview: true });
		},
		async compare(title, before, after) {
			await vscode.commands.executeCommand("vscode.diff", keep(title, before), keep(title, after), title, { preview: true });
		},
		dispose: () => registration.dispose(),
	};
}
