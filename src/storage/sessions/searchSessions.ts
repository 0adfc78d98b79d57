// Searches the text of sessions of any size in bounded memory.
import { join } from "node:path";
import type { TranscriptEvent } from "../../core/events.ts";
import type { SessionSearchMatch } from "../../core/ports/sessions.ts";
import { parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { readLines } from "../transcripts/lines.ts";
import { listArchives } from "./archives.ts";
import { CURRENT_TRANSCRIPT } from "./readIndexEntry.ts";
import type { SessionPaths } from "./sessionPaths.ts";

/** Characters shown before and after a match. */
const AROUND = 60;

/** Yields at most one match per session, in the given order, from visible messages; case-insensitive. */
export async function* searchSessions(
	files: StorageFileSystem,
	places: readonly SessionPaths[],
	words: string,
	signal: AbortSignal,
): AsyncGenerator<SessionSearchMatch> {
	const wanted = words.toLowerCase();
	// As escaped in JSON; a line without it needs no parsing.
	const written = JSON.stringify(wanted).slice(1, -1);
	for (const { folder, sessionId } of places) {
		// Messages that were summarized are in an archive, but still part of the conversation.
		const archives = await listArchives(files, folder).catch(() => []);
		for (const name of [CURRENT_TRANSCRIPT, ...archives.toReversed()]) {
			const text = await firstIn(files, join(folder, name), { wanted, written }, signal);
			if (text === undefined) continue;
			yield { sessionId, text };
			break;
		}
	}
}

async function firstIn(
	files: StorageFileSystem,
	path: string,
	{ wanted, written }: { wanted: string; written: string },
	signal: AbortSignal,
): Promise<string | undefined> {
	let hit: { seq: number; text: string } | undefined;
	for await (const { lines } of readLines(files, path)) {
		if (signal.aborted) return undefined;
		for (const line of lines) {
			const raw = line?.toString("utf8");
			// After a match, only later rewinds matter.
			if (!raw || !(hit ? raw.includes(REWOUND) : raw.toLowerCase().includes(written))) continue;
			const event = parseJson(raw) as Partial<TranscriptEvent> | undefined;
			if (!hit) hit = hitIn(event, wanted);
			else if (event?.type === "rewound" && (event.toSeq ?? Number.POSITIVE_INFINITY) <= hit.seq) hit = undefined;
		}
	}
	return hit?.text;
}

const REWOUND = '"rewound"';

function hitIn(event: Partial<TranscriptEvent> | undefined, wanted: string): { seq: number; text: string } | undefined {
	for (const text of textsOf(event)) {
		const at = text.toLowerCase().indexOf(wanted);
		if (at >= 0) return { seq: event?.seq ?? 0, text: excerpt(text, at, wanted.length) };
	}
	return undefined;
}

/** Text that the user reads in the conversation. */
function textsOf(event: Partial<TranscriptEvent> | undefined): string[] {
	const isMessage = event?.type === "user" || event?.type === "reply" || (event?.type === "assistant" && !event.unspoken);
	const message = isMessage ? event.text : undefined;
	const planText = event?.type === "plan" ? [event.plan?.goal, ...(event.plan?.steps ?? []).map(({ action }) => action)] : [];
	const question = event?.type === "question" ? event.question?.question : undefined;
	return [message, question, ...planText].filter((text) => typeof text === "string");
}

function excerpt(text: string, at: number, length: number): string {
	const [from, to] = [Math.max(0, at - AROUND), Math.min(text.length, at + length + AROUND)];
	const shown = text.slice(from, to).replace(/\s+/g, " ").trim();
	return `${from > 0 ? "…" : ""}${shown}${to < text.length ? "…" : ""}`;
}
