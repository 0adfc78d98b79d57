// The calls of a window whose answers are still to come, by the session that they called.

import type { Caller, CallMode, CallWait } from "../../core/caller.ts";
import type { Session } from "../../session/session.ts";
import type { CallTarget } from "./callResult.ts";
import { createFollowedCall, type FollowedCall, waitOf } from "./followCall.ts";

export interface OpenCall {
	caller: Caller;
	target: CallTarget;
	/** The called session; absent until a call from before a reload has found it. */
	session?: Session;
	followed: FollowedCall;
	mode: CallMode;
	/** Milliseconds, of `performance.now`. */
	began: number;
	/** The answer goes to the calling session as a message. */
	late: boolean;
	/** Resolves once its message is in the called session's queue, or was refused. */
	sent: Promise<void>;
	/** The state of this call, or of one that it made, has changed. */
	changed(): void;
	ended: Promise<void>;
	settle(): void;
	/** Leaves the called session to other calls. */
	release(): void;
}

type NewCall = Pick<OpenCall, "caller" | "target" | "mode" | "release"> & Pick<Partial<OpenCall>, "session" | "late">;

export class OpenCalls {
	private readonly bySession = new Map<string, Set<OpenCall>>();
	private readonly isReturning: (turn: string) => boolean;

	/** `isReturning`: whether a turn waits for a place to go on. */
	constructor(isReturning: (turn: string) => boolean = () => false) {
		this.isReturning = isReturning;
	}

	get size(): number {
		return this.all().length;
	}

	all(): OpenCall[] {
		return [...this.bySession.values()].flatMap((calls) => [...calls]);
	}

	/** The calls of that session's agent. */
	to(sessionId: string): OpenCall[] {
		return [...(this.bySession.get(sessionId) ?? [])];
	}

	add(call: NewCall): OpenCall {
		let settle: () => void = () => undefined;
		const ended = new Promise<void>((resolve) => {
			settle = resolve;
		});
		const { caller, target, mode } = call;
		const followed = createFollowedCall(caller, target.responseId);
		const sent = Promise.resolve();
		const open = { late: mode === "async", ...call, sent, followed, began: performance.now(), changed: () => undefined, ended, settle };
		this.bySession.set(target.sessionId, (this.bySession.get(target.sessionId) ?? new Set()).add(open));
		return open;
	}

	/** False if it had ended before. */
	remove(call: OpenCall): boolean {
		const calls = this.bySession.get(call.target.sessionId);
		if (!calls?.delete(call)) return false;
		if (calls.size === 0) this.bySession.delete(call.target.sessionId);
		return true;
	}

	/** A call that itself waits for calls that it made does what these do. */
	activityOf(call: OpenCall): FollowedCall["state"] {
		const made = call.followed.state === "running" ? this.awaitedBy(call).map((below) => this.activityOf(below)) : [];
		const below = (["running", "waiting", "queued"] as const).find((state) => made.includes(state));
		const { state, turns } = call.followed;
		return below ?? (state === "running" && this.isReturning(turns.at(-1) ?? "") ? "queued" : state);
	}

	/** Returns what the call, or one that it made, waits for; undefined while it runs. */
	waitOf(call: OpenCall): CallWait | undefined {
		const wait = waitOf(call.followed);
		if (wait || this.activityOf(call) !== "waiting") return wait;
		return this.awaitedBy(call)
			.map((below) => this.waitOf(below))
			.find((below) => below !== undefined);
	}

	private awaitedBy({ target, followed }: OpenCall): OpenCall[] {
		return this.all().filter(({ caller, late }) => !late && caller.session === target.sessionId && followed.turns.includes(caller.turn));
	}
}
