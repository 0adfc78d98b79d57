// The offer of a turn to its model: tools, agents to call, and parts of the prompt.

import type { Tool } from "../../core/ports/tool.ts";
import type { PromptParts } from "../../core/prompt.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";

/** Computed by `computeOffer`: once for a message, and once for its turn. */
export interface Offer {
	readonly agent: AgentDefinition;
	readonly role: Role;
	/** All tools of the agent, offered or not. */
	readonly all: readonly Tool[];
	/** The tools that the model is told about: those that the gate offers, without those that have nothing to work on yet. */
	readonly described: readonly Tool[];
	/** The agents that it may call. */
	readonly peers: PromptParts["peers"];
	/** The prompt's parts that are known without I/O. */
	readonly parts: PromptParts;
}
