// Queues messages on disk until a turn takes them, and resolves their senders with that turn.
import { randomUUID } from "node:crypto";
import type { EventOf } from "../../core/events.ts";
import { isRecorded } from "../../core/transcript/queue.ts";
import { t } from "../../shared/l10n.ts";
import type { QueuedMessage } from "../../shared/protocol/chat.ts";
import type { TurnEnd } from "../sessionContext.ts";
import type { EventLog } from "../state/eventLog.ts";
import { contentOf, type Message, mayJoin, type Sender, senderOf, toQueued } from "../state/message.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";

/** Maximum number of messages that wait in one session. */
export const MAX_QUEUED = 100;

type Entry = EventOf<"queued">;

interface Waiter {
	resolve(end: Promise<TurnEnd> | TurnEnd): void;
	reject(error: unknown): void;
}

interface QueueHost {
	readonly eventLog: EventLog;
	/** Id of the running turn. */
	runningTurn(): string | undefined;
	changed(): void;
	/** True if calls of other agents wait here; a task's messages have a caller too, and are none. */
	readonly takesCalls: boolean;
	/** The message as a turn takes it. */
	complete(message: Message, sender: Sender): Message;
}

/** The ends of messages that no turn takes. */
const DROPPED: TurnEnd = { outcome: "cancelled", turn: "" };

export class MessageQueue {
	/** The senders in this window, by message id. */
	private readonly waiters = new Map<string, Waiter>();
	/** Messages that are being taken or withdrawn. */
	private readonly leaving = new Set<string>();
	/** Messages whose turn could not begin here; they wait for the user's next message. */
	private readonly blocked = new Set<string>();
	/** Calls from an earlier window whose callers wait on. */
	private readonly admitted = new Set<string>();
	/** Messages that are being written. */
	private readonly arriving = new Set<Promise<unknown>>();
	/** The user has sent a message since the queue was last empty. */
	private released = false;
	private readonly host: QueueHost;

	constructor(host: QueueHost) {
		this.host = host;
	}

	private get entries(): Entry[] {
		return [...this.host.eventLog.state.queue.values()].filter(({ message }) => !this.leaving.has(message));
	}

	get isEmpty(): boolean {
		return this.entries.length === 0;
	}

	get isFull(): boolean {
		return this.host.eventLog.state.queue.size + this.arriving.size >= MAX_QUEUED;
	}

	/** Returns true if the message was accepted before, as far as the loaded events tell. */
	isKnown(message: string): boolean {
		return this.waiters.has(message) || isRecorded(this.host.eventLog.state, message);
	}

	/** Waiting messages, for display. */
	get waiting(): QueuedMessage[] {
		return this.entries.map(({ message, text, images, from }) => {
			return { id: message, text, pictures: images?.length ?? 0, state: "waiting", own: from === "person" };
		});
	}

	/** True if messages are waiting to join the running turn. */
	get hasJoining(): boolean {
		return this.entries.some((entry) => this.joins(entry));
	}

	/** True if a turn could begin now. The user's messages from before a reload wait for the user. */
	get hasNext(): boolean {
		return this.entries.some((entry) => this.isReady(entry));
	}

	/** Calls from an earlier window. None begins a turn until it is admitted. */
	get leftCalls(): (Entry & Required<Pick<Entry, "caller">>)[] {
		return this.entries.filter((entry) => this.isLeftCall(entry));
	}

	admit(message: string): void {
		this.admitted.add(message);
	}

	/**
	 * Writes the message; resolves with the end of the turn that takes it. Throws SessionBlockedError if too many wait; an answer to a
	 * call is never one too many, because calls are limited.
	 */
	async put(message: Message, sender: Sender): Promise<{ end: Promise<TurnEnd> }> {
		if (this.isFull && !sender.about) throw createQueueFullError();
		const id = message.id ?? randomUUID();
		const end = new Promise<TurnEnd>((resolve, reject) => this.waiters.set(id, { resolve, reject }));
		// The sender may not wait for it.
		end.catch(() => undefined);
		if (mayJoin(sender)) {
			this.released = true;
			this.blocked.clear();
		}
		const arrival = this.host.eventLog.emit(toQueued(id, message, sender), sender.by);
		this.arriving.add(arrival);
		try {
			await arrival;
		} catch (error) {
			this.waiters.delete(id);
			throw error;
		} finally {
			this.arriving.delete(arrival);
		}
		this.host.changed();
		return { end };
	}

	/**
	 * The next message that begins a turn; it is `leaving` until `begun`. `may`: whether it may begin now. `inOrder`: one that may not
	 * holds up those after it.
	 */
	next(may: (entry: Entry) => boolean, inOrder: boolean): Entry | undefined {
		const ready = this.entries.filter((candidate) => this.isReady(candidate));
		const entry = (inOrder ? ready.slice(0, 1) : ready).find(may);
		if (entry) this.leaving.add(entry.message);
		return entry;
	}

