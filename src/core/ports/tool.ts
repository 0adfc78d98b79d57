// Types for tools: context, output, declaration, and sources, and the gate's facts about paths.
import * as z from "zod";
import type { Caller } from "../caller.ts";
import type { ToolView } from "../eventData/toolView.ts";
import type { AgentSwitchOffer, EventBody, Question } from "../events.ts";
import type { PromptParts } from "../prompt.ts";
import type { AgentDefinition, Permission, Role } from "../role.ts";
import type { Transcript } from "../transcript/state.ts";
import { ExplainedError } from "../userError.ts";
import type { ToolSpec } from "./model.ts";
import type { FileEdit, FileVersion } from "./workspace/files.ts";
import type { Workspace } from "./workspace.ts";

export interface ToolContext {
	workspace: Workspace;
	signal: AbortSignal;
	/** The call's id. */
	call: string;
	/** The caller of agents in this call; absent where the user makes the call. */
	caller?: Caller;
	/** Other agents that this call may name. */
	peers(): PromptParts["peers"];
	/** Records that the call was handed to another agent; resolves once it is on disk. */
	delegated(to: DelegatedCall): Promise<void>;
	/** Paths of this call as the gate checked them, by the path as given. Use `literal` for names and `real` for bytes. */
	paths: ReadonlyMap<string, PathFacts>;
	/**
	 * Resolves to true if a listing or search result may show a path to this session; protected paths are omitted. `together` is shared by
	 * paths that are asked about at once.
	 */
	visible(path: string, together?: Map<string, unknown>): Promise<boolean>;
	/** Returns true if the agent's lists allow a capability; for tools that show content covered by another tool's capability. */
	allows(capability: string): boolean;
	/** Files read in this session. A write must find them unchanged, and a plan is based on them. */
	seen: FileAccessLog;
	/** Streams output to the UI; the model does not receive it. */
	progress(text: string): void;
	/** Authorizes a further URL of a fetch (a redirect); false refuses it. */
	permitUrl(url: string): Promise<boolean>;
}

export type DelegatedCall = Omit<Extract<EventBody, { type: "delegated" }>, "type" | "call">;

export interface FileAccessLog {
	/** The file's hash, if known. */
	get(path: string): Pick<FileVersion, "hash"> | undefined;
	set(path: string, version: Pick<FileVersion, "hash">): void;
	/** Records a path from a search or listing: part of a plan's basis, but not read. */
	show(path: string): void;
}

export type ToolEvent =
	| Extract<EventBody, { type: "step" }>
	| { type: "question"; question: Question; about?: AgentSwitchOffer | { kind: "information" } }
	| { type: "plan"; plan: unknown }
	| { type: "switch"; reason: string };

export interface ToolOutput {
	/** Text for the model. */
	output: string;
	/** Images for models that take them, and for display. `output` names them and those that `checkImage` refuses. */
	images?: readonly Uint8Array[];
	view?: ToolView;
	/** `error` if the tool failed: `output` says why and what to do next. Default: `ok`. */
	status?: "ok" | "error";
	/** Events to append after the result; a plan or a question ends the turn. */
	events?: ToolEvent[];
}

