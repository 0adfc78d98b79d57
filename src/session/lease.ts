// This host's hold on a session: exactly one host runs it, and takes over what another one has left.

import { openCalls, pendingRequests } from "../core/transcript/fold.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { formatList, t } from "../shared/l10n.ts";
import type { Services } from "./context.ts";
import type { EventLog } from "./eventLog.ts";
import { truncateMiddle } from "./truncate.ts";

/** Milliseconds from taking a session to the end of what it was taken for, unless that is a turn. */
const FRESH = 1_000;

/** Milliseconds between looks at whether the host of an open turn still lives. */
const LOOK = 2_000;

/** The session cannot go on here and now; the message says why and what to do. */
export class SessionBlockedError extends Error {
	override readonly name = "SessionBlockedError";
}

export class Lease {
	private readonly services: Services;
	private readonly journal: EventLog;
	private readonly sessionId: string;
	private readonly reloaded: () => void;
	private held = false;
	private takenAt = 0;
	private watching: NodeJS.Timeout | undefined;
	private looking = false;
	/** The last that took the session or tried to: the next begins after it, or it would close what that has begun. */
	private last: Promise<unknown> = Promise.resolve();

	constructor(options: { services: Services; journal: EventLog; sessionId: string; reloaded: () => void }) {
		this.services = options.services;
		this.journal = options.journal;
		this.sessionId = options.sessionId;
		this.reloaded = options.reloaded;
	}

	/** Closes what a host that died has left open, and writes down who a new or cleared session is; unless another host is at it. */
	async repairOpenEnds(): Promise<void> {
		const { store } = this.services;
		const begins = await store.identity(this.sessionId);
		const { events, before } = this.journal.state;
		const unsaid = begins !== undefined && !before?.hasRole && !events.some((event) => event.type === "role");
		const broken = needsRepair(this.journal.state);
		if ((!unsaid && !broken) || !(await store.own(this.sessionId))) return;
		this.held = true;
		if (broken) await this.writeRepair();
		if (!unsaid) return;
		await this.journal.emit({ type: "agent", agent: begins.agentId }, "host");
		await this.journal.emit({ type: "role", role: begins.role }, "host");
	}

	/** Takes the session, with what another host may have written since it was loaded. Throws SessionBlockedError. */
	take(): Promise<void> {
		return this.inTurn(() => this.takeNow());
	}

	private async takeNow(): Promise<void> {
		const { services, journal, sessionId } = this;
		const restricted = services.restricted();
		if (restricted) throw new SessionBlockedError(restricted);
		const had = this.held;
		this.held = await services.store.own(sessionId, "ask");
		this.takenAt = Date.now();
		if (!this.held) {
			throw new SessionBlockedError(t("This session is running in another window. Stop it there first, or start a new session here."));
		}
		if (had) return;
		if (await journal.refresh()) this.reloaded();
		if (needsRepair(journal.state)) await this.writeRepair();
	}

	/** While another host's turn stands open here: closes it where that host dies, so that it can go on in this window. */
	watch(): void {
		if (this.held || this.watching || !needsRepair(this.journal.state)) return;
		this.watching = setInterval(() => void this.look().catch(this.services.log), LOOK).unref();
	}

	unwatch(): void {
		clearInterval(this.watching);
		this.watching = undefined;
	}

	private async look(): Promise<void> {
		if (this.held || !needsRepair(this.journal.state)) return this.unwatch();
		if (this.looking) return;
		this.looking = true;
		try {
			await this.inTurn(() => this.takeOver());
		} finally {
			this.looking = false;
		}
	}

	private async takeOver(): Promise<void> {
		if (this.held || !(await this.services.store.own(this.sessionId))) return;
		this.unwatch();
		this.held = true;
		await this.journal.refresh();
		if (needsRepair(this.journal.state)) await this.writeRepair();
		this.reloaded();
	}

	private inTurn<T>(act: () => Promise<T>): Promise<T> {
		const next = this.last.then(act);
		this.last = next.catch(() => undefined);
		return next;
	}

	/** Whether it was taken for something that is about to be written. */
	get isFresh(): boolean {
		return Date.now() - this.takenAt < FRESH;
	}

	async release(): Promise<void> {
		if (this.held) await this.services.store.release(this.sessionId);
		this.held = false;
	}

	private async writeRepair(): Promise<void> {
		const { store } = this.services;
		await repairTranscript(this.journal, await store.checkpoint(this.sessionId));
		await store.saveCheckpoint(this.sessionId, undefined);
	}
}

/** For the person and the model: what they counted on is gone. */
export function formatHandoverNotice(commands: readonly string[]): string {
	const text = t(
		"The session continued in another window. These background commands in this window were stopped: {0}.",
		formatList(commands),
	);
	return truncateMiddle(text, 2_000);
}

/** `words` are those of the broken answer that were still on their way. */
async function repairTranscript(journal: EventLog, words: string | undefined): Promise<void> {
	const { state } = journal;
	const turn = state.turn?.id;
	if (words?.trim() && !saidAlready(state, words)) await journal.emit({ type: "assistant", text: words }, "model", turn);
	const waited = new Set(pendingRequests(state).map(({ event }) => (event.type === "asked" ? event.call : "")));
	for (const { event, kind } of pendingRequests(state)) {
		if (kind === "approval") await journal.emit({ type: "expired", request: event.request }, "host", turn);
	}
	for (const { call, turn: of } of openCalls(state)) {
		const output = waited.has(call.id) ? WAITED : RAN;
		await journal.emit({ type: "result", call: call.id, status: "unknown", output }, "host", of ?? turn);
	}
	if (turn === undefined) return;
	await journal.emit(
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

/** For the model. */
const RAN =
	"Interrupted: the window closed while this ran, so its outcome is unknown. It was not run again. Look at the state of things before you go on.";
const WAITED =
	"Interrupted: the window closed while this waited for the person's approval. The approval has expired, and what it was asked for was not done. Make the call again if it is still needed: the person is asked anew.";

/** The host died after the answer was kept and before its checkpoint was removed. */
function saidAlready({ events }: Transcript, words: string): boolean {
	const last = events.findLast((event) => event.type === "assistant");
	return last?.type === "assistant" && last.text.startsWith(words);
}

/** Whether a host died while this session was at work. */
function needsRepair(state: Transcript): boolean {
	return (
		state.turn !== undefined || [...state.requests.values()].some((request) => request.kind === "approval" && request.state === "pending")
	);
}
