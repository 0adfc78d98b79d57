// Decides every tool call in ordered layers; the first layer with an answer wins.

// No later layer extends that answer.
import type { CallAttempt, CommandFacts, Gate, GateLayer, GateRequest, Verdict } from "../core/ports/gate.ts";
import { t } from "../shared/l10n.ts";
import { accessDenial, unfitDenial } from "./access.ts";
import { commandAskReasons, commandRisk, commandRisks, decideCommand } from "./commandDecision.ts";
import { type GrantClass, grantClassesOf, isDeletion, isGranted } from "./grants.ts";
import { protectedPlace } from "./hostProtection.ts";
import { egressOf, isReadOnly, missingPermission, missingPermissions, requiredPermissions, roleDenial } from "./requiredPermissions.ts";
import { invalidRuleReason, isExactRule, matchRules } from "./rules.ts";
import { excludedBy, scopeDenial } from "./scope.ts";
import { autoExecutedAskReason } from "./writeProtectedNames.ts";

type Answer = Omit<Verdict, "grants"> & { grants?: Verdict["grants"] };

/** Pure and fast: the request contains all facts from disk and shell. */
export function authorize(request: GateRequest): Verdict {
	const answer = decide(request);
	const { unclear } = request.access;
	if (unclear !== undefined && answer.decision !== "deny") return askOnce(request, { ...withoutReasons(answer), reason: unclear });
	if (losesProtection(request, answer)) return askOnce(request, answer);
	if (isOwnReading(request, answer)) return { ...allows("mode", t("Allowed because you asked for it."), "person"), grants: [] };
	const decision = answer.decision === "ask" && !request.canAsk ? "deny" : answer.decision;
	return { ...answer, decision, grants: decision === "ask" ? (answer.grants ?? []) : [] };
}

/** Removes the reasons that concern the content: they come after the one that the content isn't clear. */
function withoutReasons({ sentences: _, ...answer }: Answer): Answer {
	return answer.decision === "allow" ? { ...answer, layer: "input", rule: "unclear" } : answer;
}

/** Nothing that lasts is offered. */
function askOnce({ canAsk }: GateRequest, answer: Answer): Verdict {
	if (canAsk) return { ...answer, decision: "ask", grants: [] };
	return { ...answer, decision: "deny", reason: "This would have to be asked, and nobody is there to ask.", grants: [] };
}

/** A call that is allowed because it is hardened or sandboxed is neither if another agent runs it. */
function losesProtection({ access }: GateRequest, { decision, reads, confine }: Answer): boolean {
	return access.foreign !== undefined && decision === "allow" && (reads === true || confine !== undefined);
}

/**
 * Returns true if it is the approval mode that would ask, about what a person reads or fetches themselves. Their rules and protected places
 * still ask.
 */
function isOwnReading(request: GateRequest, { decision, layer }: Answer): boolean {
	if (!request.access.byPerson || request.command || decision !== "ask" || layer !== "mode") return false;
	return [...requiredPermissions(request)].every((permission) => permission === "ReadFiles" || permission === "Network");
}

export const refuse: Gate["refuse"] = (attempt) => {
	const denied = denial(attempt);
	return denied && { ...denied, decision: "deny", grants: [] };
};

function denial(attempt: CallAttempt): Omit<Answer, "decision"> | undefined {
	const { tool, fits } = attempt;
	const accessDenied = accessDenial(attempt);
	if (accessDenied || !tool) return accessDenied;
	const request = { ...attempt, tool };
	const offered = offers(request);
	if (!fits && (!offered || attempt.access.foreign !== undefined)) return { ...unfitDenial(attempt, tool.name), ...lacks(request) };
	return offered ? undefined : (role(request) ?? scope(request));
}

/** Layers 1 and 2 only, without their messages. */
export const offers: Gate["offers"] = (request) => {
	// Copies of the request would take longer than the decision, for thousands of tools.
	const { agent, role: requestRole, tool, access } = request;
	if (access && accessDenial({ agent, role: requestRole, called: tool.name, tool, access })) return false;
	return (tool.suits?.(requestRole, agent) ?? true) && missingPermission(request) === undefined && excludedBy(agent, tool) === undefined;
};

