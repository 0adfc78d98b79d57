// The event by which a session gets an approval mode of its own.
import type { EventOf } from "../../core/events.ts";
import type { ApprovalMode } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { approvalModeName } from "../../shared/permissionLabels.ts";

type Chosen = Pick<EventOf<"status">, "type" | "level" | "text" | "approval"> & { by: "person" };

export function createApprovalModeEvent(mode: ApprovalMode | "default"): Chosen {
	const text =
		mode === "default"
			? t("This session uses the default approval mode.")
			: t("Approval mode of this session: {0}.", approvalModeName(mode));
	return { type: "status", level: "info", text, approval: mode, by: "person" };
}
