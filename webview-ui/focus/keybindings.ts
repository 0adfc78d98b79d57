// Key labels for this platform, and the keys that answer a focused approval.
import type { Answer } from "../../src/core/events.ts";

const isMac = navigator.platform.startsWith("Mac");

/** "Ctrl+K Shift+R"; on macOS "Cmd+K Shift+R". */
export function keybindingLabel(keys: string): string {
	return isMac ? keys.replaceAll("Ctrl", "Cmd") : keys;
}

export const ALLOW_KEYBINDING = "Ctrl+Enter";
export const DENY_KEYBINDING = "Ctrl+Backspace";

/** Backspace keeps its meaning in a text field. */
export function approvalAnswerForKey(key: KeyboardEvent): Extract<Answer, { allow: boolean }> | undefined {
	if (!(isMac ? key.metaKey : key.ctrlKey) || key.shiftKey || key.altKey || key.repeat) return undefined;
	if (key.key === "Enter") return { allow: true };
	return key.key === "Backspace" && !(key.target instanceof HTMLInputElement) ? { allow: false } : undefined;
}
