// The role of the shown session in the status bar; known from the last time until the engine is there.
import * as vscode from "vscode";
import type { Role } from "../core/permissions.ts";

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
	item.name = "Troupe Role";
	item.command = "troupe.toggleRole";
	let shown = "";
	const draw = ({ label, icon }: Remembered): void => {
		shown = label;
		item.text = `$(${icon}) ${label}`;
		item.tooltip = `Troupe role: ${label}. Click to switch between Planner and Actor.`;
		item.accessibilityInformation = { label: `Troupe role: ${label}`, role: "button" };
		item.show();
	};
	draw(state.get<Remembered>(KEY) ?? { label: "Planner", icon: "checklist" });
	return {
		show({ label, icon = "person" }) {
			if (label === shown) return;
			draw({ label, icon });
			void state.update(KEY, { label, icon });
		},
		dispose: () => item.dispose(),
	};
}
