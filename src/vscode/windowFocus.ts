// Measures how long the window has been focused.

// A click or key press that focused the window was not meant for anything in it.
import * as vscode from "vscode";
import { createUserPresence } from "../session/userPresence.ts";

/** How long the editor and its pages may take to tell that they have the focus, in milliseconds. */
const TELLING = 50;

let clock = Date.now;
let presence = createUserPresence();

/** Notes when the window comes to the front. The editor may say that it is not while one of its pages has the focus. */
export function watchWindowFocus(now = Date.now): vscode.Disposable {
	clock = now;
	presence = createUserPresence(now);
	presence.is("window", vscode.window.state.focused);
	return vscode.window.onDidChangeWindowState(({ focused }) => presence.is("window", focused));
}

/** A page has the focus, or not any more. */
export function setWebviewFocus(page: unknown, focused: boolean): void {
	presence.is(page, focused);
}

/** Milliseconds since the person came to the window. */
export async function windowFocusedFor(): Promise<number> {
	const arrived = clock();
	await new Promise((resolve) => setTimeout(resolve, TELLING));
	return arrived - presence.since();
}
