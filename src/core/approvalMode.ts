// Approval modes from the strictest on, and the one that is in force in a session.

import type { EventOf } from "./events.ts";
import type { ApprovalMode } from "./permissions.ts";
import type { Transcript } from "./transcript/state.ts";

export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "plan", "edits", "auto"];

/** The one of them that asks most. */
export function strictestMode(first: ApprovalMode, ...others: readonly ApprovalMode[]): ApprovalMode {
	return others.reduce((least, mode) => (isWithinCeiling(mode, least) ? mode : least), first);
}

/** It asks at least as much as the ceiling. */
export function isWithinCeiling(mode: ApprovalMode, ceiling: ApprovalMode): boolean {
	return APPROVAL_MODES.indexOf(mode) <= APPROVAL_MODES.indexOf(ceiling);
}

/** What the person chose for the session, else the default; never more than the ceiling allows. */
export function effectiveApprovalMode(
	{ approval: chosen }: Pick<Transcript, "approval">,
	{ approval, approvalCeiling = "auto" }: { approval: ApprovalMode; approvalCeiling?: ApprovalMode },
): ApprovalMode {
	return strictestMode(chosen ?? approval, approvalCeiling);
}

/** Part of the one fold. Only the person chooses a mode; one that nobody knows asks for everything. */
export function foldApprovalMode(state: Transcript, { approval, by }: EventOf<"status">): void {
	if (approval === undefined || by !== "person") return;
	if (approval === "default") delete state.approval;
	else state.approval = APPROVAL_MODES.includes(approval) ? approval : "ask";
}
