// Shows a session's exact system prompt, with its tools, in a read-only document.
import * as vscode from "vscode";
import { createPromptReport } from "../session/prompt/promptDiff.ts";
import type { Engine } from "./engine.ts";

const SCHEME = "troupe-prompt";

/** Last shown prompt by session. */
const shown = new Map<string, string>();
const changes = new vscode.EventEmitter<vscode.Uri>();
let registered = false;

export async function showPrompt({ sessions }: Engine, sessionId: string): Promise<void> {
	if (!registered) {
		const provideTextDocumentContent = ({ query }: vscode.Uri) => shown.get(query) ?? "";
		vscode.workspace.registerTextDocumentContentProvider(SCHEME, { onDidChange: changes.event, provideTextDocumentContent });
		registered = true;
	}
	shown.set(sessionId, await createPromptReport(await sessions.get(sessionId)));
	const uri = vscode.Uri.from({ scheme: SCHEME, path: "/Prompt.md", query: sessionId });
	changes.fire(uri);
	await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(uri), { preview: true });
}
