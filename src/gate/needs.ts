// Layer 1: what a call needs, and whether the role has it. Nothing lifts what is refused here.
import type { GateRequest, PathUse } from "../core/gate.ts";
import type { Permission, Role } from "../core/permissions.ts";
import { t } from "../l10n.ts";
import { permissionWords } from "../permissionWords.ts";

type Asking = Pick<GateRequest, "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "paths" | "command" | "url">>;

const neededFor: Record<PathUse, Permission> = {
	read: "ReadFiles",
	write: "WriteFiles",
	create: "CreateFiles",
	delete: "DeleteFiles",
};

/** Every permission the call needs: what the tool declares, and one for each thing it does. */
export function needs(request: Omit<Asking, "role" | "ceiling">): ReadonlySet<Permission> {
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
			return {
				reason: t("The {0} role may not {1}.{2}", request.role.label, permissionWords[permission], wayOut(request.role)),
				rule: permission,
			};
		}
		if (request.ceiling && !request.ceiling.includes(permission)) {
			return { reason: t("Whoever asked this agent may not {0}, so it may not either.", permissionWords[permission]), rule: permission };
		}
	}
	return undefined;
}

function wayOut(role: Role): string {
	return role.acts === undefined ? "" : ` ${t("Switch the role to do this.")}`;
}

/** Nothing but reading: such calls stay possible when the person's rules cannot be read. */
export function readsOnly(needed: ReadonlySet<Permission>): boolean {
	for (const permission of needed) if (permission !== "ReadFiles") return false;
	return true;
}
