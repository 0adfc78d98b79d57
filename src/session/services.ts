// What the app is handed by the composition root. It knows the ports, never who stands behind them.

import type { AgentRegistry } from "../core/agent.ts";
import type { Gate, Rules } from "../core/ports/gate.ts";
import type { EditorFacts } from "../core/mentions.ts";
import type { Effort, ModelInfo, ModelProvider } from "../core/ports/model.ts";
import type { AgentDefinition, ApprovalMode, Role } from "../core/permissions.ts";
import type { PersonTerminal } from "../core/ports/personTerminal.ts";
import type { Blobs, Runtime, SessionStore } from "../core/ports/sessions.ts";
import type { PromptParts, PromptSources } from "../core/prompt/parts.ts";
import type { SkillShelf } from "../core/ports/skills.ts";
import type { Tool } from "../core/ports/tool.ts";
import type { ToolSource } from "../core/ports/toolSource.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import type { CommandDoor } from "./turn/cliBridgePort.ts";
import type { Grants } from "./approvals/grants.ts";

export interface Services {
	store: SessionStore;
	blobs: Blobs;
	workspace: Workspace;
	gate: Gate;
	facts: EditorFacts;
	grants: Grants;
	tools: readonly Tool[];
	/** Tools from outside. */
	sources: readonly ToolSource[];
	/** Whatever there is to say of agents beside `agents()`. */
	registry: AgentRegistry;
	/** Where prompts have their parts from. */
	parts: PromptSources;
	/** Skills of the person and of the workspace; none when absent. */
	skills?: Pick<SkillShelf, "now" | "look" | "read">;
	/** What commands reach of the session that runs them; nothing when absent. */
	door?: CommandDoor;
	/** The person's own terminal; absent where there is none. */
	terminal?: PersonTerminal;
	/** Other names that models use for a tool of ours. */
	aliases: Readonly<Record<string, string>>;
	roles(): readonly Role[];
	/** All that can be used, the default one first. */
	agents(): readonly AgentDefinition[];
	settings(): Settings;
	/**
	 * The model a session would use now. With `known` nobody is asked for it: what cannot be known without has the id `auto`.
	 * Throws ModelError with a sentence when there is none.
	 */
	model(agent: AgentDefinition, role: Role, only?: "known"): Promise<ChosenModel>;
	runtime(agent: AgentDefinition): Promise<Runtime>;
	prompt(parts: PromptParts): string;
	/** What keeps commands in that run unasked; none when absent. */
	sandbox?: {
		/** Found out once. */
		works(): Promise<boolean>;
		/** For the list of approvals, once it is known: whether it works here, and why not. */
		why(): string;
	};
	/** Secrets of the person: no result shows them. None when absent. Never rejects. */
	hidden?(): Promise<readonly string[]>;
	/** Why no turn may start (Restricted Mode); undefined when it may. */
	restricted(): string | undefined;
	now(): Date;
	log(line: string): void;
}

export interface Settings {
	/** For sessions that have no mode of their own. */
	approval: ApprovalMode;
	/** No session goes above it: settings of an organization or of the machine say so. `auto` when absent. */
	approvalCeiling?: ApprovalMode;
	/** Whether commands that only read ask. */
	readingCommands: "allow" | "ask";
	/** `off` when absent. */
	sandbox?: "auto" | "off" | "required";
	rules: Rules;
	defaultRole: string;
	maxSteps: number;
	/** Ids of plugins that are switched off. */
	pluginsOff: readonly string[];
}

export interface ChosenModel {
	/** `provider/model`. */
	id: string;
	/** For the person. */
	name: string;
	/** Why this one, in words. */
	why: string;
	/** Nobody has named it. */
	automatic?: boolean;
	/** The first message looks for one; it may come to the offline model. */
	undecided?: true;
	provider: ModelProvider;
	/** The model's name within its provider. */
	model: string;
	/** What is known of it; its window and price are absent where nobody says. */
	info: ModelInfo;
	/** What the person asks of it; the provider's default when absent. */
	effort?: Effort;
}
