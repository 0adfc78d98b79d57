// The port to tools that are not built in: of MCP servers, of VS Code's extensions.
import type { AgentDefinition } from "../permissions.ts";
import type { Tool } from "./tool.ts";

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
