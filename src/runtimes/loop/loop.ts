// The loop runtime: ask the model, run the tools it calls, until it calls none.
import type { EventBody, ToolCall } from "../../core/events.ts";
import { selectRequestImages } from "../../core/images.ts";
import { helpByErrorKind, type ModelChunk, ModelError, type ModelRequest } from "../../core/ports/model.ts";
import type { Runtime, Turn, TurnOutcome } from "../../core/ports/sessions.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import { FORMAT_VERSION, parseStructuredMessage } from "../../core/structured.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import { t } from "../../shared/l10n.ts";
import { defaultRetryTiming, type RetryTiming, withRetries } from "./retry.ts";

/** Malformed calls in a row after which the turn stops. */
const MALFORMED_LIMIT = 3;

/** `patient` is how long it waits before it asks again, and before it says that nothing comes. */
export function createLoop(patient: RetryTiming = defaultRetryTiming): Runtime {
	return {
		async run(turn) {
			try {
				return await runLoop(turn, patient);
			} catch (error) {
				if (turn.signal.aborted) return { outcome: "cancelled" };
				if (error instanceof ModelError) return failure(error);
				throw error;
			}
		},
	};
}

export const loop = createLoop();

function failure({ kind, message }: ModelError): TurnOutcome {
	const help = helpByErrorKind[kind];
	return { outcome: "failed", error: message, ...(help && { help }) };
}

async function runLoop(turn: Turn, patient: RetryTiming): Promise<TurnOutcome> {
	let malformed = 0;
	for (let step = 0; step < turn.maxSteps; step += 1) {
		await turn.deliver();
		const answer = await ask(turn, patient);
		for (const call of answer.calls) {
			malformed = typeof call.input === "string" ? malformed + 1 : 0;
			await turn.call(call);
		}
		if (turn.signal.aborted) return { outcome: "cancelled" };
		if (malformed >= MALFORMED_LIMIT) {
			const error = t(
				"The model sent tool calls that are not valid JSON three times in a row. None of them ran. Send again, or pick another model.",
			);
			return { outcome: "failed", error };
		}
		if (turn.state.turn?.waits) return { outcome: "waiting" };
		if (answer.calls.length > 0) continue;
		const shown = answer.stop === "length" ? undefined : parseStructuredMessage(answer.text);
		if (shown && "unknownVersion" in shown) return { outcome: "failed", error: unknownVersion(shown.unknownVersion) };
		if (shown) {
			await turn.present(shown);
			return { outcome: "waiting" };
		}
		if (turn.hasMail()) continue;
		return end(answer);
	}
	return { outcome: "limit", error: t("This turn has made {0} model calls.", turn.maxSteps) };
}

function unknownVersion(version: string): string {
	return t(
		"The model wrote a plan or question in format version {0}. Only version {1} can be read, so it stays text. Ask for that version.",
		version.slice(0, 20),
		FORMAT_VERSION,
	);
}

function end({ stop }: Answer): TurnOutcome {
	if (stop === "length") return { outcome: "limit", error: t("The answer reached the model's output limit.") };
	if (stop === "refused") {
		const error = t("The model's provider refused to answer this. Say it in other words: as it stands it would refuse again.");
		return { outcome: "failed", error };
	}
	return { outcome: "done" };
}

type RawCall = Extract<ModelChunk, { type: "call" }>;

interface Answer {
	text: string;
	calls: ToolCall[];
	stop: Extract<ModelChunk, { type: "stop" }>["reason"];
}

