// Rewinds a session to a message with its files, retries messages, and continues after failures.

import { isForeignAuthor } from "../../core/author.ts";
import type { Author, EventOf, ReviewMark, TranscriptEvent } from "../../core/events.ts";
import { foldChangedFiles, toChangedFiles } from "../../core/transcript/changes.ts";
import { saidIn, spokenBy } from "../../core/transcript/spoken.ts";
import type { ChangedFiles, Transcript } from "../../core/transcript/state.ts";
import { t } from "../../shared/l10n.ts";
import { stripNotes } from "../prompt/promptFacts.ts";
import type { OpeningMessage, SessionContext, TurnEnd } from "../sessionContext.ts";
import type { Sender } from "../state/message.ts";
import { SessionBlockedError } from "../state/sessionBlocked.ts";
import { planRestore, type RestorePlan, type RestoreResult, restoreFiles, type SkippedFile } from "./restoreFiles.ts";

type UserEvent = EventOf<"user">;

/** Ensures that no turn runs and that the whole transcript is loaded, so that indexes are valid. Throws SessionBlockedError. */
export async function ensureIdle(session: SessionContext): Promise<void> {
	await session.turnOver();
	session.refuseWhileRunning();
	await session.lease.take();
	await session.whole();
	session.refuseWhileRunning();
}

/** The index of a message in this session. Throws SessionBlockedError if it no longer exists. */
export function findMessageIndex({ state }: SessionContext, message: string): number {
	const place = state.events.findIndex(({ id, type }) => id === message && type === "user");
	if (place < 0 || state.hidden.has(message))
		throw new SessionBlockedError("unknown-message", t("This message is no longer in the conversation."));
	return place;
}

/** The last visible message; -1 if there is none. `host` includes messages that only continued a turn. */
export function findLastMessageIndex({ events, hidden }: Transcript, { host = false } = {}): number {
	return events.findLastIndex(({ id, type, by }) => type === "user" && !hidden.has(id) && (host || by !== "host"));
}

/** File changes since then. Includes hidden branches because they changed files as well. */
export function changedFilesSince({ events }: Transcript, place: number): ChangedFiles {
	const carried = events.flatMap((event) => (event.type === "compacted" ? (event.carried?.since ?? []) : []));
	const files = toChangedFiles(carried.find(({ message }) => message === events[place]?.id)?.files ?? []);
	for (const event of events.slice(place)) {
		if (event.type === "result") foldChangedFiles(files, event);
		if (event.type !== "status") continue;
		const { reviewed: _, ...rest } = event;
		foldChangedFiles(files, rest, true);
	}
	return files;
}

export function planRewind(session: SessionContext, place: number): Promise<RestorePlan> {
	return planRestore(session, changedFilesSince(session.state, place).values());
}

/** Restores the files to their state before a message; `rewind` also rewinds the conversation. */
export async function rewindTo(session: SessionContext, place: number, rewind: boolean): Promise<void> {
	session.refuseWhileRunning();
	await using slot = await session.begin("person");
	const done = await restoreTo(session, place);
	if (rewind) await hide(session, findActionStart(session.state, place));
	await noteRestored(session, place, done);
	await slot.run(undefined);
}

async function restoreTo(session: SessionContext, place: number): Promise<RestoreResult> {
	return restoreFiles(session, await planRewind(session, place), (path) => session.state.changed.has(path));
}

async function noteRestored(session: SessionContext, place: number, { changes, left }: RestoreResult): Promise<void> {
	if (changes.length === 0 && left.length === 0) return;
	const { text } = session.state.events[place] as UserEvent;
	const paths = changes.map(({ path }) => path);
	const reviewed = reviewBaselines(session.state, place, paths);
	await session.note(`${formatRestored(quoteMessage(text), paths)}${formatSkippedFiles(left)}`, { changes, reviewed });
}

/** Resets each file's review baseline to what it was then, which also discards what the user has accepted since. */
function reviewBaselines({ events }: Transcript, place: number, paths: readonly string[]): ReviewMark[] {
	const then: ChangedFiles = new Map();
	for (const event of events.slice(0, place)) foldChangedFiles(then, event);
	return paths.flatMap((path) => {
		const file = then.get(path);
		if (file && !file.original) return [];
		return [{ path, ...(file?.original && { original: file.original }) }];
	});
}

/** Answers the last message again, or an edited version of it; the previous branch stays in the transcript. */
export async function retryMessage(
	session: SessionContext,
	place: number,
	restoring: boolean,
	{ words, notes = [] }: { words?: Partial<OpeningMessage>; notes?: string[] } = {},
): Promise<TurnEnd> {
	session.refuseWhileRunning();
	const message = session.state.events[place] as UserEvent;
	await using slot = await session.begin(createSender(session.state, place, message.by));
	const done = restoring ? await restoreTo(session, place) : undefined;
	await hide(session, place);
	if (done) await noteRestored(session, place, done);
	if (notes.length > 0) await session.note(notes.join("\n"));
	return await slot.run({ ...openingOf(message), ...words });
}

