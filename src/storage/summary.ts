// What the list of sessions shows of one, derived from its files by the one fold and resumed where the last look ended.
import { join } from "node:path";
import type { SessionSummary, TranscriptEvent } from "../core/events.ts";
import type { Blobs } from "../core/ports.ts";
import { apply, emptyTranscript, type Transcript } from "../core/transcript.ts";
import { type Files, isMissing, isRecord } from "./files.ts";
import { IDENTITY, type Identity, parseIdentity, readIdentity } from "./identity.ts";
import { readEvents } from "./transcriptFile.ts";

export const CURRENT = "current.jsonl";

/** Characters of a message that a list may quote from. */
const QUOTED = 512;

/** What a session's files looked like; equal stamps mean nothing was written since. */
interface Stamp {
	transcript: string;
	identity: string;
}

/** A session as last seen. Everything here can be rebuilt from its folder. */
export interface Entry {
	stamp: Stamp;
	/** The transcript's file and how far into it `folded` reaches. */
	inode: number;
	end: number;
	folded: Folded;
	identity?: Identity;
	/** When the folder came to be, for sessions that do not know better themselves. */
	born: string;
}

/** What the fold knows of a transcript that the list needs. */
interface Folded {
	seq: number;
	messages: number;
	agent?: string;
	role?: string;
	snippet?: string;
	createdAt?: string;
	updatedAt?: string;
}

/** Undefined when the folder holds no session. */
export async function readStamp(files: Files, folder: string): Promise<{ stamp: Stamp; inode: number; born: string } | undefined> {
	const [transcript, identity] = await Promise.all([statOf(files, join(folder, CURRENT)), statOf(files, join(folder, IDENTITY))]);
	const oldest = identity ?? transcript;
	if (!oldest) return undefined;
	return {
		stamp: { transcript: markOf(transcript), identity: markOf(identity) },
		inode: transcript?.ino ?? 0,
		born: oldest.birthtime.toISOString(),
	};
}

/** Looks at a session anew, reading only what was appended since `previous` where that is all that happened. */
export async function lookAt(files: Files, blobs: Blobs, folder: string, previous: Entry | undefined): Promise<Entry | undefined> {
	const seen = await readStamp(files, folder);
	if (!seen) return undefined;
	const { stamp, inode } = seen;
	const identity = previous?.stamp.identity === stamp.identity ? previous.identity : await readIdentity(files, folder);
	const born = previous?.born ?? seen.born;
	const entry: Entry = { stamp, inode, end: 0, folded: { seq: 0, messages: 0 }, born, ...(identity && { identity }) };
	if (previous && previous.stamp.transcript === stamp.transcript) return { ...entry, end: previous.end, folded: previous.folded };
	const grew = previous !== undefined && inode !== 0 && previous.inode === inode && sizeOf(stamp) > sizeOf(previous.stamp);
	const from = grew ? previous.end : 0;
	return { ...entry, ...(await fold(files, blobs, folder, from, grew ? previous.folded : entry.folded, identity?.createdAt ?? born)) };
}

export function summaryOf(sessionId: string, { identity, folded, born }: Entry): SessionSummary {
	const createdAt = identity?.createdAt ?? folded.createdAt ?? born;
	const unwritten = emptyTranscript();
	return {
		sessionId,
		agentId: folded.agent ?? identity?.agentId ?? unwritten.agent,
		...(identity?.name && { name: identity.name }),
		...(identity?.pinnedAt && { pinnedAt: identity.pinnedAt }),
		createdAt,
		updatedAt: later(folded.updatedAt, identity?.updatedAt) ?? createdAt,
		...(folded.snippet !== undefined && { lastSnippet: folded.snippet }),
		messageCount: folded.messages,
		...(identity?.attributes && { attributes: identity.attributes }),
		role: folded.role ?? identity?.role ?? unwritten.role,
	};
}

/** ISO times of one form compare as text. */
function later(one: string | undefined, other: string | undefined): string | undefined {
	return one === undefined || (other !== undefined && other > one) ? other : one;
}

/** An entry as it was kept somewhere, undefined when it is not one. */
export function parseEntry(value: unknown): Entry | undefined {
	if (!isRecord(value)) return undefined;
	const { stamp, folded, inode, end, born } = value;
	if (!isRecord(stamp) || !isRecord(folded)) return undefined;
	const whole = typeof stamp["transcript"] === "string" && typeof stamp["identity"] === "string" && typeof born === "string";
	const counted = [inode, end, folded["seq"], folded["messages"]].every((number) => typeof number === "number");
	if (!whole || !counted) return undefined;
	if (value["identity"] !== undefined && !parseIdentity(value["identity"])) return undefined;
	return value as unknown as Entry;
}

async function fold(files: Files, blobs: Blobs, folder: string, from: number, start: Folded, at: string) {
	const state = resume(start);
	let folded = start;
	let end = from;
	for await (const batch of readEvents(join(folder, CURRENT), { files, blobs, from, seq: start.seq, at, heads: () => true })) {
		// What follows the last newline is not settled: it may be torn away or completed, so it is looked at again.
		if (batch.end === end) break;
		end = batch.end;
		for (const event of batch.events) forgetHistory(apply(state, shortened(event)));
		folded = essence(state);
	}
	return { folded, end };
}

/** The list quotes the beginning of a message; the fold would look through all of it. */
function shortened(event: TranscriptEvent): TranscriptEvent {
	if ((event.type !== "user" && event.type !== "assistant") || event.text.length <= QUOTED) return event;
	return { ...event, text: event.text.trimStart().slice(0, QUOTED) };
}

/** "" stands for what no event has said yet. */
function resume(folded: Folded): Transcript {
	const state = emptyTranscript();
	state.seq = folded.seq;
	state.messages = folded.messages;
	state.agent = folded.agent ?? "";
	state.role = folded.role ?? "";
	if (folded.snippet !== undefined) state.snippet = folded.snippet;
	if (folded.createdAt) state.createdAt = folded.createdAt;
	if (folded.updatedAt) state.updatedAt = folded.updatedAt;
	return state;
}

function essence(state: Transcript): Folded {
	return {
		seq: state.seq,
		messages: state.messages,
		...(state.agent && { agent: state.agent }),
		...(state.role && { role: state.role }),
		...(state.snippet !== undefined && { snippet: state.snippet }),
		...(state.createdAt && { createdAt: state.createdAt }),
		...(state.updatedAt && { updatedAt: state.updatedAt }),
	};
}

/** The list needs no history, and a transcript may be larger than memory. */
function forgetHistory(state: Transcript): void {
	state.events.length = 0;
	state.calls.clear();
	state.requests.clear();
	state.plans.length = 0;
	delete state.run;
}

async function statOf(files: Files, path: string) {
	try {
		return await files.stat(path);
	} catch (cause) {
		if (isMissing(cause)) return undefined;
		throw cause;
	}
}

function markOf(stat: { size: number; mtimeMs: number; ino: number } | undefined): string {
	return stat ? `${stat.size} ${stat.mtimeMs} ${stat.ino}` : "";
}

function sizeOf(stamp: Stamp): number {
	return Number.parseInt(stamp.transcript, 10) || 0;
}
