// Ensures that only one host runs a session, and takes over sessions that another host has left.

import { openCalls, pendingRequests, type Transcript } from "../../core/transcript/state.ts";
import { UserError } from "../../core/userError.ts";
import { formatList, t } from "../../shared/l10n.ts";
import { Serial } from "../../shared/node/serial.ts";
import { truncateMiddle } from "../../shared/utf8.ts";
import type { Services } from "../services.ts";
import type { EventLog } from "../state/eventLog.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";

/** Milliseconds within which a lease taken for something other than a turn counts as in use. */
const FRESH_MS = 1_000;

/** Milliseconds between checks whether the host of an open turn, or one with waiting messages, is still alive. */
const CHECK_INTERVAL = 2_000;

export class Lease {
	private readonly services: Services;
	private readonly eventLog: EventLog;
	private readonly sessionId: string;
	private readonly reloaded: () => void;
	private readonly taken: () => void;
	private held = false;
	private closed = false;
	private takenAt = 0;
	private holders = 0;
	private watching: NodeJS.Timeout | undefined;
	private looking = false;
	/** Reasons to take the session once its owner has gone. */
	private left = 0;
	/** A call of this window is answered in the session. */
	private awaited = false;
	/** The last attempt to take the session. The next waits for it, or it would close what that one has begun. */
	private readonly changes = new Serial();

	constructor(options: { services: Services; eventLog: EventLog; sessionId: string; reloaded: () => void; taken: () => void }) {
		this.services = options.services;
		this.eventLog = options.eventLog;
		this.sessionId = options.sessionId;
		this.reloaded = options.reloaded;
		this.taken = options.taken;
	}

	/** Closes what a dead host has left open, and records the agent and role of a new or cleared session; unless another host has it. */
	async repairOpenEnds(): Promise<void> {
		const { store } = this.services;
		const identity = await store.identity(this.sessionId);
		const { events, before } = this.eventLog.state;
		const uninitialized = identity !== undefined && !before?.hasRole && !events.some((event) => event.type === "role");
		const broken = needsRepair(this.eventLog.state);
		if ((!uninitialized && !broken) || !(await store.own(this.sessionId))) return;
		this.held = true;
		if (broken) await this.writeRepair();
		if (!uninitialized) return;
		await this.eventLog.emit({ type: "agent", agent: identity.agentId }, "host");
		await this.eventLog.emit({ type: "role", role: identity.role }, "host");
	}

	/** Takes the session and loads what another host may have written since. Throws SessionBlockedError. */
	take(): Promise<void> {
		return this.changes.run(() => this.takeNow());
	}

	/** Does the same as `take`, but nothing while the session is held. Calls are served in their order. */
	ensure(): Promise<void> {
		return this.changes.run(async () => {
			this.refuseRestricted();
			if (!this.held) await this.takeNow();
		});
	}

	/** Takes the session, and keeps it from other windows while `act` runs. Throws SessionBlockedError. */
	async hold<T>(act: () => Promise<T>): Promise<T> {
		await this.take();
		this.holders += 1;
		try {
			return await act();
		} finally {
			this.holders -= 1;
		}
	}

	/** Takes the session unless another window has it, which is not asked; returns false if one does. */
	takeFree(): Promise<boolean> {
		return this.changes.run(() => this.takeFreeNow());
	}

	private refuseRestricted(): void {
		const restricted = this.services.restricted();
		if (restricted) throw new SessionBlockedError("restricted", restricted);
	}

	private async takeNow(): Promise<void> {
		const { services, eventLog, sessionId } = this;
		this.refuseRestricted();
		if (this.closed) throw new UserError(t("The session was closed. Nothing was changed. Open it again."));
		const alreadyHeld = this.held;
		this.held = await services.store.own(sessionId, "ask");
		this.takenAt = Date.now();
		if (!this.held) {
			throw new SessionBlockedError(
				"other-window",
				t("This session is running in another window. Stop it there first, or start a new session here."),
			);
		}
		if (alreadyHeld) return;
		if (await eventLog.refresh()) this.reloaded();
		if (needsRepair(eventLog.state)) await this.writeRepair();
		this.taken();
	}

	/** Messages wait for the host that has the session: once that host has gone, this window takes those that still wait. */
	watchOwner(): void {
		if (this.closed) return;
		this.left += 1;
		this.watch();
		this.look().catch(this.services.log);
	}

	/** Loads what another host has written, unless this window has the session. */
	catchUp(): Promise<void> {
		return this.changes.run(async () => {
			if (!this.held && !this.closed && (await this.eventLog.refresh())) this.reloaded();
		});
	}

	/** The host that has the session answers a call of this window: once that host has gone, this window takes the session. */
	awaitOwner(): void {
		if (this.held || this.closed) return;
		this.awaited = true;
		this.watch();
	}

	/** Watches while another host's turn is open: closes it if that host dies, so that this window can continue. */
	watch(): void {
		if (this.held || this.watching || !this.isWatchful) return;
		this.watching = setInterval(() => void this.look().catch(this.services.log), CHECK_INTERVAL).unref();
	}

	unwatch(): void {
		clearInterval(this.watching);
		this.watching = undefined;
		this.left = 0;
		this.awaited = false;
	}

