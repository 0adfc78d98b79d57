// All that crosses the glass between webview and host: Intents go in, Updates come out. Nobody awaits a reply.
import * as z from "zod";
import type { LiveEvent, SessionSummary, TranscriptEvent, UsageTotals } from "./core/events.ts";

const id = z.string().min(1).max(200);
const text = z.string().max(500_000);
const path = z.string().min(1).max(4_096);

const answer = z.union([
	z.object({ value: text }).strict(),
	z.object({ allow: z.boolean(), always: z.boolean().optional(), reason: text.optional() }).strict(),
]);

/** One message per act of the person. Whatever approves something carries the one-time token of the page's script. */
export const IntentSchema = z.discriminatedUnion("type", [
	/** The page is there, or has missed something: it wants a snapshot. */
	z.object({ type: z.literal("ready") }).strict(),
	z.object({ type: z.literal("send"), session: id, text: text.min(1) }).strict(),
	z.object({ type: z.literal("stop"), session: id }).strict(),
	/** Go on after `limit`, a failure or an interruption. */
	z.object({ type: z.literal("continue"), session: id }).strict(),
	z.object({ type: z.literal("role"), session: id, role: id }).strict(),
	z.object({ type: z.literal("moreRoles"), session: id }).strict(),
	z.object({ type: z.literal("agent"), session: id, agent: id }).strict(),
	z.object({ type: z.literal("answer"), session: id, request: id, hash: z.string().max(64).optional(), answer, token: id }).strict(),
	z.object({ type: z.literal("dismiss"), session: id, request: id }).strict(),
	z
		.object({ type: z.literal("execute"), session: id, planId: id, version: z.number().int(), hash: z.string().max(64), token: id })
		.strict(),
	z.object({ type: z.literal("savePlan"), session: id, planId: id, version: z.number().int() }).strict(),
	z.object({ type: z.literal("openFile"), session: id, path, line: z.number().int().positive().optional() }).strict(),
	z.object({ type: z.literal("openDiff"), session: id, call: id, path }).strict(),
	z.object({ type: z.literal("undo"), session: id, call: id, path }).strict(),
	/** The rest of an output that the transcript holds only in part. */
	z.object({ type: z.literal("showOutput"), session: id, call: id }).strict(),
	/** The page gets what was cut of an output, for a call that was opened. */
	z.object({ type: z.literal("loadOutput"), session: id, call: id }).strict(),
	/** The conversation as it was before it was summarised. */
	z.object({ type: z.literal("openArchive"), session: id, archive: z.string().max(40) }).strict(),
	z.object({ type: z.literal("showTerminal"), session: id, call: id }).strict(),
	z.object({ type: z.literal("openLink"), url: z.string().max(8_192), text: text.optional() }).strict(),
	/** A button that leads to one of our own commands; which, the host decides from a list. */
	z
		.object({ type: z.literal("command"), command: z.enum(["newSession", "selectModel", "setApiKey", "showLog", "openSettings", "trust"]) })
		.strict(),
]);

export type Intent = z.infer<typeof IntentSchema>;

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
export interface ContextUse {
	/** Tokens of the next request. */
	used: number;
	/** Counted by the provider, and nothing has come since. */
	exact: boolean;
	/** Absent where nobody says how much the model takes. */
	window?: number;
	parts: ContextParts;
	/** Whether the model has a known price. */
	priced: boolean;
	/** Of the turn that runs or ran last, and of the session with what was archived of it. */
	turn: UsageTotals;
	session: UsageTotals;
}

/** What surrounds the conversation; sent whole whenever one of its parts changes. */
export interface Surroundings {
	session: SessionSummary | undefined;
	roles: RoleChoice[];
	agents: AgentChoice[];
	/** The model this session would use, and why it was chosen; `offline` says so in the chat. */
	model: { id: string; name: string; why: string; offline: boolean };
	approval: string;
	context?: ContextUse;
	/** Set when no turn can start here: Restricted Mode, another window runs this session. */
	blocked?: { text: string; command?: IntentCommand; button?: string };
	/** Three things to try in this workspace, for an empty conversation. */
	suggestions: string[];
	/** Messages that wait for the running turn's next step. */
	queued: string[];
	/** What could not be kept on disk, while that lasts. */
	storage?: string;
}

/** `left`: characters of a result's output that stayed with the host until `loadOutput` asks for them. */
export type ShownEvent = TranscriptEvent & { left?: number };

/** Valid for the next approving Intent only; the host sends a new one after each. */
export type Update =
	/** `earlier`: the session begins before `events`; what comes before them follows in updates of that name. */
	| { type: "snapshot"; events: ShownEvent[]; earlier?: boolean; surroundings: Surroundings; live: string; token: string }
	/** Events from before the snapshot's, oldest first; after the last of them the page can fold the whole. */
	| { type: "earlier"; session: string; events: ShownEvent[]; last: boolean }
	| { type: "event"; event: ShownEvent }
	/** An output that was cut, as far as a page can show it. */
	| { type: "output"; call: string; text: string }
	| { type: "live"; event: LiveEvent }
	| { type: "surroundings"; surroundings: Surroundings }
	/** While a turn runs, once a model call has changed it. */
	| { type: "context"; context: ContextUse }
	| { type: "token"; token: string }
	/** Puts the focus somewhere: a command of the palette leads to a card, never past it. */
	| { type: "focus"; where: "composer" | "approval" }
	/** Puts words into the composer for the person to go on with. */
	| { type: "compose"; text: string };
