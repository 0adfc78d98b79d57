// Passes messages between windows: into a session's inbox, and from there into its queue.

// Only the session's owner writes to its transcript. Until it has recorded a message, the message lies beside the transcript.

import { randomUUID } from "node:crypto";
import * as z from "zod";
import { isForeignAuthor } from "../../core/author.ts";
import type { AnsweredCall, Caller } from "../../core/caller.ts";
import type { Author, EventOf } from "../../core/events.ts";
import { type InboxMessage, StorageError } from "../../core/ports/sessions.ts";
import { PERMISSIONS, type Permission } from "../../core/role.ts";
import { TASK_STATES, type TaskNews } from "../../core/task.ts";
import { openDelegations } from "../../core/transcript/delegations.ts";
import type { Transcript } from "../../core/transcript/state.ts";
import { findTaskCall } from "../../core/transcript/tasks.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import { Serial } from "../../shared/node/serial.ts";
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import type { Services } from "../services.ts";
import type { EventLog } from "../state/eventLog.ts";
import type { Message, Sender } from "../state/message.ts";
import type { Lease } from "./lease.ts";
import { createQueueFullError, MAX_QUEUED, type MessageQueue } from "./messageQueue.ts";

interface Owner {
	readonly sessionId: string;
	readonly services: Pick<Services, "store" | "log" | "restricted">;
	readonly eventLog: EventLog;
	readonly queue: MessageQueue;
	readonly lease: Pick<Lease, "ensure" | "takeFree" | "watchOwner" | "release" | "isHeld">;
	isClosed(): boolean;
	/** Begins the turn of the next message, if none runs. */
	startQueued(): void;
}

/** Brings messages into a session's queue: those sent in this window, and those that others have left. */
export class Inbox {
	/** Messages of other windows are being recorded. */
	private isOpen = false;
	/** Messages of this window that are being recorded. */
	private readonly accepting = new Set<Promise<unknown>>();
	/** Messages are left because the queue is full. */
	hasMore = false;
	private readonly resuming = new Serial();
	private readonly owner: Owner;

	constructor(owner: Owner) {
		this.owner = owner;
	}

	/** Messages are on their way into the queue, so the session stays in this window. */
	get isBusy(): boolean {
		return this.isOpen || this.accepting.size > 0;
	}

	/** Takes the session and adds to the queue, in the order of the calls. Throws SessionBlockedError. */
	async accept<T>(add: () => Promise<T>): Promise<T> {
		const { lease, isClosed, startQueued } = this.owner;
		const added = lease.ensure().then(async () => {
			if (!isClosed()) return add();
			await lease.release();
			throw new UserError(t("The session was closed before the message was saved. Send it again."));
		});
		this.accepting.add(added);
		try {
			return await added;
		} finally {
			this.accepting.delete(added);
			startQueued();
		}
	}

	/** Resolves when the messages of this window are in the queue. */
	async accepted(): Promise<void> {
		await Promise.allSettled(this.accepting);
	}

	/** Takes the session, unless another window has it, if messages wait in the inbox or the queue, and begins their turns. */
	resume(): Promise<void> {
		return this.resuming.run(() => this.resumeNow());
	}

	/** Resolves when no message of another window is being recorded. */
	whenSettled(): Promise<void> {
		return this.resuming.whenSettled();
	}

	private async resumeNow(): Promise<void> {
		const { sessionId, services, queue, lease, isClosed, startQueued } = this.owner;
		if (isClosed() || services.restricted() !== undefined) return;
		if (!queue.hasNext && (await services.store.inbox(sessionId)).length === 0) return;
		this.isOpen = true;
		try {
			if (await lease.takeFree()) this.hasMore = !(await this.record());
			else lease.watchOwner();
		} finally {
			this.isOpen = false;
			startQueued();
		}
	}

	/** Records the messages in the queue, each once, and removes those that are on disk; false if some stay because it is full. */
	private async record(): Promise<boolean> {
		const { sessionId, services, eventLog, queue, lease, isClosed } = this.owner;
		const { store, log } = services;
		for (const entry of await store.inbox(sessionId)) {
			if (isClosed() || !lease.isHeld) return true;
			if (!queue.isKnown(entry.id)) {
				const sender = judgeSender(entry, sessionId, eventLog.state);
				if (typeof sender === "string") log(`a message in the inbox of the session ${sessionId} was refused: ${sender}`);
				else if (sender.about?.kind === "task" && sender.about.state === "cancelled")
					await this.noteStopped(sender.about, entry.message.text);
				else if (queue.isFull) return false;
				else await queue.put({ id: entry.id, ...entry.message }, sender);
			}
			if (eventLog.isSaved) await store.takeFromInbox(sessionId, entry.id);
		}
		return true;
	}

	/** A task was stopped in another window: its card changes, and no turn begins. */
	private async noteStopped({ session: task }: TaskNews, name: string): Promise<void> {
		const { eventLog } = this.owner;
		if (eventLog.state.tasks.get(task)?.state === "cancelled") return;
		await eventLog.emit({ type: "task", task, state: "cancelled", name: sanitizeForPrompt(name).slice(0, 60) }, "host");
	}
}

