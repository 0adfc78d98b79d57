// Writes into the message as typing does, so that Undo takes it back.
import type { TranscriptEvent } from "../../src/core/events.ts";

/** Replaces a part of the text; the cursor stands behind what was written. */
export function replaceText(box: HTMLTextAreaElement, from: number, to: number, text: string): void {
	if (document.hasFocus()) box.focus();
	box.setSelectionRange(from, to);
	const before = box.value;
	// The only way to write that keeps the field's own Undo; it fails where the page has no focus.
	const typed = document.hasFocus() && document.execCommand(text === "" ? "delete" : "insertText", false, text);
	if (typed && (box.value !== before || text === before.slice(from, to))) return;
	box.setRangeText(text, from, to, "end");
	box.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

/** At the cursor, apart from the word before it. */
export function insertTextAtCursor(box: HTMLTextAreaElement, text: string): void {
	const { selectionStart: from, selectionEnd: to, value } = box;
	const apart = from > 0 && !/\s/.test(value[from - 1] ?? " ") ? " " : "";
	replaceText(box, from, to, `${apart}${text}`);
}

/** A whole message that comes back stands before what has been written since. */
export function prependText(box: HTMLTextAreaElement, text: string): void {
	const rest = box.value.trim() === "" ? "" : `\n${box.value}`;
	replaceText(box, 0, box.value.length, `${text}${rest}`);
	box.setSelectionRange(text.length, text.length);
}

/** Newest first; the same words twice in a row count once. */
export function userMessages(events: readonly Pick<TranscriptEvent, "type" | "by">[]): string[] {
	const texts: string[] = [];
	for (let at = events.length - 1; at >= 0 && texts.length < MOST; at -= 1) {
		const event = events[at] as TranscriptEvent;
		if (event.type !== "user" || event.by !== "person" || approves(events[at - 1])) continue;
		if (event.text !== "" && event.text !== texts.at(-1)) texts.push(event.text);
	}
	return texts;
}

/** What is said then are our words for a click on "Execute plan". */
function approves(before: Pick<TranscriptEvent, "type" | "by"> | undefined): boolean {
	const event = before as TranscriptEvent | undefined;
	return event?.type === "role" && event.plan !== undefined;
}

const MOST = 200;

/** Which message shows, counted from the newest; undefined while the person writes their own. */
interface HistoryPosition {
	index: number | undefined;
}

/** The text that shows next, or undefined where the key moves the cursor as ever. */
export function navigateHistory(
	{ index: at }: HistoryPosition,
	key: "ArrowUp" | "ArrowDown",
	box: { value: string; selectionStart: number; selectionEnd: number },
	messages: () => readonly string[],
): { text: string; at: number | undefined } | undefined {
	if (box.selectionStart !== box.selectionEnd || (at === undefined && (box.value !== "" || key === "ArrowDown"))) return undefined;
	const texts = messages();
	// What was changed is the person's own from then on.
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
