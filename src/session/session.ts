// Runs one session: accepts messages, runs turns, and passes answers to pending requests.
import { randomUUID } from "node:crypto";
import { isForeignAuthor } from "../core/author.ts";
import type { Answer, Author, EventOf, PlanRef } from "../core/events.ts";
import type { Gate } from "../core/ports/gate.ts";
import type { ModelInfo } from "../core/ports/model.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { ApprovalMode } from "../core/role.ts";
import { findAnswered, isTurnOver, type Transcript } from "../core/transcript/state.ts";
import type { QueuedMessage } from "../shared/protocol/chat.ts";
import { sanitizeForPrompt } from "../shared/safeText.ts";
import { withChannel } from "./agent/channelOf.ts";
import { type ChangeOptions, changeAgent, changeRole } from "./agent/roleSwitch.ts";
import { Decisions } from "./approvals/decisions.ts";
import { compactSession } from "./contextWindow/compaction.ts";
import { Inbox } from "./queue/inbox.ts";
import { formatHandoverNotice, Lease } from "./queue/lease.ts";
import { MessageQueue } from "./queue/messageQueue.ts";
import type { Services, SessionPolicy, SessionWorkspace } from "./services.ts";
import {
	type SessionContext,
	type SessionListener,
	STOPPED_BY_USER,
	type TurnEnd,
	type TurnSlot,
	WINDOW_CLOSED,
} from "./sessionContext.ts";
import { EventLog, type EventLogListener, reportReadProgress } from "./state/eventLog.ts";
import { FileVersions } from "./state/fileVersions.ts";
import { contentOf, type Message, mergeMessages, refuseOwnMessage, type Sender, senderOf, toSender } from "./state/message.ts";
import { PromptMemory } from "./state/promptMemory.ts";
import { createApprovalModeEvent } from "./state/sessionApprovals.ts";
import { createRunningError, createStoppedError } from "./state/sessionBlocked.ts";
import { TokenCounter } from "./state/tokenCounter.ts";
import { noteGoingOn } from "./transcript/noteGoingOn.ts";
import { CurrentTurn } from "./turn/currentTurn.ts";

export interface SessionOptions {
	services: Services;
	policy: SessionPolicy;
	/** The files that it works on. */
	own: SessionWorkspace;
	listener: EventLogListener & SessionListener;
}

export class Session implements SessionContext {
	readonly sessionId: string;
	readonly services: Services;
	readonly policy: SessionPolicy;
	readonly eventLog: EventLog;
	readonly decisions = new Decisions(this);
	readonly files = new FileVersions();
	readonly context: { ledger: TokenCounter; model?: ModelInfo | undefined; system?: string } = { ledger: new TokenCounter() };
	readonly prompts = new PromptMemory();
	spoken: () => string = () => "";
	readonly printed = new Map<string, string>();
	/** Number of unreadable transcript lines. */
	damaged = 0;
	readonly queue: MessageQueue;
	private readonly turns = new CurrentTurn(this, () => this.turnEnded());
	private closed = false;
	/** Stops that are under way, during which no message begins a turn. */
	private stopping = 0;
	private readonly inbox: Inbox;
	background = new AbortController();
	readonly ongoing = new Map<string, string>();
	readonly lease: Lease;
	private readonly listener: EventLogListener & SessionListener;
	private readonly own: SessionWorkspace;
	readonly prepare = async (signal: AbortSignal): Promise<void> => this.own.prepare?.(signal);
	readonly lost = async (isRestoring: boolean): Promise<string | undefined> => this.own.lost?.(isRestoring);

	constructor(sessionId: string, { services, policy, own, listener }: SessionOptions) {
		this.own = own;
		this.sessionId = sessionId;
		this.services = services;
		this.policy = policy;
		this.listener = listener;
		this.eventLog = new EventLog({ store: services.store, sessionId, listener, now: services.now });
		this.queue = new MessageQueue({
			eventLog: this.eventLog,
			runningTurn: () => this.turns.current?.turn,
			takesCalls: own === services.window,
			changed: () => this.changed(),
			complete: (message, sender) => withChannel(this, message, sender),
		});
		this.lease = new Lease({
			services,
			eventLog: this.eventLog,
			sessionId,
			reloaded: () => this.restarted("elsewhere"),
			taken: () => {
				this.queue.restart();
				this.resume().catch(services.log);
				listener.taken(sessionId);
			},
		});
		this.inbox = new Inbox({
			...{ sessionId, services, eventLog: this.eventLog, queue: this.queue, lease: this.lease },
			isClosed: () => this.closed,
			startQueued: () => this.startQueued(),
		});
	}

