// Messages between the chat webview and the extension host: intents in, updates out. No message has a reply.
import * as z from "zod";
import type { Attachment, BlobRef, LiveEvent, SessionSummary, TranscriptEvent, UsageTotals } from "../../core/events.ts";
import type { OngoingCall, ShownRequest } from "./calls.ts";
import type { TaskChangeList, TaskCopy } from "./taskChanges.ts";

const id = z.string().min(1).max(200);
const text = z.string().max(500_000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** Maximum images in one message. */
export const MAX_MESSAGE_IMAGES = 10;
const path = z.string().min(1).max(4_096);
const seq = z.number().int().min(0);

const answer = z.union([
	z.object({ value: text }).strict(),
	z
		.object({
			allow: z.boolean(),
			scope: z.enum(["once", "session", "always"]).optional(),
			always: z.boolean().optional(),
			reason: text.optional(),
		})
		.strict(),
]);

/** One message per user action. Every approval carries the page's one-time token. */
export const IntentSchema = z.discriminatedUnion("type", [
	/** The page has loaded or missed an update, and requests a snapshot. */
	z.object({ type: z.literal("ready") }).strict(),
	/** The page received or lost focus. */
	z.object({ type: z.literal("focused"), focused: z.boolean() }).strict(),
	/** Images by the page's keys or by their hashes. */
	z.object({ type: z.literal("send"), session: id, text, pictures: z.array(id).max(MAX_MESSAGE_IMAGES).optional() }).strict(),
	/** One image, sent before the message that references it. */
	z.object({ type: z.literal("picture"), key: id, data: z.string().min(1).max(950_000) }).strict(),
	/** An image that the page was asked to scale could not be decoded. */
	z.object({ type: z.literal("noPicture"), key: id, why: z.string().max(1_000) }).strict(),
	/** Requests the bytes of an image to display. */
	z.object({ type: z.literal("showPicture"), session: id, blob: hash }).strict(),
	z.object({ type: z.literal("openPicture"), session: id, blob: hash }).strict(),
	/** Opens content that a mention added to the message with that event id. */
	z.object({ type: z.literal("openAttachment"), session: id, event: id, index: z.number().int().min(0).max(1_000) }).strict(),
	/** Requests completions for the text after an @. */
	z.object({ type: z.literal("suggest"), session: id, ask: z.number().int().min(0), query: z.string().max(1_000) }).strict(),
	/** Files dropped on the composer. */
	z.object({ type: z.literal("drop"), session: id, uris: z.array(z.string().max(4_096)).min(1).max(50) }).strict(),
	/** Requests earlier events: a page of those before a sequence number, or all of them back to `to`. */
	z.object({ type: z.literal("earlier"), session: id, before: seq, to: seq.optional() }).strict(),
	/** Searches the events that the page has not loaded. */
	z.object({ type: z.literal("findEarlier"), session: id, words: z.string().min(1).max(1_000), before: seq }).strict(),
	/** Returns a queued message to the composer. */
	z.object({ type: z.literal("withdraw"), session: id, id }).strict(),
	z.object({ type: z.literal("stop"), session: id }).strict(),
	/** Stops what a call of another agent has begun. */
	z.object({ type: z.literal("stopCalled"), session: id, call: id }).strict(),
	/** Stops a background task that the session started. */
	z.object({ type: z.literal("stopTask"), session: id, task: id }).strict(),
	/** Continues a background task that was interrupted. */
	z.object({ type: z.literal("continueTask"), session: id, task: id }).strict(),
	/**
	 * Continues a background task that was denied for its ceiling in the offered role of the session that started it, which gets that role.
	 */
	z.object({ type: z.literal("continueTaskAs"), session: id, task: id, role: id, token: id }).strict(),
	/** The list of what a task has changed in its copy was opened or closed. */
	z.object({ type: z.literal("listTaskChanges"), session: id, task: id, on: z.boolean() }).strict(),
	/** Shows one of the changes, or all of them, in editors; one in conflict as a merge. */
	z.object({ type: z.literal("openTaskChange"), session: id, task: id, path: path.optional() }).strict(),
	/** Takes what was shown: all takeable files, one file, or some of its hunks. */
	z
		.object({
			type: z.literal("takeTaskChanges"),
			session: id,
			task: id,
			shown: hash,
			path: path.optional(),
			hunks: z.array(z.number().int().min(0)).min(1).max(10_000).optional(),
			token: id,
		})
		.strict(),
	/** Drops one change as it was shown, or deletes a task's copy, once the user has confirmed it. */
	z
		.object({ type: z.literal("discardTaskChanges"), session: id, task: id, change: z.object({ path, shown: hash }).strict().optional() })
		.strict(),
	/** Continues after `limit`, a failure, or an interruption. */
	z.object({ type: z.literal("continue"), session: id }).strict(),
	/** Requests another answer to the last message. */
	z.object({ type: z.literal("retry"), session: id }).strict(),
	/** Replaces the last message, given by its event id. */
	z.object({ type: z.literal("resend"), session: id, message: id, text: text.min(1) }).strict(),
	/** Rewinds to before a message. */
	z.object({ type: z.literal("rewind"), session: id, message: id }).strict(),
	z.object({ type: z.literal("copy"), session: id, text }).strict(),
	/** Shows, keeps, or undoes a turn's changes. */
	z.object({ type: z.literal("review"), session: id, turn: id, how: z.enum(["show", "keep", "undo"]) }).strict(),
	/** Sets whether messages include what the user is viewing. */
	z.object({ type: z.literal("panelContext"), session: id, on: z.boolean() }).strict(),
	z.object({ type: z.literal("role"), session: id, role: id }).strict(),
	z.object({ type: z.literal("moreRoles"), session: id }).strict(),
	z.object({ type: z.literal("agent"), session: id, agent: id }).strict(),
	z.object({ type: z.literal("answer"), session: id, request: id, hash: z.string().max(64).optional(), answer, token: id }).strict(),
	/** Types a pending command into the user's own terminal. */
	z.object({ type: z.literal("runInTerminal"), session: id, request: id, hash: z.string().max(64), token: id }).strict(),
	z.object({ type: z.literal("dismiss"), session: id, request: id }).strict(),
	/** Takes an offered switch to another agent, with the message as the user left it. */
	z.object({ type: z.literal("switchAgent"), session: id, request: id, message: text.min(1), token: id }).strict(),
	/** Returns with a summary from a session that the user switched to, or hides the offer to return. */
	z.object({ type: z.literal("switchedHere"), session: id, how: z.enum(["return", "stay"]) }).strict(),
	/** Opens or removes an attachment of the next message. */
	z.object({ type: z.literal("draftAttachment"), session: id, blob: hash, how: z.enum(["open", "remove"]) }).strict(),
	z
		.object({ type: z.literal("execute"), session: id, planId: id, version: z.number().int(), hash: z.string().max(64), token: id })
		.strict(),
	z.object({ type: z.literal("savePlan"), session: id, planId: id, version: z.number().int() }).strict(),
	z.object({ type: z.literal("openFile"), session: id, path, line: z.number().int().positive().optional() }).strict(),
	/** Asks which of these paths, found in a text, exist in the workspace; `openPath` opens one of them. */
	z.object({ type: z.literal("findPaths"), session: id, paths: z.array(path).max(200) }).strict(),
	z.object({ type: z.literal("openPath"), session: id, path, line: z.number().int().positive().optional() }).strict(),
	z.object({ type: z.literal("openDiff"), session: id, call: id, path }).strict(),
	z.object({ type: z.literal("undo"), session: id, call: id, path }).strict(),
	/** Redoes an undone change. */
	z.object({ type: z.literal("redo"), session: id, call: id, path }).strict(),
	/** Opens the complete output of which the transcript has only a part. */
	z.object({ type: z.literal("showOutput"), session: id, call: id }).strict(),
	/** Requests the truncated rest of an output when its call is expanded. */
	z.object({ type: z.literal("loadOutput"), session: id, call: id }).strict(),
	/** Opens the conversation as it was before it was summarized. */
	z.object({ type: z.literal("openArchive"), session: id, archive: z.string().max(40) }).strict(),
	z.object({ type: z.literal("showTerminal"), session: id, call: id }).strict(),
	/** Inserts code from an answer at the cursor, or proposes it as a change: nothing is written before the user accepts it. */
	z.object({ type: z.literal("insertCode"), session: id, code: text }).strict(),
	z.object({ type: z.literal("applyCode"), session: id, code: text, file: path.optional() }).strict(),
	/** Switches the chat to another session. */
	z.object({ type: z.literal("openSession"), session: id }).strict(),
	z.object({ type: z.literal("openLink"), url: z.string().max(8_192), text: text.optional() }).strict(),
	/** A button that runs one of our commands, from this list. */
	z
		.object({
			type: z.literal("command"),
			command: z.enum([
				"newSession",
				"showSessions",
				"selectModel",
				"switchAgent",
				"switchMode",
				"setApiKey",
				"addProvider",
				"showLog",
				"openSettings",
				"approvalSetting",
				"permissionsSetting",
				"trust",
				"manageAgents",
			]),
		})
		.strict(),
]);

export type Intent = z.infer<typeof IntentSchema>;
export type IntentOf<T extends Intent["type"]> = Extract<Intent, { type: T }>;

/** Returns undefined if the message is not an Intent, or has more than `limit` characters as JSON. */
export function parseIntent(message: unknown, limit: number): Intent | undefined {
	const size = JSON.stringify(message)?.length ?? 0;
	const parsed = size <= limit ? IntentSchema.safeParse(message) : undefined;
	return parsed?.success ? parsed.data : undefined;
}

/** The possible values of a button's `command`. */
export type IntentCommand = IntentOf<"command">["command"];

export interface RoleChoice {
	id: string;
	label: string;
	icon?: string;
	/** True if it is shown as its own radio button; the others are under "More roles". */
	primary: boolean;
}

export interface AgentChoice {
	id: string;
	label: string;
	icon?: string;
	color?: string;
}

/** Tokens of the next request by source; estimated shares if only the total was counted. */
export interface ContextParts {
	system: number;
	tools: number;
	/** User messages, and the host's context in them. */
	messages: number;
	/** Text and tool calls of the model. */
	answers: number;
	outputs: number;
	attachments: number;
	images: number;
}

/** Usage of the context window, and the session's cost. */
export interface ContextUsage {
	/** Tokens of the next request. */
	used: number;
	/** `counted` by the provider; `since`: counted, plus an estimate of what followed; `size`: estimated from bytes only. */
	basis: "counted" | "since" | "size";
	/** Tokens of the model's context window; absent if it is unknown. */
	window?: number;
	parts: ContextParts;
	/** True if the model's price is known. */
	priced: boolean;
	/** `turn`: the current or last turn. `session`: the whole session, including archived parts. */
	turn: UsageTotals;
	session: UsageTotals;
	/** The part of `session` that called agents used; absent if there is none. */
	called?: UsageTotals;
}

/** A message that no turn has processed yet. */
export interface QueuedMessage {
	id: string;
	text: string;
	pictures: number;
	/** `gathering`: its mentions are being resolved. */
	state: "gathering" | "waiting";
	/** True if the user sent it, and can withdraw it. */
	own: boolean;
}

/** The editor context of the next message, with a switch to leave it out. */
export interface EditorContextChip {
	on: boolean;
	/** "cart.ts". */
	name: string;
	/** Workspace path, if it is a file. */
	place: string;
	/** First and last selected line, from 1. */
	lines?: [number, number];
}

/** A command that can be typed at the start of a message, for the completion list. */
export interface SlashCommandItem {
	name: string;
	description: string;
	/** The argument that may follow: "a task". */
	argument?: string;
}

/** A session in the list of the empty page. */
export interface RecentSession {
	id: string;
	title: string;
	at: string;
	/** A state that needs attention. */
	state?: "waiting" | "running" | "failed" | "interrupted";
}

/** A task that was denied something for its ceiling, and the role of its caller that would allow it. */
export interface WiderRoleOffer {
	/** Id of the task. */
	task: string;
	role: { id: string; label: string };
	/** Label of the role that the task was limited by, if that is known. */
	limitedBy?: string;
	/** Sentences about what was denied first. `more`: there was more. */
	calls: readonly string[];
	more?: true;
}

/** Status around the conversation; sent as a whole whenever a part of it changes. */
export interface ChatStatus {
	session: SessionSummary | undefined;
	roles: RoleChoice[];
	agents: AgentChoice[];
	/** True if the agent has a role that executes plans. */
	acts: boolean;
	/** The model for this session, and why it was selected. The chat shows a note if it is `offline` or takes no `images`. */
	model: { id: string; name: string; why: string; offline: boolean; images?: boolean };
	/** The effective approval mode, and whether it was set for this session. */
	approval: string;
	approvalOwn?: true;
	context?: ContextUsage;
	/** Reason why no turn can start here, if none can: Restricted Mode, or another window runs this session. */
	blocked?: { text: string; command?: IntentCommand; button?: string };
	/** The session's agent speaks in replies, and hands work over. */
	talks?: true;
	/** Three suggestions for this workspace, for an empty session. */
	suggestions: string[];
	/** Recent sessions, last changed first, for an empty session. */
	recent: RecentSession[];
	/** Messages being prepared or waiting for the running turn's next step. */
	queued: QueuedMessage[];
	/** Commands that a message may start with. */
	slash: SlashCommandItem[];
	/** Titles by id of the sessions that called this one or were called by it and still exist. */
	linked?: Record<string, string>;
	/** Offers for the session's tasks, or for the task itself; absent if there are none. */
	wider?: WiderRoleOffer[];
	/** Editor context of the next message; absent if there is none. */
	panel?: EditorContextChip;
	/** The user switched here from another session: its agent's name, and whether it was deleted since. */
	switchedFrom?: { agent: string; deleted?: true };
	/** Attachments of the next message. */
	attached?: { blob: string; label: string }[];
	/** Text on what could not be stored on disk, while that is the case. */
	storage?: string;
}

/** `left`: characters of a result's output that the host keeps until `loadOutput` requests them. */
export type DisplayEvent = TranscriptEvent & { left?: number };

/** `changes`: what the shown task has changed in its copy. */
export type FocusTarget = "composer" | "approval" | "changes";

/** The session that an update belongs to; the displayed session if absent. The page ignores those of others. */
interface OfSession {
	session?: string;
}

/** An entry of the completion list for @. */
export interface MentionSuggestion {
	kind: Exclude<Attachment["kind"], "conversation">;
	/** Text inserted into the message: "@src/cart.ts", "@problems". */
	insert: string;
	label: string;
	/** Its folder, or what it adds to the message. */
	detail: string;
	/** Indices of the label's matched characters, for highlighting. */
	marks?: number[];
	/** Choosing it keeps the list open: a folder's files, a URL to type. */
	more?: boolean;
}

/** A token is valid for the next approving Intent only; the host sends a new one after each. */
export type Update =
	/**
	 * `earlier`: the session starts before `events`; the earlier ones follow in `earlier` updates. `more`: they are available on
	 * demand. `printed`: the end of the output of each running call.
	 */
	| {
			type: "snapshot";
			events: DisplayEvent[];
			earlier?: boolean;
			more?: boolean;
			status: ChatStatus;
			live: string;
			printed?: Record<string, string>;
			token: string;
	  }
	/** Events before the snapshot's, oldest first; after the last of them, the page can fold the whole session. */
	| { type: "earlier"; session: string; before: number; events: DisplayEvent[]; last: boolean; more?: boolean }
	/** The number of earlier events that contain the words, and the latest of them. */
	| { type: "foundEarlier"; session: string; words: string; before: number; count: number; seq?: number }
	/** Progress of reading a long session, up to 1; absent at the end. */
	| { type: "reading"; session: string; part?: number }
	| (OfSession & { type: "event"; event: DisplayEvent })
	/** The truncated rest of an output, as far as a page can display it. */
	| (OfSession & { type: "output"; call: string; text: string })
	| (OfSession & { type: "live"; event: LiveEvent })
	| { type: "status"; status: ChatStatus }
	/** The context usage, sent during a turn when a model call has changed it. */
	| (OfSession & { type: "context"; context: ContextUsage })
	/** All unanswered calls of the session. `requests` of called sessions is absent if unchanged. */
	| { type: "called"; session: string; calls: OngoingCall[]; requests?: ShownRequest[] }
	/** The copies of the session's tasks, or its own. */
	| { type: "taskCopies"; session: string; copies: TaskCopy[] }
	/** A list that was asked for, each time it changes. */
	| { type: "taskChanges"; session: string; list: TaskChangeList }
	/** The active editor, or the context switch, has changed. */
	| { type: "panel"; panel?: EditorContextChip }
	| { type: "token"; token: string }
	/** Moves the focus: a Command Palette command leads to an approval card, never past it. */
	| { type: "focus"; where: FocusTarget }
	/** Inserts text into the composer at the cursor; with `back`, a returned message that goes before the existing text. */
	| { type: "compose"; text: string; back?: { pictures: BlobRef[] } }
	/** A line beside the composer, shown until the composer's text changes. */
	| { type: "hint"; text: string }
	/** The session was deleted, so the page deletes what it stored for it. */
	| { type: "forget"; session: string }
	/** The command of a failure's button succeeded: a key was set. */
	| { type: "helped" }
	| { type: "paths"; asked: string[]; files: string[] }
	| { type: "suggestions"; ask: number; items: MentionSuggestion[] }
	/** An image from the page was stored or refused. */
	| { type: "pictureKept"; key: string; kept: BlobRef | { refused: string } }
	/** Base64 bytes of an image to display; "" if they no longer exist. */
	| { type: "picture"; blob: string; mime: string; data: string }
	/** An image file that a message mentions: the page scales it down for models and returns it under that key. */
	| { type: "scale"; key: string; mime: string; data: string };
