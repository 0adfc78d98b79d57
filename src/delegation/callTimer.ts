// Limits how long a call may work, and wait for the user or for its place; each by itself.

/** Time, and timers that do not keep the process alive. */
export interface Clock {
	/** Milliseconds. */
	now(): number;
	/** Calls `act` once, in `ms`; the result cancels it. */
	after(ms: number, act: () => void): () => void;
}

export const systemClock: Clock = {
	now: () => performance.now(),
	after(ms, act) {
		const timer = setTimeout(act, ms).unref();
		return () => clearTimeout(timer);
	},
};

type Timed = "work" | "user" | "place";

/** Calls `onTimeout` once, after `seconds` of work, of waiting for the user, or of waiting for a place. */
export class CallTimer {
	private readonly left: Record<Timed, number>;
	private current: Timed = "work";
	private since = 0;
	private cancel: (() => void) | undefined;
	private readonly onTimeout: () => void;
	private readonly clock: Clock;

	constructor(seconds: number, onTimeout: () => void, clock = systemClock) {
		const limit = seconds * 1_000;
		this.left = { work: limit, user: limit, place: limit };
		this.onTimeout = onTimeout;
		this.clock = clock;
	}

	/** What time counts as from now on; undefined pauses. */
	count(kind: Timed | undefined): void {
		if (this.cancel && kind === this.current) return;
		this.stop();
		if (kind === undefined) return;
		this.current = kind;
		this.since = this.clock.now();
		this.cancel = this.clock.after(Math.max(0, this.left[kind]), this.onTimeout);
	}

	/** Milliseconds of work that are left. */
	get workLeft(): number {
		const running = this.cancel && this.current === "work" ? this.clock.now() - this.since : 0;
		return Math.max(0, this.left.work - running);
	}

	stop(): void {
		if (!this.cancel) return;
		this.cancel();
		this.cancel = undefined;
		this.left[this.current] -= this.clock.now() - this.since;
	}
}