	get workspace(): Workspace {
		return this.own.workspace;
	}

	get gate(): Gate {
		return this.own.gate;
	}

	get state(): Transcript {
		return this.eventLog.state;
	}

	get queued(): string[] {
		return this.waiting.map(({ text }) => text);
	}

	/** Messages waiting for the running turn's next step, or for a turn of their own. */
	get waiting(): QueuedMessage[] {
		return this.queue.waiting;
	}

	/** Returns a queued message to its author, unless a turn has taken it already. */
	async withdraw(id: string): Promise<Message | undefined> {
		await this.lease.take();
		return this.queue.take(id);
	}

	/** Cancels a sent message: removes it from the queue, or stops the turn that it began. Turns of others continue. */
	async cancelMessage(message: string): Promise<void> {
		if (this.turns.current?.turn === message) return this.cancel();
		await this.queue.take(message);
	}

	/** The sender that began the running turn. */
	get sender(): Sender | undefined {
		return this.turns.current?.sender;
	}

	/** True if messages are waiting to join the running turn. */
	get hasJoining(): boolean {
		return this.queue.hasJoining;
	}

	get isRunning(): boolean {
		return this.turns.current !== undefined;
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
	 * any other for a turn of its own. Throws SessionBlockedError for a session's message to itself, which would never end, and if
	 * too many messages wait.
	 */
	async send(input: string | Message, from: Author | Sender = "person"): Promise<TurnEnd> {
		const message = typeof input === "string" ? { text: input } : input;
		const sender = toSender(from);
		refuseOwnMessage(this.sessionId, sender);
		if (!this.turns.current && this.queue.isEmpty && !this.inbox.isBusy) return this.speak(message, sender, this.state.seq);
		const { end } = await this.inbox.accept(() => this.queue.put(message, sender));
		return end;
	}

	/**
	 * Adds a message to the queue, unless a message with its id was added before. Resolves once it is on disk; its turn begins when
	 * no other runs. Throws SessionBlockedError if another window keeps the session, or too many messages wait.
	 */
	async enqueue(message: Message, from: Author | Sender): Promise<void> {
		const sender = toSender(from);
		refuseOwnMessage(this.sessionId, sender);
		await this.inbox.accept(async () => {
			if (message.id === undefined || !this.queue.isKnown(message.id)) await this.queue.put(message, sender);
		});
	}

	/** Takes what other windows have left for the session, and begins the turns of waiting messages, unless another window has it. */
	resume(): Promise<void> {
		return this.inbox.resume();
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
		this.changed();
	}

	/** Adds a host status line about something the user did outside the session. */
	async note(text: string, about: Pick<EventOf<"status">, "changes" | "reviewed" | "redo" | "usage"> = {}): Promise<void> {
		await this.lease.take();
		await this.eventLog.emit({ type: "status", level: "info", text, ...about }, "person");
		this.files.undone(this.workspace, about.changes ?? []);
	}

	/** Appends what the session's agent says outside a turn, once no turn runs. Throws SessionBlockedError. */
	async receive(text: string, by: Author): Promise<void> {
		while (this.turns.current) await this.turns.current.end;
		await this.lease.take();
		await this.eventLog.emit({ type: "assistant", text: sanitizeForPrompt(text) }, by);
	}

	/** Summarizes the conversation for the model and moves it to an archive. Throws SessionBlockedError. */
	async compact(by: Author = "person"): Promise<TurnEnd> {
		await this.turnOver();
		this.refuseWhileRunning();
		await using slot = await this.begin(by);
		await compactSession(this, slot);
		return await slot.run(undefined);
	}

	/** Restarts the transcript from a summary, or with events that another window added. */
	restarted(by?: "elsewhere"): void {
		if (by) this.files.moved();
		this.prompts.restarted(this.state.turn !== undefined);
		this.listener.reloaded(this.sessionId);
	}

	/** Stops the turn and any running plan; resolves when it has ended. Messages queued for it are returned. */
	async cancel(): Promise<void> {
		if (!this.turns.current && this.state.run) await this.eventLog.emit({ type: "ended", outcome: "cancelled" }, "host");
		const running = this.turns.current;
		this.stopping += 1;
		try {
			running?.abort.abort(STOPPED_BY_USER);
			await this.inbox.accepted();
			this.returnToComposer(await this.queue.stop(running?.end));
		} finally {
			this.stopping -= 1;
			this.startQueued();
		}
		await running?.end;
		if (running) await noteGoingOn(this);
	}

	/** Hands the session over to another window that requested it, unless something is running here. */
	async giveWay(): Promise<void> {
		if (this.isInUse) return;
		this.decisions.approved.end();
		const ended = [...this.ongoing.values()];
		this.endBackground();
		if (ended.length > 0) await this.eventLog.emit({ type: "status", level: "warning", text: formatHandoverNotice(ended) }, "host");
		await this.lease.release(() => this.isInUse);
	}

	private get isInUse(): boolean {
		return this.turns.current !== undefined || this.lease.isInUse || this.inbox.isBusy || this.queue.hasNext;
	}

	/** Releases the session. A running turn ends as interrupted because nobody stopped it. `clear` withdraws waiting messages. */
	async close(options: { clear?: boolean } = {}): Promise<void> {
		this.lease.unwatch();
		this.closed = true;
		this.turns.current?.abort.abort(WINDOW_CLOSED);
		await this.turns.current?.end;
		await this.inbox.whenSettled();
		if (options.clear && (this.queue.isEmpty || (await this.lease.takeFree()))) this.returnToComposer(await this.queue.clear());
		else this.queue.close();
		this.endBackground();
		await Promise.all(this.services.sources.map((source) => source.release(this.sessionId)));
		await this.own.dispose?.();
		await this.lease.close();
	}

	/** Adds messages that were sent meanwhile to the running turn. */
	async deliver(turn: string): Promise<void> {
		const running = this.turns.current;
		if (running) await this.queue.deliver(turn, running.end);
	}

	/** Ends the background commands that are running; later turns can start new ones. */
	endBackground(): void {
		this.background.abort(STOPPED_BY_USER);
		this.printed.clear();
		this.background = new AbortController();
	}

	private returnToComposer(messages: readonly Message[]): void {
		if (messages.length > 0) this.listener.returned(this.sessionId, mergeMessages(messages));
	}

	/** A message sent after a question answers it if the question allows text; an earlier message only supersedes it. */
	private async speak(message: Message, sender: Sender, knew: number): Promise<TurnEnd> {
		const { id = randomUUID(), ...content } = message;
		await using slot = await this.begin(sender, id);
		const queued = this.state.queue.has(id) && { message: id };
		const answered = !isForeignAuthor(sender.by) && !content.channel && findAnswered(this.state, knew);
		return await slot.run({ ...content, ...answered, ...queued });
	}

	begin(from: Author | Sender, turn?: string): Promise<TurnSlot> {
		return this.turns.begin(from, turn);
	}

	/** Something other than the events has changed. */
	changed(): void {
		this.listener.changed(this.sessionId);
	}

	private turnEnded(): void {
		this.changed();
		this.startQueued();
		if (this.inbox.hasMore) this.resume().catch(this.services.log);
	}

	private startQueued(): void {
		const { limits } = this.policy;
		const may = ({ message, caller }: EventOf<"queued">) => !caller || limits.tryEnter(message, () => this.startQueued());
		const next =
			this.turns.current || this.closed || this.stopping > 0 || !this.lease.isHeld ? undefined : this.queue.next(may, limits.inOrder);
		if (!next) return;
		const end = this.speak({ ...contentOf(next), id: next.message }, senderOf(next), next.seq);
		// If another window has the session now, the turn begins there. Nobody brings an answer again.
		this.queue.begun(next, end, () => next.caller !== undefined && !next.about && this.lease.isHeld);
	}

	async turnOver(): Promise<void> {
		const running = this.turns.current;
		if (!running || !isTurnOver(this.state, running.turn)) return;
		await running.end;
		if (running.abort.signal.aborted) throw createStoppedError();
	}

	refuseWhileRunning(): void {
		if (this.turns.current) throw createRunningError();
	}
}
