// Types for the agent registry: listed, broken, and unapproved agents, their sources, and the registry itself.
import type { AgentDefinition } from "./role.ts";
import type { TaskType } from "./task.ts";

export type AgentSource =
	| { kind: "builtin" }
	/** Entry in `troupe.agents`, from 0. */
	| { kind: "settings"; index: number }
	/** A file in the user's own agent folder. */
	| { kind: "file"; path: string }
	/** A workspace file, in the format of the product that it was written for. */
	| { kind: "workspace"; path: string; format: "troupe" | "github" | "claude" | "subagent" };

export interface ListedAgent {
	/** The merged definition, including inherited fields. */
	definition: AgentDefinition;
	source: AgentSource;
	/** The fields in its own file, without inherited ones, for editing. Set only for agents in the user's own files. */
	own?: AgentDraft;
	/** Ignored parts of the definition, one sentence each. */
	notes: readonly string[];
}

/** A definition that cannot be used. Other definitions are not affected. */
export interface BrokenAgent {
	/** A label that the user recognizes: its id, its file name, or "Entry 3". */
	label: string;
	source: AgentSource;
	/** Describes what is wrong, with file, line, and field if known. */
	problem: string;
	/** Line number, starting at 1. */
	line?: number;
}

/** A workspace definition that takes effect only after the user approves exactly this content. */
export interface UnapprovedAgent {
	label: string;
	source: Extract<AgentSource, { kind: "workspace" }>;
	/** SHA-256 of the file's bytes, which the approval is bound to. */
	hash: string;
	/** The file's content. */
	text: string;
	/** The definition that would take effect; for a task type, that of its tasks. */
	definition: AgentDefinition;
	/** Parts of the definition that would be ignored, one sentence each. */
	notes: readonly string[];
	/** Different content of this file was approved before. */
	changed: boolean;
	/** The previously approved content, if still known. */
	approved?: string;
}

/** A usable task type. */
export interface ListedTaskType {
	type: TaskType;
	source: AgentSource;
	/** Ignored parts of its file, one sentence each. */
	notes: readonly string[];
}

export interface AgentCatalog {
	/** The default agent comes first. */
	agents: readonly ListedAgent[];
	/** Built-in ones first. Unusable and unapproved ones are in the lists below, with the agents. */
	tasks: readonly ListedTaskType[];
	broken: readonly BrokenAgent[];
	waiting: readonly UnapprovedAgent[];
}

/** The fields that the user fills in. */
export type AgentDraft = Omit<AgentDefinition, "agentId">;

/** Reads, merges, and validates definitions, and stores those that users create. */
export interface AgentRegistry {
	catalog(): AgentCatalog;
	onChange(listener: () => void): { dispose(): void };
	/** Reads all sources again. Resolves when the catalog is updated. */
	refresh(): Promise<void>;
	/** Saves a new agent in its own file and returns it. Rejects with StorageError or with the validation problems. */
	create(draft: AgentDraft): Promise<AgentDefinition>;
	/** Only agents in the user's own files can be changed. */
	update(agentId: string, draft: AgentDraft): Promise<AgentDefinition>;
	remove(agentId: string): Promise<void>;
	/** Copies any agent to one of the user's own files. */
	duplicate(agentId: string): Promise<AgentDefinition>;
	/** Problems of a draft by field; "" stands for the whole draft. Empty if the draft can be saved. */
	check(draft: AgentDraft, agentId?: string): { field: string; problem: string }[];
	/** Enables a workspace definition for as long as its content matches `hash`. Rejects if the file has changed. */
	approve(path: string, hash: string): Promise<void>;
	/** Revokes that approval. */
	disapprove(path: string): Promise<void>;
	/** The agent that was used last, or the default agent if it no longer exists. */
	lastUsed(): string;
	/** Records that the agent was used. */
	used(agentId: string): Promise<void>;
}
