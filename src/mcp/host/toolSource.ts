// Provides all servers' tools for a turn, after loading approvals changed in other windows.
import type { McpServerManager } from "../../core/ports/mcp.ts";
import type { ToolSource } from "../../core/ports/tool.ts";

interface Approvals {
	/** Loads changes from other windows. */
	refresh(): Promise<void>;
	/** Deletes the data of servers not in this list. */
	retainOnly(servers: readonly string[]): Promise<void>;
}

/** `ids`: all configured servers. */
export function createMcpToolSource(manager: McpServerManager, approvals: Approvals, ids: () => readonly string[]): ToolSource {
	let swept: Promise<void> | undefined;
	return {
		tools: (session, agent) => manager.tools(session, agent),
		async prepare(session, agent, signal) {
			if (agent.mcpServers?.length) {
				await approvals.refresh();
				swept ??= approvals.retainOnly(ids());
				await swept;
			}
			return manager.prepare(session, agent, signal);
		},
		release: (session) => manager.release(session),
		prompts: (session) => manager.prompts(session),
		prompt: (session, name, values, signal) => manager.prompt(session, name, values, signal),
	};
}
