// The MCP room with real processes and servers, and a person who answers as the test says.
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
	McpHost,
	McpServerConfig,
	McpServerManager,
	McpServerState,
	McpServerSummary,
	McpToolChanges,
} from "../../src/core/ports/mcp.ts";
import type { Tool, ToolContext, ToolOutput } from "../../src/core/ports/tool.ts";
import type { AgentDefinition } from "../../src/core/role.ts";
import type { OAuthNetwork } from "../../src/mcp/auth/oauthEgress.ts";
import type { McpTimeouts } from "../../src/mcp/deadlines.ts";
import { createServerManager } from "../../src/mcp/serverManager.ts";
import { createProgramHost } from "../../src/platform/processes/programHost.ts";
import { createPrograms } from "../../src/platform/programs/programs.ts";
import type { ServerTools } from "../../src/storage/approvals/serverTools.ts";
import { addressKind, publicWebAccess, requestPinned, resolveAddresses } from "../../src/tools/web/webRequest.ts";

export interface TestMcp {
	room: McpServerManager;
	host: McpHost;
	/** What the person was asked and shown. */
	asked: McpServerSummary[];
	changes: McpToolChanges[];
	opened: string[];
	logged: string[];
	approved: Map<string, string>;
	tokens: Map<string, string>;
	/** Other servers from now on. */
	setUp(servers: readonly McpServerConfig[]): void;
	/** Prepares a session and gives its tools. */
	tools(servers: readonly string[], session?: string): Promise<{ said: readonly string[]; tools: readonly Tool[] }>;
	/** Calls a tool of the session as it is now. */
	call(tool: Tool, input: Record<string, unknown>, signal?: AbortSignal): Promise<ToolOutput>;
	/** Resolves when the server's state is that. */
	becomes(server: string, state: McpServerState): Promise<void>;
	/** Resolves when what it tells is so; asked whenever something changes. */
	until(holds: () => boolean): Promise<void>;
}

export interface TestMcpOptions {
	servers: readonly McpServerConfig[];
	approves?: (summary: McpServerSummary) => boolean | Promise<boolean>;
	approvesTools?: (change: McpToolChanges) => boolean | Promise<boolean>;
	readOnly?: (tool: string, hash: string) => boolean;
	secrets?: Record<string, string>;
	openUrl?: (url: string, unchecked?: boolean) => boolean | Promise<boolean>;
	/** Of origins that only the proxy knows. */
	reachUnchecked?: NonNullable<McpHost["reachUnchecked"]>;
	reachedAt?: (url: string) => Promise<string>;
	answer?: NonNullable<McpHost["answer"]>;
	timeouts?: Partial<McpTimeouts>;
	reserved?: readonly string[];
	/** In place of the real one. */
	network?: Partial<OAuthNetwork>;
	/** The workspace. */
	folder?: string;
	/** What of the tools is known from before; nothing where it is absent. */
	memory?: Pick<ServerTools, "getKnownTools" | "acceptTools">;
}