	/** Tells the sender which turn takes the message, or that none could begin; if `refuses`, it does not wait for a later one. */
	begun(entry: Entry, end: Promise<TurnEnd>, refuses: () => boolean): void {
		const { message } = entry;
		const waiter = this.waiters.get(message);
		this.waiters.delete(message);
		waiter?.resolve(end);
		end
			.catch(async () => {
				this.blocked.add(message);
				if (this.host.eventLog.state.queue.has(message) && refuses()) await this.withdraw([entry], "refused");
			})
			.finally(() => {
				this.leaving.delete(message);
				this.left(message);
			})
			.catch(() => undefined);
	}

	/** Adds the messages that join the running turn to it. */
	async deliver(turn: string, end: Promise<TurnEnd>): Promise<void> {
		const joining = this.entries.filter((entry) => this.joins(entry));
		for (const { message } of joining) this.leaving.add(message);
		for (const entry of joining) {
			const content = this.host.complete(contentOf(entry), senderOf(entry));
			await this.host.eventLog.emit({ type: "user", ...content, message: entry.message }, entry.from, turn);
			this.settle(entry, end);
		}
		if (joining.length > 0) this.host.changed();
	}

	/** Withdraws a message, unless a turn has taken it already. */
	async take(id: string): Promise<Message | undefined> {
		const entry = this.entries.find(({ message }) => message === id);
		if (!entry) return undefined;
		await this.withdraw([entry], "takenBack");
		return contentOf(entry);
	}

	/** Withdraws the user's messages that could join the stopped turn, and returns those that the user typed. Others go on waiting. */
	async stop(end: Promise<TurnEnd> | undefined): Promise<Message[]> {
		await Promise.allSettled(this.arriving);
		const own = this.entries.filter((entry) => mayJoin(senderOf(entry)) && this.isReady(entry));
		await this.withdraw(own, "takenBack", end);
		return own.filter(({ from }) => from === "person").map(contentOf);
	}

	/** Withdraws all messages: the session's history is being deleted. Returns those that the user typed. */
	async clear(): Promise<Message[]> {
		await Promise.allSettled(this.arriving);
		const { entries } = this;
		await this.withdraw(entries, "cleared");
		return entries.filter(({ from }) => from === "person").map(contentOf);
	}

	/** The session is taken from another window: what could not begin here before may begin, and the user's messages wait again. */
	restart(): void {
		this.blocked.clear();
		this.admitted.clear();
		this.released = false;
	}

	/** The window closes: the messages stay on disk, and their senders here are told. */
	close(): void {
		for (const waiter of this.waiters.values()) waiter.resolve(DROPPED);
		this.waiters.clear();
	}

	private async withdraw(entries: readonly Entry[], why: EventOf<"unqueued">["why"], end?: Promise<TurnEnd>): Promise<void> {
		for (const { message } of entries) this.leaving.add(message);
		for (const entry of entries) {
			await this.host.eventLog.emit({ type: "unqueued", message: entry.message, why }, entry.from);
			this.settle(
				entry,
				Promise.resolve(end ?? DROPPED).then((ended) => ({ ...ended, withdrawn: true })),
			);
		}
		if (entries.length > 0) this.host.changed();
	}

	private settle({ message }: Entry, end: Promise<TurnEnd> | TurnEnd): void {
		this.waiters.get(message)?.resolve(end);
		this.waiters.delete(message);
		this.leaving.delete(message);
		this.left(message);
	}

	private left(message: string): void {
		const { queue } = this.host.eventLog.state;
		if (!queue.has(message)) this.blocked.delete(message);
		if (queue.size === 0) this.released = false;
	}

	private joins(entry: Entry): boolean {
		const turn = this.host.runningTurn();
		return turn !== undefined && (mayJoin(senderOf(entry)) ? this.isReady(entry) : entry.about?.turn === turn);
	}

	/** A late answer has a caller too: that of the turn that it answers. */
	private isLeftCall(entry: Entry): entry is Entry & Required<Pick<Entry, "caller">> {
		const { message, caller, about } = entry;
		return this.host.takesCalls && caller !== undefined && !about && !this.waiters.has(message) && !this.admitted.has(message);
	}

	private isReady(entry: Entry): boolean {
		if (!mayJoin(senderOf(entry))) return !this.blocked.has(entry.message) && !this.isLeftCall(entry);
		return this.released || this.waiters.has(entry.message);
	}
}

export function createQueueFullError(): SessionBlockedError {
	return new SessionBlockedError(
		"queue-full",
		t(
			"{0} messages are already waiting in this session. This one was not sent. Wait until some are answered, then send it again.",
			MAX_QUEUED,
		),
	);
}
