// Messages sent while a turn runs: they wait for its next step, or for the next turn.
import type { Attachment, Author, BlobRef } from "../core/events.ts";

/** What the person says: words, pictures, and what their mentions brought along. */
export interface Message {
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
}

export interface Letter<End> {
	message: Message;
	by: Author;
	/** The last event there was when it was written. */
	knew: number;
	/** Tells the sender which turn took the message. */
	taken(end: Promise<End>): void;
}

export class Mailbox<End> {
	private letters: Letter<End>[] = [];

	get texts(): string[] {
		return this.letters.map(({ message }) => message.text);
	}

	/** Resolves with the end of the turn that takes the message. */
	put(message: Message, by: Author, knew: number): Promise<End> {
		return new Promise<End>((resolve) => {
			this.letters.push({ message, by, knew, taken: resolve });
		});
	}

	next(): Letter<End> | undefined {
		return this.letters.shift();
	}

	takeAll(): Letter<End>[] {
		return this.letters.splice(0);
	}
}
