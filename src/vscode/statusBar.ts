// The role of the shown session in the status bar; known from the last time until the engine is there.
import * as vscode from "vscode";
import type { Role } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { labelText } from "../shared/safeText.ts";

const KEY = "troupe.role";

interface Remembered {
	label: string;
	icon: string;
}

export interface RoleItem {
	show(role: Pick<Role, "label" | "icon">): void;
	dispose(): void;
}

export function roleItem(state: vscode.Memento): RoleItem {
	const item = vscode.window.createStatusBarItem("troupe.role", vscode.StatusBarAlignment.Right, 90);
	item.name = t("Troupe Role");
	item.command = "troupe.toggleRole";
	let shown = "";
	const draw = ({ label, icon }: Remembered): void => {
		shown = label;
		item.text = `$(${icon}) ${labelText(label)}`;
		item.tooltip = t("Troupe role: {0}. Click to switch between Planner and Actor.", label);
		item.accessibilityInformation = { label: t("Troupe role: {0}", label), role: "button" };
		item.show();
	};
	draw(state.get<Remembered>(KEY) ?? { label: t("Planner"), icon: "checklist" });
	return {
		show({ label, icon = "person" }) {
			if (label === shown) return;
			draw({ label, icon });
			void state.update(KEY, { label, icon });
		},
		dispose: () => item.dispose(),
	};
}
