// Measures how long the window has been focused.

// A click or key press that focused the window was not meant for its content.
import * as vscode from "vscode";
import { createUserPresence } from "../channels/userPresence.ts";

/** Milliseconds the editor and its pages may take to report focus changes. */
const REPORT_DELAY = 50;

let clock = Date.now;
let presence = createUserPresence();

/** Tracks the window's focus. The editor may report none while one of its pages has it. */
export function watchWindowFocus(now = Date.now): vscode.Disposable {
	clock = now;
	presence = createUserPresence(now);
	presence.is("window", vscode.window.state.focused);
	return vscode.window.onDidChangeWindowState(({ focused }) => presence.is("window", focused));
}

/** Call when a page gains or loses the focus. */
export function setWebviewFocus(page: unknown, focused: boolean): void {
	presence.is(page, focused);
}

/** Resolves to true if the window or one of its pages has the focus. */
export async function isUserInWindow(): Promise<boolean> {
	await new Promise((resolve) => setTimeout(resolve, REPORT_DELAY));
	return presence.isHere();
}

/** Milliseconds since the window got the focus. */
export async function windowFocusedFor(): Promise<number> {
	const arrived = clock();
	await new Promise((resolve) => setTimeout(resolve, REPORT_DELAY));
	return arrived - presence.since();
}
