// The loop runtime: selects a model, sends requests, and runs the called tools until none is called.
import type { EventBody, EventOf, ToolCall, TranscriptEvent } from "../../core/events.ts";
import { selectRequestImages } from "../../core/images.ts";
import { helpByErrorKind, type ModelChunk, ModelError, type ModelRequest, type SelectedModel, withCost } from "../../core/ports/model.ts";
import type { ModelContext, Runtime, Turn, TurnOutcome } from "../../core/ports/runtime.ts";
import { toToolSpec } from "../../core/ports/tool.ts";
import { FORMAT_VERSION, parseStructuredMessage } from "../../core/structured.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import { countTokens, type Usage } from "../../core/usage.ts";
import { t } from "../../shared/l10n.ts";
import { defaultRetryTiming, type RetryTiming, withRetries } from "./retry.ts";

/** Consecutive malformed calls after which the turn stops. */
const MALFORMED_LIMIT = 3;

/** A turn with its model. */
export interface ModelTurn extends Turn, ModelContext {
	model: SelectedModel;
}

/** `choose` selects the model of an agent in a role; `timing` controls retries and when a stall is reported. */
export function createLoop(choose: Required<Runtime>["model"], timing: RetryTiming = defaultRetryTiming): Runtime {
	return {
		model: choose,
		async run(turn) {
			try {
				return await runLoop(await begin(turn, choose), timing);
			} catch (error) {
				if (turn.signal.aborted) return { outcome: "cancelled" };
				if (error instanceof ModelError) return failure(error);
				if (error instanceof BudgetUsedUp) return { outcome: "limit", error: error.message };
				throw error;
			}
		},
	};
}

async function begin(turn: Turn, choose: Required<Runtime>["model"]): Promise<ModelTurn> {
	const model = await choose(turn.agent, turn.role);
	turn.signal.throwIfAborted();
	const before = turn.state.events.findLast((event) => event.type === "started");
	const note = model.automatic && before?.model !== model.id ? t("Using {0}: {1}", model.name, model.why) : undefined;
	await turn.begin({ model: model.id, window: model.info.window, note });
	return { ...turn, ...(await turn.ours.prepare(model)), model };
}

function failure({ kind, message, kept }: ModelError): TurnOutcome {
	const help = helpByErrorKind[kind];
	return { outcome: "failed", error: message, ...(help && { help }), ...(kept && { kept }) };
}

class BudgetUsedUp extends Error {
	override readonly name = "BudgetUsedUp";
}

/** Throws BudgetUsedUp. Call it before each call of the model. */
function checkSharedBudget({ budget: { shared } }: ModelTurn): void {
	if (shared && shared.left() <= 0) throw new BudgetUsedUp(t("The token budget of this turn and of the agents that it called is used up."));
}

async function runLoop(turn: ModelTurn, timing: RetryTiming): Promise<TurnOutcome> {
	const { steps, tokens = Number.POSITIVE_INFINITY } = turn.budget;
	let malformed = 0;
	let spent = 0;
	for (let step = 0; step < steps; step += 1) {
		if (spent >= tokens) return { outcome: "limit", error: t("This turn has used its budget of {0} tokens.", tokens) };
		checkSharedBudget(turn);
		await turn.deliver();
		const answer = await ask(turn, timing);
		spent += answer.tokens;
		for (const { input } of answer.calls) malformed = typeof input === "string" ? malformed + 1 : 0;
		await runCalls(turn, answer.calls);
		if (turn.signal.aborted) return { outcome: "cancelled" };
		if (malformed >= MALFORMED_LIMIT) {
			const error = t(
				"The model sent tool calls that aren't valid JSON three times in a row. None of them ran. Try again, or select another model.",
			);
			return { outcome: "failed", error };
		}
		if (turn.state.turn?.waits) return { outcome: "waiting" };
		if (answer.calls.length > 0) continue;
		const shown = answer.stop === "length" || turn.agent.output === "reply" ? undefined : parseStructuredMessage(answer.text);
		if (shown && "unknownVersion" in shown) return { outcome: "failed", error: unknownVersion(shown.unknownVersion) };
		if (shown) {
			await turn.present(shown);
			return { outcome: "waiting" };
		}
		if (turn.hasMail()) continue;
		return end(answer);
	}
	return { outcome: "limit", error: t("This turn reached the limit of {0} model calls.", steps) };
}