export const diverted: Gate["diverted"] = (approved, now) => {
	const [before, found] = [realPathsOf(approved), realPathsOf(now)];
	if (before.length === found.length && before.every((real, index) => real === found[index])) return undefined;
	const reason = "The path leads elsewhere than when it was allowed. Nothing ran. Look again and call again.";
	return { decision: "deny", layer: "protected", reason, rule: "path", grants: [] };
};

function realPathsOf({ paths, command }: Pick<GateRequest, "paths" | "command">): string[] {
	return [...paths, ...(command?.commands ?? []).flatMap((simple) => simple.paths)].map(({ real }) => real);
}

function decide(request: GateRequest): Answer {
	return access(request) ?? role(request) ?? scope(request) ?? input(request) ?? rules(request);
}

function access(request: GateRequest): Answer | undefined {
	const accessDenied = accessDenial({ ...request, called: request.tool.name });
	return accessDenied && { decision: "deny", ...accessDenied };
}

function role(request: Pick<GateRequest, "agent" | "role" | "ceiling" | "tool">): Answer | undefined {
	const roleDenied = roleDenial(request);
	return roleDenied && { decision: "deny", layer: "role", ...roleDenied, ...lacks(request) };
}

function lacks(request: Pick<GateRequest, "agent" | "role" | "ceiling" | "tool">): Pick<Verdict, "lacks"> {
	const missing = excludedBy(request.agent, request.tool) ? [] : [...missingPermissions(request)];
	return missing.length > 0 ? { lacks: missing.map(({ permission }) => permission) } : {};
}

function scope(request: Pick<GateRequest, "agent" | "tool" | "skill" | "peer">): Answer | undefined {
	const listDenied = scopeDenial(request.agent, request);
	return listDenied && { decision: "deny", layer: "scope", ...listDenied };
}

/** Denies what cannot be checked; the reason tells the model what to write instead. */
function input({ paths, command }: GateRequest): Answer | undefined {
	const facts = command ? [...paths, command.cwd] : paths;
	const refused = facts.find((fact) => fact.refused !== undefined);
	return refused?.refused === undefined ? undefined : { decision: "deny", layer: "input", reason: refused.refused, rule: refused.given };
}

function rules(request: GateRequest): Answer {
	const invalidReason = invalidRuleReason(request.rules);
	if (invalidReason !== undefined && !isReadOnly(requiredPermissions(request))) {
		const reason = t("Denied until the setting {0} is fixed. {1}", "troupe.permissions", invalidReason);
		return { decision: "deny", layer: "rules", reason, rule: "troupe.permissions" };
	}
	const matched = "invalid" in request.rules ? undefined : matchRules(request.rules, request);
	if (matched?.decision === "deny")
		return { decision: "deny", layer: "rules", reason: t("Denied by your rule {0}.", matched.rule), rule: matched.rule };
	const place = firstAnswer(request.paths.map(protectedPlace));
	if (matched?.decision === "ask") return asks("rules", t("Your rule {0} requires approval.", matched.rule), matched.rule);
	if (place) return { decision: "ask", layer: "protected", ...place };
	if (changesPersonal(request)) return asks("protected", personalReason(), "memory");
	if (isDeletion(request)) return asks("mode", t("Deleting always requires approval."), "delete");
	if (isCommand(request)) return commandRisk(request.command) ?? decideCommand(request);
	if (request.unchecked && isNewDestination(request)) return asks("mode", uncheckedAddressReason(), "proxy");
	if (matched && (!isNewDestination(request) || isExactRule(matched.rule, request)))
		return allows("rules", t("Allowed by your rule {0}.", matched.rule), matched.rule);
	if (matched) return grants(request) ?? asks("mode", newDestinationReason(), request.mode, offered(request));
	const running = autoExecutedAskReason(request, request.paths);
	if (running) return asks("mode", running.reason, running.rule);
	return grants(request) ?? mode(request);
}

/** Returns true if it changes what is kept for the person, in a turn that they did not begin. */
function changesPersonal({ keptFor, begunByPerson }: GateRequest): boolean {
	return keptFor === "person" && !begunByPerson;
}

