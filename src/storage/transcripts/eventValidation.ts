// Validates values read from disk as events, so that callers can rely on their shape.

import type { EventType, TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { eventsFromLegacyMessage } from "../../core/transcript/legacyMessages.ts";

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const number: Check = (value) => typeof value === "number";
const record: Check = isRecord;
const maybe =
	(check: Check): Check =>
	(value) =>
		value === undefined || check(value);
const listOf =
	(check: Check): Check =>
	(value) =>
		Array.isArray(value) && value.every(check);
/** Runs for every line, so the fields are listed only once. */
function shape(fields: Record<string, Check>): Check {
	const checks = Object.entries(fields);
	return (value) => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

const call = shape({ id: text, name: text });
const view = maybe(shape({ kind: text, changes: maybe(listOf(record)), changed: maybe(listOf(record)) }));
const plan = shape({ goal: text, steps: listOf(shape({ step_number: number, action: text })) });
const basis = shape({ files: listOf(shape({ path: text, hash: text })) });

const totals = shape({ input: number, output: number, cached: number, cost: number, unpriced: number });
const carried = shape({
	messages: number,
	usage: totals,
	turnUsage: totals,
	title: maybe(text),
	snippet: maybe(text),
	deviations: maybe(listOf(record)),
	changed: maybe(listOf(record)),
	inTurn: maybe(listOf(record)),
	since: maybe(listOf(shape({ message: text, files: listOf(record) }))),
});

const bodies: Record<EventType, Check> = {
	user: shape({
		text,
		context: maybe(text),
		images: maybe(listOf(record)),
		told: maybe(shape({ added: listOf(text), removed: listOf(text) })),
	}),
	started: shape({ agent: text, definitionHash: text, role: text, model: text }),
	assistant: shape({ text, calls: maybe(listOf(call)), usage: maybe(shape({ input: number, output: number })) }),
	result: shape({
		call: text,
		status: text,
		output: text,
		images: maybe(listOf(record)),
		view,
		seen: maybe(listOf(shape({ path: text, hash: maybe(text) }))),
	}),
	plan: shape({ plan, planId: text, version: number, hash: text, basis }),
	step: shape({ step_number: number, status: text }),
	question: shape({
		request: text,
		question: shape({ question: text, options: maybe(listOf(record)) }),
		about: maybe(shape({ kind: text, planId: maybe(text), version: maybe(number) })),
	}),
	asked: shape({
		request: text,
		call: text,
		made: maybe(shape({ name: text })),
		summary: text,
		hash: text,
		reason: text,
		more: maybe(listOf(text)),
		view,
		session: maybe(listOf(text)),
		always: maybe(listOf(text)),
		often: maybe(shape({ text, ends: text })),
	}),
	answered: shape({ request: text, answer: record }),
	expired: shape({ request: text }),
	role: shape({ role: text, plan: maybe(record) }),
	agent: shape({ agent: text }),
	rewound: shape({ to: text, toSeq: maybe(number), messages: maybe(number) }),
	delegated: shape({ call: text }),
	status: shape({
		level: text,
		text,
		trimmed: maybe(text),
		changes: maybe(listOf(record)),
		reviewed: maybe(listOf(record)),
		used: maybe(record),
		approval: maybe(text),
	}),
	compacted: shape({ archive: text, summary: text, carried: maybe(carried) }),
	ended: shape({ outcome: text, prompt: maybe(shape({ key: text, text: shape({ blob: text, size: number }) })) }),
};

const base = shape({ id: text, at: text, by: text, turn: maybe(text), seq: (value) => Number.isSafeInteger(value) });

export function isTranscriptEvent(value: unknown): value is TranscriptEvent {
	if (!isRecord(value) || !base(value)) return false;
	const type = value["type"];
	return typeof type === "string" && Object.hasOwn(bodies, type) && bodies[type as EventType](value);
}

/** The events in an older line; undefined if there are none. `at` is the time for lines without one. */
export function parseLegacyLine(line: Record<string, unknown>, seq: number, at: string): TranscriptEvent[] | undefined {
	return "type" in line && !MESSAGE_TYPES.has(line["type"]) ? undefined : eventsFromLegacyMessage(line, seq, at);
}

/** Types that some older files write for messages. */
const MESSAGE_TYPES: ReadonlySet<unknown> = new Set(["message"]);