/** Runs the calls in their order. Rejects once all calls that run at the same time have ended. */
async function runCalls(turn: ModelTurn, calls: readonly ToolCall[]): Promise<void> {
	const parallel = new Set(turn.ours.tools().flatMap((tool) => (tool.parallel ? [tool.name] : [])));
	for (const group of groupCalls(calls, ({ name }) => parallel.has(name))) {
		const ended = await Promise.allSettled(group.map((call) => turn.ours.call(call)));
		const failed = ended.find((end) => end.status === "rejected");
		if (failed) throw failed.reason;
	}
}

/** Neighboring parallel calls form one group, every other call a group of its own. */
function groupCalls(calls: readonly ToolCall[], isParallel: (call: ToolCall) => boolean): ToolCall[][] {
	const groups: ToolCall[][] = [];
	let joins = false;
	for (const call of calls) {
		const parallel = isParallel(call);
		if (parallel && joins) groups.at(-1)?.push(call);
		else groups.push([call]);
		joins = parallel;
	}
	return groups;
}

function unknownVersion(version: string): string {
	return t(
		"The model wrote a plan or question in format version {0}. Only version {1} is supported, so the message is shown as text. Ask the model to use that version.",
		version.slice(0, 20),
		FORMAT_VERSION,
	);
}

function end({ stop }: Answer): TurnOutcome {
	if (stop === "length") return { outcome: "limit", error: t("The response reached the model's output limit.") };
	if (stop === "refused") {
		const error = t("The model's provider refused to answer this message. Rephrase the message, then try again.");
		return { outcome: "failed", error };
	}
	return { outcome: "done" };
}

/**
 * The answer to the request before, of which the next request repeats everything; undefined if the request was rebuilt since, or has
 * another model, agent, role, or ceiling.
 */
function answerBefore({ events, turn }: ModelTurn["state"], fits: (answer: EventOf<"assistant">) => boolean) {
	const last = events.findLast(
		(event) => rebuildsRequest(event) || (event.type === "assistant" && event.by === "model" && !event.imported && fits(event)),
	);
	if (last?.type !== "assistant" || last.turn === undefined || !turn) return undefined;
	return last.turn === turn.id || beginningOf(events, last.turn) === beginningOf(events, turn.id) ? last : undefined;
}

function rebuildsRequest(event: TranscriptEvent): boolean {
	return event.type === "compacted" || event.type === "rewound" || (event.type === "status" && event.trimmed !== undefined);
}

/** Returns a text of everything that the beginning of the turn's requests depends on. */
function beginningOf(events: readonly TranscriptEvent[], turn: string): string {
	const started = events.findLast((event): event is EventOf<"started"> => event.type === "started" && event.turn === turn);
	return started ? JSON.stringify([started.model, started.agent, started.definitionHash, started.role, started.ceiling]) : turn;
}

/**
 * Tokens of the last request and its answer, as they count toward budgets. A provider that reports no cache is taken to have read what
 * the request shares with the one before; where it reports no usage, both are estimated. Call it before the answer is saved.
 */
function countAnswer(turn: ModelTurn, usage: Usage | undefined, answer: Pick<Answer, "text" | "calls">): number {
	if (usage?.cached !== undefined) return countTokens(usage);
	const before = answerBefore(turn.state, (event) => !usage || event.usage !== undefined);
	if (usage) return countTokens({ ...usage, cached: Math.min(usage.input, before?.usage?.input ?? 0) });
	const events = visibleEvents(turn.state);
	const input = turn.estimate(events, true);
	const fresh = before ? turn.estimate(events.slice(events.indexOf(before))) : input;
	const output = turn.estimate([{ id: "", seq: 0, at: "", by: "model", type: "assistant", ...answer }]);
	return countTokens({ input, cached: Math.max(0, input - fresh), output });
}

type RawCall = Extract<ModelChunk, { type: "call" }>;

interface Answer {
	text: string;
	calls: ToolCall[];
	stop: Extract<ModelChunk, { type: "stop" }>["reason"];
	/** Tokens as they count toward budgets. */
	tokens: number;
}

