// Reloads settings when they change and reports invalid ones.
import * as vscode from "vscode";
import { parseSettings } from "../../settings/settings.ts";
import { t } from "../../shared/l10n.ts";
import { showNotification } from "../notifications.ts";
import { readRawSettings } from "./settings.ts";

export function watchSettings(log: vscode.LogOutputChannel) {
	let current = parseSettings(readRawSettings());
	const reportProblems = (): void => {
		for (const problem of current.problems) log.warn(problem);
		if (current.problems.length === 0) return;
		const open = t("Open Settings");
		void showNotification("warning", current.problems.join(" "), open).then((answer) => {
			if (answer === open) void vscode.commands.executeCommand("workbench.action.openSettingsJson");
		});
	};
	reportProblems();
	const changed = new vscode.EventEmitter<void>();
	const listening = vscode.workspace.onDidChangeConfiguration((change) => {
		if (!change.affectsConfiguration("troupe")) return;
		current = parseSettings(readRawSettings());
		reportProblems();
		changed.fire();
	});
	return { now: () => current, onChange: changed.event, dispose: () => vscode.Disposable.from(listening, changed).dispose() };
}
