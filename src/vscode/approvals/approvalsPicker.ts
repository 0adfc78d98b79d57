// Quick Pick of approvals by agent, with coverage, status and a Revoke button per row.
import * as vscode from "vscode";
import { type GrantRow, notifyApprovalChanges } from "../../session/approvals/grantRows.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import { showConfirmation } from "../dialogs.ts";
import type { Engine } from "../engine.ts";
import { showError } from "../errorNotifications.ts";
import { showNotification } from "../notifications.ts";

interface Item extends vscode.QuickPickItem {
	row?: GrantRow;
	/** The setting to open, for a row that is no approval. */
	setting?: string;
}

const revokeOne: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Revoke") };
const revokeAgent: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Revoke All for This Agent") };
const inSettings: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("settings-gear"), tooltip: t("Open in Settings") };
const revokeAll: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Revoke All") };

/** Shows the approvals of one agent or all. Resolves when the list closes. */
export async function manageApprovals(engine: Engine, agentId?: string): Promise<void> {
	const read = async (): Promise<GrantRow[]> =>
		(await engine.approvals.rows()).filter((row) => agentId === undefined || row.agentId === agentId);
	const first = await read();
	if (first.length === 0) {
		const none = t("No approvals yet. Choose “Always Allow Here” or “Allow in This Session” on a request to add one.");
		return void showNotification("info", [none, engine.approvals.sandbox()].filter(Boolean).join(" "));
	}
	const picker = vscode.window.createQuickPick<Item>();
	picker.title = t("Manage Approvals");
	picker.placeholder = t("These actions run without asking. Select one to revoke its approval.");
	picker.matchOnDescription = true;
	picker.matchOnDetail = true;
	picker.buttons = [revokeAll];
	let shown: readonly GrantRow[] = [];
	const show = (rows: readonly GrantRow[]): void => {
		shown = rows;
		picker.items = [...itemsOf(rows), ...sandboxItem(engine.approvals.sandbox())];
		if (rows.length === 0) picker.hide();
	};
	show(first);

	/** Approvals that can't be revoked stay in the list; a message gives the reason. */
	async function revoke(rows: readonly GrantRow[]): Promise<void> {
		picker.busy = true;
		const reasons = new Set<string>();
		const revoked: GrantRow[] = [];
		for (const row of rows) {
			await engine.approvals.revoke(row).then(
				() => revoked.push(row),
				(error: unknown) => reasons.add(reasonOf(error, engine.log)),
			);
		}
		show(await read());
		picker.busy = false;
		const [first] = revoked;
		if (first && revoked.length === 1)
			void showNotification("info", t("Revoked “{0}” for {1}. Troupe asks again from now on.", first.entry, first.agent));
		else if (first) void showNotification("info", t("Revoked {0} approvals. Troupe asks again from now on.", revoked.length));
		if (reasons.size > 0) void showNotification("warning", [...reasons].join(" "));
	}

	async function confirm(rows: readonly GrantRow[], question: string): Promise<void> {
		const revocable = rows.filter((row) => !row.inSettings);
		if (revocable.length === 0) return;
		const lines = revocable.map(({ agent, entry }) => `${agent}: ${entry}`);
		const button = t("Revoke");
		// A dialog takes the focus, which would close the list.
		picker.ignoreFocusOut = true;
		if ((await showConfirmation(question, lines, button)) === button) await revoke(revocable);
	}

	/** Handles Enter or a click on a row. */
	async function handleChoice({ row, setting }: Item): Promise<void> {
		const name = setting ?? row?.inSettings;
		if (name !== undefined) return void (await vscode.commands.executeCommand("workbench.action.openSettings", name));
		if (row) await confirm([row], t("Revoke “{0}” for {1}?", row.entry, row.agent));
	}

	const reportErrors = (work: Promise<unknown>): void => {
		work.catch((error: unknown) => {
			void showError(error, engine.log);
		});
	};
	const ends: vscode.Disposable[] = [
		picker,
		picker.onDidTriggerButton(() => reportErrors(confirm(shown, t("Revoke all approvals?")))),
		picker.onDidTriggerItemButton(({ item, button }) => {
			const { row } = item;
			if (!row) return reportErrors(handleChoice(item));
			const { agent } = row;
			if (button === revokeOne) reportErrors(revoke([row]));
			else if (button === inSettings)
				reportErrors(Promise.resolve(vscode.commands.executeCommand("workbench.action.openSettings", row.inSettings)));
			else
				reportErrors(
					confirm(
						shown.filter((other) => other.agentId === row.agentId),
						t("Revoke all approvals for {0}?", agent),
					),
				);
		}),
		picker.onDidAccept(() => {
			const [item] = picker.selectedItems;
			if (item) reportErrors(handleChoice(item));
		}),
	];
	await new Promise<void>((resolve) => {
		picker.onDidHide(() => resolve());
		picker.show();
	});
	for (const end of ends) end.dispose();
}

function itemsOf(rows: readonly GrantRow[]): Item[] {
	const items: Item[] = [];
	let group: string | undefined;
	for (const row of rows) {
		const rowGroup = `${row.agentId} ${row.agent}`;
		if (rowGroup !== group) items.push({ label: escapeLabel(row.agent), kind: vscode.QuickPickItemKind.Separator });
		group = rowGroup;
		items.push({
			label: escapeLabel(row.entry),
			iconPath: new vscode.ThemeIcon(row.ended ? "warning" : row.elsewhere ? "circle-slash" : "shield"),
			description: escapeLabel(row.ended ? t("no longer applies") : row.place),
			detail: escapeLabel([row.ended, row.sentence].filter(Boolean).join(" ")),
			buttons: [row.inSettings ? inSettings : revokeOne, ...(row.agentId === "" ? [] : [revokeAgent])],
			row,
		});
	}
	return items;
}

/** Sandbox availability; not an approval, so it has no Revoke button. */
function sandboxItem(status: string | undefined): Item[] {
	if (status === undefined) return [];
	return [
		{ label: t("Related setting"), kind: vscode.QuickPickItemKind.Separator },
		{ label: t("Sandbox"), detail: escapeLabel(status), setting: "troupe.sandbox", buttons: [inSettings] },
	];
}

export function showApprovalNotifications(engine: Pick<Engine, "approvals" | "log">, memory: vscode.Memento): void {
	const settings = (): vscode.WorkspaceConfiguration => vscode.workspace.getConfiguration("troupe");
	notifyApprovalChanges({
		outdated: () => engine.approvals.outdated(),
		asksForAll: () =>
			settings().inspect("approval")?.globalValue === "ask" && settings().inspect("readingCommands")?.globalValue === undefined,
		askForReading: async () => settings().update("readingCommands", "ask", vscode.ConfigurationTarget.Global),
		told: memory,
		say: (text, ...buttons) => showNotification("info", text, ...buttons),
		showApprovals: () => vscode.commands.executeCommand("troupe.manageGrants"),
	}).catch((error: unknown) => engine.log(String(error)));
}
