// Dialogues of the editor that a test answers in the person's place.
import * as vscode from "vscode";

/** What a test may put others into. */
export const window = vscode.window as unknown as Record<string, unknown>;
const STUBBED = ["showWarningMessage", "showInformationMessage", "showInputBox", "showQuickPick", "onDidChangeWindowState"];
const real = Object.fromEntries(STUBBED.map((name) => [name, window[name]]));

/** Gives the editor its own back. */
export function restoreWindow(): void {
	Object.assign(window, real);
}
