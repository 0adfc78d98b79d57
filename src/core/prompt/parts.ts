// What a system prompt is made of. The same parts give the same bytes; what changes while a session lasts goes into messages.
import type { AgentDefinition, Permission, Role } from "../permissions.ts";

export interface PromptParts {
	/** Undefined where none is known. */
	agent: AgentDefinition | undefined;
	role: Role;
	/** Permissions that are in force: the role's, cut by whoever asked. */
	permissions: readonly Permission[];
	/** Names of the workspace folders. */
	folders: readonly string[];
	/** What the gate offers. `outside`: its description is somebody else's. */
	tools: readonly { name: string; description: string; outside?: true }[];
	/** Plugins that are used from a shell instead. */
	cliSkills: readonly CliSkill[];
	artifacts: readonly ArtifactGroup[];
	/** Whether messages begin with a context line. */
	messageContext: boolean;
	panels: readonly OpenEditor[];
	/** Other agents that this one may ask. */
	peers: readonly Pick<AgentDefinition, "agentId" | "displayName" | "description">[];
	instructions: readonly Instruction[];
}

/** A plugin's skill: how its tools are used from a shell. */
export interface CliSkill {
	/** The plugin's id. */
	id: string;
	name: string;
	description: string;
	/** Absolute paths. */
	skillPath: string;
	cliPath: string;
}

/** Notes, lists or views that are there. */
export interface ArtifactGroup {
	type: string;
	items: readonly { id: string; name: string }[];
	/** How many there are beside those. */
	more?: number;
}

/** Something open in the editor. */
export interface OpenEditor {
	id: string;
	/** "editor", "diff", "notebook", "terminal", "webview", or a view's kind. */
	type: string;
	title: string;
	active: boolean;
	/** Shown in some editor group. */
	visible: boolean;
	/** The file or artifact in it. `id` is a workspace path where it is a file. */
	item?: { type: string; id: string; name: string };
	/** First and last selected line, from 1. */
	lines?: [number, number];
	/** Ids of the items of a list that these lines belong to. */
	selected?: readonly string[];
	view?: { name: string; query: string };
}

/** What an AGENTS.md says. */
export interface Instruction {
	/** Relative to the workspace. */
	path: string;
	text: string;
}

/** Where prompts have their parts from. */
export interface PromptSources {
	/** None unless the agent's exposure says so. */
	cliSkills(session: string, agent: AgentDefinition): Promise<readonly CliSkill[]>;
	artifacts(): Promise<readonly ArtifactGroup[]>;
	panels(): readonly OpenEditor[];
	/** Whether messages say what the person looks at. */
	context: EditorContextSetting;
	instructions(): Promise<readonly Instruction[]>;
}

/** The person's switch for the context line of their messages. */
export interface EditorContextSetting {
	on(): boolean;
	turn(on: boolean): Promise<void>;
	/** How answers should be, for the line's `mode`: "brief". Undefined where the person has no wish. */
	mode(): string | undefined;
	/** The switch, or what the line would say, has changed. */
	onChange(listener: () => void): { dispose(): void };
}
