// Types of the conversation's items, and their status.

// An item's `stamp` changes when its display changes; all other items are not re-rendered.
import type { AnsweredCall } from "../../src/core/caller.ts";
import type { ToolView } from "../../src/core/eventData/toolView.ts";
import type { Attachment, BlobRef, ChangedFile, EventOf, HelpCommand, Outcome } from "../../src/core/events.ts";
import type { TaskNews } from "../../src/core/task.ts";
import { changesInView, findChangeStatus } from "../../src/core/transcript/changes.ts";
import type { CallState, ChangeOutcome, DelegationState, PlanState, RequestState, Transcript } from "../../src/core/transcript/state.ts";
import { t } from "../../src/shared/l10n.ts";
import type { AgentChain } from "../../src/shared/protocol/calls.ts";
import type { ToolCallStatus } from "./toolCallLabels.ts";

interface Base {
	/** Stable for the item's lifetime. */
	key: string;
	stamp: string;
}

export interface MessageItem extends Base {
	kind: "message";
	/** `live`: the text is streaming and not in the item. */
	speaker: "person" | "agent" | "live" | "other";
	/** Id of the speaking agent, or another author's name. */
	author: string;
	/** Event id; a `live` message has none yet. */
	event?: string;
	text: string;
	thinking?: string;
	attachments?: readonly Attachment[];
	images?: readonly BlobRef[];
	/** Another agent asks with it or answers a call, or a background task reports with it. */
	call?: { kind: MessageCause; session: string };
}

export type MessageCause = "asked" | "answered" | "reported" | "needsInformation" | "failed" | "interrupted" | "stopped";

export interface ToolCallsItem extends Base {
	kind: "calls";
	calls: CallState[];
	/** Thinking between the calls. */
	thoughts: ThinkingBlock[];
}

export interface ThinkingBlock {
	/** Event id. */
	id: string;
	text: string;
	/** Index in `calls` that it precedes. */
	callIndex: number;
	/** All that the agent wrote is thought; a search doesn't find it. */
	unspoken?: true;
}

/** Key of the expanded state. */
export function thinkingKey(session: string | undefined, id: string): string {
	return `thinking:${session}:${id}`;
}

/** A turn's first call that changed files. */
export interface ChangeItem extends Base {
	kind: "change";
	entry: CallState;
	view: Extract<ToolView, { kind: "change" }>;
}

/** Changes of a finished turn. */
export interface TurnChangesItem extends Base {
	kind: "turn";
	turn: string;
	/** Files not undone; all of them if every one is undone. */
	files: readonly ChangedFile[];
	/** Some changes are neither kept nor undone. */
	needsReview: boolean;
	/** The outcome, if all changes share one. */
	outcome: ChangeOutcome | undefined;
}

export interface PlanItem extends Base {
	kind: "plan";
	plan: PlanState;
	/** Version number among the plan's valid versions. */
	version: number;
	/** The newest plan; older ones are history. */
	isLatest: boolean;
	/** It is the latest plan and any turn is running. */
	isTurnRunning: boolean;
}

/** A request to the user. */
interface Request extends Base {
	/** Id of the session that it belongs to, if that is not the shown one. */
	session?: string;
	/** The agents from the first caller to the one that asks; empty if none was called. */
	chain: AgentChain;
}

/** A call of another agent, in place of its line. */
export interface AgentCallItem extends Base {
	kind: "agentCall";
	entry: CallState;
	delegation: DelegationState;
	/** The message with its late answer. */
	answer?: EventOf<"queued">;
}

/** The call that started a background task, in place of its line. */
export interface TaskItem extends Base {
	kind: "task";
	entry: CallState;
	started: EventOf<"delegated">;
	/** Its latest change; absent until it is queued. */
	task?: EventOf<"task">;
}

export interface QuestionItem extends Request {
	kind: "question";
	request: RequestState;
	event: EventOf<"question">;
	answeredBy?: string;
}

export interface ApprovalItem extends Request {
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
	/** Path of the full conversation. */
	archive?: string;
	/** Retry at `until`, in ms since the epoch. */
	retry?: { why: string; until: number; attempt: number; of: number };
	/** The user stopped a turn here. */
	canContinue?: true;
	/** Sentences about single files that this note sums up, and what is equal in them. */
	taken?: { like: string; texts: readonly string[] };
}

export interface FailureItem extends Base {
	kind: "failure";
	outcome: Extract<Outcome, "failed" | "limit" | "interrupted">;
	error: string;
	help?: HelpCommand;
	/** The error says what was kept. */
	kept?: true;
	/** Nothing has happened since, so the user can continue from here. */
	isCurrent: boolean;
}

export type Item =
	| MessageItem
	| ToolCallsItem
	| AgentCallItem
	| TaskItem
	| ChangeItem
	| TurnChangesItem
	| PlanItem
	| QuestionItem
	| ApprovalItem
	| NoteItem
	| FailureItem;

/** Display names by id. */
export interface Labels {
	role(id: string): string;
	agent(id: string): string;
}

/** Key of the answer that streams after the event `mark`; the `assistant` event that replaces it gets the same key. */
export function answerKey(mark: string): string {
	return `answer:${mark}`;
}

/** Status from the transcript alone: a call without approval request is running only once the host reports it. */
export function toolCallStatus(entry: CallState, transcript: Transcript): ToolCallStatus {
	const { result } = entry;
	if (result) return result.view?.kind === "denied" && result.view.layer === "unknown" ? "noTool" : result.status;
	const request = entry.request === undefined ? undefined : transcript.requests.get(entry.request);
	if (request?.state === "pending") return "asked";
	return request?.state === "answered" ? "running" : "waiting";
}

/** Outcomes of a call's changes as text; "" if none is undone or kept. */
export function changeOutcomeStamp({ call, result }: CallState, { fates }: Transcript): string {
	const standings = changesInView(result?.view).map(({ path }) => findChangeStatus(fates, call.id, path));
	return standings.some(({ fate }) => fate) ? standings.map(({ fate, again }) => `${fate} ${again}`).join() : "";
}

/** `printed`: keyed by the ids of calls that the host reported as running. */
export function isToolCallRunning({ call }: CallState, status: ToolCallStatus, printed: ReadonlyMap<string, string>): boolean {
	return status === "running" || (status === "waiting" && printed.has(call.id));
}

/** A late answer, or a message of a task, as it is displayed. */
export function answerText(text: string, { intro = 0 }: AnsweredCall | TaskNews): string {
	return text.slice(intro).trimStart();
}

/** Display name of an author: "You", or the name of an agent or channel. */
export function authorName(by: string, labels: Labels): string {
	if (by === "person") return t("You");
	if (by === "api") return t("Another extension");
	if (by === "channel:cli") return t("You, in a terminal");
	if (by === "channel:import") return t("Imported");
	if (by === "host") return "Troupe";
	const [kind, name = ""] = [by.slice(0, by.indexOf(":")), by.slice(by.indexOf(":") + 1)];
	return kind === "agent" ? labels.agent(name) : name;
}
