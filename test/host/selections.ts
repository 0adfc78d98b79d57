// Selects text in an editor as a person does, so that no earlier selection arrives after it.
import { type Selection, type TextEditor, window } from "vscode";

/**
 * Resolves when VS Code has taken the selection up: until then, it can still report an earlier one, which would replace it.
 * It must differ from the editor's own, otherwise nothing is reported.
 */
export function select(editor: TextEditor, selection: Selection): Promise<void> {
	// In a shorter document, VS Code reports what there is of it.
	const taken = editor.document.validateRange(selection);
	return new Promise((resolve) => {
		const listening = window.onDidChangeTextEditorSelection(({ textEditor, selections: [reported] }) => {
			if (textEditor !== editor || !reported?.isEqual(taken)) return;
			listening.dispose();
			resolve();
		});
		editor.selection = selection;
	});
}
