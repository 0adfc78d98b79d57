// Collects what a task was denied, and finds the role of its caller that would allow it.
import type { ToolCall, TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { intersectPermissions, type Permission, type Role } from "../../core/role.ts";
import type { TaskDenials, TaskRecord } from "../../core/task.ts";
import { findDeniedCalls } from "../../core/transcript/tasks.ts";
import { getAgent, getRole, isAgentDefined, listAllowedRoles } from "../../session/agent/sessionAgent.ts";
import type { SessionSetup } from "../../session/services.ts";
import type { Session } from "../../session/session.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { permissionLabels } from "../../shared/permissionLabels.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { describeCall } from "../../shared/toolWords.ts";

export interface WiderRole {
	role: Role;
	/** Ceiling of the task, if it is continued with this role: never more than its type has. */
	ceiling: readonly Permission[];
}

/**
 * The caller's own role if that suffices by now; otherwise the one that takes the fewest permissions away, then the one that gives
 * the fewest to tasks and to the caller.
 * Undefined if the agent has no such role, or the task's type doesn't allow it in any.
 */
export function findWiderRole(caller: Session, { type: name, ceiling, denied }: TaskRecord): WiderRole | undefined {
	const { policy } = caller;
	const most = mostOf(caller, name);
	const wanted = denied?.permissions.filter((permission) => !ceiling.includes(permission)) ?? [];
	if (!most || wanted.length === 0 || !isAgentDefined(caller)) return undefined;
	const current = getRole(caller);
	const suited = listAllowedRoles(policy, getAgent(caller)).flatMap((role): Ranked[] => {
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
export function findLimitingRole(session: SessionSetup, { caller, ceiling, type }: TaskRecord): Role | undefined {
	const role = session.policy.roles().find(({ id }) => id === caller.role);
	const allowed = role && intersectPermissions(limitsOf(role), mostOf(session, type));
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
function mostOf({ services, policy }: SessionSetup, name: string): readonly Permission[] | undefined {
	const type = services.taskTypes?.find(name);
	return type && (type.permissions ?? policy.roles().find(({ id }) => id === type.role)?.permissions);
}

/** Maximum permissions of what the role calls and starts. */
function limitsOf({ ceiling, permissions }: Role): readonly Permission[] {
	return ceiling ?? permissions;
}

function countMissing(permissions: readonly Permission[], among: readonly Permission[]): number {
	return permissions.filter((permission) => !among.includes(permission)).length;
}

/** Returns the record with the new ceiling. Where the task's calls say who made them, that is its starter in the new role. */
export function widenRecord(record: TaskRecord, { role, ceiling }: WiderRole): TaskRecord {
	const { caller, resumed: _, ...rest } = withoutDenials(record);
	return { ...rest, ceiling, caller: { ...caller, role: role.peerRole ?? role.id, ceiling } };
}

/** Describes the new permissions to the person. */
export function describeWidening({ role, ceiling }: WiderRole): string {
	const may = formatList(ceiling.map((permission) => permissionLabels[permission]));
	return t("You continued the task as {0}. It may now: {1}.", role.label, may);
}

/** Describes the new permissions to the model. */
export function formatWidening({ ceiling }: WiderRole): string {
	return `The person continued this task with more permissions: ${ceiling.join(", ")}. What was refused for want of them may be possible now. Look at what was done, and go on with the task.`;
}

/** Maximum number of calls that are named, and of characters of each. */
const NAMED = 3;
const MAX_CALL = 120;

/** Includes what an earlier turn of the same run was denied. The same turn may be counted again. */
export function addDenials(record: TaskRecord, events: readonly TranscriptEvent[]): TaskRecord {
	const found = findDeniedCalls(events).filter(({ lacks }) => lacks.some((permission) => !record.ceiling.includes(permission)));
	if (found.length === 0) return record;
	const { permissions = [], calls = [], more } = record.denied ?? {};
	const all = new Set([...calls, ...found.map(({ call }) => describe(call))]);
	const denied: TaskDenials = {
		permissions: [...new Set([...permissions, ...found.flatMap(({ lacks }) => lacks)])],
		calls: [...all].slice(0, NAMED),
		...((more || all.size > NAMED) && { more: true }),
	};
	return { ...record, denied };
}

/** The record of a task that is started or continued again. */
export function withoutDenials({ denied: _, ...record }: TaskRecord): TaskRecord {
	return record;
}

function describe({ name, input }: ToolCall): string {
	const said = (isRecord(input) && describeCall(name, input)) || t("Use {0}", name);
	const [line = ""] = sanitizeForPrompt(said).trim().split("\n");
	const characters = [...line];
	return characters.length > MAX_CALL ? `${characters.slice(0, MAX_CALL).join("")}…` : line;
}
