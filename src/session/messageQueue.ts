// Messages sent while a turn runs: they wait for its next step, or for the next turn.
import { randomUUID } from "node:crypto";
import type { Attachment, Author, BlobRef } from "../core/events.ts";

/** What the person says: words, pictures, and what their mentions brought along. */
export interface Message {
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
	/** What the person had before them as they wrote, for the model alone. */
	context?: string;
}

export interface QueueEntry<End> {
	id: string;
	message: Message;
	by: Author;
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
	put(message: Message, by: Author, knew: number): Promise<End> {
		return new Promise<End>((resolve) => {
			this.letters.push({ id: randomUUID(), message, by, knew, taken: resolve });
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

	takeAll(): QueueEntry<End>[] {
		return this.letters.splice(0);
	}
}

/** One message of several, as they are given back together. */
export function mergeMessages(messages: readonly Message[]): Message {
	const images = messages.flatMap((message) => message.images ?? []);
	return { text: messages.map(({ text }) => text).join("\n\n"), ...(images.length > 0 && { images }) };
}
