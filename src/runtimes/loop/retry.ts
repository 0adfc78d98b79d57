// Asks again after a passing failure, but never once anything of an answer has arrived: that would show it twice.
import { type ModelChunk, ModelError, type ModelRequest } from "../../core/model.ts";
import type { Turn } from "../../core/ports.ts";

const ATTEMPTS = 5;
const FIRST_WAIT = 2_000;
const LONGEST_WAIT = 60_000;

export async function* withRetries(turn: Turn, request: ModelRequest): AsyncIterable<ModelChunk> {
	for (let attempt = 1; ; attempt += 1) {
		let flowed = false;
		try {
			for await (const chunk of turn.model.provider.stream(request, turn.signal)) {
				flowed ||= chunk.type !== "usage";
				yield chunk;
			}
			return;
		} catch (error) {
			const again = error instanceof ModelError && error.retryable && !flowed && attempt < ATTEMPTS && !turn.signal.aborted;
			if (!again) throw error;
			const wait = Math.min(error.retryAfter ?? FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT);
			await turn.emit({
				type: "status",
				level: "warning",
				text: `${error.message} Asking again in ${Math.max(1, Math.round(wait / 1_000))} s (${attempt} of ${ATTEMPTS - 1}).`,
			});
			await pause(wait, turn.signal);
		}
	}
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
