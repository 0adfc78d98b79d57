// The other ports: what runs a turn, and what keeps sessions. Each is as small as it can be.
import type {
	BlobRef,
	EventBody,
	EventOf,
	HelpCommand,
	LiveEvent,
	Outcome,
	Plan,
	Question,
	SessionSummary,
	ToolCall,
	TranscriptEvent,
	TranscriptKind,
} from "../events.ts";
import type { AgentDefinition } from "../role.ts";
import type { Transcript } from "../transcript/state.ts";
import type { Verdict } from "./gate.ts";
import type { Effort, ModelError, ModelInfo, ModelProvider, ModelRequest } from "./model.ts";
import type { Tool } from "./tool.ts";

export type ToolResultEvent = EventOf<"result">;

/** What a runtime is handed. It never touches disk, UI or gate but through this. */
export interface Turn {
	/** Read only: it changes as events are emitted. */
	state: Transcript;
	input: EventOf<"user">;
	agent: AgentDefinition;
	signal: AbortSignal;
	system: string;
	model: { provider: ModelProvider; name: string; info: ModelInfo; effort?: Effort };
	/** Bytes of an image that an event names; undefined when they are gone. */
	image(ref: BlobRef): Promise<Uint8Array | undefined>;
	/**
	 * Called before a request goes out, and again when the provider refused it as too long: makes room in the model's window.
	 * True when what the model may see has changed and the request is to be built anew. Throws ModelError where nothing helps.
	 */
	makeRoom(request: ModelRequest, refused?: ModelError): Promise<boolean>;
	/** Model calls this turn may make before it ends with `limit`. */
	maxSteps: number;
	/** On disk when it resolves. */
	emit(event: EventBody): Promise<TranscriptEvent>;
	live(event: LiveEvent): void;
	/** Appends messages that the person sent meanwhile, so that the next model call sees them. */
	deliver(): Promise<void>;
	/** Whether such messages wait. */
	hasMail(): boolean;
	/** Shows a plan or a question that came as text; the turn then ends with `waiting`. */
	present(shown: { plan: Plan } | { question: Question }): Promise<void>;
	/** What the gate offers right now. */
	tools(): Tool[];
	/** Parse, gate, ask, run, for runtimes whose tools are ours. Always resolves, with the one result of that call. */
	call(call: ToolCall): Promise<ToolResultEvent>;
	/** Gate and ask without running, for agents that run their own tools. */
	permit(use: ExternalToolUse): Promise<Verdict>;
}

/** A tool use of an agent that runs its tools itself, in terms of ours. */
interface ExternalToolUse {
	call: ToolCall;
	/** Our tool with the same effect. */
	as: string;
}

export interface TurnOutcome {
	outcome: Outcome;
	error?: string;
	help?: HelpCommand;
}

export interface Runtime {
	/** Resolves with how the turn ended; never rejects for a failure of model, tool or cancel. */
	run(turn: Turn): Promise<TurnOutcome>;
}

/** A session with words that were looked for, and where they stand. */
export interface SessionSearchMatch {
	sessionId: string;
	text: string;
}

/** What a session's id looks like, whoever chose it: it stands in addresses and is never taken for a path. */
const SESSION_ID = /^[A-Za-z0-9_-]{1,128}$/;

export function isSessionId(id: string): boolean {
	return SESSION_ID.test(id);
}

export interface SessionStore {
	/** Those of one kind, from the index where it is fresh, else from disk. */
	list(kind?: TranscriptKind): Promise<SessionSummary[]>;
	/** Those of these sessions in whose messages the words stand, one place of each, in this order. */
	search(sessionIds: readonly string[], words: string, signal: AbortSignal): AsyncIterable<SessionSearchMatch>;
	/** Makes a transcript of the summary's kind. Rejects with StorageError `EEXIST` where the id is taken, by whichever kind. */
	create(summary: SessionSummary): Promise<void>;
	/** Events of a session, or of an archive of it, in order; lines that cannot be read are set aside and counted in `damaged`. */
	read(sessionId: string, archive?: string): Promise<{ events: TranscriptEvent[]; damaged: number }>;
	/** The same one after the other: a session may be larger than memory. */
	stream(sessionId: string, archive?: string): AsyncIterable<TranscriptEvent>;
	/**
	 * The fold of a session: of a long one its last events alone, and what is known of those before. `tell` hears how much of it,
	 * up to 1, is read where all of it must be for the first time.
	 */
	load(sessionId: string, tell?: (part: number) => void): Promise<{ state: Transcript; damaged: number }>;
	/** A part of the events before a number, oldest first; none where there are none. */
	page(sessionId: string, before: number): Promise<TranscriptEvent[]>;
	/** On disk (for which kinds are flushed to the platter) when it resolves; rejects with StorageError. */
	append(sessionId: string, event: TranscriptEvent): Promise<void>;
	/** Changes what the list shows; written within a second, rebuilt from the transcript if lost. */
	update(sessionId: string, change: { [Field in keyof SessionSummary]?: SessionSummary[Field] | undefined }): Promise<void>;
	/**
	 * Who a session was when it began, from beside its transcript, for a reader whose first lines are damaged. One whose
	 * record is damaged, too, may do the least. Undefined when there is none: older transcripts had no record, and an actor's powers.
	 */
	identity(sessionId: string): Promise<{ agentId: string; role: string } | undefined>;
	/**
	 * Moves the current transcript aside and returns the archive's name. The session starts empty, or with what `begin` gives,
	 * which is told that name: then whoever looks, also after a crash, finds the old transcript or the new one, whole.
	 */
	archive(sessionId: string, begin?: (archive: string) => readonly TranscriptEvent[]): Promise<string>;
	/** Removes the history (current and archives); the session keeps its identity. */
	clear(sessionId: string): Promise<void>;
	delete(sessionId: string): Promise<void>;
	/** Keeps the words of an answer that still streams, beside the transcript; undefined removes them. */
	saveCheckpoint(sessionId: string, text: string | undefined): Promise<void>;
	/** The words a host that died had kept. */
	checkpoint(sessionId: string): Promise<string | undefined>;
	/** Takes the session for this host; false when another live host has it. With `ask` one that is at rest gives it up within seconds. */
	own(sessionId: string, how?: "ask"): Promise<boolean>;
	/** Another host asks for a session that this one has: whoever can do without it releases it. */
	onWanted(listener: (sessionId: string) => void): void;
	release(sessionId: string): Promise<void>;
}

/** What could not be written and why; the caller keeps the event in memory and says so. */
export class StorageError extends Error {
	override readonly name = "StorageError";
	readonly code: string;
	constructor(message: string, code: string, cause?: unknown) {
		super(message, { cause });
		this.code = code;
	}
}

export interface BlobStore {
	/** Returns the SHA-256; writing the same bytes twice keeps one. */
	put(bytes: Uint8Array): Promise<string>;
	get(hash: string): Promise<Uint8Array | undefined>;
}

/** The editor's key store. */
export interface SecretStore {
	get(name: string): Promise<string | undefined>;
	set(name: string, value: string): Promise<void>;
}

export function compareSessions(left: SessionSummary, right: SessionSummary): number {
	return (right.pinnedAt ?? "").localeCompare(left.pinnedAt ?? "") || right.updatedAt.localeCompare(left.updatedAt);
}
