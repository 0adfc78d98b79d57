// Switches a session to its next primary role, and says which permissions it gained.
import { getRole } from "../../session/agent/sessionAgent.ts";
import type { Session } from "../../session/session.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import { showNotification } from "../notifications.ts";

/** `change` may ask for confirmation and leave the role unchanged. */
export async function toggleRole(session: Session, change: (role: string) => Promise<void>): Promise<void> {
	const before = getRole(session);
	const primary = session.policy.roles().filter((role) => role.primary);
	const next = primary[(primary.findIndex(({ id }) => id === before.id) + 1) % primary.length];
	if (!next) return;
	await change(next.id);
	const after = getRole(session);
	const gained = after.permissions.filter((permission) => !before.permissions.includes(permission));
	if (gained.length === 0) return;
	const undo = t("Undo");
	const may = formatList(gained.map((permission) => permissionLabels[permission]));
	// Not awaited: the notification may stay open.
	void showNotification("info", t("Switched to {0}. Additional permissions: {1}.", after.label, may), undo).then(async (answer) => {
		if (answer === undo && getRole(session).id === after.id) await change(before.id);
	});
}
