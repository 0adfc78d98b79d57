// What a tool is: a declaration the gate reads, an input schema, and a function that runs once allowed.

import type * as z from "zod";
import type { EventBody, ToolView } from "../events.ts";
import type { AgentDefinition, Permission, Role } from "../permissions.ts";
import type { PathFacts, PathUse } from "./pathFact.ts";
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
	| Extract<EventBody, { type: "step" | "question" }>
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
	 * Throws ToolProblem when it cannot be done.
	 */
	edits?(input: Input, context: ToolContext): Promise<FileEdit[]>;
	/** Of every other tool. Throws ToolProblem, too, where that reads better than an error output. */
	run?(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** The tool could not do it: `message` tells the model why and what to do next; `brief` says it without file content. */
export class ToolError extends Error {
	override readonly name = "ToolProblem";
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
