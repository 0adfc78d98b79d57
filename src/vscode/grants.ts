// "Manage grants": what is always allowed, by agent, each in a sentence, to be taken back one by one, several at once or all.
import * as vscode from "vscode";
import type { GrantRow } from "../app/grantRows.ts";
import { t } from "../l10n.ts";
import { messageText } from "../shared/safeText.ts";
import type { Engine } from "./engine.ts";

interface Item extends vscode.QuickPickItem {
	row?: GrantRow;
}

const revokeOne: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Ask again for this") };
const revokeAgent: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Ask again for all of this agent") };
const inSettings: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("settings-gear"), tooltip: t("Open it in the settings") };
const revokeAll: vscode.QuickInputButton = { iconPath: new vscode.ThemeIcon("clear-all"), tooltip: t("Ask again for everything") };

/** Of one agent, or of all. Resolves when the list is closed. */
export async function manageGrants(engine: Engine, agentId?: string): Promise<void> {
	const read = async (): Promise<GrantRow[]> =>
		(await engine.grants.rows()).filter((row) => agentId === undefined || row.agentId === agentId);
	const first = await read();
	if (first.length === 0)
		return void vscode.window.showInformationMessage(t("Nothing is always allowed. “Always allow” on an approval adds to this list."));
	const picker = vscode.window.createQuickPick<Item>();
	picker.title = t("Manage Grants");
	picker.placeholder = t("Pick those that should ask again");
	picker.canSelectMany = true;
	picker.matchOnDescription = true;
	picker.matchOnDetail = true;
	picker.buttons = [revokeAll];
	let shown: readonly GrantRow[] = [];
	const show = (rows: readonly GrantRow[]): void => {
		shown = rows;
		picker.items = itemsOf(rows);
		if (rows.length === 0) picker.hide();
	};
	show(first);

	/** What could not be taken back stays in the list, with the reason in a message. */
	async function revoke(rows: readonly GrantRow[]): Promise<void> {
		picker.busy = true;
		const reasons = new Set<string>();
		for (const row of rows) {
			await engine.grants.revoke(row).catch((error: unknown) => reasons.add(error instanceof Error ? error.message : String(error)));
		}
		show(await read());
		picker.busy = false;
		if (reasons.size > 0) void vscode.window.showWarningMessage(messageText([...reasons].join(" ")));
	}

	async function confirm(rows: readonly GrantRow[], question: string): Promise<void> {
		const own = rows.filter((row) => !row.inSettings);
		if (own.length === 0) return;
		const detail = own.map(({ agent, entry }) => `${agent}: ${entry}`);
		const listed = detail.length > MOST ? [...detail.slice(0, MOST), t("and {0} more", detail.length - MOST)] : detail;
		const button = t("Ask Again");
		// A dialog takes the focus, which would close the list.
		picker.ignoreFocusOut = true;
		if ((await vscode.window.showWarningMessage(question, { modal: true, detail: listed.join("\n") }, button)) === button)
			await revoke(own);
	}

	const safely = (work: Promise<unknown>): void => {
		work.catch((error: unknown) => {
			engine.log(String(error));
			void vscode.window.showErrorMessage(messageText(error instanceof Error ? error.message : String(error)));
		});
	};
	const ends: vscode.Disposable[] = [
		picker,
		picker.onDidTriggerButton(() => safely(confirm(shown, t("Ask again for everything that is always allowed?")))),
		picker.onDidTriggerItemButton(({ item: { row }, button }) => {
			if (!row) return;
			const { agent } = row;
			if (button === revokeOne) safely(revoke([row]));
			else if (button === inSettings)
				safely(Promise.resolve(vscode.commands.executeCommand("workbench.action.openSettings", "troupe.agents")));
			else
				safely(
					confirm(
						shown.filter((other) => other.agentId === row.agentId),
						t("Ask again for everything that {0} may do?", agent),
					),
				);
		}),
		picker.onDidAccept(() => {
			const picked = picker.selectedItems.flatMap(({ row }) => row ?? []);
			picker.hide();
			safely(revoke(picked));
		}),
	];
	await new Promise<void>((resolve) => {
		picker.onDidHide(() => resolve());
		picker.show();
	});
	for (const end of ends) end.dispose();
}

/** Lines of a question. */
const MOST = 12;

function itemsOf(rows: readonly GrantRow[]): Item[] {
	const items: Item[] = [];
	let agent: string | undefined;
	for (const row of rows) {
		if (row.agentId !== agent) items.push({ label: row.agent, kind: vscode.QuickPickItemKind.Separator });
		agent = row.agentId;
		items.push({
			label: row.entry,
			iconPath: new vscode.ThemeIcon(row.ended ? "warning" : row.elsewhere ? "circle-slash" : "check"),
			description: row.ended ? t("does not count") : row.elsewhere ? t("counts in another workspace") : "",
			detail: [row.ended, row.sentence].filter(Boolean).join(" "),
			buttons: row.inSettings ? [inSettings, revokeAgent] : [revokeOne, revokeAgent],
			row,
		});
	}
	return items;
}
