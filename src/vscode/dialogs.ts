// Shows all editor messages and dialogs: external text is escaped, and long text keeps both ends.
import * as vscode from "vscode";
import { createFoldMark, foldLines } from "../shared/foldText.ts";
import { t } from "../shared/l10n.ts";
import { createNote, escapeMessage, joinSegments, type SafeLine, segmentLine, visibleLine } from "../shared/safeText.ts";
import { showReadOnlyText } from "./readOnlyText.ts";

/** A line that stays one, whatever is in it, or text that was written out already, with a layout of its own. */
export type DetailLine = string | { written: string };

/** A message in the corner. `text` is as it comes: it may hold names and words of others. */
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

/** A dialog that holds the window. What does not fit is opened beside it, whole. */
export async function showModal(
	level: "info" | "warning",
	question: string,
	lines: readonly DetailLine[],
	...answers: readonly string[]
): Promise<string | undefined> {
	const title = visibleLine(question);
	const shown = lines.flatMap(shownLines);
	const { head, tail, hidden } = foldLines(shown, LARGEST);
	if (hidden) await showReadOnlyText(title, shown.map(joinSegments).join("\n"));
	const cut = hidden ? [createFoldMark(hidden), ...tail, NOTHING, { segments: [createNote(BEHIND())] }] : [];
	const options = { modal: true, detail: [...head, ...cut].map(joinSegments).join("\n") };
	if (level === "info") return vscode.window.showInformationMessage(title, options, ...answers);
	return vscode.window.showWarningMessage(title, options, ...answers);
}

/**
 * The same for what loses something or lets something happen. The editor gives the first button the focus: it copies what the
 * dialog says, and the dialog comes again. Cancel alone closes it.
 */
export async function showConfirmation(
	question: string,
	lines: readonly DetailLine[],
	...answers: readonly string[]
): Promise<string | undefined> {
	const copy = t("Copy Details");
	for (;;) {
		const answer = await showModal("warning", question, lines, copy, ...answers);
		if (answer !== copy) return answer;
		const text = [{ segments: segmentLine(question, { blanks: true }) }, ...lines.flatMap(shownLines)].map(joinSegments).join("\n");
		await vscode.env.clipboard.writeText(text);
	}
}

/** More than this does not fit a dialog on a small screen. */
const LARGEST = { characters: 2_500, lines: 36 };
const NOTHING: SafeLine = { segments: [] };
const BEHIND = () => t("The full text is open in the editor behind this dialog.");

function shownLines(line: DetailLine): SafeLine[] {
	if (typeof line === "string") return [{ segments: segmentLine(line, { blanks: true }) }];
	return line.written.split("\n").map((text) => ({ segments: [{ kind: "text", text }] }));
}
