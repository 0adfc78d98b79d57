// Validates the record of a background task in its metadata.

import type { Caller, TokenBudget } from "../../core/caller.ts";
import { isRecord } from "../../core/isRecord.ts";
import { type ApprovalMode, PERMISSIONS, type Permission } from "../../core/role.ts";
import {
	TASK_ISOLATIONS,
	TASK_STATES,
	type TaskBudget,
	type TaskDenials,
	type TaskIsolation,
	type TaskRecord,
	type TaskState,
} from "../../core/task.ts";

/** Returns undefined if any field is missing or invalid. */
export function parseTaskRecord(value: unknown): TaskRecord | undefined {
	if (!isRecord(value)) return undefined;
	const { state, type, isolation, copied, released, reflected } = value;
	const caller = parseCaller(value["caller"]);
	const resumed = value["resumed"] === undefined ? undefined : parseCaller(value["resumed"]);
	const ceiling = parsePermissions(value["ceiling"]);
	const budget = parseBudget(value["budget"]);
	const spent = parseBudget(value["spent"]);
	const known = isOneOf<TaskState>(TASK_STATES, state) && typeof type === "string";
	if (!isFlag(copied) || !isFlag(released) || !isFlag(reflected)) return undefined;
	if (!known || !isOneOf<TaskIsolation>(TASK_ISOLATIONS, isolation) || !caller || !ceiling || !budget || !spent) return undefined;
	if (value["resumed"] !== undefined && !resumed) return undefined;
	const denied = parseDenials(value["denied"]);
	const flags = { ...(copied && { copied }), ...(released && { released }), ...(reflected && { reflected }) };
	return { state, caller, ...(resumed && { resumed }), type, ceiling, budget, spent, isolation, ...flags, ...(denied && { denied }) };
}

/**
 * Stands in for a record that can't be read: nothing runs, nothing is permitted, and no change counts as one of the user's files.
 * The caller and the type are kept if they are readable, so that the task is listed where it belongs.
 */
export function salvageTaskRecord(value: unknown): TaskRecord {
	const fields = isRecord(value) ? value : {};
	return {
		state: "interrupted",
		caller: { ...(parseCaller(fields["caller"]) ?? NOBODY), ceiling: [] },
		type: typeof fields["type"] === "string" ? fields["type"] : "",
		ceiling: [],
		budget: NOTHING,
		spent: parseBudget(fields["spent"]) ?? NOTHING,
		isolation: "always",
		copied: true,
	};
}

const NOTHING: TaskBudget = { steps: 0, tokens: 0, minutes: 0 };
const NOBODY: Caller = { session: "", turn: "", call: "", agent: "", role: "", ceiling: [], depth: 0, chain: [] };

function parseCaller(value: unknown): Caller | undefined {
	if (!isRecord(value)) return undefined;
	const { session, turn, call, agent, role, depth, chain, above, approval } = value;
	const ceiling = parsePermissions(value["ceiling"]);
	const budget = value["budget"] === undefined ? undefined : parseTokenBudget(value["budget"]);
	if (!isText(session) || !isText(turn) || !isText(call) || !isText(agent) || !isText(role)) return undefined;
	if (!ceiling || !isCount(depth) || !Array.isArray(chain) || !chain.every(isText)) return undefined;
	if (above !== undefined && !(Array.isArray(above) && above.every(isText))) return undefined;
	if (value["budget"] !== undefined && !budget) return undefined;
	if (approval !== undefined && !isOneOf<ApprovalMode>(MODES, approval)) return undefined;
	const optional = { ...(above && { above }), ...(budget && { budget }), ...(approval && { approval }) };
	return { session, turn, call, agent, role, ceiling, depth, chain, ...optional };
}

function parsePermissions(value: unknown): Permission[] | undefined {
	if (!Array.isArray(value)) return undefined;
	return value.every((permission) => isOneOf<Permission>(PERMISSIONS, permission)) ? value : undefined;
}

/** They only decide what is offered, so unreadable ones are left out. */
function parseDenials(value: unknown): TaskDenials | undefined {
	if (!isRecord(value)) return undefined;
	const permissions = parsePermissions(value["permissions"]);
	const { calls, more } = value;
	if (!permissions || !Array.isArray(calls) || !calls.every(isText) || !isFlag(more)) return undefined;
	return { permissions, calls, ...(more && { more }) };
}

function parseBudget(value: unknown): TaskBudget | undefined {
	if (!isRecord(value)) return undefined;
	const { steps, tokens, minutes } = value;
	return isAmount(steps) && isAmount(tokens) && isAmount(minutes) ? { steps, tokens, minutes } : undefined;
}

function parseTokenBudget(value: unknown): TokenBudget | undefined {
	if (!isRecord(value)) return undefined;
	const { id, tokens } = value;
	return isText(id) && typeof tokens === "number" ? { id, tokens } : undefined;
}

const MODES: readonly ApprovalMode[] = ["ask", "plan", "edits", "auto"];

function isOneOf<T extends string>(all: readonly T[], value: unknown): value is T {
	return (all as readonly unknown[]).includes(value);
}

function isText(value: unknown): value is string {
	return typeof value === "string";
}

function isAmount(value: unknown): value is number {
	return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

function isCount(value: unknown): value is number {
	return Number.isSafeInteger(value) && isAmount(value);
}

function isFlag(value: unknown): value is true | undefined {
	return value === undefined || value === true;
}