/** One model call: streams its words, then keeps what came of it, even when the stream breaks off. */
async function ask(turn: Turn, patient: RetryTiming): Promise<Answer> {
	const answer: Answer = { text: "", calls: [], stop: "end" };
	const event: Extract<EventBody, { type: "assistant" }> = { type: "assistant", text: "" };
	const raw: RawCall[] = [];
	let thinking = "";
	const forget = () => {
		thinking = "";
	};
	try {
		for await (const chunk of streamWithinContextWindow(turn, (request) => withRetries(turn, request, forget, patient))) {
			if (chunk.type === "text") {
				answer.text += chunk.text;
				turn.live({ type: "delta", text: chunk.text });
			} else if (chunk.type === "thinking") thinking += chunk.text;
			else if (chunk.type === "call") raw.push(chunk);
			else if (chunk.type === "usage") event.usage = chunk.usage;
			else if (chunk.type === "opaque") event.opaque = chunk.value;
			else answer.stop = chunk.reason;
		}
	} catch (error) {
		// The words that arrived stay, and what they cost; calls of a broken answer never run.
		const { opaque: _, ...kept } = event;
		if (answer.text || thinking || event.usage) await turn.emit({ ...kept, text: answer.text, ...(thinking && { thinking }) });
		throw error;
	}
	// Of an answer that was refused nothing runs; of one that was cut, what is whole.
	const whole = answer.stop === "refused" ? [] : raw;
	const calls = unique(
		whole.map((call) => ({ id: call.id, name: call.name, input: parseArguments(call.arguments, answer.stop) })),
		turn,
	);
	await turn.emit({ ...event, text: answer.text, ...(thinking && { thinking }), ...(calls.length > 0 && { calls }) });
	return { ...answer, calls };
}

/** Call ids must be unique in a session: results are paired by them. */
function unique(calls: ToolCall[], turn: Turn): ToolCall[] {
	const seen = new Set<string>();
	return calls.map((call) => {
		const taken = call.id === "" || seen.has(call.id) || turn.state.calls.has(call.id);
		const id = taken ? `${call.id || "call"}_${turn.state.seq}_${seen.size}` : call.id;
		seen.add(id);
		return { ...call, id };
	});
}

/**
 * The raw text where it is not valid JSON: such a call gets an error and never runs, nothing is repaired. No text at all is no
 * arguments, unless the answer was cut before they came.
 */
function parseArguments(raw: string, stop: Answer["stop"]): unknown {
	if (raw.trim() === "") return stop === "length" ? raw : {};
	try {
		const value: unknown = JSON.parse(raw);
		// Nested so deep that it cannot be written down: no event can hold it.
		JSON.stringify(value);
		return typeof value === "string" ? { value } : value;
	} catch {
		return raw;
	}
}

/** Part of the window that one answer may take at most. */
const ANSWER_SHARE = 1 / 4;
/** Trimming, then a summary: more than that does not help. */
const ROUNDS = 3;

/** One answer, to a request that fits: room is made before it, and once more where the provider finds it too long. */
export async function* streamWithinContextWindow(
	turn: Turn,
	ask: (request: ModelRequest) => AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk> {
	let request = requestOf(turn);
	for (let round = 0; round < ROUNDS && (await turn.makeRoom(request)); round += 1) request = requestOf(turn);
	let flowed = false;
	try {
		for await (const chunk of ask(request)) {
			flowed ||= chunk.type !== "usage";
			yield chunk;
		}
		return;
	} catch (error) {
		if (flowed || !(error instanceof ModelError) || error.kind !== "context") throw error;
		if (!(await turn.makeRoom(request, error))) throw error;
	}
	yield* ask(requestOf(turn));
}

function requestOf(turn: Turn): ModelRequest {
	const { name, info, effort } = turn.model;
	const { window = Number.POSITIVE_INFINITY, maxOutput = 0 } = info;
	const most = Math.floor(window * ANSWER_SHARE);
	const events = visibleEvents(turn.state);
	return {
		model: name,
		system: turn.system,
		tools: info.tools === false ? [] : turn.tools().map(toToolSpec),
		events,
		...(maxOutput > most && { maxOutput: most }),
		...(effort && { effort }),
		...(info.images !== false && { image: boundedImages(turn, events) }),
	};
}

function boundedImages({ image }: Turn, events: ModelRequest["events"]): Turn["image"] {
	const carried = selectRequestImages(events);
	return async (ref) => (carried.has(ref.blob) ? image(ref) : undefined);
}
