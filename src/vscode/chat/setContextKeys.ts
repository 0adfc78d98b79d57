// Tells the editor the context keys of the shown session.

import * as vscode from "vscode";
import type { Transcript } from "../../core/transcript/state.ts";
import { contextKeys } from "./contextKeys.ts";

export function setContextKeys(state: Transcript): void {
	for (const [key, value] of Object.entries(contextKeys(state))) void vscode.commands.executeCommand("setContext", key, value);
}