/** A turn is retried with the limits that it had; a request from another agent never gets the user's permissions. */
function createSender({ events, hidden }: Transcript, place: number, by: Author): Sender {
	const request = events.slice(0, place + 1).findLast((event) => event.type === "user" && event.by !== "host" && !hidden.has(event.id));
	const started = events.findLast((event): event is EventOf<"started"> => event.type === "started" && event.turn === request?.turn);
	if (started?.ceiling) return { by, ceiling: started.ceiling, ...(started.caller && { caller: started.caller }) };
	return { by, ...(request && isForeignAuthor(request.by) && { ceiling: [] }) };
}

/** Continues after a failure, an interruption or a limit: asks again if there is no answer yet, else continues from where it stopped. */
export async function continueSession(session: SessionContext): Promise<TurnEnd> {
	await ensureIdle(session);
	const { state } = session;
	const place = findLastMessageIndex(state, { host: true });
	const since = state.events.slice(place + 1).filter(({ id }) => !state.hidden.has(id));
	const answer = since.findLast((event): event is EventOf<"assistant"> => event.type === "assistant");
	if (place >= 0 && !since.some(isAnswer)) return retryMessage(session, place, false);
	const cut = answer !== undefined && spokenBy(answer).text.trim() !== "" && !answer.calls?.length;
	await using slot = await session.begin(createSender(state, place, "host"));
	return await slot.run({ text: "Go on.", ...(cut && { context: CUT }) });
}

/** Text for the model. */
const CUT =
	"[Your last message broke off before its end. Go on exactly where it stopped; the person has read the beginning, so repeat nothing of it.]";

/** Returns true if the message came with the approval of a plan; executing it again requires the user's approval. */
export function isPlanApproval({ events, hidden }: Transcript, place: number): boolean {
	const before = events.slice(0, place).findLast(({ id }) => !hidden.has(id));
	return before?.type === "role" && before.plan !== undefined;
}

function isAnswer(event: TranscriptEvent): boolean {
	return event.type === "result" || (event.type === "assistant" && (event.text.trim() !== "" || (event.calls?.length ?? 0) > 0));
}

/** The index where the user's action begins; an approval or an answer may precede its message. */
function findActionStart({ events, hidden }: Transcript, place: number): number {
	let first = place;
	for (let at = place - 1; at >= 0; at -= 1) {
		const event = events[at] as TranscriptEvent;
		if (hidden.has(event.id)) continue;
		const belongs = event.turn === undefined && ((event.type === "role" && event.plan) || event.type === "answered");
		if (!belongs) break;
		first = at;
	}
	return first;
}

/** Hides all events from there on. If that hides a plan's approval, the previous role applies again. */
async function hide({ state, eventLog, files }: SessionContext, place: number): Promise<void> {
	const { events, hidden } = state;
	const from = events[place] as TranscriptEvent;
	const removed = events.slice(place).filter((event) => !hidden.has(event.id));
	const messages = state.messages - removed.filter(counts).length;
	const role = events.findLast((event) => event.type === "role");
	const approved = role?.type === "role" && role.plan !== undefined && removed.includes(role);
	const earlier = events.slice(0, place).findLast((event): event is EventOf<"role"> => event.type === "role" && !hidden.has(event.id));
	await eventLog.emit({ type: "rewound", to: from.id, toSeq: from.seq, messages }, "person");
	files.forget();
	if (approved && earlier && earlier.role !== state.role) await eventLog.emit({ type: "role", role: earlier.role }, "host");
}

function counts(event: TranscriptEvent): boolean {
	return (event.type === "user" && event.by !== "host") || saidIn(event).trim() !== "";
}

/** Keeps the call that limits the message. Omits the note on changes, which is generated again with the current state. */
function openingOf({ text, context: whole, images, attachments, answers, caller }: UserEvent): OpeningMessage {
	const context = whole && stripNotes(whole);
	return {
		text,
		...(context && { context }),
		...(images && { images }),
		...(attachments && { attachments }),
		...(answers && { answers }),
		...(caller && { caller }),
	};
}

function formatRestored(before: string, paths: readonly string[]): string {
	if (paths.length === 0) return t("Nothing was restored.");
	if (paths.length === 1) return t("Restored {0} to its state before “{1}”.", paths[0] ?? "", before);
	return t("Restored {0} files to their state before “{1}”: {2}.", paths.length, before, paths.join(", "));
}

export function formatSkippedFiles(left: readonly SkippedFile[]): string {
	const more = left.length - MAX_NAMED;
	return [
		...left.slice(0, MAX_NAMED).map(({ path, why }) => t("{0} was not changed. {1}", path, why)),
		...(more > 0 ? [more === 1 ? t("1 more file was not changed.") : t("{0} more files were not changed.", more)] : []),
	]
		.map((sentence) => ` ${sentence}`)
		.join("");
}

/** Skipped files in one message. */
const MAX_NAMED = 10;

/** The beginning of a message, on one line. */
export function quoteMessage(text: string): string {
	const line = [...text.slice(0, 200).trim().replace(/\s+/g, " ")];
	return line.length > 40 ? `${line.slice(0, 39).join("").trimEnd()}…` : line.join("");
}
