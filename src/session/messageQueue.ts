// Queues messages sent while a turn runs, for its next step or for the next turn.
import { randomUUID } from "node:crypto";
import { isForeignAuthor } from "../core/author.ts";
import type { Attachment, Author, BlobRef } from "../core/events.ts";
import type { TurnBudget } from "../core/ports/runtime.ts";
import type { Permission } from "../core/role.ts";

/** A user's message: text, images, and attachments of its mentions. */
export interface Message {
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
	/** The user's editor context at that time, for the model only. */
	context?: string;
}

/** A message's sender, and the limits of the turn that it begins. */
export interface Sender {
	by: Author;
	/** The sender's permissions; absent for the user and for whatever acts in their place. */
	ceiling?: readonly Permission[];
	/** The session it was sent from; absent for the user. */
	session?: string;
	/** Nobody can answer during its turn, so whatever requires approval is denied. */
	unattended?: true;
	/** Budget of its turn, if lower than in the settings. */
	budget?: Partial<TurnBudget>;
}

/** Other agents and the model have no permissions unless they are specified. */
export function toSender(from: Author | Sender): Sender {
	if (typeof from !== "string") return from;
	return isForeignAuthor(from) || from === "model" ? { by: from, ceiling: [] } : { by: from };
}

/** Whether its messages may join a running turn. Messages of others must not, because they would gain its starter's permissions. */
export function mayJoin({ by, ceiling, unattended }: Sender): boolean {
	return !isForeignAuthor(by) && ceiling === undefined && !unattended;
}

export interface QueueEntry<End> {
	id: string;
	message: Message;
	from: Sender;
	/** Sequence number of the last event when the message was written. */
	knew: number;
	/** Tells the sender which turn took the message. */
	taken(end: Promise<End>): void;
}

export class MessageQueue<End> {
	private entries: QueueEntry<End>[] = [];

	get waiting(): readonly QueueEntry<End>[] {
		return this.entries;
	}

	/** Resolves with the end of the turn that takes the message. */
	put(message: Message, from: Sender, knew: number): Promise<End> {
		return new Promise<End>((resolve) => {
			this.entries.push({ id: randomUUID(), message, from, knew, taken: resolve });
		});
	}

	next(): QueueEntry<End> | undefined {
		return this.entries.shift();
	}

	/** Removes a message that its author wants back. */
	take(id: string): QueueEntry<End> | undefined {
		const at = this.entries.findIndex((entry) => entry.id === id);
		return at < 0 ? undefined : this.entries.splice(at, 1)[0];
	}

	/** Removes the messages that may join the running turn; the others stay queued. */
	takeJoining(): QueueEntry<End>[] {
		const joining = this.entries.filter(({ from }) => mayJoin(from));
		this.entries = this.entries.filter(({ from }) => !mayJoin(from));
		return joining;
	}

	takeAll(): QueueEntry<End>[] {
		return this.entries.splice(0);
	}
}

/** Merges messages that are returned together. */
export function mergeMessages(messages: readonly Message[]): Message {
	const images = messages.flatMap((message) => message.images ?? []);
	return { text: messages.map(({ text }) => text).join("\n\n"), ...(images.length > 0 && { images }) };
}
