// Shows all notifications; external text is escaped.
import * as vscode from "vscode";
import { escapeMessage } from "../shared/safeText.ts";

/** Shows a notification. `text` is unescaped and may contain external text. */
export function showNotification(
	level: "info" | "warning" | "error",
	text: string,
	...buttons: readonly string[]
): Thenable<string | undefined> {
	const written = escapeMessage(text);
	if (level === "info") return vscode.window.showInformationMessage(written, ...buttons);
	if (level === "warning") return vscode.window.showWarningMessage(written, ...buttons);
	return vscode.window.showErrorMessage(written, ...buttons);
}
