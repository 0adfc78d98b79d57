// Records milestones as context keys that complete the walkthrough's steps.
import * as vscode from "vscode";
import type { TranscriptEvent } from "../core/events.ts";

const reached = new Set<string>();

export function recordMilestone(event: TranscriptEvent): void {
	if (event.type === "plan") reach("troupe.hasPlan");
	if (event.type === "role" && event.plan) reach("troupe.hasExecuted");
}

function reach(context: string): void {
	if (reached.has(context)) return;
	reached.add(context);
	void vscode.commands.executeCommand("setContext", context, true);
}
