// Runs one session: accepts messages, runs turns, and passes answers to pending requests.
import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import { isForeignAuthor } from "../core/author.ts";
import type { Answer, Author, EventOf, Outcome, PlanRef } from "../core/events.ts";
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
import { createContextLine } from "./prompt/editorContext.ts";
import { createMessageNotes } from "./prompt/promptDiff.ts";
import { Inbox } from "./queue/inbox.ts";
import { formatHandoverNotice, Lease } from "./queue/lease.ts";
import { MessageQueue } from "./queue/messageQueue.ts";
import type { Services, SessionWorkspace } from "./services.ts";
import {
	type OpeningMessage,
	type SessionContext,
	type SessionListener,
	STOPPED_BY_USER,
	type TurnEnd,
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
import { saveTitle } from "./transcript/sessionTitle.ts";
import { runTurn } from "./turn/turn.ts";

export class Session implements SessionContext {
	readonly sessionId: string;
	readonly services: Services;
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
	private running: { turn: string; abort: AbortController; end: Promise<TurnEnd>; sender: Sender } | undefined;
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

	constructor(
		sessionId: string,
		services: Services,
		listener: EventLogListener & SessionListener,
		own: SessionWorkspace = services.window,
	) {
		this.own = own;
		this.sessionId = sessionId;
		this.services = services;
		this.listener = listener;
		this.eventLog = new EventLog({ store: services.store, sessionId, listener, now: services.now });
		this.queue = new MessageQueue({
			eventLog: this.eventLog,
			runningTurn: () => this.running?.turn,
			takesCalls: own === services.window,
			changed: () => listener.changed(sessionId),
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
	async takeBack(id: string): Promise<Message | undefined> {
		await this.lease.take();
		return this.queue.take(id);
	}

	/** Cancels a sent message: removes it from the queue, or stops the turn that it began. Turns of others continue. */
	async withdraw(message: string): Promise<void> {
		if (this.running?.turn === message) return this.cancel();
		await this.queue.take(message);
	}

	/** Who began the running turn. */
	get sender(): Sender | undefined {
		return this.running?.sender;
	}

	/** Whether messages are waiting to join the running turn. */
	get hasJoining(): boolean {
		return this.queue.hasJoining;
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
	 * any other for a turn of its own. Throws SessionBlockedError for a session's message to itself, which would never end, and if
	 * too many messages wait.
	 */
	async send(input: string | Message, from: Author | Sender = "person"): Promise<TurnEnd> {
		const message = typeof input === "string" ? { text: input } : input;
		const sender = toSender(from);
		refuseOwnMessage(this.sessionId, sender);
		if (!this.running && this.queue.isEmpty && !this.inbox.isBusy) return this.speak(message, sender, this.state.seq);
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
		this.listener.changed(this.sessionId);
	}

	/** Adds a host status line about something the user did outside the conversation. */
	async note(text: string, about: Pick<EventOf<"status">, "changes" | "reviewed" | "redo" | "usage"> = {}): Promise<void> {
		await this.lease.take();
		await this.eventLog.emit({ type: "status", level: "info", text, ...about }, "person");
		this.files.undone(this.workspace, about.changes ?? []);
	}

	/** Appends what the session's agent says outside a turn, once no turn runs. Throws SessionBlockedError. */
	async receive(text: string, by: Author): Promise<void> {
		while (this.running) await this.running.end;
		await this.lease.take();
		await this.eventLog.emit({ type: "assistant", text: sanitizeForPrompt(text) }, by);
	}

	/** Summarizes the conversation for the model and moves it to an archive. Throws SessionBlockedError. */
	async compact(by: Author = "person"): Promise<TurnEnd> {
		await this.turnOver();
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
		const { running } = this;
		this.stopping += 1;
		try {
			running?.abort.abort(STOPPED_BY_USER);
			await this.inbox.accepted();
			this.giveBack(await this.queue.stop(running?.end));
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
		return this.running !== undefined || this.lease.isInUse || this.inbox.isBusy || this.queue.hasNext;
	}

	/** Releases the session. A running turn ends as interrupted because nobody stopped it. `clear` withdraws waiting messages. */
	async close(options: { clear?: boolean } = {}): Promise<void> {
		this.lease.unwatch();
		this.closed = true;
		this.running?.abort.abort(WINDOW_CLOSED);
		await this.running?.end;
		await this.inbox.settled();
		if (options.clear && (this.queue.isEmpty || (await this.lease.takeFree()))) this.giveBack(await this.queue.clear());
		else this.queue.close();
		this.endBackground();
		await Promise.all(this.services.sources.map((source) => source.release(this.sessionId)));
		await this.own.dispose?.();
		await this.lease.close();
	}

	/** Adds messages that were sent meanwhile to the running turn. */
	async deliver(turn: string): Promise<void> {
		if (this.running) await this.queue.deliver(turn, this.running.end);
	}

	/** Ends the background commands that are running; later turns can start new ones. */
	endBackground(): void {
		this.background.abort(STOPPED_BY_USER);
		this.printed.clear();
		this.background = new AbortController();
	}

	private giveBack(messages: readonly Message[]): void {
		if (messages.length > 0) this.listener.returned(this.sessionId, mergeMessages(messages));
	}

	/** A message sent after a question answers it if the question allows text; an earlier message only supersedes it. */
	private speak(message: Message, sender: Sender, knew: number): Promise<TurnEnd> {
		const { id = randomUUID(), ...content } = message;
		return this.begin(
			sender,
			async () => {
				const message = this.state.queue.has(id) && { message: id };
				return { ...content, ...(!isForeignAuthor(sender.by) && !content.channel && findAnswered(this.state, knew)), ...message };
			},
			id,
		);
	}

	/** Runs a turn from the message that `open` returns; without one, the session waits for the user. */
	async begin(
		from: Author | Sender,
		open: (turn: string, signal: AbortSignal) => Promise<OpeningMessage | undefined>,
		turn: string = randomUUID(),
	): Promise<TurnEnd> {
		const sender = toSender(from);
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
			this.files.resume(this.workspace, this.state);
			const opening = await open(turn, abort.signal);
			const limited = opening?.caller ? toSender({ ...sender, caller: opening.caller }) : sender;
			this.running.sender = limited;
			if (limited.caller) this.services.calls.enter(turn);
			outcome = opening ? await this.takeTurn(turn, opening, limited, abort.signal) : "waiting";
		} finally {
			this.running = undefined;
			this.prompts.offer = undefined;
			this.services.calls.leave(turn);
			settle({ outcome, turn });
			this.listener.changed(this.sessionId);
			this.startQueued();
			if (this.inbox.hasMore) this.resume().catch(this.services.log);
		}
		return end;
	}

	private async takeTurn(turn: string, opening: OpeningMessage, sender: Sender, signal: AbortSignal): Promise<Outcome> {
		const { by } = sender;
		if (by === "person" || by === "api")
			this.services.registry.used(this.state.agent).catch((error: unknown) => this.services.log(String(error)));
		const notes = await createMessageNotes(this);
		const line = opening.context ?? (by === "person" ? await createContextLine(this.services) : undefined);
		const context = [line, notes.text].filter(Boolean).join("\n");
		const content = { ...withChannel(this, opening, sender), ...(context !== "" && { context }), ...(notes.told && { told: notes.told }) };
		const { title } = this.state;
		const input = (await this.eventLog.emit({ type: "user", ...content }, by, turn)) as EventOf<"user">;
		if (this.state.title && this.state.title !== title) await saveTitle(this.services, this.sessionId, this.state.title);
		this.listener.changed(this.sessionId);
		return runTurn(this, { turn, input, sender, signal });
	}

	private startQueued(): void {
		const { calls } = this.services;
		const may = ({ message, caller }: EventOf<"queued">) => !caller || calls.tryEnter(message, () => this.startQueued());
		const next = this.running || this.closed || this.stopping > 0 || !this.lease.isHeld ? undefined : this.queue.next(may, calls.inOrder);
		if (!next) return;
		const end = this.speak({ ...contentOf(next), id: next.message }, senderOf(next), next.seq);
		// If another window has the session now, the turn begins there. Nobody brings an answer again.
		this.queue.begun(next, end, () => next.caller !== undefined && !next.about && this.lease.isHeld);
	}

	async turnOver(): Promise<void> {
		const { running } = this;
		if (!running || !isTurnOver(this.state, running.turn)) return;
		await running.end;
		if (running.abort.signal.aborted) throw createStoppedError();
	}

	refuseWhileRunning(): void {
		if (this.running) throw createRunningError();
	}
}
