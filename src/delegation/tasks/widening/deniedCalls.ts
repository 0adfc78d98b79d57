// Collects what a task was denied for its ceiling, from the events of its turns.
import type { ToolCall, TranscriptEvent } from "../../../core/events.ts";
import { isRecord } from "../../../core/isRecord.ts";
import type { TaskDenials, TaskRecord } from "../../../core/task.ts";
import { findDeniedCalls } from "../../../core/transcript/tasks.ts";
import { t } from "../../../shared/l10n.ts";
import { sanitizeForPrompt } from "../../../shared/safeText.ts";
import { describeCall } from "../../../shared/toolWords.ts";

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

/** The record of a task that is started or continued anew. */
export function withoutDenials({ denied: _, ...record }: TaskRecord): TaskRecord {
	return record;
}

function describe({ name, input }: ToolCall): string {
	const said = (isRecord(input) && describeCall(name, input)) || t("Use {0}", name);
	const [line = ""] = sanitizeForPrompt(said).trim().split("\n");
	const characters = [...line];
	return characters.length > MAX_CALL ? `${characters.slice(0, MAX_CALL).join("")}…` : line;
}
