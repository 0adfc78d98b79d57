// MCP servers in the editor: what is set up, what the person said, their secrets and their answers, handed to the room of servers.

import { mkdirSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { McpHost, McpServerConfig, McpServerManager } from "../core/ports/mcp.ts";
import type { ToolSource } from "../core/ports/tool.ts";
import type { WorkspaceFolder } from "../core/ports/workspace.ts";
import { approvalKey, hashServer } from "../mcp/canonicalJson.ts";
import { createServerManager } from "../mcp/serverManager.ts";
import { allMcpServerIds, enabledMcpServers, RESERVED_SERVER_IDS, referencedSecrets } from "../mcp/settings.ts";
import { createStartApproval } from "../mcp/startApproval.ts";
import type { Programs } from "../platform/programs/programs.ts";
import type { TroupeSettings } from "../settings/settings.ts";
import { createServerApprovals, type ServerApprovals } from "../storage/approvals/serverApprovals.ts";
import { FOLDER_MODE } from "../storage/fileSystem.ts";
import { addressKind, publicWebAccess, requestPinned, resolveAddresses } from "../tools/web/webRequest.ts";
import { diskWorkspaceFolders } from "../vscode/adapters/virtualFileSystem.ts";
import { showNotification } from "../vscode/dialogs.ts";
import { showElicitationForm } from "../vscode/mcp/elicitationForm.ts";
import type { McpActions } from "../vscode/mcp/mcpActions.ts";
import { createMcpDialogs } from "../vscode/mcp/mcpDialogs.ts";
import { createMcpSecrets, type McpSecrets } from "../vscode/mcp/mcpSecrets.ts";
import { showReadOnlyText } from "../vscode/readOnlyText.ts";
import { createMcpProcesses } from "./mcp/processes.ts";
import { proxyRouteFor } from "./workspace/web.ts";

interface Parts {
	context: Pick<vscode.ExtensionContext, "secrets" | "globalState">;
	settings(): Pick<TroupeSettings, "mcpServers" | "pluginsOff">;
	programs: Programs;
	/** Folders of the workspace that the gate knows, too. */
	folders(): readonly WorkspaceFolder[];
	onSettings(listener: () => void): { dispose(): void };
	/** Where what is said for all workspaces is kept. */
	shared: string;
	restricted(): string | undefined;
	log(line: string): void;
}

type Said = Parts & { approvals: ServerApprovals };

export interface McpServices {
	serverManager: McpServerManager;
	/** The room as a source of tools: before each turn it is known what other windows have said. */
	toolSource: ToolSource;
	actions: McpActions;
	secrets: McpSecrets;
	dispose(): Promise<void>;
}

export const MCP_TOKEN_KEY_PREFIX = "troupe.mcp.";

export function createMcpServices(parts: Parts): McpServices {
	const { context, settings } = parts;
	const approvals = createServerApprovals(parts.shared, { log: parts.log });
	const health = approvals.onHealth(({ message }) => {
		if (message !== undefined) void showNotification("warning", message);
	});
	const secrets = createMcpSecrets(context.secrets, context.globalState);
	const folder = () => parts.folders()[0]?.path ?? homedir();
	const servers = (): readonly McpServerConfig[] => enabledMcpServers(settings().mcpServers, settings().pluginsOff, folder());
	const host = hostOf({ ...parts, approvals }, servers, secrets);
	const room = createServerManager({
		host,
		processes: createMcpProcesses(parts.programs),
		network: {
			resolveAddresses: (url) => resolveAddresses(url, publicWebAccess.resolve),
			classifyAddress: addressKind,
			request: requestPinned,
			resolveProxy: proxyRouteFor,
		},
		workspaceFolder: folder,
		defaultCwd: () => homeIn(parts.shared),
		reservedIds: RESERVED_SERVER_IDS,
	});
	let swept: Promise<void> | undefined;
	return {
		serverManager: room,
		toolSource: {
			tools: (session, agent) => room.tools(session, agent),
			async prepare(session, agent, signal) {
				if (agent.mcpServers?.length) {
					await approvals.refresh();
					swept ??= approvals.retainOnly(allMcpServerIds(settings().mcpServers));
					await swept;
				}
				return room.prepare(session, agent, signal);
			},
			release: (session) => room.release(session),
			prompts: (session) => room.prompts(session),
			prompt: (session, name, values, signal) => room.prompt(session, name, values, signal),
		},
		actions: deskOf({ ...parts, approvals }, servers, room),
		secrets,
		async dispose() {
			await room.dispose();
			health.dispose();
		},
	};
}

/** Where programs run that name no folder of their own: npx and its like run what lies where they are started. */
function homeIn(shared: string): string {
	const home = join(shared, "servers");
	mkdirSync(home, { recursive: true, mode: FOLDER_MODE });
	return home;
}

function hostOf(parts: Said, servers: () => readonly McpServerConfig[], secrets: McpSecrets): McpHost {
	const { context, approvals, restricted, log } = parts;
	const dialogs = createMcpDialogs();
	const keyOf = (server: string): string => {
		const config = servers().find(({ id }) => id === server);
		return config ? approvalKey(config) : server;
	};
	return {
		servers,
		onServers: parts.onSettings,
		approvedAs: async (server) => (restricted() === undefined ? approvals.approvedHash(keyOf(server)) : undefined),
		approveServer: createStartApproval({
			servers,
			approvals,
			restricted,
			mayStart: dialogs.confirmStart,
			home: () => homeIn(parts.shared),
			// Those that are left out, too: a program in one of them is told of all the same.
			folders: () => diskWorkspaceFolders().map(({ path }) => path),
			log,
		}),
		knownTools: (server, approved, shown) => approvals.tools.getKnownTools(keyOf(server), approved, shown),
		async approveTools(change) {
			const key = keyOf(change.server.id);
			if (!(await dialogs.confirmChangedTools(change))) return false;
			await approvals.tools.acceptTools(key, change.approved, new Map(change.tools.map(({ tool, after }) => [tool, after])));
			return true;
		},
		isReadOnly: (server, tool, hash) => approvals.isReadOnly(server, tool, hash),
		async secret(name) {
			const value = restricted() === undefined ? await secrets.get(name) : undefined;
			if (!value) dialogs.notifyMissingSecret(name);
			return value;
		},
		answer: async (question, signal) => (restricted() === undefined ? showElicitationForm(question, signal) : undefined),
		openUrl: async (url, unchecked) => restricted() === undefined && dialogs.openSignIn(url, unchecked),
		reachUnchecked: async ({ name }, origin) => restricted() === undefined && dialogs.confirmUncheckedOrigin(name, origin),
		reachedAt: async (url) => (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString(true),
		tokens: {
			get: async (server) => context.secrets.get(MCP_TOKEN_KEY_PREFIX + server),
			set: async (server, value) =>
				value === undefined
					? context.secrets.delete(MCP_TOKEN_KEY_PREFIX + server)
					: context.secrets.store(MCP_TOKEN_KEY_PREFIX + server, value),
		},
		log,
	};
}

function deskOf(parts: Said, servers: () => readonly McpServerConfig[], room: McpServerManager): McpActions {
	const { approvals, restricted } = parts;
	return {
		list: () => room.servers(),
		onChange: (listener) => room.onChange(listener),
		output: (server) => room.output(server),
		try: (server, signal) => room.try(server, signal),
		stop: (server) => room.stop(server),
		signOut: (server) => room.signOut(server),
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
			await room.stop(server);
		},
		readOnlyMarkHash: (server, tool) => approvals.readOnlyHash(server, tool),
		async markReadOnlyTools(server, readOnly) {
			const tools = room.servers().find(({ config }) => config.id === server)?.tools ?? [];
			const marked = tools.filter(({ tool }) => readOnly.includes(tool)).map(({ tool, hash }) => [tool, hash] as const);
			const names = tools.map(({ tool }) => tool);
			await approvals.setReadOnlyTools(server, names, Object.fromEntries(marked));
		},
		requiredSecrets: () => [...new Set(servers().flatMap(referencedSecrets))],
		showText: showReadOnlyText,
	};
}
