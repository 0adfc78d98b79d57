// One session in the index: what was last seen of its files, and the summary that follows from it.
import type { Outcome, SessionSummary } from "../../core/events.ts";
import { LEGACY_IDENTITY } from "../../core/transcript/fold.ts";
import { isRecord } from "../files.ts";
import { parseSessionMetadata, type SessionMetadata } from "./sessionMeta.ts";

/** What a session's files looked like; equal stamps mean nothing was written since. */
export interface FileStamp {
	transcript: string;
	identity: string;
}

/** A session as last seen. Everything here can be rebuilt from its folder. */
export interface IndexEntry {
	stamp: FileStamp;
	/** The transcript's file and how far into it `folded` reaches. */
	inode: number;
	end: number;
	folded: FoldedSummary;
	identity?: SessionMetadata;
	/** When the folder came to be, for sessions that do not know better themselves. */
	born: string;
}

/** What the fold knows of a transcript that the list needs. */
export interface FoldedSummary {
	seq: number;
	messages: number;
	agent?: string;
	role?: string;
	snippet?: string;
	createdAt?: string;
	updatedAt?: string;
	/** How the last turn ended; absent while one runs. */
	outcome?: Outcome;
	/** Request ids of questions that nobody has answered yet. */
	questions?: string[];
	/** The newest plan, while it waits to be approved. */
	plan?: { planId: string; version: number };
}

export function toSessionSummary(sessionId: string, { identity, folded, born }: IndexEntry): SessionSummary {
	const createdAt = identity?.createdAt ?? folded.createdAt ?? born;
	const plan = folded.outcome === "waiting" && folded.plan !== undefined;
	const waits = [...(folded.questions ?? []).map(() => "question" as const), ...(plan ? ["plan" as const] : [])];
	return {
		sessionId,
		agentId: folded.agent ?? identity?.agentId ?? LEGACY_IDENTITY.agentId,
		...(identity?.name && { name: identity.name }),
		...(identity?.pinnedAt && { pinnedAt: identity.pinnedAt }),
		createdAt,
		updatedAt: later(folded.updatedAt, identity?.updatedAt) ?? createdAt,
		...(folded.snippet !== undefined && { lastSnippet: folded.snippet }),
		messageCount: folded.messages,
		...(identity?.attributes && { attributes: identity.attributes }),
		...(folded.outcome && { outcome: folded.outcome }),
		...(waits.length > 0 && { waits }),
		role: folded.role ?? identity?.role ?? LEGACY_IDENTITY.role,
	};
}

/** ISO times of one form compare as text. */
function later(one: string | undefined, other: string | undefined): string | undefined {
	return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** An entry as it was kept somewhere, undefined when it is not one. */
export function parseIndexEntry(value: unknown): IndexEntry | undefined {
	if (!isRecord(value)) return undefined;
	const { stamp, folded, inode, end, born } = value;
	if (!isRecord(stamp) || !isRecord(folded)) return undefined;
	const whole = typeof stamp["transcript"] === "string" && typeof stamp["identity"] === "string" && typeof born === "string";
	const counted = [inode, end, folded["seq"], folded["messages"]].every((number) => typeof number === "number");
	if (!whole || !counted) return undefined;
	if (value["identity"] !== undefined && !parseSessionMetadata(value["identity"])) return undefined;
	return value as unknown as IndexEntry;
}
