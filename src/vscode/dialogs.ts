// Shows all modal dialogs; external text is escaped and long text truncated in the middle.
import * as vscode from "vscode";
import { createFoldMark, foldLines } from "../shared/foldText.ts";
import { t } from "../shared/l10n.ts";
import { createNote, joinSegments, type SafeLine, segmentLine, visibleLine } from "../shared/safeText.ts";
import { showReadOnlyText } from "./readOnlyText.ts";

/** A string stays on one line, whatever it contains; `written` is formatted text with its own line breaks. */
export type DetailLine = string | { written: string };

/** Shows a modal dialog. Text that does not fit is opened in full in an editor behind it. */
export async function showModal(
	level: "info" | "warning",
	question: string,
	lines: readonly DetailLine[],
	...answers: readonly string[]
): Promise<string | undefined> {
	const title = visibleLine(question);
	const shown = lines.flatMap(shownLines);
	const { head, tail, hidden } = foldLines(shown, MAX_DETAIL);
	if (hidden) await showReadOnlyText(title, shown.map(joinSegments).join("\n"));
	const cut = hidden ? [createFoldMark(hidden), ...tail, EMPTY_LINE, { segments: [createNote(fullTextNote())] }] : [];
	const options = { modal: true, detail: [...head, ...cut].map(joinSegments).join("\n") };
	if (level === "info") return vscode.window.showInformationMessage(title, options, ...answers);
	return vscode.window.showWarningMessage(title, options, ...answers);
}

/**
 * Confirms actions that lose something or have side effects. The editor focuses the first button, so that one copies the details
 * and shows the dialog again. Only Cancel closes it.
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

/** The most that fits a dialog on a small screen. */
const MAX_DETAIL = { characters: 2_500, lines: 36 };
const EMPTY_LINE: SafeLine = { segments: [] };
const fullTextNote = () => t("The full text is open in the editor behind this dialog.");

function shownLines(line: DetailLine): SafeLine[] {
	if (typeof line === "string") return [{ segments: segmentLine(line, { blanks: true }) }];
	return line.written.split("\n").map((text) => ({ segments: [{ kind: "text", text }] }));
}