export interface Tool<Input = unknown> {
	name: string;
	plugin: string;
	/** Description for the model. */
	description: string;
	permissions: readonly Permission[];
	capabilities: readonly string[];
	input: z.ZodType<Input>;
	/** JSON Schema of the input for the model, if it cannot be derived from `input`. */
	parameters?: Readonly<Record<string, unknown>>;
	external?: { definitionHash: string; readOnly: boolean };
	/** Offered only to agents whose definition names the plugin in `optIn`. */
	optIn?: true;
	/** Neighboring calls of such tools run at the same time. */
	parallel?: true;
	/** Bytes of output after which its middle is left out, if other than for most tools. */
	outputLimit?: number;
	/** Returns true if the tool is useful to an agent in a role. Set for tools that the gate would offer to every one. */
	suits?(role: Role, agent: AgentDefinition): boolean;
	/**
	 * Returns true if there is nothing for the tool to work on yet. The model is then not told about it, but the gate offers it and a call
	 * runs.
	 */
	isIdle?(agent: AgentDefinition, session: Pick<Transcript, "tasks" | "archive">): boolean;
	/** Describes the call in the imperative, for the user: "Edit src/cart.ts". Built-in tools: `summaryAndDone`. */
	summary(input: NoInfer<Input>): string;
	/** The same in the past tense: "Edited src/cart.ts". */
	done?(input: NoInfer<Input>): string;
	paths?(input: Input): { path: string; use: PathUse }[];
	/** `outside`: it is to run outside the sandbox, which only a user can approve, each time. */
	command?(input: Input): { command: string; cwd?: string | undefined; outside?: true };
	/** Undefined if the call sends nothing. */
	url?(input: Input): string | undefined;
	/** Returns the id of the plugin that provides the skill, for a tool that uses one. */
	skill?(input: Input): string | undefined;
	/** Returns the id of the agent that is called, for a tool that calls one. */
	peer?(input: Input): string;
	/** Returns for whom Troupe keeps what the tool changes: the person, or the workspace. Undefined if the input is not valid. */
	keptFor?(input: NoInfer<Input>): KeptFor | undefined;
	/**
	 * Returns the resulting edits, for a tool that changes files. The tool writes nothing; the host shows the edits, asks for approval,
	 * writes, and reports them. Throws ToolError on failure.
	 */
	edits?(input: Input, context: ToolContext): Promise<FileEdit[]>;
	/** Runs the call, for every other tool. May also throw ToolError instead of returning an error output. */
	run?(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** Owner of a file that Troupe keeps: the person, in every workspace, or the workspace. */
export type KeptFor = "person" | "workspace";

/** A failed tool call. `message` tells the model why and what to do next; `brief` is the same without file content. */
export class ToolError extends ExplainedError {
	override readonly name = "ToolError";
	readonly brief: string;
	constructor(message: string, brief = message) {
		super(message);
		this.brief = brief;
	}
}

/** The turn was stopped during the call. `view` shows what came of it. */
export class StoppedCall extends Error {
	override readonly name = "StoppedCall";
	readonly view: ToolView;
	constructor(view: ToolView) {
		super("The call was stopped.");
		this.view = view;
	}
}

/** Keeps the input type within a tool while lists of tools stay uniform. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
	return tool as unknown as Tool;
}

export interface ToolSource {
	/** The tools that are currently available to this agent in this session; returns the same object for the same tool. */
	tools(session: string, agent: AgentDefinition): readonly Tool[];
	/**
	 * Starts the agent's servers; resolves once each is ready, has failed, or takes too long. Called before a turn's first model
	 * call. The returned sentences tell the user what is missing and what to do. Rejects only when aborted. `window`: the model's
	 * context window in tokens, if known.
	 */
	prepare(session: string, agent: AgentDefinition, signal: AbortSignal, window?: number): Promise<readonly string[]>;
	/** The session was closed or has another agent. */
	release(session: string): Promise<void>;
	/** Prompts for that session, typed in the chat as `/name`. */
	prompts?(session: string): readonly ServerPrompt[];
	/** Expands a prompt to text of limited length without invisible characters; rejects with a sentence. `values` by argument name. */
	prompt?(session: string, name: string, values: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
}

export interface ServerPrompt {
	/** `mcp__server__prompt` */
	name: string;
	description: string;
	arguments: readonly { name: string; description: string; required: boolean }[];
}

const specs = new WeakMap<Tool, ToolSpec>();

export function toToolSpec(tool: Tool): ToolSpec {
	const known = specs.get(tool);
	if (known) return known;
	const spec = { name: tool.name, description: tool.description, parameters: tool.parameters ?? createParameters(tool.input) };
	specs.set(tool, spec);
	return spec;
}

/** Leaves out limits that no model comes near: they would cost tokens in every request, and calls are checked anyway. */
function createParameters(input: z.ZodType): Record<string, unknown> {
	const { $schema: _, ...parameters } = z.toJSONSchema(input, {
		io: "input",
		override({ jsonSchema }) {
			delete jsonSchema.minLength;
			delete jsonSchema.maxLength;
			if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
			if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
		},
	});
	return parameters;
}

export type PathUse = "read" | "write" | "create" | "delete";

/** Reason why a location is protected although its name in the workspace does not show it. */
export interface ProtectedLocation {
	kind:
		| "storage"
		| "above storage"
		| "editor"
		| "editor programs"
		| "above editor"
		| "search path"
		| "home"
		| "system"
		| "short name"
		| "git folder"
		| "too many files"
		| "above protected";
	/** Relative path of the protected item below it, if the location is a folder. */
	name?: string;
}

/** One resolved path of a call. All paths are absolute and use `/`. */
export interface PathFacts {
	use: PathUse;
	/** The path as the model wrote it. */
	given: string;
	/** `given` resolved against its workspace folder, without following links. */
	literal: string;
	/** The actual location: links of every existing ancestor are followed. */
	real: string;
	/** The literal and the real path relative to their workspace folder; absent if outside every folder. */
	literalInside?: string;
	realInside?: string;
	exists: boolean;
	/** A SKILL.md that we generated: reading it never requires approval. */
	guide?: true;
	/** The path cannot be checked (control characters, a link cycle, a scheme …): the call is refused with this message. */
	refused?: string;
	/** Number of hard links; more than one requires approval. */
	links?: number;
	/** Protection that only the disk reveals: a git folder under another name, protected paths below a folder. Requires approval. */
	guarded?: ProtectedLocation;
	/** Set for writes of package.json: true if both versions parse and their `scripts` are equal. */
	scriptsUnchanged?: boolean;
	/** Set for writes of package.json with unchanged scripts: other fields change that may decide what runs. */
	runsChanged?: true;
	/** Set for writes of JSON and similar formats: the new content adds a URL that the editor would fetch a schema from. */
	schemaChanged?: true;
}