function personalReason(): string {
	return t("This changes your own memory, in a turn that you didn't begin.");
}

function isCommand(request: GateRequest): request is GateRequest & { command: CommandFacts } {
	return request.command !== undefined;
}

function grants(request: GateRequest): Answer | undefined {
	const classes = grantClassesOf(request);
	if (!classes?.every((wanted) => isGranted(request, wanted))) return undefined;
	const names = classes.map(({ class: name }) => name).join(", ");
	return names === "" ? undefined : allows("grants", t("Allowed by your approval of {0}.", names), names);
}

function mode(request: GateRequest): Answer {
	const needed = requiredPermissions(request);
	const changes = [...needed].filter((permission) => permission !== "ReadFiles" && permission !== "Delegate");
	if (changes.length === 0 && !request.tool.external)
		return allows("mode", t("Reading in the workspace doesn't require approval."), "reading");
	const asking = (reason: string) => asks("mode", reason, request.mode, offered(request));
	if (needed.has("ExecuteCommands")) return asking(t("This tool runs something that can't be checked here."));
	const editsOnly = changes.every((permission) => permission === "WriteFiles" || permission === "CreateFiles");
	if (request.mode === "auto") {
		if (isNewDestination(request)) return asking(newDestinationReason());
		return allows("mode", t("Allowed by the approval mode, which allows everything that the role permits."), "auto");
	}
	if (editsOnly && request.paths.length > 0) {
		if (request.mode === "edits") return allows("mode", t("Allowed by the approval mode, which allows edits."), "edits");
		if (request.mode === "plan" && request.planRuns) return allows("mode", t("Allowed by the running plan that you approved."), "plan");
	}
	return asking(t("No rule allows this yet."));
}

/** Returns true if it sends data to a destination that the user has not allowed in this session. */
function isNewDestination(request: GateRequest): boolean {
	const destination = egressOf(request);
	return destination !== undefined && !request.destinations?.includes(destination);
}

function newDestinationReason(): string {
	return t("This session hasn't sent anything to this destination yet.");
}

function uncheckedAddressReason(): string {
	return t("Only your proxy can resolve this address, so the destination wasn't checked.");
}

/** Returns what "Always allow" would cover: one approval for each class that has none yet. */
function offered(request: GateRequest): Verdict["grants"] {
	const missing = (grantClassesOf(request) ?? []).filter((wanted: GrantClass) => !isGranted(request, wanted));
	return missing.map((wanted) => ({ tool: request.tool.name, ...wanted }));
}

function asks(layer: GateLayer, reason: string, rule: string, grantable: Verdict["grants"] = []): Answer {
	return { decision: "ask", layer, reason, rule, grants: grantable };
}

function allows(layer: GateLayer, reason: string, rule: string): Answer {
	return { decision: "allow", layer, reason, rule };
}

function firstAnswer<Found>(found: readonly (Found | undefined)[]): Found | undefined {
	return found.find((answer) => answer !== undefined);
}

/** Nobody reads more than this, and a line may name thousands of paths. */
const MAX_REASONS = 12;

export const reasons: Gate["reasons"] = (request) => {
	const found = new Set<string>();
	for (const reason of allReasons(request)) {
		found.add(reason);
		if (found.size === MAX_REASONS) break;
	}
	return [...found];
};

function* allReasons(request: GateRequest): Generator<string> {
	const matched = "invalid" in request.rules ? undefined : matchRules(request.rules, request);
	if (matched?.decision === "ask") yield t("Your rule {0} requires approval.", matched.rule);
	for (const path of request.paths) {
		const place = protectedPlace(path);
		if (place) yield place.reason;
	}
	if (changesPersonal(request)) yield personalReason();
	if (isDeletion(request)) yield t("Deleting always requires approval.");
	const { command } = request;
	if (command) {
		for (const { reason } of commandRisks(command)) yield reason;
		yield* commandAskReasons({ ...request, command });
		return;
	}
	const running = autoExecutedAskReason(request, request.paths);
	if (running) yield running.reason;
}
