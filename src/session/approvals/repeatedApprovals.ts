// Suggests how to avoid an approval that the user has given repeatedly in one session.

import type { EventOf } from "../../core/events.ts";
import type { Grantable } from "../../core/ports/gate.ts";
import type { ApprovalMode } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import type { SessionApprovals } from "../state/sessionApprovals.ts";
import type { ApprovalRequest } from "../turnContext.ts";
import { grantKind } from "./grantText.ts";

type Asked = Pick<ApprovalRequest, "always" | "rule">;

/** Number of approvals after which the next card makes the suggestion. */
const OFTEN = 2;
/** One name for all file changes, because one setting covers them all. */
const CHANGES = "changes";

/** Names that an approval is counted under. */
export function listCountedNames({ always, rule }: Asked): string[] {
	if (rule !== undefined) return [`rule ${rule}`];
	return always.map((grantable) => (changesFiles(grantable) ? CHANGES : `${grantable.tool} ${grantable.class}`));
}

export function findRepeatedApprovalHint(
	asked: Asked,
	approved: Pick<SessionApprovals, "allowed">,
	mode: ApprovalMode,
): EventOf<"asked">["often"] {
	const { always, rule } = asked;
	const names = listCountedNames(asked);
	// All of it would be stored, so the name with the fewest approvals decides.
	const times = Math.min(...names.map((name) => approved.allowed(name)));
	if (names.length === 0 || times < OFTEN) return undefined;
	if (rule !== undefined) return { text: formatRuleHint(rule, times), ends: "permissions" };
	const most = always.find((grantable) => !changesFiles(grantable) && approved.allowed(`${grantable.tool} ${grantable.class}`) === times);
	if (most) return { text: most.line ? formatLineHint(times) : formatNamedHint(most, times), ends: "always" };
	return { text: formatChangeHint(times), ends: mode === "ask" || mode === "plan" ? "approval" : "always" };
}

function changesFiles(grantable: Grantable): boolean {
	return ["edit", "create", "rename", "patch"].includes(grantKind(grantable));
}

function formatNamedHint({ tool, class: covered, external }: Grantable, times: number): string {
	const name = external ? tool : covered;
	return times === OFTEN ? t("You allowed {0} twice in this session.", name) : t("You allowed {0} {1} times in this session.", name, times);
}

function formatLineHint(times: number): string {
	return times === OFTEN
		? t("You allowed this exact command twice in this session.")
		: t("You allowed this exact command {0} times in this session.", times);
}

function formatChangeHint(times: number): string {
	return times === OFTEN
		? t("You allowed file changes twice in this session.")
		: t("You allowed file changes {0} times in this session.", times);
}

function formatRuleHint(rule: string, times: number): string {
	return times === OFTEN
		? t("You allowed this twice in this session. Your rule {0} requires approval each time.", rule)
		: t("You allowed this {1} times in this session. Your rule {0} requires approval each time.", rule, times);
}
