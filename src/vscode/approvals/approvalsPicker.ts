// Quick Pick of all approvals by agent, with coverage, status and a Revoke button on each row.
import * as vscode from "vscode";
import { type GrantRow, notifyApprovalChanges } from "../../session/approvals/grantRows.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import { showConfirmation, showNotification } from "../dialogs.ts";
import type { Engine } from "../engine.ts";

interface Item extends vscode.QuickPickItem {
	row?: GrantRow;
	/** Of a row that is no approval: the setting it leads to. */
	setting?: string;
}

const revokeOne: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Revoke") };
const revokeAgent: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Revoke All for This Agent") };
const inSettings: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("settings-gear"), tooltip: t("Open in Settings") };
const revokeAll: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Revoke All") };

/** Of one agent, or of all. Resolves when the list is closed. */
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

	/** What could not be taken back stays in the list, with the reason in a message. */
	async function revoke(rows: readonly GrantRow[]): Promise<void> {
		picker.busy = true;
		const reasons = new Set<string>();
		const gone: GrantRow[] = [];
		for (const row of rows) {
			await engine.approvals.revoke(row).then(
				() => gone.push(row),
				(error: unknown) => reasons.add(error instanceof Error ? error.message : String(error)),
			);
		}
		show(await read());
		picker.busy = false;
		const [first] = gone;
		if (first && gone.length === 1)
			void showNotification("info", t("Revoked “{0}” for {1}. Troupe asks again from now on.", first.entry, first.agent));
		else if (first) void showNotification("info", t("Revoked {0} approvals. Troupe asks again from now on.", gone.length));
		if (reasons.size > 0) void showNotification("warning", [...reasons].join(" "));
	}

	async function confirm(rows: readonly GrantRow[], question: string): Promise<void> {
		const own = rows.filter((row) => !row.inSettings);
		if (own.length === 0) return;
		const lines = own.map(({ agent, entry }) => `${agent}: ${entry}`);
		const button = t("Revoke");
		// A dialog takes the focus, which would close the list.
		picker.ignoreFocusOut = true;
		if ((await showConfirmation(question, lines, button)) === button) await revoke(own);
	}

	/** A row that was chosen by Enter or a click. */
	async function chosen({ row, setting }: Item): Promise<void> {
		const name = setting ?? row?.inSettings;
		if (name !== undefined) return void (await vscode.commands.executeCommand("workbench.action.openSettings", name));
		if (row) await confirm([row], t("Revoke “{0}” for {1}?", row.entry, row.agent));
	}

	const safely = (work: Promise<unknown>): void => {
		work.catch((error: unknown) => {
			engine.log(String(error));
			void showNotification("error", error instanceof Error ? error.message : String(error));
		});
	};
	const ends: vscode.Disposable[] = [
		picker,
		picker.onDidTriggerButton(() => safely(confirm(shown, t("Revoke all approvals?")))),
		picker.onDidTriggerItemButton(({ item, button }) => {
			const { row } = item;
			if (!row) return safely(chosen(item));
			const { agent } = row;
			if (button === revokeOne) safely(revoke([row]));
			else if (button === inSettings)
				safely(Promise.resolve(vscode.commands.executeCommand("workbench.action.openSettings", row.inSettings)));
			else
				safely(
					confirm(
						shown.filter((other) => other.agentId === row.agentId),
						t("Revoke all approvals for {0}?", agent),
					),
				);
		}),
		picker.onDidAccept(() => {
			const [item] = picker.selectedItems;
			if (item) safely(chosen(item));
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
		const own = `${row.agentId} ${row.agent}`;
		if (own !== group) items.push({ label: escapeLabel(row.agent), kind: vscode.QuickPickItemKind.Separator });
		group = own;
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

/** Whether commands can be confined here: no approval, so there is nothing to revoke about it. */
function sandboxItem(said: string | undefined): Item[] {
	if (said === undefined) return [];
	return [
		{ label: t("Related setting"), kind: vscode.QuickPickItemKind.Separator },
		{ label: t("Sandbox"), detail: escapeLabel(said), setting: "troupe.sandbox", buttons: [inSettings] },
	];
}

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
