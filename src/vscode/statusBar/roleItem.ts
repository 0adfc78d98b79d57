// Status bar item for the shown session's role and activity; shows the last role until the engine loads.
import * as vscode from "vscode";
import type { Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";

const KEY = "troupe.role";

interface Remembered {
	label: string;
	icon: string;
}

/** Counts over all sessions in the window. */
export interface Activity {
	runningTurns: number;
	/** Approvals and questions. */
	pendingRequests: number;
}

export interface RoleStatusBarItem {
	setRole(role: Pick<Role, "label" | "icon">): void;
	setActivity(activity: Activity): void;
	dispose(): void;
}

export function createRoleStatusBarItem(state: vscode.Memento): RoleStatusBarItem {
	const item = vscode.window.createStatusBarItem("troupe.role", vscode.StatusBarAlignment.Right, 90);
	item.name = "Troupe";
	item.command = "troupe.toggleRole";
	let role = state.get<Remembered>(KEY) ?? { label: t("Planner"), icon: "checklist" };
	let activity: Activity = { runningTurns: 0, pendingRequests: 0 };
	const draw = (): void => {
		const name = t("Troupe: {0}", escapeLabel(role.label));
		const now = formatActivity(activity);
		item.text = `$(${role.icon}) ${name}${iconFor(activity)}`;
		item.tooltip = [name, now, t("Click to switch between Planner and Actor.")].filter(Boolean).join("\n");
		item.accessibilityInformation = { label: [name, now].filter(Boolean).join(", "), role: "button" };
		item.show();
	};
	draw();
	return {
		setRole({ label, icon = "person" }) {
			if (label === role.label && icon === role.icon) return;
			role = { label, icon };
			draw();
			void state.update(KEY, role);
		},
		setActivity(next) {
			if (next.runningTurns === activity.runningTurns && next.pendingRequests === activity.pendingRequests) return;
			activity = next;
			draw();
		},
		dispose: () => item.dispose(),
	};
}

function iconFor({ runningTurns: running, pendingRequests: waiting }: Activity): string {
	if (waiting > 0) return ` $(bell-dot) ${waiting}`;
	return running > 0 ? " $(sync~spin)" : "";
}

function formatActivity({ runningTurns: running, pendingRequests: waiting }: Activity): string {
	if (waiting > 0) return waiting === 1 ? t("1 approval or question pending") : t("{0} approvals and questions pending", waiting);
	if (running === 0) return "";
	return running === 1 ? t("1 turn is running") : t("{0} turns are running", running);
}