	private get isWatchful(): boolean {
		return this.left > 0 || this.awaited || needsRepair(this.eventLog.state);
	}

	private async look(): Promise<void> {
		if (this.held || !this.isWatchful) return this.unwatch();
		if (this.looking) return;
		this.looking = true;
		try {
			if (needsRepair(this.eventLog.state) || (await this.isLeftBehind())) await this.takeFree();
		} finally {
			this.looking = false;
		}
	}

	/** Resolves to true if no host has the session, and messages wait in it, or a call that was being answered. */
	private async isLeftBehind(): Promise<boolean> {
		const { left, sessionId } = this;
		const { store, restricted } = this.services;
		if (restricted() !== undefined || (await store.isHeldElsewhere(sessionId))) return false;
		if (this.awaited) return true;
		const waits = (await store.find(sessionId))?.unsettled || (await store.inbox(sessionId)).length > 0;
		// More may have been left meanwhile.
		if (!waits) this.left = Math.max(0, this.left - left);
		return waits;
	}

	private async takeFreeNow(): Promise<boolean> {
		if (this.held) return true;
		if (this.closed || !(await this.services.store.own(this.sessionId))) return false;
		this.unwatch();
		this.held = true;
		this.takenAt = Date.now();
		const changed = await this.eventLog.refresh();
		const broken = needsRepair(this.eventLog.state);
		if (broken) await this.writeRepair();
		if (changed || broken) this.reloaded();
		this.taken();
		return true;
	}

	/** True while something is being written, or is about to be: another window must not have the session then. */
	get isInUse(): boolean {
		return this.holders > 0 || Date.now() - this.takenAt < FRESH_MS;
	}

	get isHeld(): boolean {
		return this.held;
	}

	/** Releases it after the attempts to take it that are under way, unless it is in use then. */
	release(isInUse: () => boolean = () => false): Promise<void> {
		return this.changes.run(async () => {
			if (!this.held || isInUse()) return;
			this.held = false;
			await this.services.store.release(this.sessionId);
		});
	}

	/** Releases it for good: whatever still tries to take it would keep it from every other window. */
	close(): Promise<void> {
		const closing = this.changes.run(async () => {
			this.closed = true;
			this.unwatch();
		});
		return closing.then(() => this.release());
	}

	private async writeRepair(): Promise<void> {
		const { store } = this.services;
		await repairTranscript(this.eventLog, await store.checkpoint(this.sessionId));
		await store.saveCheckpoint(this.sessionId, undefined);
	}
}

/** Tells the user and the model which background commands were stopped. */
export function formatHandoverNotice(commands: readonly string[]): string {
	const text = t(
		"The session continued in another window. These background commands in this window were stopped: {0}.",
		formatList(commands),
	);
	return truncateMiddle(text, 2_000);
}

/** `text` is unsaved text of the interrupted answer. */
async function repairTranscript(eventLog: EventLog, text: string | undefined): Promise<void> {
	const { state } = eventLog;
	const turn = state.turn?.id ?? findUnstartedTurn(state);
	if (text?.trim() && !isAlreadySaved(state, text)) await eventLog.emit({ type: "assistant", text: text }, "model", turn);
	const waited = new Set(pendingRequests(state).map(({ event }) => (event.type === "asked" ? event.call : "")));
	for (const { event, kind } of pendingRequests(state)) {
		if (kind === "approval") await eventLog.emit({ type: "expired", request: event.request }, "host", turn);
	}
	for (const { call, turn: of } of openCalls(state)) {
		const output = waited.has(call.id) ? EXPIRED_OUTPUT : UNKNOWN_OUTPUT;
		await eventLog.emit({ type: "result", call: call.id, status: "unknown", output }, "host", of ?? turn);
	}
	if (turn === undefined) return;
	await eventLog.emit(
		{
			type: "ended",
			outcome: "interrupted",
			error: t("This turn was interrupted because the window closed. Completed work was kept, and nothing runs again automatically."),
			kept: true,
		},
		"host",
		turn,
	);
}

/** Texts for the model. */
const UNKNOWN_OUTPUT =
	"Interrupted: the window closed while this ran, so its outcome is unknown. It was not run again. Look at the state of things before you go on.";
const EXPIRED_OUTPUT =
	"Interrupted: the window closed while this waited for the person's approval. The approval has expired, and what it was asked for was not done. Make the call again if it is still needed: the person is asked anew.";

/** The host died after the answer was saved and before its checkpoint was removed. */
function isAlreadySaved({ events }: Transcript, text: string): boolean {
	const last = events.findLast((event) => event.type === "assistant");
	return last?.type === "assistant" && last.text.startsWith(text);
}

/** Returns true if a host died while working on this session. */
function needsRepair(state: Transcript): boolean {
	return (
		state.turn !== undefined ||
		findUnstartedTurn(state) !== undefined ||
		[...state.requests.values()].some((request) => request.kind === "approval" && request.state === "pending")
	);
}

/** Id of the turn whose message is recorded, and neither its start nor its end. */
function findUnstartedTurn({ events, turn }: Transcript): string | undefined {
	if (turn !== undefined) return undefined;
	const last = events.findLast(({ type }) => type === "user" || type === "started" || type === "ended");
	return last?.type === "user" ? last.turn : undefined;
}
