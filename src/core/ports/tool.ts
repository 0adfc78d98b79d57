// Types for tools: context, output, declaration and sources, and the gate's facts about paths.
import * as z from "zod";
import type { EventBody, Question, ToolView } from "../events.ts";
import type { AgentDefinition, Permission, Role } from "../role.ts";
import type { ToolSpec } from "./model.ts";
import type { FileEdit, FileVersion, Workspace } from "./workspace.ts";

export interface ToolContext {
	workspace: Workspace;
	signal: AbortSignal;
	/** The call's id. */
	call: string;
	/** Paths of this call as the gate judged them, by the path as given: use `literal` for names, `real` for bytes. */
	paths: ReadonlyMap<string, PathFacts>;
	/** Whether a path may be shown in a listing or search result to this session (protected places are left out). */
	visible(path: string): Promise<boolean>;
	/** Whether the agent's lists let it have what a capability stands for: of a tool that shows what another's capability rules. */
	allows(capability: string): boolean;
	/** Files read in this session: what a write must find unchanged, and what a plan rests on. */
	seen: FileAccessLog;
	/** Output as it grows, for the eye only. */
	progress(text: string): void;
	/** Re-decides a further URL of a fetch (redirect); false refuses it. */
	permitUrl(url: string): Promise<boolean>;
}

export interface FileAccessLog {
	/** Its hash, where it is known. */
	get(path: string): Pick<FileVersion, "hash"> | undefined;
	set(path: string, version: Pick<FileVersion, "hash">): void;
	/** Shown by search or listing: part of a plan's basis, but not read. */
	show(path: string): void;
}

export type ToolEvent =
	| Extract<EventBody, { type: "step" }>
	| { type: "question"; question: Question }
	| { type: "plan"; plan: unknown }
	| { type: "switch"; reason: string };

export interface ToolOutput {
	/** For the model. */
	output: string;
	/** For the model that can see, and for the eye. `output` names them, and those that `lookAt` refuses. */
	images?: readonly Uint8Array[];
	/** For the eye. */
	view?: ToolView;
	/** `error` when the tool could not do it: `output` says why and what to do next. Default `ok`. */
	status?: "ok" | "error";
	/** Events to append after the result; a plan or a question ends the turn. */
	events?: ToolEvent[];
}

export interface Tool<Input = unknown> {
	name: string;
	plugin: string;
	/** For the model. */
	description: string;
	permissions: readonly Permission[];
	capabilities: readonly string[];
	input: z.ZodType<Input>;
	/** JSON Schema of the input for the model, where `input` does not tell it. */
	parameters?: Readonly<Record<string, unknown>>;
	external?: { definitionHash: string; readOnly: boolean };
	/** Whether a role has a use for it, where the gate would let every role have it. */
	suits?(role: Role): boolean;
	/** Whether it has nothing to work on yet: that agent's model is not told of it, while the gate offers it and a call runs. */
	idle?(agent: AgentDefinition): boolean;
	/** What it does, in the imperative, for the person: "Edit src/cart.ts". */
	summary(input: Input): string;
	/** The same, done: "Edited src/cart.ts". */
	done?(input: Input): string;
	paths?(input: Input): { path: string; use: PathUse }[];
	/** `outside`: it is to run outside the sandbox, which a person alone allows, each time. */
	command?(input: Input): { command: string; cwd?: string | undefined; outside?: true };
	url?(input: Input): string;
	/** Of a tool that uses a skill: the id of the plugin that provides it. */
	skill?(input: Input): string | undefined;
	/** Of a tool that turns to another agent: its id. */
	peer?(input: Input): string;
	/**
	 * Of a tool that changes files: what they become. The host shows it, asks, writes it and reports; nothing is written here.
	 * Throws ToolError when it cannot be done.
	 */
	edits?(input: Input, context: ToolContext): Promise<FileEdit[]>;
	/** Of every other tool. Throws ToolError, too, where that reads better than an error output. */
	run?(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** The tool could not do it: `message` tells the model why and what to do next; `brief` says it without file content. */
export class ToolError extends Error {
	override readonly name = "ToolError";
	readonly brief: string;
	constructor(message: string, brief = message) {
		super(message);
		this.brief = brief;
	}
}

/** Keeps the input's type inside one tool while lists of tools stay uniform. */
export function defineTool<Input>(tool: Tool<Input>): Tool {
	return tool as unknown as Tool;
}

export interface ToolSource {
	/** What that agent has of it in that session, as far as it is there now: the same object for the same tool. */
	tools(session: string, agent: AgentDefinition): readonly Tool[];
	/**
	 * Starts what the agent lists; resolves when each is there, has failed or takes too long. Called before a turn's first model
	 * call. Sentences tell the person what is missing and what to do about it; never rejects but for the signal. `window`: tokens
	 * that the model takes, where that is known.
	 */
	prepare(session: string, agent: AgentDefinition, signal: AbortSignal, window?: number): Promise<readonly string[]>;
	/** The session is closed, or has another agent. */
	release(session: string): Promise<void>;
	/** What it offers as words of a message in that session, typed in the chat as `/name`. */
	prompts?(session: string): readonly ServerPrompt[];
	/** Those words, bounded and without hidden characters; rejects with a sentence. `values` by the argument's name. */
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
	const { $schema: _, ...parameters } = tool.parameters ?? (z.toJSONSchema(tool.input, { io: "input" }) as Record<string, unknown>);
	const spec = { name: tool.name, description: tool.description, parameters };
	specs.set(tool, spec);
	return spec;
}

export type PathUse = "read" | "write" | "create" | "delete";

/** What makes a location protected that its name in the workspace does not tell. */
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
	/** Of what is protected below a folder: its path from there. */
	name?: string;
}

/** One path of a call, resolved. All paths are absolute and use `/`. */
export interface PathFacts {
	use: PathUse;
	/** As the model wrote it. */
	given: string;
	/** `given` resolved against its workspace folder, links not followed. */
	literal: string;
	/** Where it really leads: links of every existing ancestor followed. */
	real: string;
	/** Relative to its workspace folder, of the literal and the real path; absent when outside every folder. */
	literalInside?: string;
	realInside?: string;
	exists: boolean;
	/** A SKILL.md that we wrote ourselves: reading it never asks. */
	guide?: true;
	/** The whole path cannot be judged (control characters, link ring, a scheme …): the call is refused with this. */
	refused?: string;
	/** Number of names of the file on disk; more than one asks. */
	links?: number;
	/** What only the disk tells: a git folder under another name, protected places below a folder. Such a path asks. */
	guarded?: ProtectedLocation;
	/** Set for writes of package.json: both versions parse and their `scripts` are equal. */
	scriptsUnchanged?: boolean;
	/** Set for writes of package.json whose scripts stay: something else in it changes that may decide what runs. */
	runsChanged?: true;
	/** Set for writes of JSON and its like: an address that the editor would fetch a schema from is new in it. */
	schemaChanged?: true;
}
