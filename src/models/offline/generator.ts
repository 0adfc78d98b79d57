// Work as a generator: it yields the calls it wants made and is resumed with their results. What a transcript has of
// results already is played back to it, so that after any reload it stands where it stood.
import type { ResultStatus } from "../../core/events.ts";

export interface WorkCall {
	name: string;
	input: Record<string, unknown>;
}

export interface WorkResult {
	status: ResultStatus;
	output: string;
}

/** One message: words for the person and calls that are made in their order. */
export interface Batch {
	say: string;
	calls: WorkCall[];
}

export type Work<T> = Generator<Batch, T, WorkResult[]>;

export function* perform(say: string, calls: WorkCall[]): Work<WorkResult[]> {
	return calls.length === 0 ? [] : yield { say, calls };
}

export interface Recorded {
	name: string;
	/** The input as JSON. */
	input: string;
	result: WorkResult;
}

/** The first message that is not in the record, or the last words. */
export function advance(work: Work<string>, recorded: readonly Recorded[]): Batch {
	const left = [...recorded];
	let next = work.next();
	while (!next.done) {
		const missing: WorkCall[] = [];
		const results: WorkResult[] = [];
		for (const call of next.value.calls) {
			const input = JSON.stringify(call.input);
			const at = left.findIndex((entry) => entry.name === call.name && entry.input === input);
			const [entry] = at < 0 ? [] : left.splice(at, 1);
			if (entry) results.push(entry.result);
			else missing.push(call);
		}
		if (missing.length > 0) {
			// Words that came with calls already made were said with them.
			return { say: missing.length === next.value.calls.length ? next.value.say : "", calls: missing };
		}
		next = work.next(results);
	}
	return { say: next.value, calls: [] };
}
