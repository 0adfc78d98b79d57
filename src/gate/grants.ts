// Layer 6: approvals that last. A grant covers one agent, tool, class and workspace, and never more than was asked about.
import type { Gate, GateRequest, Grantable } from "../core/gate.ts";
import { t } from "../l10n.ts";
import { needs } from "./needs.ts";
import { judge } from "./programs.ts";

export type Class = Omit<Grantable, "tool">;
type Call = Pick<GateRequest, "tool" | "paths" | "command" | "url">;

export const grantable: Gate["grantable"] = (call) => (classesOf(call) ?? []).map((wanted) => ({ tool: call.tool.name, ...wanted }));

/** The classes a call falls into, all of which must be granted; undefined where no grant can cover it. */
export function classesOf(request: Call): Class[] | undefined {
	const { tool, command, url } = request;
	if (deletes(request)) return undefined;
	if (command) return commandClasses(command);
	if (tool.external) return [{ class: tool.external.definitionHash, external: true }];
	if (url !== undefined) {
		const origin = URL.canParse(url) ? new URL(url).origin : "null";
		return origin === "null" ? undefined : [{ class: origin }];
	}
	return [{ class: tool.name }];
}

export function granted(request: GateRequest, { class: wanted, scriptsHash }: Class): boolean {
	return request.grants.some(
		(grant) =>
			grant.agent === request.agent.agentId &&
			grant.tool === request.tool.name &&
			grant.workspace === request.workspace &&
			grant.class === wanted &&
			grant.scriptsHash === scriptsHash,
	);
}

/** Deleting asks whatever was granted. */
export function deletes(request: Call): boolean {
	if (request.paths.some(({ use }) => use === "delete")) return true;
	return request.paths.length === 0 && needs(request).has("DeleteFiles");
}

/** Of an entry in a list of the person's: what would never be granted on a card does not count when it is written by hand. */
export const neverGranted: Gate["neverGranted"] = (tool, covers) => {
	if (deletes({ tool, paths: [] })) return t("Deleting always asks.");
	if (tool.external || !(tool.command || tool.url)) {
		return covers === undefined ? undefined : t("It covers the whole tool or nothing: write {0} alone.", tool.name);
	}
	if (tool.url) {
		if (covers !== undefined && URL.canParse(covers) && new URL(covers).origin === covers) return undefined;
		return t("It names where it may go, as in {0}.", `${tool.name}(https://example.org)`);
	}
	if (covers === undefined) return t("Commands are never allowed all at once: name one, as in {0}.", `${tool.name}(npm test)`);
	if (/[^\w .:@+/-]/.test(covers)) return t("It names one program and its sub-command, without wild cards.");
	const { class: name } = judge(covers.split(" "));
	if (name === covers) return undefined;
	if (name !== undefined) return t("It names the program and its sub-command: {0}.", name);
	return t("Commands like this one ask each time: what they do depends on more than their name.");
};

function commandClasses(command: NonNullable<Call["command"]>): Class[] | undefined {
	const classes = new Map<string, Class>();
	for (const { words, program } of command.commands) {
		if (words[0] === "cd" || program !== undefined) continue;
		const { class: name, bound } = judge(words);
		if (name === undefined) return undefined;
		if (bound && command.scriptsHash === undefined) return undefined;
		classes.set(name, { class: name, ...(bound && command.scriptsHash !== undefined && { scriptsHash: command.scriptsHash }) });
	}
	return [...classes.values()];
}
