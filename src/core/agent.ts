// Types for the agent registry: listed, broken and unapproved agents, their sources, and the registry itself.
import type { AgentDefinition } from "./role.ts";

export type AgentSource =
	| { kind: "builtin" }
	/** Entry of `troupe.agents`, from 0. */
	| { kind: "settings"; index: number }
	/** A file of the person's own. */
	| { kind: "file"; path: string }
	/** A file of the workspace, in the format of whoever it was written for. */
	| { kind: "workspace"; path: string; format: "troupe" | "github" | "claude" };

export interface ListedAgent {
	/** Whole: what it inherits is in it. */
	definition: AgentDefinition;
	source: AgentSource;
	/** What its own file says, without what it inherits: what a person edits. Of those in files of the person's own. */
	own?: AgentDraft;
	/** What of its definition does not count, a sentence each. */
	notes: readonly string[];
}

/** A definition that cannot be used. It takes nothing else down. */
export interface BrokenAgent {
	/** As the person would look for it: its id, its file's name, or "Entry 3". */
	label: string;
	source: AgentSource;
	/** File, line and field where they are known, and what is wrong. */
	problem: string;
	/** From 1. */
	line?: number;
}

/** A definition in the workspace that counts only once the person has approved exactly this content. */
export interface UnapprovedAgent {
	label: string;
	source: Extract<AgentSource, { kind: "workspace" }>;
	/** SHA-256 of its bytes: what an approval is of. */
	hash: string;
	/** What the file says. */
	text: string;
	/** What it would be. */
	definition: AgentDefinition;
	/** What of it would not count, a sentence each. */
	notes: readonly string[];
	/** Another content of this file was approved before. */
	changed: boolean;
	/** What was approved before, where that is still known. */
	approved?: string;
}

export interface AgentCatalog {
	/** The default agent first. */
	agents: readonly ListedAgent[];
	broken: readonly BrokenAgent[];
	waiting: readonly UnapprovedAgent[];
}

/** What the person fills in. */
export type AgentDraft = Omit<AgentDefinition, "agentId">;

/** One registry serves all: it reads, merges and checks definitions, and keeps those that people make. */
export interface AgentRegistry {
	catalog(): AgentCatalog;
	onChange(listener: () => void): { dispose(): void };
	/** Keeps a new agent in a file of its own and returns it. Rejects with StorageError, or with what is not valid. */
	create(draft: AgentDraft): Promise<AgentDefinition>;
	/** Only those in files of the person's own can be changed. */
	update(agentId: string, draft: AgentDraft): Promise<AgentDefinition>;
	remove(agentId: string): Promise<void>;
	/** A copy of any agent, in a file of the person's own. */
	duplicate(agentId: string): Promise<AgentDefinition>;
	/** What is wrong with a draft, by field; "" for the whole. Empty where it can be kept. */
	check(draft: AgentDraft, agentId?: string): { field: string; problem: string }[];
	/** Lets a definition of the workspace count, as long as its content is the approved one. Rejects where the file has changed. */
	approve(path: string, hash: string): Promise<void>;
	/** Takes such an approval back. */
	disapprove(path: string): Promise<void>;
	/** The agent that was spoken to last; the default one where that is gone. */
	lastUsed(): string;
	/** Notes that it was spoken to. */
	used(agentId: string): Promise<void>;
}
