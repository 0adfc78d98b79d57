// Derives a session's list entry from its files, continuing from the previous read.

import { join } from "node:path";
import type { EventOf, Outcome, SessionSummary, TranscriptEvent, TranscriptKind } from "../../core/events.ts";
import { isRecord } from "../../core/isRecord.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { openDelegations } from "../../core/transcript/delegations.ts";
import { applyEvent, createTranscript, LEGACY_IDENTITY } from "../../core/transcript/fold.ts";
import { currentPlan, pendingRequests, type Transcript } from "../../core/transcript/state.ts";
import { isNotFound, type StorageFileSystem } from "../fileSystem.ts";
import { readEvents } from "../transcripts/transcriptFile.ts";
import { metadataPath, parseSessionMetadata, readSessionMetadata, type SessionMetadata, type TranscriptFolder } from "./sessionMetadata.ts";
import { salvageTaskRecord } from "./taskRecord.ts";

export const CURRENT_TRANSCRIPT = "current.jsonl";

/** Characters of a message that a list may quote. */
const QUOTED = 512;

/** Returns undefined if the folder contains no session. */
export async function readFileStamp(
	files: StorageFileSystem,
	place: TranscriptFolder,
): Promise<{ stamp: FileStamp; inode: number; born: string } | undefined> {
	const [transcript, identity] = await Promise.all([
		statOf(files, join(place.folder, CURRENT_TRANSCRIPT)),
		statOf(files, metadataPath(place)),
	]);
	const oldest = identity ?? transcript;
	if (!oldest) return undefined;
	return {
		stamp: { transcript: markOf(transcript), identity: markOf(identity) },
		inode: transcript?.ino ?? 0,
		born: oldest.birthtime.toISOString(),
	};
}

/** Updates a session's entry, reading only what was appended since `previous` if nothing else has changed. */
export async function readIndexEntry(
	files: StorageFileSystem,
	place: TranscriptFolder & { blobs: BlobStore },
	previous: IndexEntry | undefined,
): Promise<IndexEntry | undefined> {
	const seen = await readFileStamp(files, place);
	if (!seen) return undefined;
	const { folder, kind, blobs } = place;
	const { stamp, inode } = seen;
	const identity = previous?.stamp.identity === stamp.identity ? previous.identity : await readSessionMetadata(files, place);
	const born = previous?.born ?? seen.born;
	const base = { stamp, inode, end: 0, folded: { seq: 0, messages: 0 }, born };
	const entry: IndexEntry = { ...base, ...(kind !== "session" && { kind }), ...(identity && { identity }) };
	if (previous && previous.stamp.transcript === stamp.transcript) return { ...entry, end: previous.end, folded: previous.folded };
	const grew = previous !== undefined && inode !== 0 && previous.inode === inode && sizeOf(stamp) > sizeOf(previous.stamp);
	const from = grew ? previous.end : 0;
	return { ...entry, ...(await fold(files, blobs, folder, from, grew ? previous.folded : entry.folded, identity?.createdAt ?? born)) };
}

async function fold(files: StorageFileSystem, blobs: BlobStore, folder: string, from: number, start: FoldedSummary, at: string) {
	const state = resume(start);
	let folded = start;
	let { askedBy } = start;
	let end = from;
	for await (const batch of readEvents(join(folder, CURRENT_TRANSCRIPT), {
		files,
		blobs,
		from,
		seq: start.seq,
		at,
		keepHeadsOnly: () => true,
	})) {
		// Text after the last newline may still be removed or completed, so it is read again later.
		if (batch.end === end) break;
		end = batch.end;
		for (const event of batch.events) {
			forgetHistory(applyEvent(state, shorten(event)), event);
			askedBy = askedByAfter(event, askedBy);
		}
		folded = { ...toSummary(state), ...(askedBy && { askedBy }) };
	}
	return { folded, end };
}

/** A question or a plan is part of the call that led to it. */
function askedByAfter(event: TranscriptEvent, before: FoldedSummary["askedBy"]): FoldedSummary["askedBy"] {
	if (event.type === "started") return event.caller && { agent: event.caller.agent, session: event.caller.session };
	const ends = event.type === "rewound" || (event.type === "ended" && event.outcome !== "waiting");
	return ends ? undefined : before;
}

/** Shortens the text, because a list quotes only its beginning and the fold would scan all of it. */
function shorten(event: TranscriptEvent): TranscriptEvent {
	if ((event.type !== "user" && event.type !== "assistant" && event.type !== "reply") || event.text.length <= QUOTED) return event;
	return { ...event, text: event.text.trimStart().slice(0, QUOTED) };
}

/** "" means that no event has set the value yet. */
function resume(folded: FoldedSummary): Transcript {
	const state = createTranscript();
	state.seq = folded.seq;
	state.messages = folded.messages;
	state.agent = folded.agent ?? "";
	state.role = folded.role ?? "";
	if (folded.snippet !== undefined) state.snippet = folded.snippet;
	if (folded.createdAt) state.createdAt = folded.createdAt;
	if (folded.updatedAt) state.updatedAt = folded.updatedAt;
	if (folded.outcome) state.outcome = folded.outcome;
	for (const request of folded.questions ?? []) {
		state.requests.set(request, {
			kind: "question",
			state: "pending",
			event: { ...STUB, type: "question", request, question: { question: "" } },
		});
	}
	if (folded.plan) {
		const event: EventOf<"plan"> = { ...STUB, type: "plan", ...folded.plan, hash: "", plan: { goal: "", steps: [] }, basis: { files: [] } };
		state.plans.push({ event, state: "proposed", steps: new Map(), deviations: [] });
	}
	for (const message of folded.queued ?? []) state.queue.set(message, { ...STUB, type: "queued", message, from: "host", text: "" });
	for (const call of folded.delegated ?? []) state.delegations.set(call, { event: { ...STUB, type: "delegated", call } });
	return state;
}

