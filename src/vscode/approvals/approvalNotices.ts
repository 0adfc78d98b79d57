// Shows what there is to tell of approvals as messages of the editor.
import * as vscode from "vscode";
import { notifyApprovalChanges } from "../../session/approvals/grantRows.ts";
import { showNotification } from "../dialogs.ts";
import type { Engine } from "../engine.ts";

export function showApprovalNotifications(engine: Pick<Engine, "approvals" | "log">, told: vscode.Memento): void {
	const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("troupe");
	notifyApprovalChanges({
		outdated: () => engine.approvals.outdated(),
		asksForAll: () =>
			settings().inspect("approval")?.globalValue === "ask" && settings().inspect("readingCommands")?.globalValue === undefined,
		askForReading: async () => settings().update("readingCommands", "ask", vscode.ConfigurationTarget.Global),
		told,
		say: (text, ...buttons) => showNotification("info", text, ...buttons),
		showApprovals: () => vscode.commands.executeCommand("troupe.manageGrants"),
	}).catch((error: unknown) => engine.log(String(error)));
}
