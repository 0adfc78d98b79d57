// Dialogs of the editor that a test answers in the user's place, and text that it leaves unsaved.
import * as vscode from "vscode";

/** What a test may put others into. */
export const window = vscode.window as unknown as Record<string, unknown>;
const STUBBED = ["showWarningMessage", "showInformationMessage", "showInputBox", "showQuickPick", "onDidChangeWindowState"];
const real = Object.fromEntries(STUBBED.map((name) => [name, window[name]]));

/** Reverts all text that isn't saved: closing its editor would ask, and wait for the answer. */
export async function revertUnsaved(): Promise<void> {
	for (const document of vscode.workspace.textDocuments.filter(({ isDirty }) => isDirty)) {
		await vscode.window.showTextDocument(document);
		await vscode.commands.executeCommand("workbench.action.files.revert");
	}
}

/** Gives the editor its own back. */
export function restoreWindow(): void {
	Object.assign(window, real);
}