/** One model call: streams its text, then saves the result, even if the stream is interrupted. */
async function ask(turn: ModelTurn, timing: RetryTiming): Promise<Answer> {
	const answer: Answer = { text: "", calls: [], stop: "end", tokens: 0 };
	const event: Extract<EventBody, { type: "assistant" }> = { type: "assistant", text: "" };
	const raw: RawCall[] = [];
	let thinking = "";
	const forget = () => {
		thinking = "";
	};
	const spend = () => {
		const calls = raw.map((call) => ({ ...call, input: call.arguments }));
		const tokens = countAnswer(turn, event.usage, { text: thinking + answer.text, calls });
		turn.budget.shared?.spend(tokens);
		return tokens;
	};
	try {
		for await (const chunk of streamWithinContextWindow(turn, (request) => withRetries(turn, request, forget, timing))) {
			if (chunk.type === "text") {
				answer.text += chunk.text;
				turn.live({ type: "delta", text: chunk.text });
			} else if (chunk.type === "thinking") thinking += chunk.text;
			else if (chunk.type === "call") raw.push(chunk);
			else if (chunk.type === "usage") event.usage = withCost(chunk.usage, turn.model.info.price);
			else if (chunk.type === "opaque") event.opaque = chunk.value;
			else answer.stop = chunk.reason;
		}
	} catch (error) {
		// The received text and its cost are saved; calls of an interrupted answer never run.
		const { opaque: _, ...partial } = event;
		const isSaved = answer.text || thinking || event.usage;
		if (isSaved || raw.length > 0) spend();
		if (isSaved) await turn.emit({ ...partial, text: answer.text, ...(thinking && { thinking }) });
		throw error;
	}
	// Calls of a refused answer never run; of a truncated one, the complete calls do.
	const whole = answer.stop === "refused" ? [] : raw;
	const calls = unique(
		whole.map((call) => ({ id: call.id, name: call.name, input: parseArguments(call.arguments, answer.stop) })),
		turn,
	);
	const tokens = spend();
	await turn.emit({ ...event, text: answer.text, ...(thinking && { thinking }), ...(calls.length > 0 && { calls }) });
	return { ...answer, calls, tokens };
}

/** Call ids must be unique in a session because results are matched by them. */
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
 * Returns the raw text if it is not valid JSON: such a call gets an error and never runs, and nothing is repaired. Empty text
 * means no arguments, unless the answer was truncated before they arrived.
 */
function parseArguments(raw: string, stop: Answer["stop"]): unknown {
	if (raw.trim() === "") return stop === "length" ? raw : {};
	try {
		const value: unknown = JSON.parse(raw);
		// Rejects values nested too deeply to be serialized, which no event could hold.
		JSON.stringify(value);
		return typeof value === "string" ? { value } : value;
	} catch {
		return raw;
	}
}

/** Maximum share of the window for one answer. */
const ANSWER_SHARE = 1 / 4;
/** Trimming, then a summary; more rounds do not help. */
const ROUNDS = 3;

/** One answer to a request that fits: makes room before sending, and once more if the provider finds it too long. */
export async function* streamWithinContextWindow(
	turn: ModelTurn,
	ask: (request: ModelRequest) => AsyncIterable<ModelChunk>,
): AsyncGenerator<ModelChunk> {
	let request = requestOf(turn);
	for (let round = 0; round < ROUNDS && (await turn.makeRoom(request)); round += 1) request = requestOf(turn);
	checkSharedBudget(turn);
	let started = false;
	try {
		for await (const chunk of ask(request)) {
			started ||= chunk.type !== "usage";
			yield chunk;
		}
		return;
	} catch (error) {
		if (started || !(error instanceof ModelError) || error.kind !== "context") throw error;
		if (!(await turn.makeRoom(request, error))) throw error;
	}
	checkSharedBudget(turn);
	yield* ask(requestOf(turn));
}

function requestOf(turn: ModelTurn): ModelRequest {
	const { model: name, info, effort } = turn.model;
	const { window = Number.POSITIVE_INFINITY, maxOutput = 0 } = info;
	const limit = Math.floor(window * ANSWER_SHARE);
	const events = visibleEvents(turn.state);
	return {
		model: name,
		system: turn.system,
		tools: info.tools === false ? [] : turn.ours.tools().map(toToolSpec),
		events,
		...(maxOutput > limit && { maxOutput: limit }),
		...(effort && { effort }),
		...(info.images !== false && { image: boundedImages(turn, events) }),
	};
}

function boundedImages({ image }: ModelTurn, events: ModelRequest["events"]): Turn["image"] {
	const carried = selectRequestImages(events);
	return async (ref) => (carried.has(ref.blob) ? image(ref) : undefined);
}
