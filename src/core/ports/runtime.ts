// The port of a runtime: our loop over a model, or an agent that runs elsewhere.

// A runtime touches disk, UI, and the gate only through the turn it is handed.
import type {
	BlobRef,
	EventBody,
	EventOf,
	HelpCommand,
	LiveEvent,
	Outcome,
	Plan,
	Question,
	ToolCall,
	ToolView,
	TranscriptEvent,
} from "../events.ts";
import type { AgentDefinition, Permission, Role } from "../role.ts";
import type { Transcript } from "../transcript/state.ts";
import type { ModelError, ModelRequest, SelectedModel } from "./model.ts";
import type { Tool } from "./tool.ts";

export type ToolResultEvent = EventOf<"result">;

/** What a turn may cost before it ends with `limit`. */
export interface TurnBudget {
	/** Calls to a model. */
	steps: number;
	/** Input that came from no cache, and output; what a cache gave counts a tenth. No limit when absent. */
	tokens?: number;
}

export interface Turn {
	sessionId: string;
	/** Read only: it changes as events are emitted. */
	state: Transcript;
	input: EventOf<"user">;
	agent: AgentDefinition;
	role: Role;
	/** Permissions of whoever began the turn, beside the role's; absent for a person. */
	ceiling?: readonly Permission[];
	budget: TurnBudget;
	signal: AbortSignal;
	/** What the runtime keeps of this session for its next turns. */
	store: RuntimeStore;
	/**
	 * Once, before anything else is written: notes who answers, and has the agent's tools ready. `model` is a name for the
	 * transcript, `provider/model`; `window` its tokens, where they are known; `note` tells the person why it is that one.
	 */
	begin(answering: { model: string; window?: number | undefined; note?: string | undefined }): Promise<void>;
	/** For a runtime that sends requests to a model of ours. */
	prepare(model: SelectedModel): Promise<ModelContext>;
	/** Bytes of an image that an event names; undefined when they are gone. */
	image(ref: BlobRef): Promise<Uint8Array | undefined>;
	/** On disk when it resolves. A call has one result: of a second one the first is returned. */
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
	/**
	 * Gate and ask without running, for agents that run their own tools. The call is in the transcript when it resolves. Where it
	 * may run, the runtime emits its result; where not, that is written already.
	 */
	permit(use: ForeignUse): Promise<ForeignVerdict>;
}

/** The window of the model that a runtime has chosen. */
export interface ModelContext {
	/** The same to the byte while agent, role and powers are. */
	system: string;
	/**
	 * Called before a request goes out, and again when the provider refused it as too long: makes room in the model's window.
	 * True when what the model may see has changed and the request is to be built anew. Throws ModelError where nothing helps.
	 */
	makeRoom(request: ModelRequest, refused?: ModelError): Promise<boolean>;
}

/** Short texts, like the id by which a program finds its conversation again. They go when the history does. */
export interface RuntimeStore {
	get(name: string): Promise<string | undefined>;
	/** Undefined removes it. Rejects for more than 4,000 characters in all. */
	set(name: string, value: string | undefined): Promise<void>;
}

/** A tool use of an agent that runs its tools itself, in terms of ours. */
export interface ForeignUse {
	/** As the agent makes it, by its own tool's name. */
	call: ToolCall;
	/** Our tool with the same effect. */
	as: string;
	/** The arguments that our tool would have for it: what the gate judges. */
	input: unknown;
	/** What a person is shown, where that is not what our tool would show. */
	shown?: { summary?: string; view?: ToolView };
}

export type ForeignVerdict = { allow: true } | { allow: false; reason: string };

export interface TurnOutcome {
	outcome: Outcome;
	error?: string;
	help?: HelpCommand;
	/** The error itself says what is kept. */
	kept?: true;
}

export interface Runtime {
	/** Resolves with how the turn ended; never rejects for a failure of model, tool or cancel. */
	run(turn: Turn): Promise<TurnOutcome>;
	/** The model of ours that it asks, which also sums up; absent where the history is another's. */
	model?(agent: AgentDefinition, role: Role): Promise<SelectedModel>;
}