export function openTestMcp(options: TestMcpOptions): TestMcp {
	let servers = options.servers;
	const memory = options.memory ?? { getKnownTools: async (_server, _approved, shown) => shown, acceptTools: async () => undefined };
	const listeners = new Set<() => void>();
	const approved = new Map<string, string>();
	const tokens = new Map<string, string>();
	const asked: McpServerSummary[] = [];
	const changes: McpToolChanges[] = [];
	const opened: string[] = [];
	const logged: string[] = [];
	const host: McpHost = {
		servers: () => servers,
		onServers(listener) {
			listeners.add(listener);
			return { dispose: () => void listeners.delete(listener) };
		},
		approvedAs: async (server) => approved.get(server),
		async approveServer(summary) {
			asked.push(summary);
			const yes = (await options.approves?.(summary)) ?? true;
			if (yes) approved.set(summary.id, summary.hash);
			return yes;
		},
		knownTools: (...shown) => memory.getKnownTools(...shown),
		async approveTools(change) {
			changes.push(change);
			const yes = (await options.approvesTools?.(change)) ?? false;
			const after = new Map(change.tools.map((tool) => [tool.tool, tool.after]));
			if (yes) await memory.acceptTools(change.server.id, change.approved, after);
			return yes;
		},
		isReadOnly: (_, tool, hash) => options.readOnly?.(tool, hash) ?? false,
		...(options.answer && { answer: options.answer }),
		secret: async (name) => options.secrets?.[name],
		async openUrl(url, unchecked) {
			opened.push(url);
			return (await options.openUrl?.(url, unchecked)) ?? false;
		},
		...(options.reachUnchecked && { reachUnchecked: options.reachUnchecked }),
		...(options.reachedAt && { reachedAt: options.reachedAt }),
		tokens: {
			get: async (server) => tokens.get(server),
			async set(server, value) {
				if (value === undefined) tokens.delete(server);
				else tokens.set(server, value);
			},
		},
		log: (line) => logged.push(line),
	};
	const programs = createPrograms({
		folders: () => (options.folder === undefined ? [] : [{ name: "workspace", path: options.folder }]),
		extraVariables: () => [],
		findRipgrep: async () => undefined,
	});
	const room = createServerManager({
		host,
		programs: createProgramHost(programs),
		network: {
			resolveAddresses: (url) => resolveAddresses(url, publicWebAccess.resolve),
			classifyAddress: addressKind,
			request: requestPinned,
			...options.network,
		},
		workspaceFolder: () => options.folder ?? realpathSync(tmpdir()),
		defaultCwd: () => realpathSync(tmpdir()),
		reservedIds: options.reserved ?? ["files", "plan"],
		timeouts: { restartDelay: () => 10, listInterval: 20, ...options.timeouts },
	});
	const until = (holds: () => boolean): Promise<void> =>
		new Promise((resolve) => {
			const watch = room.onChange(() => look());
			function look(): void {
				if (!holds()) return;
				watch.dispose();
				resolve();
			}
			look();
		});
	return {
		room,
		host,
		asked,
		changes,
		opened,
		logged,
		approved,
		tokens,
		setUp(next) {
			servers = next;
			for (const listener of [...listeners]) listener();
		},
		async tools(names, session = "one") {
			const agent = agentWith(names);
			const said = await room.prepare(session, agent, new AbortController().signal);
			return { said, tools: room.tools(session, agent) };
		},
		call: (tool, input, signal = new AbortController().signal) => (tool.run as NonNullable<Tool["run"]>)(input, contextWith(signal)),
		becomes: (server, state) => until(() => room.servers().some(({ config, state: now }) => config.id === server && now === state)),
		until,
	};
}

export function agentWith(mcpServers: readonly string[]): AgentDefinition {
	return { agentId: "tester", displayName: "Tester", mcpServers };
}

function contextWith(signal: AbortSignal): ToolContext {
	return { signal, call: "call_1", progress: () => undefined } as unknown as ToolContext;
}

/** A package of npm that is a server, as a program of this Node. */
export function npmServer(id: string, pack: string, ...args: string[]): McpServerConfig {
	const script = `${process.cwd()}/node_modules/@modelcontextprotocol/${pack}/dist/index.js`;
	return { id, name: id, source: "settings", command: process.execPath, args: [script, ...args] };
}

/** Our server that goes wrong in the way that is asked of it. */
export function faultServer(id: string, fault: string, ...more: string[]): McpServerConfig {
	return {
		id,
		name: id,
		source: "settings",
		command: process.execPath,
		args: [join(process.env["TEST_PROGRAMS"] ?? "", "mcpFaults.program.mjs"), fault, ...more],
	};
}

export function toolNamed(tools: readonly Tool[], name: string): Tool {
	const found = tools.find((tool) => tool.name === name);
	if (!found) throw new Error(`There is no ${name} among ${tools.map((tool) => tool.name).join(", ")}`);
	return found;
}
