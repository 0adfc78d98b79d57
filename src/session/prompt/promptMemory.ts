// Remembers a session's system prompts, and what its running turn offers.

import type { Tool } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";

/** What a turn offers its model, computed once by `computeOffer`. */
export interface Offer {
	readonly agent: AgentDefinition;
	readonly role: Role;
	/** All tools of the agent, offered or not. */
	readonly all: readonly Tool[];
	/** Those that the gate offers. */
	readonly tools: readonly Tool[];
	/** Those that the model is told about: without tools that have nothing to work on yet. */
	readonly described: readonly Tool[];
	/** The agents that it may call. */
	readonly peers: PromptParts["peers"];
	/** The prompt's parts that are known without I/O. */
	readonly facts: PromptParts;
}

/** A prompt as it was built, with its changeable facts. */
export interface FrozenPrompt {
	/** Identifies everything in it that does not change by itself: agent, role and our own text. */
	key: string;
	system: string;
	facts: readonly string[];
}

/** The prompts of one session. */
export class PromptMemory {
	readonly known = new Map<string, FrozenPrompt>();
	/** In use, but not yet named in the transcript. */
	unkept: FrozenPrompt | undefined;
	/** The prompt of the running turn, or of the last one. */
	current: FrozenPrompt | undefined;
	/** The key of the fixed parts, as JSON, that it was last computed for. */
	lastKey: { parts: string; key: string } | undefined;
	/** What the running turn offers, or the message that begins it. */
	offer: Offer | undefined;
	/** Names of external tools in the last turn, and its prompt key. */
	listExternalToolNames: { key: string; names: readonly string[] } | undefined;
	/** By model id: whether its prompts include the plan and question formats. A model's capabilities may become known later. */
	readonly formatted = new Map<string, boolean>();

	/** The transcript was restarted. A running turn keeps its prompt, and so do the turns after it. */
	restarted(inTurn: boolean): void {
		this.known.clear();
		this.unkept = inTurn ? this.current : undefined;
		if (this.unkept) this.known.set(this.unkept.key, this.unkept);
	}
}
