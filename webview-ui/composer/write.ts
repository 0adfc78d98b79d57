// Writes into the message as typing does, so that Undo takes it back.

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
