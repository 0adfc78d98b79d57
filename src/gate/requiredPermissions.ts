// Gate layer 1: checks a call's required permissions against the role. Later layers cannot override a denial.
import type { GateRequest } from "../core/ports/gate.ts";
import type { PathUse } from "../core/ports/tool.ts";
import type { Permission } from "../core/role.ts";
import { t } from "../shared/l10n.ts";

type Asking = Pick<GateRequest, "role" | "ceiling" | "tool"> & Partial<Pick<GateRequest, "paths" | "command" | "url" | "peer">>;

const neededFor: Record<PathUse, Permission> = {
	read: "ReadFiles",
	write: "WriteFiles",
	create: "CreateFiles",
	delete: "DeleteFiles",
};

/** All permissions that the call needs: those that the tool declares, and one for each thing it does. */
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

/** The first permission that the role, or whoever called the agent, does not have. */
export function missingPermission(request: Asking): MissingPermission | undefined {
	for (const missing of missingPermissions(request)) return missing;
	return undefined;
}

interface MissingPermission {
	permission: Permission;
	whose: "role" | "asker";
}

export function* missingPermissions(request: Asking): Generator<MissingPermission> {
	const { role, ceiling, peer } = request;
	for (const permission of requiredPermissions(request)) {
		// A message to another agent is sent out within the limits that this agent gets.
		const own = peer !== undefined && permission === "Network" ? (role.ceiling ?? role.permissions) : role.permissions;
		if (!own.includes(permission)) yield { permission, whose: "role" };
		else if (ceiling && !ceiling.includes(permission)) yield { permission, whose: "asker" };
	}
}

export function roleDenial(request: Asking): { reason: string; rule: string } | undefined {
	const found = missingPermission(request);
	if (!found) return undefined;
	const { permission, whose } = found;
	if (whose === "asker") return { reason: DENIED_TO_ASKER[permission](), rule: permission };
	const denied = DENIED_TO_ROLE[permission](request.role.label);
	const reason = request.role.acts === undefined ? denied : `${denied} ${t("Switch to another role to do this.")}`;
	return { reason, rule: permission };
}

const DENIED_TO_ROLE: Readonly<Record<Permission, (role: string) => string>> = {
	ReadFiles: (role) => t("The {0} role can't read files.", role),
	WriteFiles: (role) => t("The {0} role can't change files.", role),
	CreateFiles: (role) => t("The {0} role can't create files.", role),
	DeleteFiles: (role) => t("The {0} role can't delete files.", role),
	ExecuteCommands: (role) => t("The {0} role can't run commands.", role),
	Network: (role) => t("The {0} role can't use the network.", role),
	ExternalTools: (role) => t("The {0} role can't use external tools.", role),
	Delegate: (role) => t("The {0} role can't delegate to other agents.", role),
};

const DENIED_TO_ASKER: Readonly<Record<Permission, () => string>> = {
	ReadFiles: () => t("The agent that delegated this task can't read files, so this agent can't either."),
	WriteFiles: () => t("The agent that delegated this task can't change files, so this agent can't either."),
	CreateFiles: () => t("The agent that delegated this task can't create files, so this agent can't either."),
	DeleteFiles: () => t("The agent that delegated this task can't delete files, so this agent can't either."),
	ExecuteCommands: () => t("The agent that delegated this task can't run commands, so this agent can't either."),
	Network: () => t("The agent that delegated this task can't use the network, so this agent can't either."),
	ExternalTools: () => t("The agent that delegated this task can't use external tools, so this agent can't either."),
	Delegate: () => t("The agent that delegated this task can't delegate to other agents, so this agent can't either."),
};

/** Returns true if the call only reads: such calls stay possible if the user's rules are invalid. */
export function isReadOnly(needed: ReadonlySet<Permission>): boolean {
	for (const permission of needed) if (permission !== "ReadFiles") return false;
	return true;
}

/** The origin of a URL or the definition hash of an external tool; undefined if nothing leaves this computer. */
export function egressOf({ tool, url }: Pick<GateRequest, "tool" | "url">): string | undefined {
	if (url !== undefined) return originOf(url);
	return tool.external?.definitionHash;
}

/** Normalized so that a destination has one name: ASCII, without trailing dots in the host. */
export function originOf(url: string): string | undefined {
	if (!URL.canParse(url)) return undefined;
	const parsed = new URL(url);
	if (parsed.origin === "null") return undefined;
	const port = parsed.port === "" ? "" : `:${parsed.port}`;
	return `${parsed.protocol}//${parsed.hostname.replace(/\.+$/, "")}${port}`;
}
