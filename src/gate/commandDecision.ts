// Gate layers 4 to 7 for a command line: every command must be allowed, or the line requires approval.

import type { CommandFacts, GateRequest, SimpleCommand, Verdict } from "../core/ports/gate.ts";
import type { SandboxRestrictions } from "../core/ports/workspace/commands.ts";
import { t } from "../shared/l10n.ts";
import { boundFilesOf, isGranted, scriptsHashOf } from "./grants.ts";
import { protectedPlace } from "./hostProtection.ts";
import { allowRuleFor } from "./rules.ts";
import { autoExecutedAskReason } from "./writeProtectedNames.ts";

type CommandRequest = GateRequest & { command: CommandFacts };
export type CommandDecision = Pick<Verdict, "decision" | "layer" | "reason" | "rule"> &
	Partial<Pick<Verdict, "sentences" | "grants" | "confine" | "reads">>;

/** The check that allows one command, in the order of the checks; `asks` says why nothing does. */
type Standing =
	| { by: "plugin" | "reads" | "mode" }
	| { by: "rules" | "grants"; rule: string }
	/** `once`: no standing approval covers it. */
	| { by: "asks"; layer: "command" | "mode"; reason: string; rule: string; once?: true };

/** The first reason why a line requires approval regardless of rules, approvals, and mode. */
export function commandRisk(command: CommandFacts): CommandDecision | undefined {
	for (const answer of commandRisks(command)) return answer;
	return undefined;
}

export function* commandRisks({ odd, commands, cwd, outside }: CommandFacts): Generator<CommandDecision> {
	const asks = (layer: "command" | "protected" | "mode", reason: string, rule: string): CommandDecision => ({
		decision: "ask",
		layer,
		reason,
		rule,
	});
	if (odd !== undefined) yield asks("command", odd, "odd");
	else if (commands.length === 0) yield asks("command", t("The command line contains no command."), "odd");
	for (const fact of [cwd, ...commands.flatMap(({ paths }) => paths)]) {
		if (fact.refused !== undefined) yield asks("protected", fact.refused, fact.given);
		const place = protectedPlace(fact);
		if (place) yield { decision: "ask", layer: "protected", ...place };
	}
	if (outside) yield asks("mode", t("This command runs outside the sandbox with your permissions."), "sandbox");
	if (commands.some(({ deletes }) => deletes)) yield asks("mode", t("Deleting always requires approval."), "delete");
}

/** The reasons of each command that requires approval, followed by notes for the user. */
export function commandAskReasons(request: CommandRequest): string[] {
	const standings = request.command.commands.map((command) => standingOf(request, command));
	const asking = standings.flatMap((standing) => (standing.by === "asks" ? [standing.reason] : []));
	return asking.length > 0 ? [...asking, ...notes(request.command)] : [];
}

export function decideCommand(request: CommandRequest): CommandDecision {
	const { commands } = request.command;
	const standings = commands.map((command) => standingOf(request, command));
	const asking = standings.find((standing) => standing.by === "asks");
	if (asking) {
		const sentences = [asking.reason, ...notes(request.command)];
		return {
			decision: "ask",
			layer: asking.layer,
			reason: sentences.join(" "),
			...(sentences.length > 1 && { sentences }),
			rule: asking.rule,
			grants: offered(request, standings),
		};
	}
	const reads = standings.every(({ by }) => by === "reads");
	const unhardened = reads ? undefined : commands.find(({ unlessHardened }) => unlessHardened !== undefined)?.unlessHardened;
	if (unhardened !== undefined) return { decision: "ask", layer: "command", reason: unhardened, rule: "git" };
	if (request.sandbox?.mode === "required" && !request.sandbox.works && standings.some(({ by }) => by !== "plugin")) {
		return {
			decision: "ask",
			layer: "mode",
			reason:
				request.sandbox.why === undefined
					? t("Commands must run in a sandbox, but no sandbox is available.")
					: t("Commands must run in a sandbox. {0}", request.sandbox.why),
			rule: "sandbox",
		};
	}
	const exposureReason = networkExposureReason(request, standings);
	if (exposureReason) return { decision: "ask", layer: "mode", reason: exposureReason, rule: "sandbox" };
	return { decision: "allow", ...allowedBy(standings), ...(reads && { reads }), ...confined(request, standings) };
}

/** Notes for the user about commands that require approval, one sentence each. */
function notes({ commands }: CommandFacts): string[] {
	const hooks = [...new Set(commands.flatMap((command) => command.hooks ?? []))];
	const addresses = [...new Set(commands.flatMap((command) => command.addresses ?? []))];
	return [
		...(hooks.length > 0 ? [t("Repository hooks that would run: {0}.", hooks.join(", "))] : []),
		...(addresses.length > 0 ? [t("The command connects to {0}.", addresses.join(", "))] : []),
	];
}

