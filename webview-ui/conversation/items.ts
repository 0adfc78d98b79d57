// Types of the conversation's items, and their status.

// An item's `stamp` changes when its display changes, so that all other items can stay as they are on the page.
import type { Attachment, BlobRef, ChangedFile, EventOf, HelpCommand, Outcome, ToolView } from "../../src/core/events.ts";
import { changesInView, findChangeStatus } from "../../src/core/transcript/changes.ts";
import type { CallState, ChangeOutcome, PlanState, RequestState, Transcript } from "../../src/core/transcript/state.ts";
import { t } from "../../src/shared/l10n.ts";
import type { ToolCallStatus } from "./toolCallLabels.ts";

interface Base {
	/** Stable over the life of the item. */
	key: string;
	stamp: string;
}

export interface MessageItem extends Base {
	kind: "message";
	/** `live`: its text still streams and is not in the item. */
	speaker: "person" | "agent" | "live" | "other";
	/** Id of the agent that speaks, or the name of another author. */
	author: string;
	/** Id of the event it stands for; a `live` one has none yet. */
	event?: string;
	text: string;
	thinking?: string;
	attachments?: readonly Attachment[];
	images?: readonly BlobRef[];
}

export interface ToolCallsItem extends Base {
	kind: "calls";
	calls: CallState[];
	/** What was thought on the way. */
	thoughts: ThinkingBlock[];
}

export interface ThinkingBlock {
	/** Of its event. */
	id: string;
	text: string;
	/** The place in `calls` before which it stands. */
	callIndex: number;
}

/** Under this key a thought is opened or closed. */
export function thinkingKey(session: string | undefined, id: string): string {
	return `thinking:${session}:${id}`;
}

/** The first call of a turn that changed files. */
export interface ChangeItem extends Base {
	kind: "change";
	entry: CallState;
	view: Extract<ToolView, { kind: "change" }>;
}

/** What a turn that has ended changed. */
export interface TurnChangesItem extends Base {
	kind: "turn";
	turn: string;
	/** Those that are not undone; all of them where none is left. */
	files: readonly ChangedFile[];
	/** Some of it is neither kept nor undone. */
	needsReview: boolean;
	/** What became of it, where that is the same of all. */
	outcome: ChangeOutcome | undefined;
}

export interface PlanItem extends Base {
	kind: "plan";
	plan: PlanState;
	/** Which of the versions that still count it is. */
	version: number;
	/** The newest plan; older ones are history. */
	isLatest: boolean;
	/** It is the latest, and a turn runs, its own or another. */
	isTurnRunning: boolean;
}

export interface QuestionItem extends Base {
	kind: "question";
	request: RequestState;
	event: EventOf<"question">;
	answeredBy?: string;
}

export interface ApprovalItem extends Base {
	kind: "approval";
	request: RequestState;
	event: EventOf<"asked">;
	entry: CallState | undefined;
	agent: string;
	answeredBy?: string;
}

export interface NoteItem extends Base {
	kind: "note";
	level: "info" | "warning" | "error";
	text: string;
	detail?: string;
	/** Where what it speaks of can be read in full. */
	archive?: string;
	/** The model is asked again at `until`, in ms since the epoch. */
	retry?: { why: string; until: number; attempt: number; of: number };
	/** The person stopped a turn here. */
	canContinue?: true;
}

export interface FailureItem extends Base {
	kind: "failure";
	outcome: Extract<Outcome, "failed" | "limit" | "interrupted">;
	error: string;
	help?: HelpCommand;
	/** The error says what is kept. */
	kept?: true;
	/** Nothing has happened since: the person can go on from here. */
	isCurrent: boolean;
}

export type Item =
	| MessageItem
	| ToolCallsItem
	| ChangeItem
	| TurnChangesItem
	| PlanItem
	| QuestionItem
	| ApprovalItem
	| NoteItem
	| FailureItem;

/** Names for ids, as the surroundings know them. */
export interface Labels {
	role(id: string): string;
	agent(id: string): string;
}

/** The key of the answer that streams after the event `mark`; the `assistant` event that replaces it gets the same one. */
export function answerKey(mark: string): string {
	return `answer:${mark}`;
}

/** What the transcript alone can tell: a call that was not asked about runs once the host says so. */
export function toolCallStatus(entry: CallState, transcript: Transcript): ToolCallStatus {
	const { result } = entry;
	if (result) return result.view?.kind === "denied" && result.view.layer === "unknown" ? "noTool" : result.status;
	const request = entry.request === undefined ? undefined : transcript.requests.get(entry.request);
	if (request?.state === "pending") return "asked";
	return request?.state === "answered" ? "running" : "waiting";
}

/** What became of each change of a call, as one text; "" where all of them stand. */
export function changeOutcomeStamp({ call, result }: CallState, { fates }: Transcript): string {
	const standings = changesInView(result?.view).map(({ path }) => findChangeStatus(fates, call.id, path));
	return standings.some(({ fate }) => fate) ? standings.map(({ fate, again }) => `${fate} ${again}`).join() : "";
}

/** `printed`: by the ids of the calls that the host told to run. */
export function isToolCallRunning({ call }: CallState, status: ToolCallStatus, printed: ReadonlyMap<string, string>): boolean {
	return status === "running" || (status === "waiting" && printed.has(call.id));
}

/** What an author is called: "You", an agent's name, a channel's. */
export function authorName(by: string, labels: Labels): string {
	if (by === "person") return t("You");
	if (by === "api") return t("Another extension");
	if (by === "channel:import") return t("Imported");
	if (by === "host") return "Troupe";
	const [kind, name = ""] = [by.slice(0, by.indexOf(":")), by.slice(by.indexOf(":") + 1)];
	return kind === "agent" ? labels.agent(name) : name;
}
