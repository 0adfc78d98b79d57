// The runtime port: our own loop over a model, or an external agent.

// A runtime accesses disk, UI, and the gate only through the turn that it receives.
import type { ToolView } from "../eventData/toolView.ts";
import type { BlobRef, EventBody, EventOf, HelpCommand, LiveEvent, Outcome, Plan, Question, ToolCall, TranscriptEvent } from "../events.ts";
import type { AgentDefinition, Permission, Role } from "../role.ts";
import type { Transcript } from "../transcript/state.ts";
import type { ModelError, ModelRequest, SelectedModel } from "./model.ts";
import type { Tool } from "./tool.ts";

export type ToolResultEvent = EventOf<"result">;

/** The result of a call. */
export type ToolResultBody = Omit<Extract<EventBody, { type: "result" }>, "type" | "call">;

/** Limits after which a turn ends with `limit`. */
export interface TurnBudget {
	/** Model calls. */
	steps: number;
	/** Uncached input plus output; cached input counts one tenth. No limit if absent. */
	tokens?: number;
	/** The budget that a tree of calls shares; absent if there is none. */
	shared?: { left(): number; spend(tokens: number): void };
}

export interface Turn {
	sessionId: string;
	/** Read only; it changes as events are emitted. */
	state: Transcript;
	input: EventOf<"user">;
	agent: AgentDefinition;
	role: Role;
	/** Permissions of whoever started the turn, which limit the role's; absent for a user. */
	ceiling?: readonly Permission[];
	budget: TurnBudget;
	signal: AbortSignal;
	/** Data that the runtime stores for this session's next turns. */
	store: RuntimeStore;
	/**
	 * Call once, before anything else is written: records who answers and prepares the agent's tools. `model` is a name for the
	 * transcript, `provider/model`; `window` its size in tokens, if known; `note` tells the user why this model was selected.
	 */
	begin(answering: { model: string; window?: number | undefined; note?: string | undefined }): Promise<void>;
	/** Bytes of an image that an event references; undefined if they no longer exist. */
	image(ref: BlobRef): Promise<Uint8Array | undefined>;
	/** Resolves once the event is on disk. Results of calls have their own ways: `ours.call` and `foreign.ended`. */
	emit(event: Exclude<EventBody, { type: "result" }>): Promise<TranscriptEvent>;
	live(event: LiveEvent): void;
	/** Appends the user's queued messages, so that the next model call includes them. */
	deliver(): Promise<void>;
	/** Returns true if messages are queued. */
	hasMail(): boolean;
	/** Presents a plan or a question that the model sent as text; the turn then ends with `waiting`. */
	present(shown: { plan: Plan } | { question: Question }): Promise<void>;
	ours: OurCalls;
	foreign: ForeignCalls;
}

/** Functions for a runtime that sends requests to one of our models and uses our tools. */
export interface OurCalls {
	prepare(model: SelectedModel): Promise<ModelContext>;
	/** This turn's tools, as described to the model. */
	tools(): readonly Tool[];
	/**
	 * Parses, authorizes, asks for approval, and runs. Always resolves, with the call's only result. Calls of tools that declare
	 * `parallel` may overlap.
	 */
	call(call: ToolCall): Promise<ToolResultEvent>;
}

/** Functions for a runtime whose agent runs its own tools. */
export interface ForeignCalls {
	/**
	 * Authorizes and asks for approval without running. The call is in the transcript when it resolves. If it may run, `ended` records
	 * its result; otherwise the result is already written.
	 */
	permit(asked: ForeignCall): Promise<ForeignVerdict>;
	/**
	 * Records what came of a call. A call has one result: for a second one, or for that of a refused call, the first is returned. A
	 * call that still waits for approval is then refused, and its request expires. Undefined for a call that the transcript does not
	 * have, of which nothing is recorded.
	 */
	ended(call: string, result: ToolResultBody): Promise<ToolResultEvent | undefined>;
}

/** The system prompt and context window for the model that a runtime selected. */
export interface ModelContext {
	/** Byte-identical as long as agent, role, and permissions are the same. */
	system: string;
	/**
	 * Frees space in the context window before a request is sent, or after the provider rejected it as too long. Returns true if
	 * the visible events have changed and the request must be rebuilt. Throws ModelError if no space can be freed.
	 */
	makeRoom(request: ModelRequest, refused?: ModelError): Promise<boolean>;
	/** Estimated tokens of these events in a request; `whole`: together with the system prompt and the tools. */
	estimate(events: readonly TranscriptEvent[], whole?: boolean): number;
}

/** Short strings, such as the id that a program uses to resume its conversation. Deleted together with the history. */
export interface RuntimeStore {
	get(name: string): Promise<string | undefined>;
	/** Undefined removes it. Rejects above 4,000 characters in total. */
	set(name: string, value: string | undefined): Promise<void>;
}

/** Something that a call does, as a use of a tool of ours with the same effect. */
export interface ToolUse {
	/** Name of our tool. */
	as: string;
	/** Arguments of our tool, which the gate checks. */
	input: unknown;
}

/** A call of an agent that runs its own tools, with what it does in terms of ours. */
export interface ForeignCall {
	/** The call as the agent makes it, with its own tool name. */
	call: ToolCall;
	/**
	 * Everything that it does; at least one use, or it is refused. One patch may change several files, each in one use. All are judged,
	 * the strictest verdict applies to the whole call, and one request shows them. If it isn't known what the call does, this is the
	 * most that it could do.
	 */
	uses: readonly ToolUse[];
	/**
	 * Reason why the uses may not be all that it does, as a sentence for the user. The call then requires approval each time, and is denied
	 * where nobody can be asked.
	 */
	unclear?: string;
	/** Summary and view that the user is shown, if they differ from what our tools would show. */
	shown?: { summary?: string; view?: ToolView };
}

export type ForeignVerdict = { allow: true } | { allow: false; reason: string };

export interface TurnOutcome {
	outcome: Outcome;
	error?: string;
	help?: HelpCommand;
	/** The error message already says what was kept. */
	kept?: true;
}

export interface Runtime {
	/** Resolves with how the turn ended; never rejects because of a model failure, a tool failure, or cancellation. */
	run(turn: Turn): Promise<TurnOutcome>;
	/** The model of ours that it calls, also used for summaries; absent if someone else keeps the history. */
	model?(agent: AgentDefinition, role: Role): Promise<SelectedModel>;
}
