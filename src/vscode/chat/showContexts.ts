// Tells the editor the context keys of the shown session.

import * as vscode from "vscode";
import type { Transcript } from "../../core/transcript/state.ts";
import { commandContexts } from "./commandContexts.ts";

export function showContexts(state: Transcript): void {
	for (const [key, value] of Object.entries(commandContexts(state))) void vscode.commands.executeCommand("setContext", key, value);
}
