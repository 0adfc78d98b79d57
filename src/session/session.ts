// Runs one session: accepts messages, runs turns, and passes answers to pending requests.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { isForeignAuthor } from "../core/author.ts";
import type { Answer, Author, EventOf, Outcome, PlanRef } from "../core/events.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { ApprovalMode } from "../core/role.ts";
import { pendingQuestion } from "../core/transcript/fold.ts";
import type { Transcript } from "../core/transcript/state.ts";
import { t } from "../shared/l10n.ts";
import type { QueuedMessage } from "../shared/protocol/chat.ts";
import { Decisions } from "./approvals/decisions.ts";
import { type ChangeOptions, changeAgent, changeRole } from "./approvals/roleSwitch.ts";
import { createApprovalModeEvent } from "./approvals/sessionApprovals.ts";
import {
	type OpeningMessage,
	type Services,
	type SessionContext,
	type SessionListener,
	STOPPED_BY_USER,
	type TurnEnd,
	WINDOW_CLOSED,
} from "./context.ts";
import { compactSession } from "./contextWindow/compaction.ts";
import { TokenCounter } from "./contextWindow/tokenCounter.ts";
import { EventLog, type EventLogListener } from "./eventLog.ts";
import { FileVersions } from "./fileVersions.ts";
import { formatHandoverNotice, Lease, SessionBlockedError } from "./lease.ts";
import { type Message, MessageQueue, mayJoin, mergeMessages, type Sender, toSender } from "./messageQueue.ts";
import { createContextLine } from "./prompt/editorContext.ts";
import { computePromptDiff } from "./prompt/promptDiff.ts";
import { PromptMemory } from "./prompt/promptMemory.ts";
import { reportReadProgress } from "./readProgress.ts";
import { runTurn } from "./turn/turn.ts";

