// Notices a model that goes round in circles: the same calls again and again.
import type { ToolCall } from "../../core/events.ts";
import { contentHash } from "../../shared/node/hash.ts";

const REPEATS = 3;
const LONGEST_CYCLE = 5;

/** One for each turn. */
export class LoopGuard {
	private keys: string[] = [];

	/** Whether this call closes a circle: a run of at most five calls, made three times in a row. */
	repeats(call: ToolCall): boolean {
		this.keys.push(contentHash([call.name, call.input]));
		for (let length = 1; length <= LONGEST_CYCLE; length += 1) {
			const tail = this.keys.slice(-length * REPEATS);
			if (tail.length === length * REPEATS && tail.every((key, index) => key === tail[index % length])) return true;
		}
		return false;
	}

	/** The person let it go on. */
	forgive(): void {
		this.keys = [];
	}
}
