// Provides editor context for mentions: the last used selection, open files and terminals.
import * as vscode from "vscode";
import { formatPathMention } from "../../chat/mentions/mention.ts";
import type { EditorFacts } from "../../core/ports/workspace/editor.ts";
import { selectedLines } from "../adapters/selectedLines.ts";
import { pathForUri } from "../adapters/virtualFileSystem.ts";
import type { TerminalLog } from "./terminalLog.ts";

interface Parts {
	terminals: TerminalLog;
	/** Strips escape sequences and control characters. */
	plain(text: string): string;
}

/** While a chat in an editor tab has the focus, there is no active text editor; the previous one counts. */
export function createEditorFacts({ terminals, plain }: Parts): Omit<EditorFacts, "changes"> & vscode.Disposable {
	let last = vscode.window.activeTextEditor;
	const following = vscode.window.onDidChangeActiveTextEditor((editor) => {
		if (editor) last = editor;
	});
	const current = () => {
		const visible = vscode.window.visibleTextEditors;
		return vscode.window.activeTextEditor ?? (last && visible.includes(last) ? last : visible[0]);
	};
	return {
		selection() {
			const editor = current();
			if (!editor) return undefined;
			const { document, selection } = editor;
			return {
				path: pathForUri(document.uri) ?? document.fileName,
				lines: selectedLines(selection),
				text: document.getText(selection),
			};
		},
		open() {
			const active = current()?.document.uri;
			const tabs = vscode.window.tabGroups.all.flatMap((group) =>
				[...group.tabs].sort((left, right) => Number(right.isActive) - Number(left.isActive)),
			);
			const shown = tabs.flatMap(({ input }) => (input instanceof vscode.TabInputText ? [input.uri] : []));
			return [...new Set([...(active ? [active] : []), ...shown].flatMap((uri) => pathForUri(uri) ?? []))];
		},
		terminal: () =>
			terminals
				.outputs()
				.map(({ name, text }) => ({ name, text: plain(text).trim() }))
				.filter(({ text }) => text !== "")
				.map(({ name, text }) => `Terminal "${plain(name)}":\n${text}`)
				.join("\n\n"),
		dispose: () => following.dispose(),
	};
}

/** `lines`: 1-based and inclusive. */
export function formatMention(uri: vscode.Uri, lines?: [number, number], folder = false): string {
	const path = vscode.workspace.asRelativePath(uri);
	return formatPathMention(folder ? `${path}/` : path, lines ? { lines } : {});
}
