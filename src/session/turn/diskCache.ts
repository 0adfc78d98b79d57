// Caches what the gate read from disk during a turn, until something may have changed it.
import type { TurnCache } from "../../core/ports/gate.ts";

export class DiskCache {
	private known: TurnCache = new Map();
	private keeps = true;

	/** For one call: results of earlier calls if they are still valid, else an empty cache. */
	get memo(): TurnCache {
		return this.keeps ? this.known : new Map();
	}

	/** A call has run that may have changed something. */
	forget(): void {
		this.known = new Map();
	}

	/** A background command is running and may change something at any time. */
	stop(): void {
		this.keeps = false;
	}
}
