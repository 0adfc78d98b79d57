// Validates the settings that limit calls between agents and background tasks; strict values replace invalid ones.
import type { DelegationLimits } from "../core/caller.ts";
import { isRecord } from "../core/isRecord.ts";
import { TASK_ISOLATIONS, type TaskLimits } from "../core/task.ts";
import { formatNumber, t } from "../shared/l10n.ts";

export interface ParsedLimits<Limits> {
	limits: Limits;
	/** One displayable sentence for each invalid field and each unknown one. */
	problems: string[];
}

export function parseDelegation(raw: unknown): ParsedLimits<DelegationLimits> {
	return parseFields("troupe.delegation", raw, DELEGATION);
}

export function parseTasks(raw: unknown): ParsedLimits<TaskLimits> {
	return parseFields("troupe.tasks", raw, TASKS);
}

interface Field<Value> {
	/** Value if the field is not set. Same in package.json. */
	default: Value;
	/** Value if the field is invalid. */
	strict: Value;
	accepts(value: unknown): value is Value;
	/** `key`: the field's full name. */
	problem(key: string): string;
}

type Fields<Limits> = { readonly [Name in keyof Limits]: Field<Limits[Name]> };

const DELEGATION: Fields<DelegationLimits> = {
	maxDepth: number({ minimum: 0, maximum: 10, default: 1, strict: 0 }),
	timeout: number({ minimum: 1, maximum: 86_400, default: 300, strict: 300 }),
	maxConcurrent: number({ minimum: 1, maximum: 32, default: 4, strict: 1 }),
	maxTokens: number({ minimum: 1_000, default: 1_000_000, strict: 1_000_000 }),
};

const TASKS: Fields<TaskLimits> = {
	maxConcurrent: number({ minimum: 1, maximum: 32, default: 3, strict: 1 }),
	maxSteps: number({ minimum: 1, maximum: 10_000, default: 60, strict: 60 }),
	maxTokens: number({ minimum: 1_000, default: 400_000, strict: 400_000 }),
	maxMinutes: number({ minimum: 1, maximum: 1_440, default: 60, strict: 60 }),
	isolation: choice({ values: TASK_ISOLATIONS, default: "auto", strict: "always" }),
	copyIgnored: patterns({ most: 64, default: ["**/node_modules", "**/.venv"] }),
};

function parseFields<Limits extends object>(key: string, raw: unknown, fields: Fields<Limits>): ParsedLimits<Limits> {
	const problems: string[] = [];
	const entries = raw === undefined ? {} : isRecord(raw) ? raw : undefined;
	if (!entries) problems.push(t("The setting {0} must be an object. The strictest limits apply until you fix it.", key));
	const read = ([name, field]: [string, Field<unknown>]): unknown => {
		if (!entries) return field.strict;
		const value = entries[name] === undefined ? field.default : entries[name];
		if (field.accepts(value)) return value;
		problems.push(field.problem(`${key}.${name}`));
		return field.strict;
	};
	const limits = Object.fromEntries(Object.entries<Field<unknown>>(fields).map((entry) => [entry[0], read(entry)])) as Limits;
	const known = Object.keys(fields).join(", ");
	for (const name of Object.keys(entries ?? {}).filter((name) => !Object.hasOwn(fields, name))) {
		problems.push(t("The field “{0}” of the setting {1} is unknown and ignored. Known fields: {2}.", name, key, known));
	}
	return { limits, problems };
}

/** A whole number; the bounds are inclusive and the same in package.json. */
function number(limit: { minimum: number; maximum?: number; default: number; strict: number }): Field<number> {
	const { minimum, maximum, strict } = limit;
	return {
		...limit,
		accepts: (value): value is number =>
			Number.isSafeInteger(value) && Number(value) >= minimum && Number(value) <= (maximum ?? Number.MAX_SAFE_INTEGER),
		problem(key) {
			const [least, instead] = [formatNumber(minimum), formatNumber(strict)];
			return maximum === undefined
				? t("The setting {0} must be a whole number of at least {1}. Until you fix it, {2} applies.", key, least, instead)
				: t(
						"The setting {0} must be a whole number from {1} to {2}. Until you fix it, {3} applies.",
						key,
						least,
						formatNumber(maximum),
						instead,
					);
		},
	};
}

function choice<Value extends string>(field: { values: readonly Value[]; default: Value; strict: Value }): Field<Value> {
	const { values, strict } = field;
	return {
		...field,
		accepts: (value): value is Value => values.some((one) => one === value),
		problem: (key) => t("The setting {0} must be one of {1}. Until you fix it, {2} applies.", key, values.join(", "), strict),
	};
}

/** Globs that name more than the strictest value, which is none. */
function patterns(field: { most: number; default: readonly string[] }): Field<readonly string[]> {
	const { most } = field;
	return {
		...field,
		strict: [],
		accepts: (value): value is readonly string[] =>
			Array.isArray(value) && value.length <= most && value.every((entry) => typeof entry === "string" && entry !== ""),
		problem: (key) => t("The setting {0} must be a list of {1} patterns or fewer. Until you fix it, an empty list applies.", key, most),
	};
}
