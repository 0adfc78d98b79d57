// Reads an archived conversation as numbered passages of text for models, in bounded memory.
import type { ToolCall, TranscriptEvent } from "../../core/events.ts";
import type { SessionStore } from "../../core/ports/sessions.ts";
import { wrapInTag } from "../../core/prompt.ts";
import { withoutThought } from "../../core/transcript/spoken.ts";
import { callOfReply, formatTranscriptPart, KEPT, type TextLimits } from "./transcriptText.ts";

export interface ArchiveSource {
	store: Pick<SessionStore, "stream">;
	sessionId: string;
	/** Name of the archive; the transcript itself if absent. */
	file?: string;
	/** Removes secrets from a text. Applied before texts are divided, so that no part of one remains. */
	hide(text: string): string;
	/** Limits of what is kept of each text; all of it if absent. */
	kept?: TextLimits;
	signal: AbortSignal;
}

/** A part of an archive. Each passage is in a tag with its number, author and time, which its text cannot close. */
export interface ArchivePage {
	/** Empty if there is nothing to show from there on. */
	passages: string[];
	/** Numbers of the first and the last passage shown; 0 if none is. */
	first: number;
	last: number;
	/** Number of the first passage that did not fit; absent at the end. */
	next?: number;
	/** Name of the archive that this one continues. */
	earlier?: string;
	/** Number of passages read. */
	read: number;
}

/** An event's text, divided into passages of limited length. */
interface Entry {
	event: TranscriptEvent;
	text: string;
	/** Number of the first passage. */
	number: number;
	/** Start and end of each passage in the text. */
	pieces: Piece[];
}

type Piece = readonly [start: number, end: number];

/** Maximum characters of a passage, and around a match. */
const PASSAGE = 4_000;
const AROUND = 240;
/** Maximum bytes of the passages of a page, which leaves room for the sentence above them, and of matches. */
const PAGE = 31_000;
const MATCHES = 12_000;

/** Everything that was said is in the archive, also what a summary or a model's window would shorten. */
const WHOLE: TextLimits = { said: Infinity, output: Infinity, attachment: Infinity, input: Infinity };

/** Reads as many passages as fit, from that number on. */
export function readArchivePage(source: ArchiveSource, from: number): Promise<ArchivePage> {
	return collect(source, { from, limit: PAGE }, ({ text, pieces }) =>
		pieces.map(([start, end]) => ({ text: text.slice(start, end), start })),
	);
}

