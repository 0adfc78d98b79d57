// Detects a model that repeats the same sequence of calls.
import { contentHash } from "../../shared/node/hash.ts";
import { Serial } from "../../shared/node/serial.ts";

const REPEATS = 3;
const LONGEST_CYCLE = 5;

/** One instance per turn. */
export class LoopGuard {
	private keys: string[] = [];
	private forgiven = 0;
	private readonly confirming = new Serial();

	/** Returns true if a call that does this completes a loop: a sequence of at most five calls, made three times in a row. */
	repeats(does: unknown): boolean {
		this.keys.push(contentHash(does));
		for (let length = 1; length <= LONGEST_CYCLE; length += 1) {
			const tail = this.keys.slice(-length * REPEATS);
			if (tail.length === length * REPEATS && tail.every((key, index) => key === tail[index % length])) return true;
		}
		return false;
	}

	/** Called when the user lets the model continue. */
	forgive(): void {
		this.keys = [];
		this.forgiven += 1;
	}

	/** Asks about one call at a time: if the user lets the model continue, parallel calls that wait behind it are not asked about. */
	confirm<T>(ask: () => Promise<T | undefined>): Promise<T | undefined> {
		const { forgiven } = this;
		return this.confirming.run(() => (this.forgiven === forgiven ? ask() : undefined));
	}
}
