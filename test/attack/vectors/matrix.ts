// Everything that a decision can depend on beside the line itself: mode, rules, approvals, role, sandbox.

import type { PermissionRules } from "../../../src/core/ports/gate.ts";
import type { ApprovalMode } from "../../../src/core/role.ts";
import type { AttackCase } from "./cases.ts";

export const MODES = ["ask", "plan", "plan running", "edits", "auto"] as const;
export type Mode = (typeof MODES)[number];

export const ROLES = ["actor", "tester", "planner", "commander"] as const;

/** `own`: what the case itself says that the person has allowed and denied. */
export const RULES = ["none", "readers", "own"] as const;
export type RuleSet = (typeof RULES)[number];

/** `everyday`: all that was offered for good on everyday lines; `own`: what the case says; `always`: what its family was offered. */
export const APPROVALS = ["none", "everyday", "own", "always"] as const;
export type ApprovalSet = (typeof APPROVALS)[number];

export const SANDBOX = ["off", "works"] as const;

export interface Context {
	role: (typeof ROLES)[number];
	mode: Mode;
	rules: RuleSet;
	approvals: ApprovalSet;
	sandbox: (typeof SANDBOX)[number];
}

export function* contextsOf(attack: AttackCase): Generator<Context> {
	for (const role of ROLES)
		for (const rules of RULES) {
			if (rules === "own" && !ownRules(attack)) continue;
			for (const approvals of APPROVALS) {
				if (approvals === "own" && !attack.grants) continue;
				for (const mode of MODES) for (const sandbox of SANDBOX) yield { role, mode, rules, approvals, sandbox };
			}
		}
}

function ownRules({ rules, deny }: AttackCase): boolean {
	return deny !== undefined || (rules !== undefined && rules !== "readers");
}

export function modeOf(mode: Mode): { mode: ApprovalMode; planRuns: boolean } {
	return mode === "plan running" ? { mode: "plan", planRuns: true } : { mode, planRuns: false };
}

export function rulesOf(set: RuleSet, attack: AttackCase): PermissionRules {
	if (set === "none") return { deny: [], ask: [], allow: [] };
	if (set === "readers") return { deny: [], ask: [], allow: READING.map(commandRule) };
	const allowed = attack.rules === "readers" ? READING : (attack.rules ?? []).map((text) => text.replace(/ \*$/, ""));
	return { deny: (attack.deny ?? []).map((text) => `execute_command(${text})`), ask: [], allow: allowed.map(commandRule) };
}

const commandRule = (name: string) => `execute_command(${name} *)`;

/** Every program and git subcommand that people think of as only reading. */
const READING: readonly string[] = [
	...(
		"echo ls cat grep egrep fgrep zgrep rg find fd sed sort wc head tail cut pwd uniq diff cmp comm join paste tr nl od xxd hexdump hd " +
		"strings base64 base32 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum shasum md5 stat file du df tree jq less more " +
		"zcat zless bat tac rev fold fmt pr expand unexpand column tsort readlink realpath basename dirname date cal env printenv printf seq " +
		"sleep test [ true false which type command id whoami groups uname hostname uptime free ps lsof locale getconf nproc arch tty " +
		"logname users who w ag ack expr factor numfmt ptx shuf dir vdir help jobs history dirs cd yes"
	).split(" "),
	...(
		"log status diff show grep blame rev-parse rev-list cat-file ls-files ls-tree shortlog describe reflog " +
		"merge-base for-each-ref show-ref show-branch name-rev diff-tree diff-index diff-files whatchanged count-objects var version help " +
		"check-ignore check-attr annotate range-diff cherry verify-pack verify-commit verify-tag check-ref-format"
	)
		.split(" ")
		.map((name) => `git ${name}`),
];
