// Messages between the chat webview and the extension host: intents in, updates out. Nobody awaits a reply.
import * as z from "zod";
import type { BlobRef, LiveEvent, SessionSummary, TranscriptEvent, UsageTotals } from "../../core/events.ts";
import type { MentionSuggestion } from "../../core/ports/workspace.ts";

const id = z.string().min(1).max(200);
const text = z.string().max(500_000);
const hash = z.string().regex(/^[0-9a-f]{64}$/);
/** Pictures that one message takes. */
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

/** One message per act of the person. Whatever approves something carries the one-time token of the page's script. */
export const IntentSchema = z.discriminatedUnion("type", [
	/** The page is there, or has missed something: it wants a snapshot. */
	z.object({ type: z.literal("ready") }).strict(),
	/** The page has the focus, or not any more. */
	z.object({ type: z.literal("focused"), focused: z.boolean() }).strict(),
	/** Pictures by the page's names for them, or by their hashes. */
	z.object({ type: z.literal("send"), session: id, text, pictures: z.array(id).max(MAX_MESSAGE_IMAGES).optional() }).strict(),
	/** One picture, before the message that names it. */
	z.object({ type: z.literal("picture"), key: id, data: z.string().min(1).max(950_000) }).strict(),
	/** One that the host wanted smaller could not be read. */
	z.object({ type: z.literal("noPicture"), key: id, why: z.string().max(1_000) }).strict(),
	/** The page wants to draw a picture. */
	z.object({ type: z.literal("showPicture"), session: id, blob: hash }).strict(),
	z.object({ type: z.literal("openPicture"), session: id, blob: hash }).strict(),
	/** What a mention brought along, of the message with that event id. */
	z.object({ type: z.literal("openAttachment"), session: id, event: id, index: z.number().int().min(0).max(1_000) }).strict(),
	/** What fits the word behind an @. */
	z.object({ type: z.literal("suggest"), session: id, ask: z.number().int().min(0), query: z.string().max(1_000) }).strict(),
	/** Files of the editor, dropped on the composer. */
	z.object({ type: z.literal("drop"), session: id, uris: z.array(z.string().max(4_096)).min(1).max(50) }).strict(),
	/** More of a long conversation: some of what is before an event, by its number, or all of it up to another one. */
	z.object({ type: z.literal("earlier"), session: id, before: seq, to: seq.optional() }).strict(),
	/** Looks for words in what the page does not have. */
	z.object({ type: z.literal("findEarlier"), session: id, words: z.string().min(1).max(1_000), before: seq }).strict(),
	/** A message that waits goes back to the composer. */
	z.object({ type: z.literal("takeBack"), session: id, id }).strict(),
	z.object({ type: z.literal("stop"), session: id }).strict(),
	/** Go on after `limit`, a failure or an interruption. */
	z.object({ type: z.literal("continue"), session: id }).strict(),
	/** Another answer to the last message. */
	z.object({ type: z.literal("retry"), session: id }).strict(),
	/** Other words in place of the last message, by the id of its event. */
	z.object({ type: z.literal("resend"), session: id, message: id, text: text.min(1) }).strict(),
	/** Back to before a message. */
	z.object({ type: z.literal("rewind"), session: id, message: id }).strict(),
	z.object({ type: z.literal("copy"), session: id, text }).strict(),
	/** What a turn changed: look at it, keep it, or undo it. */
	z.object({ type: z.literal("review"), session: id, turn: id, how: z.enum(["show", "keep", "undo"]) }).strict(),
	/** Whether messages say what the person looks at. */
	z.object({ type: z.literal("panelContext"), session: id, on: z.boolean() }).strict(),
	z.object({ type: z.literal("role"), session: id, role: id }).strict(),
	z.object({ type: z.literal("moreRoles"), session: id }).strict(),
	z.object({ type: z.literal("agent"), session: id, agent: id }).strict(),
	z.object({ type: z.literal("answer"), session: id, request: id, hash: z.string().max(64).optional(), answer, token: id }).strict(),
	/** Types a command that waits into the person's own terminal. */
	z.object({ type: z.literal("runInTerminal"), session: id, request: id, hash: z.string().max(64), token: id }).strict(),
	z.object({ type: z.literal("dismiss"), session: id, request: id }).strict(),
	z
		.object({ type: z.literal("execute"), session: id, planId: id, version: z.number().int(), hash: z.string().max(64), token: id })
		.strict(),
	z.object({ type: z.literal("savePlan"), session: id, planId: id, version: z.number().int() }).strict(),
	z.object({ type: z.literal("openFile"), session: id, path, line: z.number().int().positive().optional() }).strict(),
	/** Which of these, named in a text, are files of the workspace; and one of them, to be opened. */
	z.object({ type: z.literal("findPaths"), session: id, paths: z.array(path).max(200) }).strict(),
	z.object({ type: z.literal("openPath"), session: id, path, line: z.number().int().positive().optional() }).strict(),
	z.object({ type: z.literal("openDiff"), session: id, call: id, path }).strict(),
	z.object({ type: z.literal("undo"), session: id, call: id, path }).strict(),
	/** Makes a change again that was undone. */
	z.object({ type: z.literal("redo"), session: id, call: id, path }).strict(),
	/** The rest of an output that the transcript holds only in part. */
	z.object({ type: z.literal("showOutput"), session: id, call: id }).strict(),
	/** The page gets what was cut of an output, for a call that was opened. */
	z.object({ type: z.literal("loadOutput"), session: id, call: id }).strict(),
	/** The conversation as it was before it was summarised. */
	z.object({ type: z.literal("openArchive"), session: id, archive: z.string().max(40) }).strict(),
	z.object({ type: z.literal("showTerminal"), session: id, call: id }).strict(),
	/** Code of an answer goes where the cursor is, or is proposed as a change: nothing is written before the person accepts it. */
	z.object({ type: z.literal("insertCode"), session: id, code: text }).strict(),
	z.object({ type: z.literal("applyCode"), session: id, code: text, file: path.optional() }).strict(),
	/** The chat shows another session. */
	z.object({ type: z.literal("openSession"), session: id }).strict(),
	z.object({ type: z.literal("openLink"), url: z.string().max(8_192), text: text.optional() }).strict(),
	/** A button that leads to one of our own commands; which, the host decides from a list. */
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

/** Undefined where the message is no Intent or larger than `limit` characters as JSON. */
export function parseIntent(message: unknown, limit: number): Intent | undefined {
	const size = JSON.stringify(message)?.length ?? 0;
	const parsed = size <= limit ? IntentSchema.safeParse(message) : undefined;
	return parsed?.success ? parsed.data : undefined;
}

/** What a button's `command` may be. */
export type IntentCommand = Extract<Intent, { type: "command" }>["command"];

export interface RoleChoice {
	id: string;
	label: string;
	icon?: string;
	/** Shown as a radio of its own; the others stand under "More roles". */
	primary: boolean;
}

export interface AgentChoice {
	id: string;
	label: string;
	icon?: string;
	color?: string;
}

/** Tokens of the next request by what they are made of; shares of the sum where only that was counted. */
export interface ContextParts {
	system: number;
	tools: number;
	/** Of the person, and what the host tells the model beside them. */
	messages: number;
	/** Text and tool calls of the model. */
	answers: number;
	outputs: number;
	attachments: number;
	images: number;
}

/** How full the model's window is, and what the session has cost. */
export interface ContextUsage {
	/** Tokens of the next request. */
	used: number;
	/** `counted` by the provider; `since`: that and an estimate of what has come since; `size`: estimated from bytes alone. */
	basis: "counted" | "since" | "size";
	/** Absent where nobody says how much the model takes. */
	window?: number;
	parts: ContextParts;
	/** Whether the model has a known price. */
	priced: boolean;
	/** Of the turn that runs or ran last, and of the session with what was archived of it. */
	turn: UsageTotals;
	session: UsageTotals;
}

/** A message that no turn has taken yet. */
export interface QueuedMessage {
	id: string;
	text: string;
	pictures: number;
	/** `gathering`: what it mentions is being looked up. */
	state: "gathering" | "waiting";
	/** Of the person, who can take it back. */
	own: boolean;
}

/** What the next message says of the editor: something the person looks at, with the switch that leaves it out. */
export interface EditorContextChip {
	on: boolean;
	/** "cart.ts". */
	name: string;
	/** Its path in the workspace, where it is a file. */
	place: string;
	/** First and last selected line, from 1. */
	lines?: [number, number];
}

/** What can be typed at the start of a message, for the list that opens there. */
export interface SlashCommandItem {
	name: string;
	description: string;
	/** What may follow it: "a task". */
	argument?: string;
}

/** A session as the empty page lists it. */
export interface RecentSession {
	id: string;
	title: string;
	at: string;
	/** What a person should know of it before anything else. */
	state?: "waiting" | "running" | "failed" | "interrupted";
}

/** What surrounds the conversation; sent whole whenever one of its parts changes. */
export interface ChatStatus {
	session: SessionSummary | undefined;
	roles: RoleChoice[];
	agents: AgentChoice[];
	/** The agent has a role that carries out plans. */
	acts: boolean;
	/** The model this session would use, and why it was chosen; `offline` says so in the chat, and so does one that takes no `images`. */
	model: { id: string; name: string; why: string; offline: boolean; images?: boolean };
	/** The approval mode in force, and whether it is this session's own. */
	approval: string;
	approvalOwn?: true;
	context?: ContextUsage;
	/** Set when no turn can start here: Restricted Mode, another window runs this session. */
	blocked?: { text: string; command?: IntentCommand; button?: string };
	/** Three things to try in this workspace, for an empty conversation. */
	suggestions: string[];
	/** Sessions to go on with, the one changed last first, for an empty conversation. */
	recent: RecentSession[];
	/** Messages that are on their way, or wait for the running turn's next step. */
	queued: QueuedMessage[];
	/** What a message may begin with. */
	slash: SlashCommandItem[];
	/** Absent where there is nothing to say of the editor. */
	panel?: EditorContextChip;
	/** What could not be kept on disk, while that lasts. */
	storage?: string;
}

/** `left`: characters of a result's output that stayed with the host until `loadOutput` asks for them. */
export type DisplayEvent = TranscriptEvent & { left?: number };

/** The session that an update belongs to; the one that is shown when absent. Of another the page keeps what waits for the person. */
interface OfSession {
	session?: string;
}

/** A token is valid for the next approving Intent only; the host sends a new one after each. */
export type Update =
	/**
	 * `earlier`: the session begins before `events`; what comes before them follows in updates of that name. `more`: it is
	 * there on demand. `printed`: the calls
	 * that run, with the end of their output.
	 */
	| {
			type: "snapshot";
			events: DisplayEvent[];
			earlier?: boolean;
			more?: boolean;
			surroundings: ChatStatus;
			live: string;
			printed?: Record<string, string>;
			token: string;
	  }
	/** Events from before the snapshot's, oldest first; after the last of them the page can fold the whole. */
	| { type: "earlier"; session: string; before: number; events: DisplayEvent[]; last: boolean; more?: boolean }
	/** How many events before that number have the words, and the last of them. */
	| { type: "foundEarlier"; session: string; words: string; before: number; count: number; seq?: number }
	/** A long session is being read: how much of that is done, up to 1; absent at the end. */
	| { type: "reading"; session: string; part?: number }
	| (OfSession & { type: "event"; event: DisplayEvent })
	/** An output that was cut, as far as a page can show it. */
	| (OfSession & { type: "output"; call: string; text: string })
	| (OfSession & { type: "live"; event: LiveEvent })
	| { type: "surroundings"; surroundings: ChatStatus }
	/** While a turn runs, once a model call has changed it. */
	| (OfSession & { type: "context"; context: ContextUsage })
	/** What is in front of the editor, or its switch, has changed. */
	| { type: "panel"; panel?: EditorContextChip }
	| { type: "token"; token: string }
	/** Puts the focus somewhere: a command of the palette leads to a card, never past it. */
	| { type: "focus"; where: "composer" | "approval" }
	/** Puts words into the composer for the person to go on with, at the cursor; a whole message that comes back goes before them. */
	| { type: "compose"; text: string; back?: { pictures: BlobRef[] } }
	/** A line beside the composer, for as long as what is in it stays. */
	| { type: "hint"; text: string }
	/** The session is deleted: what the page keeps of it goes as well. */
	| { type: "forget"; session: string }
	/** What a failure's button leads to was done: a key was set. */
	| { type: "helped" }
	| { type: "paths"; asked: string[]; files: string[] }
	| { type: "suggestions"; ask: number; items: MentionSuggestion[] }
	/** A picture that the page handed over is kept, or is refused. */
	| { type: "pictureKept"; key: string; kept: BlobRef | { refused: string } }
	/** Bytes of a picture to draw, as base64; "" where they are gone. */
	| { type: "picture"; blob: string; mime: string; data: string }
	/** A picture file that a message mentions: the page makes it small enough for models and hands it back under that key. */
	| { type: "scale"; key: string; mime: string; data: string };
