// For how long the window has been in front: a click or a key that brought it there was meant for nothing in it.
import * as vscode from "vscode";

/** How long the editor may take to tell that its window has the focus, in milliseconds. */
const TELLING = 50;

let focusedAt = 0;

/** Notes when the window comes to the front. */
export function watchFocus(): vscode.Disposable {
	return vscode.window.onDidChangeWindowState(({ focused }) => {
		if (focused) focusedAt = Date.now();
	});
}

/** Milliseconds since the window gained the focus. */
export async function windowFocus(): Promise<number> {
	const arrived = Date.now();
	await new Promise((resolve) => setTimeout(resolve, TELLING));
	return arrived - focusedAt;
}
