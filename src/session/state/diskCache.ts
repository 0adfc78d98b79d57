// Caches what the gate read from disk during a turn, until something may have changed it.
import type { TurnCache } from "../../core/ports/gate.ts";

export class DiskCache {
	private known: TurnCache = new Map();
	private keeps = true;
	private running = 0;

	/** Cache for one call: results of earlier calls if they are still valid, else an empty cache. */
	get memo(): TurnCache {
		return this.keeps && this.running === 0 ? this.known : new Map();
	}

	/** A call has run that may have changed something. */
	forget(): void {
		this.known = new Map();
	}

	/** Runs a call that overlaps others: nothing is kept while one runs, as it may change something at any time. */
	async during<T>(run: () => Promise<T>): Promise<T> {
		this.running += 1;
		try {
			return await run();
		} finally {
			this.running -= 1;
			this.forget();
		}
	}

	/** A background command is running and may change something at any time. */
	stop(): void {
		this.keeps = false;
	}
}
