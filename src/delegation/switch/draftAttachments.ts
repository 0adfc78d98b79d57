// Keeps attachments for the user's next message in a session, over a reload, until it is sent.
import type { Attachment } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { findSwitchableSession, RETURNED, readDraftAttachments } from "../../sessions/switchAttributes.ts";

/** Adds them to those that wait. */
export async function keepDraftAttachments(sessions: Sessions, sessionId: string, attachments: readonly Attachment[]): Promise<void> {
	if (attachments.length === 0) return;
	const { blobs } = sessions.services;
	const added = await Promise.all(
		attachments.map(async (attachment) => ({
			blob: await blobs.put(new TextEncoder().encode(JSON.stringify(attachment))),
			label: attachment.label,
		})),
	);
	const known = (await draftsOf(sessions, sessionId)).filter(({ blob }) => !added.some((one) => one.blob === blob));
	await sessions.mark(sessionId, RETURNED, [...known, ...added], "person");
}

/** Takes them for a message that is being sent. */
export async function takeDraftAttachments(sessions: Sessions, sessionId: string): Promise<Attachment[]> {
	const drafts = await draftsOf(sessions, sessionId);
	if (drafts.length === 0) return [];
	const loaded = await Promise.all(drafts.map(({ blob }) => loadAttachment(sessions, blob)));
	await sessions.mark(sessionId, RETURNED, undefined, "person");
	return loaded.flatMap((attachment) => attachment ?? []);
}

export async function removeDraftAttachment(sessions: Sessions, sessionId: string, blob: string): Promise<void> {
	const left = (await draftsOf(sessions, sessionId)).filter((draft) => draft.blob !== blob);
	await sessions.mark(sessionId, RETURNED, left.length > 0 ? left : undefined, "person");
}

/** The content of an attachment that waits; undefined if it no longer does. */
export async function readDraftAttachment(sessions: Sessions, sessionId: string, blob: string): Promise<Attachment | undefined> {
	const waits = (await draftsOf(sessions, sessionId)).some((draft) => draft.blob === blob);
	return waits ? loadAttachment(sessions, blob) : undefined;
}

async function draftsOf(sessions: Sessions, sessionId: string) {
	return readDraftAttachments(await findSwitchableSession(sessions, sessionId));
}

/** Blobs hold other content, too, which is never sent this way. */
async function loadAttachment({ services }: Sessions, blob: string): Promise<Attachment | undefined> {
	const bytes = await services.blobs.get(blob);
	if (!bytes) return undefined;
	const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
	if (!isRecord(value) || value["kind"] !== "conversation") return undefined;
	const { label, text } = value;
	return typeof label === "string" && typeof text === "string" ? { kind: "conversation", label, text } : undefined;
}
