// Finds the role of a task's caller that would allow what the task was denied.
import { intersectPermissions, type Permission, type Role } from "../../../core/role.ts";
import type { TaskRecord } from "../../../core/task.ts";
import { getAgent, getRole, isAgentDefined, listAllowedRoles } from "../../../session/agent/sessionAgent.ts";
import type { Session } from "../../../session/session.ts";

export interface WiderRole {
	role: Role;
	/** Of the task, if it is continued with this role: never more than its type has. */
	ceiling: readonly Permission[];
}

/**
 * The caller's own role if that suffices by now; otherwise the one that takes the fewest permissions away, then the one that gives
 * the fewest to tasks and to the caller.
 * Undefined if the agent has no such role, or the task's type doesn't allow it in any.
 */
export function findWiderRole(caller: Session, { type: name, ceiling, denied }: TaskRecord): WiderRole | undefined {
	const { services } = caller;
	const most = mostOf(services, name);
	const wanted = denied?.permissions.filter((permission) => !ceiling.includes(permission)) ?? [];
	if (!most || wanted.length === 0 || !isAgentDefined(caller)) return undefined;
	const current = getRole(caller);
	const suited = listAllowedRoles(services, getAgent(caller)).flatMap((role): Ranked[] => {
		const allowed = intersectPermissions(limitsOf(role), most);
		if (!wanted.every((permission) => allowed.includes(permission))) return [];
		const lost = countMissing(current.permissions, role.permissions) + countMissing(ceiling, allowed);
		const gained = countMissing(role.permissions, current.permissions);
		return [{ role, ceiling: allowed, rank: [role.id === current.id ? 0 : 1, lost, limitsOf(role).length, gained] }];
	});
	const [best] = suited.sort(byRank);
	return best && { role: best.role, ceiling: best.ceiling };
}

/** The caller's role that gave a task its ceiling; undefined if that is no longer known. */
export function findLimitingRole({ services }: Pick<Session, "services">, { caller, ceiling, type }: TaskRecord): Role | undefined {
	const role = services.roles().find(({ id }) => id === caller.role);
	const allowed = role && intersectPermissions(limitsOf(role), mostOf(services, type));
	return allowed && countMissing(allowed, ceiling) + countMissing(ceiling, allowed) === 0 ? role : undefined;
}

interface Ranked extends WiderRole {
	/** Lower is better; the first difference counts. */
	rank: readonly number[];
}

function byRank({ rank: left }: Ranked, { rank: right }: Ranked): number {
	for (const [index, value] of left.entries()) if (value !== right[index]) return value - (right[index] ?? 0);
	return 0;
}

/** Maximum permissions of tasks of a type; undefined if there is no such type. */
function mostOf({ taskTypes, roles }: Session["services"], name: string): readonly Permission[] | undefined {
	const type = taskTypes?.find(name);
	return type && (type.permissions ?? roles().find(({ id }) => id === type.role)?.permissions);
}

/** Maximum permissions of what the role calls and starts. */
function limitsOf({ ceiling, permissions }: Role): readonly Permission[] {
	return ceiling ?? permissions;
}

function countMissing(permissions: readonly Permission[], among: readonly Permission[]): number {
	return permissions.filter((permission) => !among.includes(permission)).length;
}
