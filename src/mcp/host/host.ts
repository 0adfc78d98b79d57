// Implements the MCP host: stored approvals, secrets, sign-ins and questions to the user.
import type { McpDialogs, McpHost, McpServerConfig } from "../../core/ports/mcp.ts";
import { approvalKey } from "../canonicalJson.ts";
import { createStartApproval, type StartRecords } from "./startApproval.ts";

/** The user's stored answers; `server` is an `approvalKey`, or the server's ID for read-only marks. */
interface HostRecords extends StartRecords {
	readonly tools: {
		getKnownTools: McpHost["knownTools"];
		acceptTools(server: string, approved: string, tools: Awaited<ReturnType<McpHost["knownTools"]>>): Promise<void>;
	};
	approvedHash(server: string): Promise<string | undefined>;
	isReadOnly(server: string, tool: string, hash: string): boolean;
}

export interface McpHostOptions {
	servers(): readonly McpServerConfig[];
	onServers: McpHost["onServers"];
	approvals: HostRecords;
	dialogs: McpDialogs;
	secrets: { get(name: string): Promise<string | undefined> };
	tokens: McpHost["tokens"];
	/** Working directory for programs that specify none. */
	home(): string;
	/** Absolute paths of all workspace folders, including excluded ones: the user is told about a program in them. */
	folders(): readonly string[];
	/** Reason why nothing may run (Restricted Mode); otherwise undefined. */
	restricted(): string | undefined;
	log(line: string): void;
}

export function createMcpHost(options: McpHostOptions): McpHost {
	const { servers, approvals, dialogs, restricted } = options;
	const keyOf = (server: string): string => {
		const config = servers().find(({ id }) => id === server);
		return config ? approvalKey(config) : server;
	};
	return {
		servers,
		onServers: options.onServers,
		approvedAs: async (server) => (restricted() === undefined ? approvals.approvedHash(keyOf(server)) : undefined),
		approveServer: createStartApproval(options),
		knownTools: (server, approved, shown) => approvals.tools.getKnownTools(keyOf(server), approved, shown),
		async approveTools(change) {
			const key = keyOf(change.server.id);
			if (!(await dialogs.confirmChangedTools(change))) return false;
			await approvals.tools.acceptTools(key, change.approved, new Map(change.tools.map(({ tool, after }) => [tool, after])));
			return true;
		},
		isReadOnly: (server, tool, hash) => approvals.isReadOnly(server, tool, hash),
		async secret(name) {
			const value = restricted() === undefined ? await options.secrets.get(name) : undefined;
			if (!value) dialogs.notifyMissingSecret(name);
			return value;
		},
		answer: async (question, signal) => (restricted() === undefined ? dialogs.answer(question, signal) : undefined),
		openUrl: async (url, unchecked) => restricted() === undefined && dialogs.openSignIn(url, unchecked),
		reachUnchecked: async ({ name }, origin) => restricted() === undefined && dialogs.confirmUncheckedOrigin(name, origin),
		reachedAt: dialogs.reachedAt,
		tokens: options.tokens,
		log: options.log,
	};
}
