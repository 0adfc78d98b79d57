// Messages sent while a turn runs: they wait for its next step, or for the next turn.
import { randomUUID } from "node:crypto";
import { isForeignAuthor } from "../core/author.ts";
import type { Attachment, Author, BlobRef } from "../core/events.ts";
import type { TurnBudget } from "../core/ports/runtime.ts";
import type { Permission } from "../core/role.ts";

/** What the person says: words, pictures, and what their mentions brought along. */
export interface Message {
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
	/** What the person had before them as they wrote, for the model alone. */
	context?: string;
}

/** Who sends a message, and what the turn that it begins may do at most. */
export interface Sender {
	by: Author;
	/** Permissions of whoever asks; absent for the person, and for what acts in their place. */
	ceiling?: readonly Permission[];
	/** The session it is sent from; absent for the person. */
	session?: string;
	/** Nobody can answer while its turn runs: what would ask is denied. */
	unattended?: true;
	/** What its turn may cost, where that is less than the settings say. */
	budget?: Partial<TurnBudget>;
}

/** An author alone: another agent whose powers nobody knows has none. */
export function toSender(from: Author | Sender): Sender {
	if (typeof from !== "string") return from;
	return isForeignAuthor(from) || from === "model" ? { by: from, ceiling: [] } : { by: from };
}

/** Whether its message may join a turn that runs. Others' words never do: they would have the powers of whoever began it. */
export function mayJoin({ by, ceiling, unattended }: Sender): boolean {
	return !isForeignAuthor(by) && ceiling === undefined && !unattended;
}

export interface QueueEntry<End> {
	id: string;
	message: Message;
	from: Sender;
	/** The last event there was when it was written. */
	knew: number;
	/** Tells the sender which turn took the message. */
	taken(end: Promise<End>): void;
}

export class MessageQueue<End> {
	private letters: QueueEntry<End>[] = [];

	get waiting(): readonly QueueEntry<End>[] {
		return this.letters;
	}

	/** Resolves with the end of the turn that takes the message. */
	put(message: Message, from: Sender, knew: number): Promise<End> {
		return new Promise<End>((resolve) => {
			this.letters.push({ id: randomUUID(), message, from, knew, taken: resolve });
		});
	}

	next(): QueueEntry<End> | undefined {
		return this.letters.shift();
	}

	/** One that its writer wants back. */
	take(id: string): QueueEntry<End> | undefined {
		const at = this.letters.findIndex((letter) => letter.id === id);
		return at < 0 ? undefined : this.letters.splice(at, 1)[0];
	}

	/** Those that the running turn takes; the others wait for one of their own. */
	takeJoining(): QueueEntry<End>[] {
		const joining = this.letters.filter(({ from }) => mayJoin(from));
		this.letters = this.letters.filter(({ from }) => !mayJoin(from));
		return joining;
	}

	takeAll(): QueueEntry<End>[] {
		return this.letters.splice(0);
	}
}

/** One message of several, as they are given back together. */
export function mergeMessages(messages: readonly Message[]): Message {
	const images = messages.flatMap((message) => message.images ?? []);
	return { text: messages.map(({ text }) => text).join("\n\n"), ...(images.length > 0 && { images }) };
}
