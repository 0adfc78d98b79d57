// The event by which a session gets an approval mode of its own.
import type { EventOf } from "../../core/events.ts";
import type { ApprovalMode } from "../../core/permissions.ts";
import { modeName } from "../../shared/approvalModes.ts";
import { t } from "../../shared/l10n.ts";

type Chosen = Pick<EventOf<"status">, "type" | "level" | "text" | "approval"> & { by: "person" };

export function modeChosen(mode: ApprovalMode | "default"): Chosen {
	const text =
		mode === "default" ? t("This session uses the default approval mode.") : t("Approval mode of this session: {0}.", modeName(mode));
	return { type: "status", level: "info", text, approval: mode, by: "person" };
}
