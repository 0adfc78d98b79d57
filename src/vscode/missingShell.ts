// Tells the user, once per window, that commands require bash, and helps to choose one.
import * as vscode from "vscode";
import type { MissingShellReason } from "../core/ports/workspace/commands.ts";
import { t } from "../shared/l10n.ts";
import { showNotification } from "./notifications.ts";

const INSTALL = "https://git-scm.com/downloads";

export function createMissingShellNotifier(log: (line: string) => void): (why: MissingShellReason) => void {
	const notified = new Set<MissingShellReason>();
	return (why) => {
		if (notified.has(why)) return;
		notified.add(why);
		void notify(why)
			.then((chosen) => chosen && notified.clear())
			.catch((error: unknown) => log(`the choice of a shell failed: ${String(error)}`));
	};
}

async function notify(why: MissingShellReason): Promise<boolean> {
	const [install, choose] = [t("Install…"), t("Choose…")];
	const answer = await showNotification("warning", formatReason(why), install, choose);
	if (answer === install) await vscode.env.openExternal(vscode.Uri.parse(INSTALL));
	return answer === choose && chooseShell();
}

function formatReason(why: MissingShellReason): string {
	if (why === "setting") return t("The bash set in {0} can't be used. Commands don't run until you fix the setting.", "troupe.shell");
	if (process.platform === "win32")
		return t("Commands require bash, which is included in Git for Windows. Install Git for Windows, or choose an existing bash.");
	return t("Commands require bash, which was not found on this computer. Install bash, or choose an existing one.");
}

async function chooseShell(): Promise<boolean> {
	const [file] = (await vscode.window.showOpenDialog({ title: t("Choose bash"), openLabel: t("Choose") })) ?? [];
	if (!file) return false;
	await vscode.workspace.getConfiguration("troupe").update("shell", file.fsPath, vscode.ConfigurationTarget.Global);
	return true;
}
