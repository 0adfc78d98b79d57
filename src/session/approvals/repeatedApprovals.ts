// Offers what would end a question that the person has said yes to again and again in one session.

import type { EventOf } from "../../core/events.ts";
import type { Grantable } from "../../core/ports/gate.ts";
import type { ApprovalMode } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import type { ApprovalRequest } from "../context.ts";
import { grantKind } from "./grantText.ts";
import type { SessionApprovals } from "./sessionApprovals.ts";

type Asked = Pick<ApprovalRequest, "always" | "rule">;

/** So many times allowed, and the next card says what would end it. */
const OFTEN = 2;
/** One name for whatever changes files: one setting ends all of it. */
const CHANGES = "changes";

/** What an approval is counted as. */
export function listCountedNames({ always, rule }: Asked): string[] {
	if (rule !== undefined) return [`rule ${rule}`];
	return always.map((one) => (changesFiles(one) ? CHANGES : `${one.tool} ${one.class}`));
}

export function findRepeatedApprovalHint(
	asked: Asked,
	approved: Pick<SessionApprovals, "allowed">,
	mode: ApprovalMode,
): EventOf<"asked">["often"] {
	const { always, rule } = asked;
	const names = listCountedNames(asked);
	// What would be kept is all of it: the least allowed decides.
	const times = Math.min(...names.map((name) => approved.allowed(name)));
	if (names.length === 0 || times < OFTEN) return undefined;
	if (rule !== undefined) return { text: ruleWords(rule, times), ends: "permissions" };
	const most = always.find((one) => !changesFiles(one) && approved.allowed(`${one.tool} ${one.class}`) === times);
	if (most) return { text: most.line ? lineWords(times) : namedWords(most, times), ends: "always" };
	return { text: changeWords(times), ends: mode === "ask" || mode === "plan" ? "approval" : "always" };
}

function changesFiles(one: Grantable): boolean {
	return ["edit", "create", "rename", "patch"].includes(grantKind(one));
}

function namedWords({ tool, class: covered, external }: Grantable, times: number): string {
	const name = external ? tool : covered;
	return times === OFTEN ? t("You allowed {0} twice in this session.", name) : t("You allowed {0} {1} times in this session.", name, times);
}

function lineWords(times: number): string {
	return times === OFTEN
		? t("You allowed this exact command twice in this session.")
		: t("You allowed this exact command {0} times in this session.", times);
}

function changeWords(times: number): string {
	return times === OFTEN
		? t("You allowed file changes twice in this session.")
		: t("You allowed file changes {0} times in this session.", times);
}

function ruleWords(rule: string, times: number): string {
	return times === OFTEN
		? t("You allowed this twice in this session. Your rule {0} requires approval each time.", rule)
		: t("You allowed this {1} times in this session. Your rule {0} requires approval each time.", rule, times);
}
