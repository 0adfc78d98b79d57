// Limits work in other sessions: its places and tokens by the task, and its time.

import type { TokenBudget } from "../core/caller.ts";
import { CallLimits, type TurnLimits } from "../session/state/turnLimits.ts";

/** Limits how many tasks work at once, and lets only those begin a turn that this window runs. */
export class TaskPlaces {
	private readonly limits: CallLimits;
	/** Tasks that this window runs. Messages in any other task wait, so that nothing goes on by itself after a crash. */
	private readonly running = new Set<string>();
	/** Tasks that stay in their places after a turn. */
	private readonly kept = new Set<string>();
	/** Tasks with a turn that takes a place. */
	private readonly working = new Set<string>();

	/** `most`: how many tasks may work at once. `changed`: a task begins to wait for a place to go on, or has one. */
	constructor(most: () => number, changed: () => void = () => undefined) {
		this.limits = new CallLimits(most, changed);
	}

	/** See CallLimits. */
	wake(): void {
		this.limits.wake();
	}

	run(task: string): void {
		this.running.add(task);
	}

	hold(task: string): void {
		this.running.delete(task);
	}

	grant(budget: TokenBudget): void {
		this.limits.grant(budget);
	}

	/** Its turn ends, and another one may follow: until that begins, nobody else takes its place. */
	keep(task: string): void {
		this.kept.add(task);
	}

	/** Gives up the task's place, unless its next turn has begun while the end of the last one was saved. */
	leave(task: string): void {
		this.kept.delete(task);
		if (!this.working.has(task)) this.limits.leave(task);
	}

	/** The limits of that task's turns, which have one place. */
	of(task: string): TurnLimits {
		const { limits, running, kept, working } = this;
		// Also of turns that the user begins. What is left of it was granted.
		const own: TokenBudget = { id: task, tokens: Number.POSITIVE_INFINITY };
		return {
			get free() {
				return limits.free;
			},
			/** The user's messages follow what the task is to do, if that is to begin in this window. */
			get inOrder() {
				return running.has(task);
			},
			tryEnter(_, again) {
				if (!running.has(task) || !limits.tryEnter(task, again)) return false;
				kept.delete(task);
				return true;
			},
			enter() {
				kept.delete(task);
				working.add(task);
				limits.enter(task);
			},
			wake: () => limits.wake(),
			pause: () => limits.pause(task),
			resume: () => limits.resume(task),
			isReturning: () => limits.isReturning(task),
			ready: (_, signal) => limits.ready(task, signal),
			leave(turn) {
				working.delete(task);
				limits.leave(turn);
				if (!kept.has(task)) limits.leave(task);
			},
			share: (turn, budget, most) => limits.share(turn, budget, most),
			grant: (budget) => limits.grant(budget),
			spend: (turn, budget = own, tokens) => limits.spend(turn, budget, tokens),
			left: (turn, budget = own) => limits.left(turn, budget),
		};
	}
}

/** Time, and timers that do not keep the process alive. */
interface Clock {
	/** Milliseconds. */
	now(): number;
	/** Calls `act` once, in `ms`; the result cancels it. */
	after(ms: number, act: () => void): () => void;
}

const systemClock: Clock = {
	now: () => performance.now(),
	after(ms, act) {
		const timer = setTimeout(act, ms).unref();
		return () => clearTimeout(timer);
	},
};

type Timed = "work" | "user" | "place";

/** Calls `onTimeout` once, after `seconds` of work, of waiting for the user, or of waiting for a place. */
export class WorkTimer {
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

	/** Sets what time counts as from now on; undefined pauses. */
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
