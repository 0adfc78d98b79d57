// Implements the user's actions on MCP servers: start, stop, reset approvals, mark tools as read-only.
import type { McpActions, McpServerConfig, McpServerManager } from "../../core/ports/mcp.ts";
import { approvalKey, hashServer } from "../canonicalJson.ts";
import { referencedSecrets } from "../settings.ts";

interface ActionOptions {
	manager: McpServerManager;
	servers(): readonly McpServerConfig[];
	restricted(): string | undefined;
	approvals: {
		approvedHash(server: string): Promise<string | undefined>;
		isRefused(server: string, hash: string): Promise<boolean>;
		/** Deletes the answers about its start in all workspaces, and its read-only marks. */
		forget(server: string): Promise<void>;
		readOnlyHash(server: string, tool: string): string | undefined;
		setReadOnlyTools(server: string, tools: readonly string[], readOnly: Readonly<Record<string, string>>): Promise<void>;
	};
}

export function createMcpActions({ manager, servers, restricted, approvals }: ActionOptions): McpActions {
	return {
		list: () => manager.servers(),
		onChange: (listener) => manager.onChange(listener),
		output: (server) => manager.output(server),
		try: (server, signal) => manager.try(server, signal),
		stop: (server) => manager.stop(server),
		signOut: (server) => manager.signOut(server),
		restrictedReason: restricted,
		async startDecision(server) {
			const config = servers().find(({ id }) => id === server);
			if (!config) return undefined;
			const hash = hashServer(config);
			if ((await approvals.approvedHash(approvalKey(config))) === hash) return "approved";
			return (await approvals.isRefused(approvalKey(config), hash)) ? "never" : undefined;
		},
		async resetApprovals(server) {
			await approvals.forget(server);
			await manager.stop(server);
		},
		readOnlyMarkHash: (server, tool) => approvals.readOnlyHash(server, tool),
		async markReadOnlyTools(server, readOnly) {
			const tools = manager.servers().find(({ config }) => config.id === server)?.tools ?? [];
			const marked = tools.filter(({ tool }) => readOnly.includes(tool)).map(({ tool, hash }) => [tool, hash] as const);
			const names = tools.map(({ tool }) => tool);
			await approvals.setReadOnlyTools(server, names, Object.fromEntries(marked));
		},
		requiredSecrets: () => [...new Set(servers().flatMap(referencedSecrets))],
	};
}