/**
 * Leaves a message for the window that has the session; if that window goes without taking it, this one does. Throws
 * SessionBlockedError if too many wait there.
 */
export async function postToInbox(
	{ sessionId, services: { store, now }, lease }: Destination,
	{ id = randomUUID(), text, images, attachments }: Message,
	{ about, ...from }: Sender,
): Promise<void> {
	const entries = await store.inbox(sessionId);
	if (entries.some((entry) => entry.id === id)) return lease.watchOwner();
	if (entries.length >= MAX_QUEUED || entries.length + (await store.load(sessionId)).state.queue.size >= MAX_QUEUED) {
		throw createQueueFullError();
	}
	const message = { text, ...(images && { images }), ...(attachments && { attachments }) };
	const entry = { id, at: now().toISOString(), message, from: { ...from }, ...(about && { about: { ...about } }) };
	await store.post(sessionId, entry).catch((cause: unknown) => {
		throw cause instanceof StorageError && cause.code === "INBOX_FULL" ? createQueueFullError() : cause;
	});
	lease.watchOwner();
}

interface Destination {
	readonly sessionId: string;
	readonly services: Pick<Services, "store" | "now">;
	readonly lease: Pick<Lease, "watchOwner">;
}

const text = z.string();
const count = z.number().min(0);
const permissions = z.array(text).transform((names) => PERMISSIONS.filter((permission) => names.includes(permission)));

const CallerSchema: z.ZodType<Caller> = z.object({
	session: text,
	turn: text,
	call: text,
	agent: text,
	role: text,
	ceiling: permissions,
	depth: count,
	chain: z.array(text),
	above: z.array(text).exactOptional(),
	budget: z.object({ id: text, tokens: z.number() }).exactOptional(),
	approval: z.enum(["ask", "plan", "edits", "auto"]).exactOptional(),
});

const usage = z.object({ input: count, output: count, cached: count, cost: count, unpriced: count });

const AnswerSchema: z.ZodType<AnsweredCall> = z.object({
	kind: z.literal("answer"),
	call: text,
	turn: text,
	agent: text,
	session: text,
	status: z.enum(["complete", "timeout", "error"]),
	outcome: text.exactOptional(),
	intro: count.exactOptional(),
	usage: usage.exactOptional(),
});

const NewsSchema: z.ZodType<TaskNews> = z.object({
	kind: z.literal("task"),
	session: text,
	call: text,
	turn: text,
	agent: text,
	state: z.enum(TASK_STATES),
	usage: usage.exactOptional(),
	intro: count.exactOptional(),
});

/** Nothing that arrives this way may be the user's, the API's, the host's or a model's. */
const SenderSchema = z.object({
	by: z.custom<Author>((by) => typeof by === "string" && isForeignAuthor(by)),
	ceiling: permissions.exactOptional(),
	session: text.exactOptional(),
	unattended: z.literal(true).exactOptional(),
	budget: z.object({ steps: count.exactOptional(), tokens: count.exactOptional() }).exactOptional(),
	caller: CallerSchema.exactOptional(),
	about: z.union([AnswerSchema, NewsSchema]).exactOptional(),
});

/**
 * The sender, or why the message is refused. Without a ceiling, the sender has no permissions; with a caller, at most the caller's.
 * An answer has the limits of the call that waits for it, whose turn it joins.
 */
function judgeSender({ from, about: subject }: InboxMessage, sessionId: string, state: Transcript): Sender | string {
	const parsed = SenderSchema.safeParse({ ...from, ...(subject && { about: subject }) });
	if (!parsed.success) return "its sender is not valid";
	const { ceiling = [], caller, ...sender } = parsed.data;
	const { about } = sender;
	if (sender.session === sessionId) return "it comes from the same session";
	if (about?.kind === "task" && (sender.session !== about.session || sender.by !== `agent:${about.agent}`))
		return "it is not from the task that it is about";
	if (!about) return { ...sender, ...(caller && { caller }), ceiling: intersect(ceiling, caller?.ceiling) };
	const call = findCall(state, about);
	if (!call || (call.turn ?? about.turn) !== about.turn) return "no call waits for the answer";
	const { budget } = call;
	return {
		...sender,
		about: { ...about, ...(budget && { budget }) },
		...(call.caller && { caller: call.caller }),
		ceiling: call.ceiling ?? [],
	};
}

/** The call that the message is about, if it was made here and may still bring such a message. */
function findCall(state: Transcript, about: AnsweredCall | TaskNews): EventOf<"delegated"> | undefined {
	if (about.kind === "task") {
		const event = findTaskCall(state, about.call);
		return event?.task === about.session && event.agent === about.agent ? event : undefined;
	}
	const event = openDelegations(state).find((open) => open.event.call === about.call)?.event;
	return event && event.task === undefined && (event.session ?? about.session) === about.session ? event : undefined;
}

function intersect(ceiling: readonly Permission[], other = ceiling): readonly Permission[] {
	return ceiling.filter((permission) => other.includes(permission));
}
