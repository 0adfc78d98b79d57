// Runs offline work as a generator that yields tool calls and resumes with their results.

// Results already in the transcript are replayed, so that work resumes at the same point after a reload.
import type { ResultStatus } from "../../core/events.ts";

export interface OfflineCall {
	name: string;
	input: Record<string, unknown>;
}

export interface OfflineCallResult {
	status: ResultStatus;
	output: string;
}

/** One message: text for the user and calls to make in order. */
export interface OfflineMessage {
	text: string;
	calls: OfflineCall[];
}

export type OfflineTask<T> = Generator<OfflineMessage, T, OfflineCallResult[]>;

export function* requestCalls(say: string, calls: OfflineCall[]): OfflineTask<OfflineCallResult[]> {
	return calls.length === 0 ? [] : yield { text: say, calls };
}

export interface RecordedCall {
	name: string;
	/** The input as JSON. */
	input: string;
	result: OfflineCallResult;
}

/** The first message that is not recorded, or the final text. */
export function replayAndAdvance(work: OfflineTask<string>, recorded: readonly RecordedCall[]): OfflineMessage {
	const left = [...recorded];
	let next = work.next();
	while (!next.done) {
		const missing: OfflineCall[] = [];
		const results: OfflineCallResult[] = [];
		for (const call of next.value.calls) {
			const input = JSON.stringify(call.input);
			const at = left.findIndex((entry) => entry.name === call.name && entry.input === input);
			const [entry] = at < 0 ? [] : left.splice(at, 1);
			if (entry) results.push(entry.result);
			else missing.push(call);
		}
		if (missing.length > 0) {
			// Text sent with calls that were already made has been shown.
			return { text: missing.length === next.value.calls.length ? next.value.text : "", calls: missing };
		}
		next = work.next(results);
	}
	return { text: next.value, calls: [] };
}
