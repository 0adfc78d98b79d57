// The tools of all servers for a turn, with the approvals that other windows have changed before it.
import type { McpServerManager } from "../../core/ports/mcp.ts";
import type { ToolSource } from "../../core/ports/tool.ts";

interface Approvals {
	/** Reads what other windows have changed. */
	refresh(): Promise<void>;
	/** Forgets servers that are not among these ids. */
	retainOnly(servers: readonly string[]): Promise<void>;
}

/** `ids`: of all servers that are set up. */
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
