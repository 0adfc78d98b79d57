// A failure of a door, said to the person with the button that helps.
import * as vscode from "vscode";
import type { HelpCommand } from "../core/events.ts";
import { helpByErrorKind, ModelError } from "../core/ports/model.ts";
import { t } from "../shared/l10n.ts";
import { showNotification } from "./dialogs.ts";

interface Help {
	title: string;
	command: string;
}

/** What each kind of help is called, and the command it is. */
export function helpAction(help: HelpCommand): Help {
	const helps: Record<HelpCommand, Help> = {
		setApiKey: { title: t("Set API Key"), command: "troupe.setApiKey" },
		selectModel: { title: t("Select Model"), command: "troupe.selectModel" },
		switchAgent: { title: t("Switch Agent"), command: "troupe.switchAgent" },
		openSettings: { title: t("Open Settings"), command: "workbench.action.openSettings" },
	};
	return helps[help];
}

/** The chat itself did not come up: nothing of it can say so. */
export async function showWebviewLoadError(error: unknown): Promise<void> {
	const [reload, log] = [t("Reload Window"), t("Show Log")];
	const why = error instanceof Error ? error.message : String(error);
	const text = t("Could not open the chat: {0} Your sessions are saved. Reload the window to try again.", why);
	const answer = await showNotification("error", text, reload, log);
	if (answer === reload) await vscode.commands.executeCommand("workbench.action.reloadWindow");
	if (answer === log) await vscode.commands.executeCommand("workbench.action.showLogs");
}

export async function showError(error: unknown, log: vscode.LogOutputChannel): Promise<void> {
	log.error(error instanceof Error ? error : String(error));
	const kind = error instanceof ModelError ? helpByErrorKind[error.kind] : undefined;
	const help = kind ? helpAction(kind) : { title: t("Show Log"), command: "troupe.showLog" };
	const answer = await showNotification("error", error instanceof Error ? error.message : String(error), help.title);
	if (answer === help.title) await vscode.commands.executeCommand(help.command);
}