function standingOf(request: CommandRequest, command: SimpleCommand): Standing {
	if (command.program !== undefined) return { by: "plugin" };
	const approved = command.class !== undefined && isGranted(request, { class: command.class, ...scriptsHashOf(command) });
	if (command.always !== undefined) {
		if (approved && command.answerable) return { by: "grants", rule: command.class as string };
		return { by: "asks", layer: "command", reason: command.always, rule: command.words[0] ?? "" };
	}
	if (command.reads && runsWithoutApproval(request, command)) return { by: "reads" };
	const rule = "invalid" in request.rules ? undefined : allowRuleFor(request.rules.allow, request.tool.name, command);
	if (rule !== undefined) return { by: "rules", rule };
	const running = command.permissions?.includes("WriteFiles") ? autoExecutedAskReason(request, command.paths) : undefined;
	if (running) return { by: "asks", layer: "command", ...running, once: true };
	if (approved) return { by: "grants", rule: command.class as string };
	if (command.asks !== undefined) return { by: "asks", layer: "command", reason: command.asks, rule: command.words[0] ?? "" };
	const byMode = (reason: string): Standing => ({ by: "asks", layer: "mode", reason, rule: request.mode });
	if (usesNetwork(command)) return byMode(t("This command uses the network."));
	if (command.hooks) return byMode(t("This command runs hooks of the repository."));
	if (request.mode === "auto" && command.fetches && !isSandboxed(request)) {
		return byMode(t("This command can download missing packages, and no sandbox blocks network access."));
	}
	if (request.mode === "auto") return { by: "mode" };
	return byMode(t("No rule allows this yet."));
}

function usesNetwork({ network, permissions }: SimpleCommand): boolean {
	return network === true || permissions?.includes("Network") === true;
}

/** Returns true if commands that run without approval are sandboxed. Plugin programs need a socket to us, which a sandbox would block. */
function isSandboxed({ sandbox, command }: CommandRequest): boolean {
	return sandbox !== undefined && sandbox.mode !== "off" && sandbox.works && command.commands.every(({ program }) => program === undefined);
}

/** The sandbox covers the whole line: a command without network approval would get network access from another command. */
function networkExposureReason(request: CommandRequest, standings: readonly Standing[]): string | undefined {
	const { commands } = request.command;
	const networkCommand = commands.find(usesNetwork);
	if (!networkCommand || !isSandboxed(request) || !request.role.permissions.includes("Network")) return undefined;
	const exposed = commands.find((command, index) => {
		const [program] = command.inner ?? command.words;
		const runsOther = command.boundTo !== undefined || command.line === true || command.fetches === true;
		return !usesNetwork(command) && standings[index]?.by !== "reads" && program !== "git" && runsOther;
	});
	if (!exposed) return undefined;
	return t("{1} needs network access, so {0} would get it, too.", exposed.words[0] ?? "", networkCommand.words[0] ?? "");
}

function runsWithoutApproval({ readingCommands, sandbox }: GateRequest, { sandboxed }: SimpleCommand): boolean {
	if (readingCommands === "ask") return false;
	return !sandboxed || (sandbox !== undefined && sandbox.mode !== "off" && sandbox.works);
}

/** Returns what a standing approval would cover; empty if any of the commands has no class. */
function offered(request: CommandRequest, standings: readonly Standing[]): Verdict["grants"] {
	if (standings.some((standing) => standing.by === "asks" && standing.once)) return [];
	const missing = request.command.commands.filter((_, index) => standings[index]?.by === "asks");
	if (missing.some((command) => command.class === undefined)) return [];
	const found = missing.map((command) => ({
		tool: request.tool.name,
		class: command.class as string,
		...scriptsHashOf(command),
		...boundFilesOf(command),
	}));
	return found.filter(
		(grant, index) => found.findIndex((earlier) => earlier.class === grant.class && earlier.scriptsHash === grant.scriptsHash) === index,
	);
}

function allowedBy(standings: readonly Standing[]): Pick<Verdict, "layer" | "reason" | "rule"> {
	const by = (layer: Standing["by"]) => [
		...new Set(standings.flatMap((standing) => (standing.by === layer && "rule" in standing ? [standing.rule] : []))),
	];
	if (standings.some((standing) => standing.by === "mode")) {
		return { layer: "mode", reason: t("Allowed by the approval mode, which allows everything that the role permits."), rule: "auto" };
	}
	const [rules, grants] = [by("rules"), by("grants")];
	if (grants.length > 0)
		return { layer: "grants", reason: t("Allowed by your approval of {0}.", grants.join(", ")), rule: grants.join(", ") };
	if (rules.length > 0) return { layer: "rules", reason: t("Allowed by your rule {0}.", rules.join(", ")), rule: rules.join(", ") };
	if (standings.some((standing) => standing.by === "plugin")) {
		return {
			layer: "command",
			reason: t("Allowed because this command only runs a plugin's program. What that program does is checked separately."),
			rule: "program",
		};
	}
	return { layer: "mode", reason: t("Reading in the workspace doesn't require approval."), rule: "reading" };
}

function confined(request: CommandRequest, standings: readonly Standing[]): { confine?: SandboxRestrictions } {
	if (!isSandboxed(request)) return {};
	const { command, role } = request;
	const masked = command.masked ?? [];
	if (standings.every(({ by }) => by === "reads")) return { confine: { kind: "read", network: false, masked } };
	const network = role.permissions.includes("Network") && command.commands.some(usesNetwork);
	// Only git itself may write its folder, not a script that calls git.
	const writes = command.commands.some(({ words, inner = words, reads }) => inner[0] === "git" && !reads);
	return { confine: { kind: "workspace", network, masked, ...(writes && { repository: true }) } };
}
