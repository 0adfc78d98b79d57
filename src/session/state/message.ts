// Messages and their senders, and how they are recorded while they wait.

import { isForeignAuthor } from "../../core/author.ts";
import type { Caller } from "../../core/caller.ts";
import type { Channel } from "../../core/channel.ts";
import type { Attachment, Author, BlobRef, EventBody, WaitingMessage } from "../../core/events.ts";
import type { TurnBudget } from "../../core/ports/runtime.ts";
import type { Permission } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { SessionBlockedError } from "./sessionBlocked.ts";

/** A user's message: text, images, and attachments of its mentions. */
export interface Message {
	/** Its id, which a turn that it begins gets too; random if absent. */
	id?: string;
	text: string;
	images?: BlobRef[];
	attachments?: Attachment[];
	/** The user's editor context at that time, for the model only. */
	context?: string;
	/** The channel that it came from. */
	channel?: Channel;
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
	/** The call that its turn answers. */
	caller?: Caller;
	/** The subject of the message; it joins the turn that this names. */
	about?: NonNullable<WaitingMessage["about"]>;
}

/** Other agents and the model have no permissions unless they are specified, and nobody has more than their caller gives. */
export function toSender(from: Author | Sender): Sender {
	const sender = typeof from === "string" ? { by: from } : from;
	const { by, caller, ceiling = caller?.ceiling ?? (isForeignAuthor(by) || by === "model" ? [] : undefined) } = sender;
	if (!ceiling) return sender;
	return { ...sender, ceiling: caller ? ceiling.filter((permission) => caller.ceiling.includes(permission)) : ceiling };
}

/**
 * Returns true if its messages may join every running turn. Messages of others must not, because they would gain its starter's permissions.
 */
export function mayJoin({ by, ceiling, unattended, about }: Sender): boolean {
	return !isForeignAuthor(by) && ceiling === undefined && !unattended && !about;
}

/** Throws SessionBlockedError for a session's message to itself, which would never end. */
export function refuseOwnMessage(sessionId: string, { session }: Sender): void {
	if (session === sessionId) throw new SessionBlockedError("message-to-itself", t("A session can't send a message to itself."));
}

/** Returns the attachments with content of another session, which no mention in the text can attach again. */
export function keepSessionContent(attachments: readonly Attachment[] = []): Attachment[] {
	return attachments.filter(({ kind }) => kind === "conversation");
}

/** Merges messages that are returned together. */
export function mergeMessages(messages: readonly Message[]): Message {
	const images = messages.flatMap((message) => message.images ?? []);
	const attachments = messages.flatMap((message) => keepSessionContent(message.attachments));
	const text = messages.map((message) => message.text).join("\n\n");
	return { text, ...(images.length > 0 && { images }), ...(attachments.length > 0 && { attachments }) };
}

export function senderOf({ from, caller, ceiling, session, unattended, budget, about }: WaitingMessage): Sender {
	return toSender({
		by: from,
		...(caller && { caller }),
		...(ceiling && { ceiling }),
		...(session !== undefined && { session }),
		...(unattended && { unattended }),
		...(budget && { budget }),
		...(about && { about }),
	});
}

export function contentOf({ text, images, attachments, context, channel }: WaitingMessage): Message {
	const more = { ...(context && { context }), ...(channel && { channel }) };
	return { text, ...(images && { images }), ...(attachments && { attachments }), ...more };
}

export function toQueued(message: string, { id: _, ...content }: Message, { by, budget, ...sender }: Sender): EventBody {
	return { type: "queued", message, from: by, ...content, ...sender, ...(budget && { budget: { ...budget } }) };
}
