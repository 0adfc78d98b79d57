// Shows a command's error with a button that helps.
import * as vscode from "vscode";
import type { HelpCommand } from "../core/events.ts";
import { helpByErrorKind, ModelError } from "../core/ports/model.ts";
import { t } from "../shared/l10n.ts";
import { describeForLog, reasonOf } from "../shared/reasonOf.ts";
import { showNotification } from "./notifications.ts";

interface Help {
	title: string;
	command: string;
}

/** Title and command for each kind of help. */
export function helpAction(help: HelpCommand): Help {
	const actions: Record<HelpCommand, Help> = {
		setApiKey: { title: t("Set API Key"), command: "troupe.setApiKey" },
		selectModel: { title: t("Select Model"), command: "troupe.selectModel" },
		switchAgent: { title: t("Switch Agent"), command: "troupe.switchAgent" },
		openSettings: { title: t("Open Settings"), command: "workbench.action.openSettings" },
	};
	return actions[help];
}

/** The chat failed to load and can't show the error itself. */
export async function showWebviewLoadError(error: unknown): Promise<void> {
	const [reload, log] = [t("Reload Window"), t("Show Log")];
	// Troupe's own log may not be there yet; the extension host's is.
	const why = reasonOf(error, console.error);
	const text = t("Could not open the chat. Your sessions are saved. Reload the window to try again. Cause: {0}", why);
	const answer = await showNotification("error", text, reload, log);
	if (answer === reload) await vscode.commands.executeCommand("workbench.action.reloadWindow");
	if (answer === log) await vscode.commands.executeCommand("workbench.action.showLogs");
}

export async function showError(error: unknown, log: (line: string) => void): Promise<void> {
	log(describeForLog(error));
	const kind = error instanceof ModelError ? helpByErrorKind[error.kind] : undefined;
	const help = kind ? helpAction(kind) : { title: t("Show Log"), command: "troupe.showLog" };
	const answer = await showNotification("error", reasonOf(error, undefined), help.title);
	if (answer === help.title) await vscode.commands.executeCommand(help.command);
}
