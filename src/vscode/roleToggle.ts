// Switches between planner and actor with one click, and offers to take back what widened the role.
import type { Session } from "../session/session.ts";
import { getRole } from "../session/sessionAgent.ts";
import { t } from "../shared/l10n.ts";
import { permissionLabels } from "../shared/permissionLabels.ts";
import { showNotification } from "./dialogs.ts";

/** `change` asks first where the switch would stop something; then the role may stay as it is. */
export async function toggleRole(session: Session, change: (role: string) => Promise<void>): Promise<void> {
	const before = getRole(session);
	await change(before.id === "planner" ? "actor" : "planner");
	const after = getRole(session);
	const gained = after.permissions.filter((permission) => !before.permissions.includes(permission));
	if (gained.length === 0) return;
	const undo = t("Undo");
	const may = gained.map((permission) => permissionLabels[permission]).join(", ");
	// The command is done; the notification stays for as long as the person lets it.
	void showNotification("info", t("Switched to {0}, which may also: {1}.", after.label, may), undo).then(async (answer) => {
		if (answer === undo && getRole(session).id === after.id) await change(before.id);
	});
}
