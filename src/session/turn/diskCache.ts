// Caches what the gate learned about the disk in a turn, until something may have changed it.
import type { TurnCache } from "../../core/ports/gate.ts";

export class DiskCache {
	private known: TurnCache = new Map();
	private keeps = true;

	/** For one call: what calls before it have learned, where that still holds. */
	get memo(): TurnCache {
		return this.keeps ? this.known : new Map();
	}

	/** A call has run that may have changed something. */
	forget(): void {
		this.known = new Map();
	}

	/** A command goes on in the background, and may change something at any time. */
	stop(): void {
		this.keeps = false;
	}
}
