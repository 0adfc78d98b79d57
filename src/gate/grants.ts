// Gate layer 6: standing approvals for one agent, tool, class, and workspace, never broader than requested.
import type { Gate, GateRequest, Grantable, SimpleCommand } from "../core/ports/gate.ts";
import { t } from "../shared/l10n.ts";
import { assessKnownProgram } from "./knownPrograms.ts";
import type { Assessment } from "./programs/assessment.ts";
import { defaultFlavor } from "./programs/lookup.ts";
import { originOf, requiredPermissions } from "./requiredPermissions.ts";

export type GrantClass = Omit<Grantable, "tool">;
type Call = Pick<GateRequest, "tool" | "paths" | "command" | "url">;

export const grantable: Gate["grantable"] = (call) => (grantClassesOf(call) ?? []).map((wanted) => ({ tool: call.tool.name, ...wanted }));

/** The classes of a call, all of which must be approved; undefined if no approval can cover it. */
export function grantClassesOf(request: Call): GrantClass[] | undefined {
	const { tool, command, url } = request;
	if (isDeletion(request)) return undefined;
	if (command) return commandClasses(command);
	if (tool.external) return [{ class: tool.external.definitionHash, external: true }];
	if (url !== undefined) {
		const origin = originOf(url);
		return origin === undefined ? undefined : [{ class: origin }];
	}
	return [{ class: tool.name }];
}

export function isGranted(request: GateRequest, { class: wanted, scriptsHash }: GrantClass): boolean {
	return request.grants.some(
		(grant) =>
			grant.agent === request.agent.agentId &&
			grant.tool === request.tool.name &&
			grant.workspace === request.workspace &&
			grant.class === wanted &&
			grant.scriptsHash === scriptsHash,
	);
}

/** Deletions require approval regardless of standing approvals. */
export function isDeletion(request: Call): boolean {
	if (request.paths.some(({ use }) => use === "delete")) return true;
	return request.paths.length === 0 && requiredPermissions(request).has("DeleteFiles");
}

/** Checks entries in the user's lists: what an approval card would never offer has no effect when written by hand. */
export const neverGranted: Gate["neverGranted"] = (tool, covers) => {
	if (isDeletion({ tool, paths: [] })) return t("Deleting always requires approval.");
	if (tool.external || !(tool.command || tool.url)) {
		return covers === undefined ? undefined : t("This tool can only be approved as a whole. Enter only {0}.", tool.name);
	}
	if (tool.url) {
		if (covers !== undefined && URL.canParse(covers) && new URL(covers).origin === covers) return undefined;
		return t("Specify an allowed origin, for example {0}.", `${tool.name}(https://example.org)`);
	}
	if (covers === undefined)
		return t("You can't approve all commands at once. Specify one command, for example {0}.", `${tool.name}(npm test)`);
	if (/[^\w .:@+/-]/.test(covers)) return t("Specify one program and its subcommand, without wildcards.");
	const { class: name } = assessClass(covers);
	if (name === covers) return undefined;
	if (name !== undefined) return t("Specify only the program and its subcommand: {0}.", name);
	return t("Commands like this require approval every time, because their effect depends on more than their name.");
};

export const outdated: Gate["outdated"] = ({ tool, class: covers, scriptsHash, line, external }) => {
	if (external || line || covers === tool || tool !== "execute_command") return undefined;
	const { class: name, bindings } = assessClass(covers);
	if (name !== covers)
		return t("Commands like this now require approval every time, because their effect depends on more than their name.");
	if (bindings && bindings.length > 0 && scriptsHash === undefined)
		return t("This approval doesn't specify which files define what runs. Approve the command again.");
	return undefined;
};

/** Sample operands for programs that require some. */
const OPERANDS = [[], ["a"], ["a", "b"], ["+x", "a"], ["-m", "a"]];

/** The tables' assessment of a command with this class. Sample operands are tried, because a class does not include operands. */
function assessClass(name: string): Partial<Assessment> {
	const assessments = OPERANDS.map((more) =>
		assessKnownProgram({ words: [...name.split(" "), ...more], unknown: new Set(), flavor: defaultFlavor() }),
	);
	return assessments.find((assessment) => assessment?.class === name) ?? assessments[0] ?? {};
}

/**
 * The classes of all commands that a standing approval could cover. Read-only commands have a class in case the user requires
 * approval for them.
 */
function commandClasses({ commands }: NonNullable<Call["command"]>): GrantClass[] | undefined {
	const classes = new Map<string, GrantClass>();
	for (const command of commands) {
		if (command.words[0] === "cd" || command.program !== undefined) continue;
		if (command.class === undefined) {
			if (command.reads) continue;
			return undefined;
		}
		classes.set(command.class, { class: command.class, ...scriptsHashOf(command), ...boundFilesOf(command) });
	}
	return [...classes.values()];
}

export function scriptsHashOf({ boundTo }: SimpleCommand): { scriptsHash?: string } {
	return boundTo === undefined ? {} : { scriptsHash: boundTo };
}

export function boundFilesOf({ bound, line }: SimpleCommand): Pick<Grantable, "bound" | "line"> {
	return { ...(bound && bound.length > 0 && { bound }), ...(line && { line }) };
}
