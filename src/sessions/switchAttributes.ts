// Reads the attributes of sessions that the user switched to, or returned to with a summary.
import type { SessionSummary } from "../core/events.ts";
import { isRecord } from "../core/isRecord.ts";

/** Attribute of a session that the user switched to: where they came from. */
export const SWITCHED_FROM = "switchedFrom";
/** Attribute of a session that the user returned to: what goes along with their next message. */
export const RETURNED = "returned";

/** Ids of the session that the user came from, and of its agent. */
export interface SwitchOrigin {
	session: string;
	agent: string;
}

/** An attachment of the user's next message, as a chip in the composer. Its content is a blob. */
export interface DraftAttachment {
	blob: string;
	label: string;
}

/** A session by its id; undefined for a task, to which nobody can switch. */
export async function findSwitchableSession(
	sessions: { find(sessionId: string): Promise<SessionSummary | undefined> },
	sessionId: string,
): Promise<SessionSummary | undefined> {
	const found = await sessions.find(sessionId);
	return found?.kind === "task" ? undefined : found;
}

export function readSwitchOrigin(summary: SessionSummary | undefined): SwitchOrigin | undefined {
	const value = summary?.attributes?.[SWITCHED_FROM];
	if (!isRecord(value)) return undefined;
	const { session, agent } = value;
	return typeof session === "string" && typeof agent === "string" ? { session, agent } : undefined;
}

export function readDraftAttachments(summary: SessionSummary | undefined): DraftAttachment[] {
	const value = summary?.attributes?.[RETURNED];
	return Array.isArray(value)
		? value.flatMap((entry: unknown) => (isDraftAttachment(entry) ? [{ blob: entry.blob, label: entry.label }] : []))
		: [];
}

function isDraftAttachment(value: unknown): value is DraftAttachment {
	return isRecord(value) && typeof value["blob"] === "string" && /^[0-9a-f]{64}$/.test(value["blob"]) && typeof value["label"] === "string";
}
