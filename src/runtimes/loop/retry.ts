// Retries after transient failures, but never once text or calls have arrived, which would show them twice.
import type { Usage } from "../../core/events.ts";
import { type ModelChunk, ModelError, type ModelRequest, type SelectedModel } from "../../core/ports/model.ts";
import type { Turn } from "../../core/ports/runtime.ts";
import { t } from "../../shared/l10n.ts";

/** Milliseconds before each retry if the provider names none. */
const WAITS = [2_000, 4_000, 8_000, 16_000, 30_000];
/** Maximum milliseconds, even if the provider asks for more. */
const LONGEST_WAIT = 60_000;

export interface RetryTiming {
	/** Resolves after that many milliseconds; rejects with the signal's reason as soon as it aborts. */
	pause(milliseconds: number, signal: AbortSignal): Promise<void>;
	/** Milliseconds without data after which the user is told. */
	stallTimeout: number;
}

export const defaultRetryTiming: RetryTiming = { pause, stallTimeout: 20_000 };

/** `forget` discards the reasoning of a failed attempt. */
export async function* withRetries(
	turn: Turn & { model: Pick<SelectedModel, "provider"> },
	request: ModelRequest,
	forget: () => void,
	{ pause, stallTimeout }: RetryTiming = defaultRetryTiming,
): AsyncIterable<ModelChunk> {
	let spent: Usage | undefined;
	for (let attempt = 0; ; attempt += 1) {
		let started = false;
		let used: Usage | undefined;
		const stall = watchForStall(turn, stallTimeout);
		try {
			for await (const chunk of turn.model.provider.stream({ ...request, alive: stall.reset }, turn.signal)) {
				stall.reset();
				started ||= chunk.type !== "usage" && chunk.type !== "thinking";
				if (chunk.type === "usage") used = chunk.usage;
				yield chunk.type === "usage" ? { ...chunk, usage: sum(spent, chunk.usage) } : chunk;
			}
			return;
		} catch (error) {
			const wait = WAITS[attempt];
			if (!(error instanceof ModelError && error.retryable) || started || wait === undefined || turn.signal.aborted) throw error;
			spent = used ? sum(spent, used) : spent;
			stall.stop();
			forget();
			await announceAndWait(turn, error, attempt, Math.min(error.retryAfter ?? wait, LONGEST_WAIT), pause);
		} finally {
			stall.stop();
		}
	}
}

async function announceAndWait(turn: Turn, error: ModelError, attempt: number, wait: number, pause: RetryTiming["pause"]): Promise<void> {
	const seconds = Math.max(1, Math.round(wait / 1_000));
	const why = reasonOf(error);
	const text = t("{0} Retrying in {1} s ({2} of {3}).", why, seconds, attempt + 1, WAITS.length);
	const retry = { why, seconds, attempt: attempt + 1, of: WAITS.length };
	await turn.emit({ type: "status", level: "warning", text, retry });
	await pause(wait, turn.signal);
}

/** Returns what happened, without the advice in the message: the retry follows it. */
function reasonOf({ kind, message }: ModelError): string {
	return kind === "rate_limit" ? t("Rate limit reached (429).") : (/^.*?[.。](?=\s|$)/s.exec(message)?.[0] ?? message);
}

/** Failed attempts use tokens too. */
function sum(before: Usage | undefined, now: Usage): Usage {
	if (!before) return now;
	const total: Usage = { input: before.input + now.input, output: before.output + now.output };
	for (const part of ["cached", "written", "cost"] as const) {
		if (before[part] !== undefined || now[part] !== undefined) total[part] = (before[part] ?? 0) + (now[part] ?? 0);
	}
	return total;
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
	return new Promise((resolve, reject) => {
		const timer = setTimeout(finish, milliseconds);
		function finish(): void {
			clearTimeout(timer);
			signal.removeEventListener("abort", finish);
			if (signal.aborted) reject(signal.reason);
			else resolve();
		}
		signal.addEventListener("abort", finish);
		if (signal.aborted) finish();
	});
}

/** Milliseconds between updates while a stall lasts. */
const COUNT_EVERY = 5_000;

interface StallWatcher {
	/** Data has arrived. */
	reset(): void;
	/** Stops watching. */
	stop(): void;
}

function watchForStall({ live }: Pick<Turn, "live">, after: number): StallWatcher {
	let since = Date.now();
	let counting: NodeJS.Timeout | undefined;
	const first = setTimeout(() => {
		report();
		counting = setInterval(report, COUNT_EVERY);
	}, after);

	function report(): void {
		live({ type: "stall", seconds: Math.max(1, Math.round((Date.now() - since) / 1_000)) });
	}

	function end(): void {
		if (!counting) return;
		clearInterval(counting);
		counting = undefined;
		live({ type: "stall", seconds: 0 });
	}

	return {
		reset() {
			since = Date.now();
			end();
			first.refresh();
		},
		stop() {
			clearTimeout(first);
			end();
		},
	};
}