export class Session implements SessionContext {
	readonly sessionId: string;
	readonly services: Services;
	readonly eventLog: EventLog;
	readonly decisions = new Decisions(this);
	readonly files = new FileVersions();
	/** Token counts of the context window, the model they are for, and the last turn's system prompt. */
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string } = { ledger: new TokenCounter() };
	readonly prompts = new PromptMemory();
	/** Text of the running answer that listeners have received but that is not an event yet. */
	spoken: () => string = () => "";
	/** Running calls, with the end of their output. */
	readonly printed = new Map<string, string>();
	/** Number of unreadable transcript lines. */
	damaged = 0;
	private readonly queue = new MessageQueue<TurnEnd>();
	private running: { turn: string; abort: AbortController; end: Promise<TurnEnd>; sender: Sender; opening?: Message } | undefined;
	/** Background commands end when this is aborted. */
	background = new AbortController();
	/** Background commands that are still running, by call id. */
	readonly ongoing = new Map<string, string>();
	readonly lease: Lease;
	private readonly listener: EventLogListener & SessionListener;

	constructor(sessionId: string, services: Services, listener: EventLogListener & SessionListener) {
		this.sessionId = sessionId;
		this.services = services;
		this.listener = listener;
		this.eventLog = new EventLog({ store: services.store, sessionId, listener, now: services.now });
		this.lease = new Lease({ services, eventLog: this.eventLog, sessionId, reloaded: () => this.restarted("elsewhere") });
	}

	get state(): Transcript {
		return this.eventLog.state;
	}

	get queued(): string[] {
		return this.waiting.map(({ text }) => text);
	}

	/** Messages waiting for the running turn's next step. */
	get waiting(): QueuedMessage[] {
		return this.queue.waiting.map(({ id, message, from }) => {
			return { id, text: message.text, pictures: message.images?.length ?? 0, state: "waiting", own: from.by === "person" };
		});
	}

	/** Returns a queued message to its author, unless a turn has taken it already. */
	takeBack(id: string): Message | undefined {
		const entry = this.queue.take(id);
		entry?.taken(Promise.resolve({ outcome: "cancelled", turn: "" }));
		this.listener.changed(this.sessionId);
		return entry?.message;
	}

	/** Cancels a sent message: removes it from the queue, or stops the turn that it began. Turns of others continue. */
	async withdraw(message: Message): Promise<void> {
		if (this.running?.opening === message) return this.cancel();
		const entry = this.queue.waiting.find((candidate) => candidate.message === message);
		if (entry) this.takeBack(entry.id);
	}

	/** Who began the running turn. */
	get sender(): Sender | undefined {
		return this.running?.sender;
	}

	/** Whether messages are waiting to join the running turn. */
	get hasJoining(): boolean {
		return this.queue.waiting.some(({ from }) => mayJoin(from));
	}

	get isRunning(): boolean {
		return this.running !== undefined;
	}

	/** Loads the transcript and closes what a dead host has left open. */
	async open(): Promise<this> {
		this.damaged = await reportReadProgress(this.listener, this.sessionId, (report) => this.eventLog.load(report));
		await this.lease.repairOpenEnds();
		this.lease.watch();
		return this;
	}

	/** Loads earlier events too, for callers that need the whole session. */
	whole(): Promise<void> {
		return reportReadProgress(this.listener, this.sessionId, (report) => this.eventLog.whole(report));
	}

	/**
	 * Sends a message. During a turn, a message of the user (or of the API on the user's behalf) waits for the turn's next step,
	 * any other for a turn of its own. Throws SessionBlockedError for a session's message to itself, which would never end.
	 */
	async send(input: string | Message, from: Author | Sender = "person"): Promise<TurnEnd> {
		const message = typeof input === "string" ? { text: input } : input;
		const sender = toSender(from);
		if (sender.session === this.sessionId)
			throw new SessionBlockedError("message-to-itself", t("A session can't send a message to itself."));
		if (this.running) {
			const end = this.queue.put(message, sender, this.state.seq);
			this.listener.changed(this.sessionId);
			return end;
		}
		return this.speak(message, sender, this.state.seq);
	}

	executePlan(ref: Partial<PlanRef>, by: Author = "person"): Promise<TurnEnd> {
		return this.decisions.executePlan(ref, by);
	}

	answer(request: string, answer: Answer, by: Author, hash?: string): Promise<TurnEnd | undefined> {
		return this.decisions.answer(request, answer, by, hash);
	}

	/** See `changeRole`. */
	setRole(role: string, by: Author = "person", options: ChangeOptions = {}): Promise<void> {
		return changeRole(this, role, by, options);
	}

	/** See `changeAgent`. */
	setAgent(agent: string, by: Author = "person", options: ChangeOptions = {}): Promise<void> {
		return changeAgent(this, agent, by, options);
	}

	/** Only the user may choose the mode, in the editor's own list. */
	async setApproval(mode: ApprovalMode | "default"): Promise<void> {
		if ((this.state.approval ?? "default") === mode) return;
		await this.lease.take();
		await this.eventLog.emit(createApprovalModeEvent(mode), "person");
		this.listener.changed(this.sessionId);
	}

	/** Adds a host status line about something the user did outside the conversation. */
	async note(text: string, about: Pick<EventOf<"status">, "changes" | "reviewed" | "redo"> = {}): Promise<void> {
		await this.lease.take();
		await this.eventLog.emit({ type: "status", level: "info", text, ...about }, "person");
		this.files.undone(this.services.workspace, about.changes ?? []);
	}

	/** Summarizes the conversation for the model and moves it to an archive. Throws SessionBlockedError. */
	async compact(by: Author = "person"): Promise<TurnEnd> {
		this.refuseWhileRunning();
		return this.begin(by, (turn, signal) => compactSession(this, turn, signal));
	}

	/** Restarts the transcript from a summary, or with events that another window added. */
	restarted(by?: "elsewhere"): void {
		if (by) this.files.moved();
		this.prompts.restarted(this.state.turn !== undefined);
		this.listener.reloaded(this.sessionId);
	}

	/** Stops the turn and any running plan; resolves when it has ended. Messages queued for it are returned. */
	async cancel(): Promise<void> {
		if (!this.running && this.state.run) await this.eventLog.emit({ type: "ended", outcome: "cancelled" }, "host");
		await this.stop(STOPPED_BY_USER);
	}

	/** Hands the session over to another window that requested it, unless something is running here. */
	async giveWay(): Promise<void> {
		if (this.running || this.lease.isFresh || this.queue.waiting.length > 0) return;
		this.decisions.approved.end();
		const ended = [...this.ongoing.values()];
		this.endBackground();
		if (ended.length > 0) await this.eventLog.emit({ type: "status", level: "warning", text: formatHandoverNotice(ended) }, "host");
		await this.lease.release();
	}

	/** Releases the session. A running turn ends as interrupted because nobody stopped it. */
	async close(): Promise<void> {
		this.lease.unwatch();
		await this.stop(WINDOW_CLOSED);
		this.endBackground();
		await Promise.all(this.services.sources.map((source) => source.release(this.sessionId)));
		await this.lease.release();
	}

	/** Adds messages that were sent meanwhile to the running turn. */
	async deliver(turn: string): Promise<void> {
		const delivered = this.queue.takeJoining();
		for (const entry of delivered) {
			await this.eventLog.emit({ type: "user", ...entry.message }, entry.from.by, turn);
			if (this.running) entry.taken(this.running.end);
		}
		if (delivered.length > 0) this.listener.changed(this.sessionId);
	}

	/** Ends the background commands that are running; later turns can start new ones. */
	endBackground(): void {
		this.background.abort(STOPPED_BY_USER);
		this.printed.clear();
		this.background = new AbortController();
	}

	private async stop(why: DOMException): Promise<void> {
		const entries = this.queue.takeAll();
		const dropped = Promise.resolve<TurnEnd>({ outcome: "cancelled", turn: "" });
		for (const entry of entries) entry.taken(mayJoin(entry.from) ? (this.running?.end ?? dropped) : dropped);
		const returned = entries.filter(({ from }) => from.by === "person").map((entry) => entry.message);
		if (returned.length > 0) this.listener.returned(this.sessionId, mergeMessages(returned));
		this.running?.abort.abort(why);
		await this.running?.end;
	}

	/** A message sent after a question answers it if the question allows text; an earlier message only supersedes it. */
	private speak(message: Message, sender: Sender, knew: number): Promise<TurnEnd> {
		const end = this.begin(sender, async () => {
			const question = isForeignAuthor(sender.by) ? undefined : pendingQuestion(this.state);
			return { ...message, ...(question?.allow_custom && question.seq <= knew && { answers: question.request }) };
		});
		if (this.running) this.running.opening = message;
		return end;
	}

	/** Runs a turn from the message that `open` returns; without one, the session waits for the user. */
	async begin(from: Author | Sender, open: (turn: string, signal: AbortSignal) => Promise<OpeningMessage | undefined>): Promise<TurnEnd> {
		const sender = toSender(from);
		const turn = randomUUID();
		const abort = new AbortController();
		// Every request to a model adds a listener until the turn ends.
		setMaxListeners(0, abort.signal);
		let settle: (end: TurnEnd) => void = () => undefined;
		const end = new Promise<TurnEnd>((resolve) => {
			settle = resolve;
		});
		this.running = { turn, abort, end, sender };
		let outcome: Outcome = "failed";
		try {
			await this.lease.take();
			await this.whole();
			this.files.resume(this.services.workspace, this.state);
			const opening = await open(turn, abort.signal);
			outcome = opening ? await this.takeTurn(turn, opening, sender, abort.signal) : "waiting";
		} finally {
			this.running = undefined;
			settle({ outcome, turn });
			this.listener.changed(this.sessionId);
			this.startQueued();
		}
		return end;
	}

	private async takeTurn(turn: string, opening: OpeningMessage, sender: Sender, signal: AbortSignal): Promise<Outcome> {
		const { by } = sender;
		if (by === "person" || by === "api")
			this.services.registry.used(this.state.agent).catch((error: unknown) => this.services.log(String(error)));
		const diff = await computePromptDiff(this);
		const line = opening.context ?? (by === "person" ? await createContextLine(this.services) : undefined);
		const context = [line, diff?.text].filter(Boolean).join("\n");
		const content = { ...opening, ...(context !== "" && { context }), ...(diff && { told: diff.told }) };
		const { title } = this.state;
		const input = (await this.eventLog.emit({ type: "user", ...content }, by, turn)) as EventOf<"user">;
		if (this.state.title && this.state.title !== title) {
			const { store } = this.services;
			const known = (await store.list()).find(({ sessionId }) => sessionId === this.sessionId);
			await store.update(this.sessionId, { attributes: { ...known?.attributes, title: this.state.title } });
		}
		this.listener.changed(this.sessionId);
		return runTurn(this, { turn, input, sender, signal });
	}

	private startQueued(): void {
		const next = this.queue.next();
		if (next) next.taken(this.speak(next.message, next.from, next.knew));
	}

	refuseWhileRunning(): void {
		if (this.running)
			throw new SessionBlockedError("turn-running", t("A turn is running. Stop the turn or wait until it ends, then try again."));
	}
}
