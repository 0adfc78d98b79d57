// Sets the context keys of the shown session and of the session list.

import * as vscode from "vscode";
import type { SessionSummary } from "../../core/events.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { contextKeys, pinContextKeys, switchContextKeys } from "./contextKeys.ts";

export function setContextKeys(state: Transcript): void {
	for (const [key, value] of Object.entries(contextKeys(state))) void vscode.commands.executeCommand("setContext", key, value);
}

/** Sets which sessions can be pinned and unpinned, any and the shown one, and whether the user can return from the shown one. */
export function setListContextKeys(sessions: readonly SessionSummary[], shown: string | undefined): void {
	const keys = { ...pinContextKeys(sessions, shown), ...switchContextKeys(sessions, shown) };
	for (const [key, value] of Object.entries(keys)) void vscode.commands.executeCommand("setContext", key, value);
}
