// Layer 1: what a call needs, and whether the role has it. Nothing lifts what is refused here.
import type { GateRequest, PathUse } from "../core/gate.ts";
import type { Permission, Role } from "../core/permissions.ts";

type Asking = Pick<GateRequest, "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "paths" | "command" | "url">>;

const neededFor: Record<PathUse, Permission> = {
	read: "ReadFiles",
	write: "WriteFiles",
	create: "CreateFiles",
	delete: "DeleteFiles",
};

const inWords: Record<Permission, string> = {
	ReadFiles: "read files",
	WriteFiles: "change files",
	CreateFiles: "create files",
	DeleteFiles: "delete files",
	ExecuteCommands: "run commands",
	Network: "use the network",
	ExternalTools: "use tools from outside",
	Delegate: "ask other agents",
};

/** Every permission the call needs: what the tool declares, and one for each thing it does. */
export function needs(request: Asking): ReadonlySet<Permission> {
	const { tool, paths = [], command, url } = request;
	const needed = new Set(tool.permissions);
	for (const path of paths) needed.add(neededFor[path.use]);
	if (command) needed.add("ExecuteCommands");
	if (url !== undefined) needed.add("Network");
	if (tool.external?.readOnly) needed.delete("ExternalTools");
	else if (tool.external) needed.add("ExternalTools");
	return needed;
}

export function beyondRole(request: Asking): { reason: string; rule: string } | undefined {
	for (const permission of needs(request)) {
		if (!request.role.permissions.includes(permission)) {
			return { reason: `The ${request.role.label} role may not ${inWords[permission]}.${wayOut(request.role)}`, rule: permission };
		}
		if (request.ceiling && !request.ceiling.includes(permission)) {
			return { reason: `Whoever asked this agent may not ${inWords[permission]}, so it may not either.`, rule: permission };
		}
	}
	return undefined;
}

function wayOut(role: Role): string {
	return role.acts === undefined ? "" : " Switch the role to do this.";
}

/** Nothing but reading: such calls stay possible when the person's rules cannot be read. */
export function readsOnly(needed: ReadonlySet<Permission>): boolean {
	for (const permission of needed) if (permission !== "ReadFiles") return false;
	return true;
}
