// Shows the item syntax as a hint in the editor of an empty list.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { parseArtifactUri } from "./artifactUris.ts";

export function registerEmptyListHint(): vscode.Disposable {
	let hint: vscode.TextEditorDecorationType | undefined;
	const draw = (editor: vscode.TextEditor): void => {
		if (!isList(editor.document)) return;
		hint ??= vscode.window.createTextEditorDecorationType({ after: { contentText: syntax(), color: GHOST }, isWholeLine: true });
		editor.setDecorations(hint, editor.document.getText() === "" ? [new vscode.Range(0, 0, 0, 0)] : []);
	};
	const all = (): void => vscode.window.visibleTextEditors.forEach(draw);
	all();
	return vscode.Disposable.from(
		{ dispose: () => hint?.dispose() },
		vscode.window.onDidChangeVisibleTextEditors(all),
		vscode.workspace.onDidChangeTextDocument(({ document }) => {
			if (isList(document)) all();
		}),
	);
}

const GHOST = new vscode.ThemeColor("editorGhostText.foreground");

/** One line: an editor's decoration shows no more. */
function syntax(): string {
	return t("- [ ] One item per line. Use [x] for done and #tag for tags; indent notes below an item.");
}

function isList({ uri }: vscode.TextDocument): boolean {
	const address = parseArtifactUri(uri);
	return address?.kind === "list" && address.format === "md";
}
