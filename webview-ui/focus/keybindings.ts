// Keys as this platform names them, and those that answer an approval whose card has the focus.
import type { Answer } from "../../src/core/events.ts";

const isMac = navigator.platform.startsWith("Mac");

/** "Ctrl+K Shift+R", on a Mac "Cmd+K Shift+R". */
export function keybindingLabel(keys: string): string {
	return isMac ? keys.replaceAll("Ctrl", "Cmd") : keys;
}

export const ALLOW_KEYBINDING = "Ctrl+Enter";
export const DENY_KEYBINDING = "Ctrl+Backspace";

/** In a text field Backspace stays what it is. */
export function approvalAnswerForKey(key: KeyboardEvent): Extract<Answer, { allow: boolean }> | undefined {
	if (!(isMac ? key.metaKey : key.ctrlKey) || key.shiftKey || key.altKey || key.repeat) return undefined;
	if (key.key === "Enter") return { allow: true };
	return key.key === "Backspace" && !(key.target instanceof HTMLInputElement) ? { allow: false } : undefined;
}
