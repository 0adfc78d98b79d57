// Validates values read from disk as events, so that callers can rely on their shape.

import type { EventType, TranscriptEvent } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import { TASK_STATES } from "../../core/task.ts";
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
const oneOf =
	(values: readonly unknown[]): Check =>
	(value) =>
		values.includes(value);
/** Runs for every line, so the fields are listed only once. */
function shape(fields: Record<string, Check>): Check {
	const checks = Object.entries(fields);
	return (value) => isRecord(value) && checks.every(([name, check]) => check(value[name]));
}

const call = shape({ id: text, name: text });
const plan = shape({ goal: text, steps: listOf(shape({ step_number: number, action: text })) });
const basis = shape({ files: listOf(shape({ path: text, hash: text })) });

const usage = shape({ input: number, output: number });
const totals = shape({ input: number, output: number, cached: number, cost: number, unpriced: number });
const view = maybe(
	shape({ kind: text, changes: maybe(listOf(record)), changed: maybe(listOf(record)), lacks: maybe(listOf(text)), usage: maybe(totals) }),
);
const carried = shape({
	messages: number,
	usage: totals,
	turnUsage: totals,
	calledUsage: maybe(totals),
	title: maybe(text),
	snippet: maybe(text),
	deviations: maybe(listOf(record)),
	changed: maybe(listOf(record)),
	inTurn: maybe(listOf(record)),
	since: maybe(listOf(shape({ message: text, files: listOf(record) }))),
	record: maybe(shape({ earlier: listOf(text), plan: maybe(text), decisions: listOf(text), files: listOf(text) })),
});

const budget = shape({ id: text, tokens: number });
const caller = shape({
	session: text,
	turn: text,
	call: text,
	agent: text,
	role: text,
	ceiling: listOf(text),
	depth: number,
	chain: listOf(text),
	above: maybe(listOf(text)),
	budget: maybe(budget),
	approval: maybe(text),
});

const subject = { kind: text, call: text, turn: text, agent: text, session: text, usage: maybe(totals), intro: maybe(number) };
const answer = shape({ ...subject, status: text, outcome: maybe(text), budget: maybe(budget) });
const news = shape({ ...subject, state: oneOf(TASK_STATES) });
const about: Check = (value) => (isRecord(value) && value["kind"] === "task" ? news(value) : answer(value));

const channel = shape({ type: text, channelId: text, userId: maybe(text), replyTo: maybe(text) });

const bodies: Record<EventType, Check> = {
	user: shape({
		text,
		context: maybe(text),
		images: maybe(listOf(record)),
		told: maybe(shape({ added: listOf(text), removed: listOf(text) })),
		message: maybe(text),
		caller: maybe(caller),
		channel: maybe(channel),
	}),
	started: shape({ agent: text, definitionHash: text, role: text, model: text, caller: maybe(caller), ceiling: maybe(listOf(text)) }),
	assistant: shape({ text, calls: maybe(listOf(call)), usage: maybe(usage) }),
	reply: shape({ call: text, text, channel }),
	result: shape({
		call: text,
		status: text,
		output: text,
		images: maybe(listOf(record)),
		view,
		seen: maybe(listOf(shape({ path: text, hash: maybe(text) }))),
	}),
	plan: shape({ plan, planId: text, version: number, hash: text, basis, caller: maybe(caller) }),
	step: shape({ step_number: number, status: text }),
	question: shape({
		request: text,
		question: shape({ question: text, options: maybe(listOf(record)) }),
		about: maybe(
			shape({ kind: text, planId: maybe(text), version: maybe(number), agent: maybe(text), message: maybe(text), carry: maybe(text) }),
		),
		caller: maybe(caller),
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
	queued: shape({
		message: text,
		from: text,
		text,
		images: maybe(listOf(record)),
		attachments: maybe(listOf(record)),
		context: maybe(text),
		about: maybe(about),
		caller: maybe(caller),
		ceiling: maybe(listOf(text)),
		channel: maybe(channel),
		session: maybe(text),
		budget: maybe(shape({ steps: maybe(number), tokens: maybe(number) })),
	}),
	unqueued: shape({ message: text, why: text }),
	delegated: shape({
		call: text,
		session: maybe(text),
		task: maybe(text),
		agent: maybe(text),
		mode: maybe(text),
		depth: maybe(number),
		responseId: maybe(text),
		ceiling: maybe(listOf(text)),
		passes: maybe(listOf(text)),
		caller: maybe(caller),
		budget: maybe(shape({ id: text, tokens: number })),
		channel: maybe(channel),
	}),
	task: shape({
		task: text,
		state: oneOf(TASK_STATES),
		name: text,
		text: maybe(text),
		spent: maybe(shape({ steps: number, tokens: number })),
	}),
	status: shape({
		level: text,
		text,
		trimmed: maybe(text),
		changes: maybe(listOf(record)),
		reviewed: maybe(listOf(record)),
		used: maybe(record),
		usage: maybe(usage),
		approval: maybe(text),
	}),
	compacted: shape({ archive: text, summary: text, carried: maybe(carried), usage: maybe(usage) }),
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
