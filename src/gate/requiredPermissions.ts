// Layer 1: what a call needs, and whether the role has it. Nothing lifts what is refused here.
import type { GateRequest } from "../core/ports/gate.ts";
import type { PathUse } from "../core/ports/tool.ts";
import type { Permission, Role } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { permissionLabels } from "../shared/permissionLabels.ts";

type Asking = Pick<GateRequest, "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "paths" | "command" | "url">>;

const neededFor: Record<PathUse, Permission> = {
	read: "ReadFiles",
	write: "WriteFiles",
	create: "CreateFiles",
	delete: "DeleteFiles",
};

/** Every permission the call needs: what the tool declares, and one for each thing it does. */
export function requiredPermissions(request: Omit<Asking, "role" | "ceiling">): ReadonlySet<Permission> {
	const { tool, paths = [], command, url } = request;
	const needed = new Set(tool.permissions);
	for (const path of paths) needed.add(neededFor[path.use]);
	if (command) {
		needed.add("ExecuteCommands");
		for (const { permissions = [] } of command.commands) for (const permission of permissions) needed.add(permission);
	}
	if (url !== undefined) needed.add("Network");
	if (tool.external?.readOnly) needed.delete("ExternalTools");
	else if (tool.external) needed.add("ExternalTools");
	return needed;
}

/** The first permission that the role has not, or else whoever asked. */
export function missingPermission(request: Asking): { permission: Permission; whose: "role" | "asker" } | undefined {
	const { role, ceiling } = request;
	for (const permission of requiredPermissions(request)) {
		if (!role.permissions.includes(permission)) return { permission, whose: "role" };
		if (ceiling && !ceiling.includes(permission)) return { permission, whose: "asker" };
	}
	return undefined;
}

export function roleDenial(request: Asking): { reason: string; rule: string } | undefined {
	const found = missingPermission(request);
	if (!found) return undefined;
	const words = permissionLabels[found.permission];
	const reason =
		found.whose === "role"
			? t("The {0} role can't {1}.{2}", request.role.label, words, wayOut(request.role))
			: t("The agent that delegated this task can't {0}, so this agent can't either.", words);
	return { reason, rule: found.permission };
}

function wayOut(role: Role): string {
	return role.acts === undefined ? "" : ` ${t("Switch to another role to do this.")}`;
}

/** Nothing but reading: such calls stay possible when the person's rules cannot be read. */
export function isReadOnly(needed: ReadonlySet<Permission>): boolean {
	for (const permission of needed) if (permission !== "ReadFiles") return false;
	return true;
}

/** The origin of an address, the hash of an outside tool's definition; undefined for what stays here. */
export function egressOf({ tool, url }: Pick<GateRequest, "tool" | "url">): string | undefined {
	if (url !== undefined) return originOf(url);
	return tool.external?.definitionHash;
}

/** Without the trailing dots of a host, in ASCII, so that one place has one name. */
export function originOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const parsed = new URL(url);
	if (parsed.origin === "null") return undefined;
	const port = parsed.port === "" ? "" : `:${parsed.port}`;
	return `${parsed.protocol}//${parsed.hostname.replace(/\.+$/, "")}${port}`;
}
