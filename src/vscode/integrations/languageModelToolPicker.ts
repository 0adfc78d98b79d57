// Lets the user choose which tools of other extensions agents may use.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import type { LanguageModelToolChoice, LanguageModelTools } from "../adapters/languageModelTools.ts";
import { showNotification } from "../notifications.ts";

interface ToolItem extends vscode.QuickPickItem {
	name: string;
}

export async function pickLanguageModelTools(tools: LanguageModelTools | undefined): Promise<void> {
	if (!tools) return void showNotification("info", t("This version of VS Code doesn't support tools from extensions."));
	const choices = tools.choices();
	const marked = new Set(choices.filter(({ readOnly }) => readOnly).map(({ name }) => name));
	const list = vscode.window.createQuickPick<ToolItem>();
	list.title = t("Select Tools from Other Extensions");
	list.canSelectMany = true;
	list.matchOnDetail = true;
	list.placeholder =
		choices.length === 0
			? t("No extension provides tools that Troupe can use.")
			: t(
					"{0} tools are not listed because they run commands, edit files, or delegate work, which bypasses Troupe's permissions.",
					tools.blockedCount(),
				);
	const draw = (picked: readonly string[]): void => {
		list.items = choices.map((choice) => itemOf(choice, marked.has(choice.name)));
		list.selectedItems = list.items.filter(({ name }) => picked.includes(name));
	};
	draw(choices.filter(({ enabled }) => enabled).map(({ name }) => name));
	const accepted = await new Promise<string[] | undefined>((resolve) => {
		list.onDidTriggerItemButton(({ item }) => {
			const picked = list.selectedItems.map(({ name }) => name);
			if (marked.delete(item.name)) return draw(picked);
			marked.add(item.name);
			draw([...picked, item.name]);
		});
		list.onDidAccept(() => {
			resolve(list.selectedItems.map(({ name }) => name));
			list.hide();
		});
		list.onDidHide(() => {
			resolve(undefined);
			list.dispose();
		});
		list.show();
	});
	if (accepted) await tools.setEnabled(accepted, [...marked]);
}

function itemOf({ name, description, changed }: LanguageModelToolChoice, readOnly: boolean): ToolItem {
	const tooltip = readOnly ? t("Mark as Not Read-Only (Planner Can't Use It)") : t("Mark as Read-Only (Planner Can Use It)");
	return {
		name,
		label: escapeLabel(name),
		description: [readOnly ? t("$(eye) read-only") : "", changed ? t("$(warning) changed and turned off") : ""].filter(Boolean).join(" "),
		detail: escapeLabel(description.replace(/\s+/g, " ").trim().slice(0, 300)),
		buttons: [{ iconPath: new vscode.ThemeIcon(readOnly ? "eye-closed" : "eye"), tooltip }],
	};
}