/** The passages with that text, in any case, from that number on, with what stands around its first occurrence in each. */
export function findInArchive(source: ArchiveSource, find: string, from: number): Promise<ArchivePage> {
	const pattern = new RegExp(find.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
	return collect(source, { from, limit: MATCHES }, ({ text, pieces }) => {
		const found = [...text.matchAll(pattern)].map(({ index, 0: { length } }) => [index, index + length] as const);
		return pieces.map(([start, end]) => {
			const inside = found.filter(([at]) => at >= start && at < end);
			const [first] = inside;
			if (!first) return undefined;
			const excerpt = [cutAt(text, Math.max(0, first[0] - AROUND)), cutAt(text, Math.min(text.length, first[1] + AROUND))] as const;
			const more = inside.length > 1 ? ` [${inside.length - 1} more here]` : "";
			return { text: `${excerpt[0] > 0 ? "…" : ""}${text.slice(...excerpt)}${excerpt[1] < text.length ? "…" : ""}${more}`, start };
		});
	});
}

/**
 * Yields what was said in a session from its beginning, also before summaries and in what is not in memory, as `listTranscriptParts` has
 * it.
 */
export async function* readSessionTexts(
	store: Pick<SessionStore, "archives" | "stream">,
	sessionId: string,
	signal: AbortSignal,
): AsyncGenerator<string> {
	/** A summary repeats events that are still needed. */
	const seen = new Set<string>();
	const archives = await store.archives(sessionId);
	for (const file of [...archives, undefined]) {
		const source = { store, sessionId, ...(file !== undefined && { file }), hide: (text: string) => text, kept: KEPT, signal };
		for await (const { event, text } of readEntries(source, await surveyArchive(source))) {
			if (seen.has(event.id) || (event.type === "compacted" && archives.includes(event.archive))) continue;
			seen.add(event.id);
			yield text;
		}
	}
}

/** Returns what is shown of each of an entry's passages; undefined leaves one out. */
type Show = (entry: Entry) => readonly ({ text: string; start: number } | undefined)[];

async function collect(source: ArchiveSource, { from, limit }: { from: number; limit: number }, show: Show): Promise<ArchivePage> {
	const survey = await surveyArchive(source);
	const { earlier } = survey;
	const page: ArchivePage = { passages: [], first: 0, last: 0, read: 0, ...(earlier !== undefined && { earlier }) };
	let left = limit;
	for await (const entry of readEntries(source, survey)) {
		const last = entry.number + entry.pieces.length - 1;
		page.read = last;
		if (last < from) continue;
		for (const [index, shown] of show(entry).entries()) {
			const number = entry.number + index;
			if (number < from || !shown) continue;
			const passage = formatPassage(entry, number, shown.text);
			left -= Buffer.byteLength(passage) + 2;
			if (left < 0 && page.passages.length > 0) return { ...page, next: number };
			page.passages.push(passage);
			page.first ||= number;
			page.last = number;
		}
	}
	return page;
}

function formatPassage({ event, number: first, pieces }: Entry, number: number, text: string): string {
	const part = pieces.length > 1 && { part: `${number - first + 1} of ${pieces.length}` };
	return wrapInTag(
		"passage",
		{ number: String(number), by: event.type === "result" ? "tool" : event.by, at: event.at, ...(part || {}) },
		text,
	);
}

interface Survey {
	/** First and last sequence numbers of what was rewound. */
	hidden: (readonly [first: number, last: number])[];
	/** Ids of the calls that made a reply. */
	replied: Set<string>;
	earlier?: string;
}

/** Collects what applies to passages although it stands elsewhere in the archive. */
async function surveyArchive({ store, sessionId, file, signal }: ArchiveSource): Promise<Survey> {
	const survey: Survey = { hidden: [], replied: new Set() };
	/** Earlier versions did not record the position. */
	const targets = new Map<string, number>();
	for await (const event of store.stream(sessionId, file)) {
		signal.throwIfAborted();
		for (const call of callOfReply(event)) survey.replied.add(call);
		if (event.type === "compacted") survey.earlier = event.archive;
		if (event.type !== "rewound") continue;
		if (event.toSeq === undefined) targets.set(event.to, event.seq);
		else survey.hidden.push([event.toSeq, event.seq]);
	}
	if (targets.size === 0) return survey;
	for await (const { id, seq } of store.stream(sessionId, file)) {
		signal.throwIfAborted();
		const last = targets.get(id);
		if (last !== undefined) survey.hidden.push([seq, last]);
	}
	return survey;
}

async function* readEntries(source: ArchiveSource, { hidden, replied }: Survey): AsyncGenerator<Entry> {
	const { store, sessionId, file, hide, kept = WHOLE, signal } = source;
	const calls = new Map<string, ToolCall>();
	const context = { findCall: (id: string) => calls.get(id), replied, kept };
	let number = 1;
	for await (const event of store.stream(sessionId, file)) {
		signal.throwIfAborted();
		if (hidden.some(([first, last]) => first <= event.seq && event.seq <= last)) continue;
		if (event.type === "assistant") for (const call of event.calls ?? []) calls.set(call.id, call);
		const text = hide(formatTranscriptPart(withoutThought(event), context));
		if (event.type === "result") calls.delete(event.call);
		if (text.trim() === "") continue;
		const pieces = divide(text);
		yield { event, text, number, pieces };
		number += pieces.length;
	}
}

/** Divides at ends of lines where there are some, and never inside a character. */
function divide(text: string): Piece[] {
	const pieces: Piece[] = [];
	for (let start = 0; start < text.length; ) {
		const most = cutAt(text, Math.min(text.length, start + PASSAGE));
		const line = most === text.length ? -1 : text.lastIndexOf("\n", most - 1);
		const end = line > start + PASSAGE / 2 ? line + 1 : most;
		pieces.push([start, end]);
		start = end;
	}
	return pieces;
}

/** Moves a position out of the middle of a character. */
function cutAt(text: string, at: number): number {
	return at > 0 && at < text.length && /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;
}
