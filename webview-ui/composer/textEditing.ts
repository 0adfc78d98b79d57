// Edits the message box so that Undo works as after typing.
import type { TranscriptEvent } from "../../src/core/events.ts";

/** Replaces a range; the cursor ends up after the new text. */
export function replaceText(box: HTMLTextAreaElement, from: number, to: number, text: string): void {
	if (document.hasFocus()) box.focus();
	box.setSelectionRange(from, to);
	const before = box.value;
	// The only edit that keeps the field's undo history; it fails if the page has no focus.
	const typed = document.hasFocus() && document.execCommand(text === "" ? "delete" : "insertText", false, text);
	if (typed && (box.value !== before || text === before.slice(from, to))) return;
	box.setRangeText(text, from, to, "end");
	box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** Inserts at the cursor, separated by a space from the word before. */
export function insertTextAtCursor(box: HTMLTextAreaElement, text: string): void {
	const { selectionStart: from, selectionEnd: to, value } = box;
	const separator = from > 0 && !/\s/.test(value[from - 1] ?? " ") ? " " : "";
	replaceText(box, from, to, `${separator}${text}`);
}

/** Prepends a returned message to the current text. */
export function prependText(box: HTMLTextAreaElement, text: string): void {
	const rest = box.value.trim() === "" ? "" : `\n${box.value}`;
	replaceText(box, 0, box.value.length, `${text}${rest}`);
	box.setSelectionRange(text.length, text.length);
}

/** Newest first; consecutive duplicates are merged. */
export function userMessages(events: readonly Pick<TranscriptEvent, "type" | "by">[]): string[] {
	const texts: string[] = [];
	for (let at = events.length - 1; at >= 0 && texts.length < MAX_MESSAGES; at -= 1) {
		const event = events[at] as TranscriptEvent;
		if (event.type !== "user" || event.by !== "person" || approves(events[at - 1])) continue;
		if (event.text !== "" && event.text !== texts.at(-1)) texts.push(event.text);
	}
	return texts;
}

/** The message after an approved plan is generated for a click on "Execute plan". */
function approves(before: Pick<TranscriptEvent, "type" | "by"> | undefined): boolean {
	const event = before as TranscriptEvent | undefined;
	return event?.type === "role" && event.plan !== undefined;
}

const MAX_MESSAGES = 200;

/** Index of the shown message, newest first; undefined while the user types a new one. */
interface HistoryPosition {
	index: number | undefined;
}

/** The next text to show, or undefined if the key only moves the cursor. */
export function navigateHistory(
	{ index: at }: HistoryPosition,
	key: "ArrowUp" | "ArrowDown",
	box: { value: string; selectionStart: number; selectionEnd: number },
	messages: () => readonly string[],
): { text: string; at: number | undefined } | undefined {
	if (box.selectionStart !== box.selectionEnd || (at === undefined && (box.value !== "" || key === "ArrowDown"))) return undefined;
	const texts = messages();
	// An edited message is no longer part of the history.
	if (at !== undefined && box.value !== texts[at]) return undefined;
	if (key === "ArrowUp") {
		if (box.value.lastIndexOf("\n", box.selectionStart - 1) >= 0 && box.selectionStart > 0) return undefined;
		const next = at === undefined ? 0 : at + 1;
		const text = texts[next];
		return text === undefined ? undefined : { text, at: next };
	}
	if (box.value.indexOf("\n", box.selectionEnd) >= 0 || at === undefined) return undefined;
	return at === 0 ? { text: "", at: undefined } : { text: texts[at - 1] ?? "", at: at - 1 };
}