/** Stands in for an event of which only the id matters from here on. */
const STUB = { id: "", seq: 0, at: "", by: "host" } as const;

function toSummary(state: Transcript): FoldedSummary {
	const questions = pendingRequests(state).flatMap(({ kind, event }) => (kind === "question" ? [event.request] : []));
	const plan = currentPlan(state);
	const delegated = openDelegations(state).map(({ event }) => event.call);
	return {
		seq: state.seq,
		messages: state.messages,
		...(state.agent && { agent: state.agent }),
		...(state.role && { role: state.role }),
		...(state.snippet !== undefined && { snippet: state.snippet }),
		...(state.createdAt && { createdAt: state.createdAt }),
		...(state.updatedAt && { updatedAt: state.updatedAt }),
		...(state.outcome && { outcome: state.outcome }),
		...(questions.length > 0 && { questions }),
		...(plan?.state === "proposed" && { plan: { planId: plan.event.planId, version: plan.event.version } }),
		...(state.queue.size > 0 && { queued: [...state.queue.keys()] }),
		...(delegated.length > 0 && { delegated }),
	};
}

/** Drops history, because a list needs only pending items and a transcript may be larger than memory. */
function forgetHistory(state: Transcript, { type }: TranscriptEvent): void {
	state.events.length = 0;
	state.calls.clear();
	// What was pending at the rewind target is unknown here; opening the session determines it.
	if (type === "rewound") {
		state.requests.clear();
		state.plans.length = 0;
		delete state.outcome;
	}
	for (const [id, { kind, state: now }] of state.requests) if (kind === "approval" || now !== "pending") state.requests.delete(id);
	state.plans = state.plans.filter((plan) => plan.state === "proposed").slice(-1);
	delete state.run;
	for (const [call, { ended }] of state.delegations) if (ended !== undefined) state.delegations.delete(call);
}

async function statOf(files: StorageFileSystem, path: string) {
	try {
		return await files.stat(path);
	} catch (cause) {
		if (isNotFound(cause)) return undefined;
		throw cause;
	}
}

function markOf(stat: { size: number; mtimeMs: number; ino: number } | undefined): string {
	return stat ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : "";
}

function sizeOf(stamp: FileStamp): number {
	return Number.parseInt(stamp.transcript, 10) || 0;
}

/** The state of a session's files; equal stamps mean that nothing was written since. */
interface FileStamp {
	transcript: string;
	identity: string;
}

/** A session as last read. Everything here can be rebuilt from its folder. */
export interface IndexEntry {
	/** "session" if absent. */
	kind?: TranscriptKind;
	stamp: FileStamp;
	/** The transcript's inode, and the offset up to which `folded` covers it. */
	inode: number;
	end: number;
	folded: FoldedSummary;
	identity?: SessionMetadata;
	/** Creation time of the folder, for sessions without a time of their own. */
	born: string;
}

/** The parts of a folded transcript that the list needs. */
interface FoldedSummary {
	seq: number;
	messages: number;
	agent?: string;
	role?: string;
	snippet?: string;
	createdAt?: string;
	updatedAt?: string;
	/** The outcome of the last turn; absent while one is running. */
	outcome?: Outcome;
	/** Request ids of unanswered questions. */
	questions?: string[];
	/** The newest plan while it awaits approval. */
	plan?: { planId: string; version: number };
	/** Ids of messages that no turn has taken. */
	queued?: string[];
	/** Ids of calls to agents whose answer is still to come. */
	delegated?: string[];
	askedBy?: { agent: string; session: string };
}

export function toSessionSummary(sessionId: string, { kind, identity, folded, born }: IndexEntry): SessionSummary {
	const createdAt = identity?.createdAt ?? folded.createdAt ?? born;
	const plan = folded.outcome === "waiting" && folded.plan !== undefined;
	const waits = [...(folded.questions ?? []).map(() => "question" as const), ...(plan ? ["plan" as const] : [])];
	return {
		sessionId,
		...(kind && { kind }),
		...(kind === "task" && { task: identity?.task ?? salvageTaskRecord(undefined) }),
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
		...(folded.askedBy && { askedBy: folded.askedBy }),
		...((folded.queued || folded.delegated) && { unsettled: true as const }),
		role: folded.role ?? identity?.role ?? LEGACY_IDENTITY.role,
	};
}

/** ISO times in the same format compare as strings. */
function later(left: string | undefined, right: string | undefined): string | undefined {
	return left === undefined || (right !== undefined && right > left) ? right : left;
}

/** Validates a stored entry; undefined if it is invalid. */
export function parseIndexEntry(value: unknown): IndexEntry | undefined {
	if (!isRecord(value)) return undefined;
	const { kind, stamp, folded, inode, end, born } = value;
	if (!isRecord(stamp) || !isRecord(folded)) return undefined;
	const whole = typeof stamp["transcript"] === "string" && typeof stamp["identity"] === "string" && typeof born === "string";
	const counted = [inode, end, folded["seq"], folded["messages"]].every((number) => typeof number === "number");
	if (!whole || !counted) return undefined;
	if (kind !== undefined && kind !== "task") return undefined;
	const identity = value["identity"] === undefined ? undefined : parseSessionMetadata(value["identity"], kind ?? "session");
	if (value["identity"] !== undefined && !identity) return undefined;
	return { ...(value as unknown as IndexEntry), ...(identity && { identity }) };
}
