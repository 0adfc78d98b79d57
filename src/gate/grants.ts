// Layer 6: approvals that last. A grant covers one agent, tool, class and workspace, and never more than was asked about.
import type { GateRequest } from "../core/gate.ts";
import { needs } from "./needs.ts";
import { judge } from "./programs.ts";

export interface Class {
	class: string;
	scriptsHash?: string;
}

/** The classes a call falls into, all of which must be granted; undefined where no grant can cover it. */
export function classesOf(request: GateRequest): Class[] | undefined {
	const { tool, command, url, paths } = request;
	if (deletes(request)) return undefined;
	if (command) return commandClasses(command);
	if (tool.external) return [{ class: tool.external.definitionHash }];
	if (url !== undefined) {
		const origin = URL.canParse(url) ? new URL(url).origin : "null";
		return origin === "null" ? undefined : [{ class: origin }];
	}
	return paths.some(({ refused }) => refused !== undefined) ? undefined : [{ class: tool.name }];
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
export function deletes(request: GateRequest): boolean {
	if (request.paths.some(({ use }) => use === "delete")) return true;
	return request.paths.length === 0 && needs(request).has("DeleteFiles");
}

function commandClasses(command: NonNullable<GateRequest["command"]>): Class[] | undefined {
	const classes = new Map<string, Class>();
	for (const { words } of command.commands) {
		if (words[0] === "cd") continue;
		const { class: name, bound, always, careful } = judge(words);
		if (name === undefined || always !== undefined || careful !== undefined) return undefined;
		if (bound && command.scriptsHash === undefined) return undefined;
		classes.set(name, { class: name, ...(bound && command.scriptsHash !== undefined && { scriptsHash: command.scriptsHash }) });
	}
	return [...classes.values()];
}
