// Limits called turns: how many work at once, and how many tokens a tree of calls uses.

import type { TokenBudget } from "../../core/caller.ts";

/** The limits as a session needs them. */
export type TurnLimits = Pick<CallLimits, keyof CallLimits>;

export class CallLimits {
	/** True if the user's messages to a session wait while an earlier message there waits for a place. */
	readonly inOrder: boolean = false;
	/** Called turns, with the number of reasons why they need no place now. */
	private readonly places = new Map<string, number>();
	/** Callbacks by the turn or message that wants a place: each is told once, however often it has asked. */
	private readonly waiting = new Map<string, () => void>();
	/** Turns that go on once they have a place, before others begin; with those to be told. The first in line is first. */
	private readonly returning = new Map<string, (() => void)[]>();
	/** Token pools by the id of the turn that began the tree. A tree has no limit until its first call. */
	private readonly pools = new Map<string, { used: number; limit: number }>();
	private readonly most: () => number;
	private readonly changed: () => void;

	/** `most`: how many called turns may work at once. `changed`: a turn begins to wait for a place to go on, or has one. */
	constructor(most: () => number, changed: () => void = () => undefined) {
		this.most = most;
		this.changed = changed;
	}

	/** Number of called turns that may begin now. */
	get free(): number {
		const working = [...this.places].filter(([turn, reasons]) => reasons === 0 && !this.returning.has(turn)).length;
		return Math.max(0, this.most() - working);
	}

	/** Takes a place, if one is free. If none is, `again` is called once one may be. */
	tryEnter(turn: string, again: () => void): boolean {
		if ((!this.places.has(turn) || this.returning.has(turn)) && this.free === 0) {
			this.waiting.set(turn, again);
			return false;
		}
		this.waiting.delete(turn);
		this.enter(turn);
		return true;
	}

	/** The turn begins: it takes a place as soon as one is free. */
	enter(turn: string): void {
		if (this.places.has(turn)) return;
		this.takeOrWait(turn);
		this.places.set(turn, 0);
	}

	/** Returns true if the turn waits for a place to go on. */
	isReturning(turn: string): boolean {
		return this.returning.has(turn);
	}

	/** Resolves when the turn needs no place or has one, or `signal` aborts. */
	async ready(turn: string, signal?: AbortSignal): Promise<void> {
		const told = this.returning.get(turn);
		if (!told || signal?.aborted) return;
		await new Promise<void>((resolve) => {
			told.push(resolve);
			signal?.addEventListener("abort", () => resolve(), { once: true });
		});
	}

	/**
	 * The turn waits for the user, or for an agent that it called: until it is `ready` after `resume`, others may work in its place.
	 * It goes on once each `pause` has had its `resume`.
	 */
	pause(turn: string): void {
		this.change(turn, 1);
	}

	resume(turn: string): void {
		this.change(turn, -1);
	}

	leave(turn: string): void {
		this.places.delete(turn);
		this.goOn(turn);
		if (this.pools.get(turn)?.limit === Number.POSITIVE_INFINITY) this.pools.delete(turn);
		this.wake();
	}

	/** The budget that a call of that turn passes on: what is left of its caller's, or `most` for a new tree. */
	share(turn: string, budget: TokenBudget | undefined, most: number): TokenBudget {
		const pool = this.poolOf(turn, budget);
		pool.limit = Math.min(pool.limit, most);
		return { id: budget?.id ?? turn, tokens: Math.max(0, pool.limit - pool.used) };
	}

	/** From now on, the tree has the tokens of that budget left. */
	grant({ id, tokens }: TokenBudget): void {
		this.pools.set(id, { used: 0, limit: tokens });
	}

	spend(turn: string, budget: TokenBudget | undefined, tokens: number): void {
		this.poolOf(turn, budget).used += tokens;
	}

	/** Tokens left for the tree; infinite if nothing was called. */
	left(turn: string, budget: TokenBudget | undefined): number {
		const { limit, used } = this.poolOf(turn, budget);
		return limit - used;
	}

	/** After a reload, a tree goes on with what was left when the call was made. */
	private poolOf(turn: string, budget: TokenBudget | undefined): { used: number; limit: number } {
		const id = budget?.id ?? turn;
		const pool = this.pools.get(id) ?? { used: 0, limit: budget?.tokens ?? Number.POSITIVE_INFINITY };
		this.pools.set(id, pool);
		return pool;
	}

	private change(turn: string, by: number): void {
		const reasons = this.places.get(turn);
		if (reasons === undefined) return;
		const next = Math.max(0, reasons + by);
		if (next > 0) this.goOn(turn);
		else if (reasons > 0) this.takeOrWait(turn);
		this.places.set(turn, next);
		this.wake();
	}

	private takeOrWait(turn: string): void {
		if (this.free > 0) return;
		this.returning.set(turn, []);
		this.changed();
	}

	private goOn(turn: string): void {
		const told = this.returning.get(turn);
		if (!told) return;
		this.returning.delete(turn);
		this.changed();
		for (const go of told) go();
	}

	/** Places may have become free: those that wait for one are told. */
	wake(): void {
		for (const turn of [...this.returning.keys()].slice(0, this.free)) this.goOn(turn);
		if (this.free === 0) return;
		const waiting = [...this.waiting.values()];
		this.waiting.clear();
		for (const again of waiting) again();
	}
}
