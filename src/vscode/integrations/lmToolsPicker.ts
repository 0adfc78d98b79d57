// "Choose VS Code Tools": which tools of other extensions agents may use, and which of them only read.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import { showNotification } from "../dialogs.ts";
import type { LanguageModelToolChoice, LanguageModelTools } from "./lmTools.ts";

interface ToolItem extends vscode.QuickPickItem {
	name: string;
}

export async function pickLanguageModelTools(tools: LanguageModelTools | undefined): Promise<void> {
	if (!tools) return void showNotification("info", t("This version of VS Code has no tools of extensions."));
	const choices = tools.choices();
	const marked = new Set(choices.filter(({ readOnly }) => readOnly).map(({ name }) => name));
	const list = vscode.window.createQuickPick<ToolItem>();
	list.title = t("Choose VS Code Tools");
	list.canSelectMany = true;
	list.matchOnDetail = true;
	list.placeholder =
		choices.length === 0
			? t("No extension offers a tool that could be used here.")
			: t(
					"{0} are never listed: they run commands, edit files or delegate, which would go round Troupe's permissions.",
					tools.blockedCount(),
				);
	const draw = (picked: readonly string[]): void => {
		list.items = choices.map((choice) => itemOf(choice, marked.has(choice.name)));
		list.selectedItems = list.items.filter(({ name }) => picked.includes(name));
	};
	draw(choices.filter(({ enabled: on }) => on).map(({ name }) => name));
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
	const tooltip = readOnly ? t("It may change something: planners do without it") : t("It only reads: planners may use it, too");
	return {
		name,
		label: escapeLabel(name),
		description: [readOnly ? t("$(eye) only reads") : "", changed ? t("$(warning) has changed and is off") : ""].filter(Boolean).join(" "),
		detail: escapeLabel(description.replace(/\s+/g, " ").trim().slice(0, 300)),
		buttons: [{ iconPath: new vscode.ThemeIcon(readOnly ? "eye-closed" : "eye"), tooltip }],
	};
}
