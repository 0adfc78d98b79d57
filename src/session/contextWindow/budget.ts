// Frees space in the context window during a turn: trims old tool output, then summarizes the conversation.

import type { EventOf, TranscriptEvent } from "../../core/events.ts";
import { ModelError, type ModelInfo, type ModelRequest, type SelectedModel } from "../../core/ports/model.ts";
import type { ModelContext } from "../../core/ports/runtime.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import type { SessionContext } from "../sessionContext.ts";
import { listUntrimmedResults, type TokenCounter } from "../state/tokenCounter.ts";
import { compactTranscript, formatCompactionFailure } from "./compaction.ts";
import { measureRequestOverhead } from "./usage.ts";

/** Tokens kept free for the answer, and the maximum share of the window they take. */
const ANSWER = 8_192;
const ANSWER_SHARE = 1 / 4;
/** Share of the limit from which an estimate is too imprecise and the provider's count is used. */
const NEAR = 0.85;
/** Share of the window that trimming aims for, and the share it must reach to be worthwhile. */
const TRIMMED_TO = 0.6;
const WORTHWHILE = 0.75;
/** The most recent steps keep their output because the model is working with it. */
const KEPT_STEPS = 3;

interface FitOptions {
	session: SessionContext;
	model: SelectedModel;
	turn: string;
	signal: AbortSignal;
	/** Counts the tokens of a summary for the turn's budget. */
	spend(tokens: number): void;
}

export function createContextWindowFitter(options: FitOptions): ModelContext["makeRoom"] {
	const { session, model } = options;
	const { info } = model;
	const { ledger } = session.context;
	session.context.model = info;
	let summarized = false;

	async function summarize(request: ModelRequest, tooLong: boolean): Promise<boolean> {
		summarized = true;
		const { session, turn, signal, spend } = options;
		const emitStatus = (level: "info" | "warning", text: string) => session.eventLog.emit({ type: "status", level, text }, "host", turn);
		await emitStatus("info", t("The model's context window is full. Summarizing the earlier conversation…"));
		try {
			await compactTranscript({ session, model, signal, turn, spend, ...(tooLong && { tooLong: sizeOf(request) }) });
			return true;
		} catch (error) {
			if (signal.aborted) throw error;
			await emitStatus("warning", formatCompactionFailure(error, session.services.log));
			return false;
		}
	}

	return async (request, refused) => {
		if (refused) return !summarized && (await summarize(request, true));
		const { window } = info;
		if (window === undefined) return false;
		const limit = window - Math.min(info.maxOutput ?? ANSWER, window * ANSWER_SHARE);
		const frame = measureRequestOverhead(session);
		const { used } = ledger.measure(session.state, frame, info.id);
		const tokens = used > limit * NEAR ? await counted(options, request, used) : used;
		if (tokens <= limit) return false;
		const { state } = session;
		const cut = trimTo(state, ledger, tokens - window * TRIMMED_TO);
		const left = tokens - (cut?.freed ?? 0);
		if (cut && left <= (summarized ? limit : window * WORTHWHILE)) {
			await trim(options, cut);
			return true;
		}
		const messageTokens = ledger.sizeOf(messagesOf(state, options.turn), frame);
		if (messageTokens > window) throw new ModelError("context", tooBig(info, messageTokens));
		if (!summarized && (await summarize(request, false))) return true;
		if (tokens > window) throw new ModelError("context", tooBig(info, tokens));
		return false;
	};
}

/** The provider's own count if it has one; requested only near the limit. */
async function counted({ model, signal }: FitOptions, request: ModelRequest, estimate: number): Promise<number> {
	try {
		return (await model.provider.count?.(request, signal)) ?? estimate;
	} catch {
		signal.throwIfAborted();
		return estimate;
	}
}

interface Cut {
	upTo: EventOf<"result">;
	/** Number of tokens. */
	freed: number;
	results: number;
}

/** The oldest results that together free `wanted` tokens; excludes those of the last steps. */
function trimTo(state: Transcript, ledger: TokenCounter, wanted: number): Cut | undefined {
	const steps = state.events.filter((event) => event.type === "assistant" && event.calls?.length);
	const keptFrom = steps.at(-KEPT_STEPS)?.seq ?? 0;
	let [freed, results] = [0, 0];
	let upTo: EventOf<"result"> | undefined;
	for (const result of listUntrimmedResults(state, keptFrom)) {
		const frees = ledger.freeing(result, state.calls);
		if (frees <= 0) continue;
		freed += frees;
		results += 1;
		upTo = result;
		if (freed >= wanted) break;
	}
	return upTo && { upTo, freed, results };
}

async function trim({ session, turn }: FitOptions, { upTo, freed, results }: Cut): Promise<void> {
	const text = t(
		"To make room, the output of {0} earlier calls (about {1} tokens) is no longer sent to the model. The output stays in the conversation.",
		results,
		Math.round(freed),
	);
	await session.eventLog.emit({ type: "status", level: "info", text, trimmed: upTo.id }, "host", turn);
}

/** The user messages of this turn, which even a summary keeps. */
function messagesOf(state: Transcript, turn: string): TranscriptEvent[] {
	return state.events.filter((event) => event.turn === turn && event.type === "user");
}

function sizeOf({ system, tools, events }: ModelRequest): number {
	return Buffer.byteLength(JSON.stringify({ system, tools, events }));
}

function tooBig({ name, window }: ModelInfo, tokens: number): string {
	return t(
		"This request needs about {0} tokens, but {1} accepts at most {2}. Nothing was sent. Send less at once, or select a model with a larger context window.",
		Math.round(tokens),
		name,
		window ?? 0,
	);
}
