// Assembles the MCP services: configured servers, approvals, programs, and network access.
import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { McpActions, McpDialogs, McpServerConfig, McpServerManager } from "../core/ports/mcp.ts";
import type { ToolSource } from "../core/ports/tool.ts";
import type { WorkspaceFolder } from "../core/ports/workspace/files.ts";
import { createMcpActions } from "../mcp/host/actions.ts";
import { createMcpHost, type McpHostOptions } from "../mcp/host/host.ts";
import { createMcpToolSource } from "../mcp/host/toolSource.ts";
import { createServerManager } from "../mcp/serverManager.ts";
import { allMcpServerIds, enabledMcpServers, RESERVED_SERVER_IDS } from "../mcp/settings.ts";
import { createProgramHost } from "../platform/processes/programHost.ts";
import type { Programs } from "../platform/programs/programs.ts";
import type { TroupeSettings } from "../settings/settings.ts";
import { createServerApprovals } from "../storage/approvals/serverApprovals.ts";
import { FOLDER_MODE } from "../storage/fileSystem.ts";
import { addressKind, type ProxyRoute, publicWebAccess, requestPinned, resolveAddresses } from "../tools/web/webRequest.ts";

/** Functions and services of the host that MCP servers need. */
export interface McpPorts extends Pick<McpHostOptions, "secrets" | "tokens" | "folders"> {
	dialogs: McpDialogs;
	onSettings(listener: () => void): { dispose(): void };
	/** Shows a sentence saying that answers cannot be stored. */
	warn(message: string): void;
}

interface McpOptions extends McpPorts {
	settings(): Pick<TroupeSettings, "mcpServers" | "pluginsOff">;
	programs: Programs;
	/** Workspace folders that the gate knows, too. */
	workspaceFolders(): readonly WorkspaceFolder[];
	/** Storage folder for approvals in all workspaces. */
	shared: string;
	resolveProxy(url: URL): Promise<ProxyRoute | undefined>;
	restricted(): string | undefined;
	log(line: string): void;
}

export interface McpServices {
	manager: McpServerManager;
	/** The servers' tools. Before each turn, it reads what other windows have approved. */
	toolSource: ToolSource;
	actions: McpActions;
	dispose(): Promise<void>;
}

export function createMcpServices(options: McpOptions): McpServices {
	const { settings, shared } = options;
	const approvals = createServerApprovals(shared, { log: options.log });
	const health = approvals.onHealth(({ message }) => {
		if (message !== undefined) options.warn(message);
	});
	const workspaceFolder = () => options.workspaceFolders()[0]?.path ?? homedir();
	const servers = (): readonly McpServerConfig[] => enabledMcpServers(settings().mcpServers, settings().pluginsOff, workspaceFolder());
	const home = () => homeIn(shared);
	const manager = createServerManager({
		host: createMcpHost({ ...options, onServers: options.onSettings, servers, approvals, home }),
		programs: createProgramHost(options.programs),
		network: {
			resolveAddresses: (url) => resolveAddresses(url, publicWebAccess.resolve),
			classifyAddress: addressKind,
			request: requestPinned,
			resolveProxy: options.resolveProxy,
		},
		workspaceFolder,
		defaultCwd: home,
		reservedIds: RESERVED_SERVER_IDS,
	});
	return {
		manager,
		toolSource: createMcpToolSource(manager, approvals, () => allMcpServerIds(settings().mcpServers)),
		actions: createMcpActions({ manager, servers, restricted: options.restricted, approvals }),
		async dispose() {
			await manager.dispose();
			health.dispose();
		},
	};
}

/**
 * Working directory for servers that set none. It must not be a workspace, because npx and similar programs run files from where they
 * start.
 */
function homeIn(shared: string): string {
	const home = join(shared, "servers");
	mkdirSync(home, { recursive: true, mode: FOLDER_MODE });
	return home;
}
