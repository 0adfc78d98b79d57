// Manages the MCP servers of all sessions: starts them at an agent's first turn, stops unused ones.

import type { McpHost, McpServerConfig, McpServerManager, McpToolChanges } from "../core/ports/mcp.ts";
import type { ProgramHost } from "../core/ports/programs.ts";
import type { AgentDefinition } from "../core/role.ts";
import { t } from "../shared/l10n.ts";
import { unlessAborted } from "../shared/node/withTimeout.ts";
import { reasonOf } from "../shared/reasonOf.ts";
import type { OAuthNetwork } from "./auth/oauthEgress.ts";
import { canonicalJson } from "./canonicalJson.ts";
import { ServerConnection } from "./connection.ts";
import { createRequestSharing, DEFAULT_TIMEOUTS, type McpTimeouts } from "./deadlines.ts";
import { handleElicitation } from "./elicitation.ts";
import { getPrompt, listPrompts } from "./prompts.ts";
import { SessionServer } from "./sessionServer.ts";
import { createStartGuard } from "./startGuard.ts";
import { createServerStatus } from "./status.ts";
import { cleanLine } from "./wire/sanitize.ts";

export interface ServerManagerOptions {
	host: McpHost;
	programs: ProgramHost;
	network: OAuthNetwork;
	/** Value of `${workspaceFolder}` in a server's arguments. */
	workspaceFolder(): string;
	/** Working directory for programs that specify none: absolute and outside any workspace, since files there can decide what runs. */
	defaultCwd(): string;
	/** IDs of built-in plugins, which no server may have. */
	reservedIds: readonly string[];
	timeouts?: Partial<McpTimeouts>;
}

export function createServerManager({
	host,
	programs,
	network,
	workspaceFolder: folder,
	defaultCwd: home,
	reservedIds: reserved,
	timeouts: given,
}: ServerManagerOptions): McpServerManager {
	const timeouts = { ...DEFAULT_TIMEOUTS, ...given };
	/** Servers by session, then by their ID. */
	const sessions = new Map<string, Map<string, SessionServer>>();
	const all = (): SessionServer[] => [...sessions.values()].flatMap((servers) => [...servers.values()]);
	const of = (server: string): SessionServer[] => all().filter(({ connection }) => connection.config.id === server);
	const idProblem = (id: string): string | undefined => problemWith(id, reserved);
	const status = createServerStatus({ host, served: of, idProblem });
	const permit = createStartGuard({
		host,
		timeouts,
		folder,
		home,
		programs,
		network,
		output: status.output,
		waiting: (server, waits) => {
			for (const { connection } of of(server)) if (connection.isStarting) connection.setWaitingForSignIn(waits);
		},
	});
	const once = createRequestSharing<boolean>();
	const approve = (change: McpToolChanges): Promise<boolean> => once(canonicalJson(change), () => host.approveTools(change));
	const watch = host.onServers(() => void dropChanged());

	function served(session: string, config: McpServerConfig): SessionServer {
		const servers = sessions.get(session) ?? new Map<string, SessionServer>();
		sessions.set(session, servers);
		const known = servers.get(config.id);
		if (known) return known;
		const changed = (): void => status.note(one);
		const one = new SessionServer(session, { host, approve, changed });
		one.connection = new ServerConnection({
			config,
			timeouts,
			authorizeStart: (state, signal) => permit.check(session, config, state, signal),
			onStateChange: changed,
			onToolsListed: (listed) => one.updateTools(listed),
			onOutput: (line) => status.output(config.id, permit.hide(config.id, line)),
			log: (line) => host.log(`MCP server ${config.id}: ${line}`),
			redact: (text) => permit.hide(config.id, text),
			...(host.answer && { onElicitation: (params, signal) => handleElicitation(host, { session, config, params }, signal) }),
		});
		servers.set(config.id, one);
		return one;
	}

	async function ready(session: string, id: string, agent: AgentDefinition, signal: AbortSignal): Promise<string[]> {
		const config = host.servers().find((candidate) => candidate.id === id);
		if (!config) {
			return [
				t(
					"The agent {0} uses the MCP server {1}, which isn't configured. Add the server to troupe.mcpServers in Settings.",
					agent.displayName,
					id,
				),
			];
		}
		const problem = idProblem(id);
		if (problem !== undefined) return [problem];
		const one = served(session, config);
		const late = AbortSignal.timeout(timeouts.start + timeouts.userAction);
		try {
			await one.connection.ensureReady(AbortSignal.any([signal, late]));
		} catch (error) {
			signal.throwIfAborted();
			if (!late.aborted) return [reasonOf(error, host.log)];
			return [t("{0} isn't ready yet. Its tools become available with a later message.", cleanLine(config.name, 80))];
		}
		const off = one.changedTools();
		if (off.length === 0) return [];
		const names = off.slice(0, 5).map(({ toolName: tool }) => tool);
		return [t("{0} changed these tools. They're turned off until you approve them: {1}.", cleanLine(config.name, 80), names.join(", "))];
	}

	/** Stops servers whose configuration has changed. */
	async function dropChanged(): Promise<void> {
		const now = new Map(host.servers().map((config) => [config.id, canonicalJson(config)]));
		const gone = all().filter(({ connection: { config } }) => now.get(config.id) !== canonicalJson(config));
		await Promise.all(gone.map(drop));
		status.changed();
	}

	async function drop(one: SessionServer): Promise<void> {
		const servers = sessions.get(one.session);
		servers?.delete(one.connection.config.id);
		if (servers?.size === 0) sessions.delete(one.session);
		await one.connection.stop();
		status.note(one);
	}

	async function stop(server: string): Promise<void> {
		permit.forget(server);
		await Promise.all(of(server).map(drop));
	}

	return {
		tools(session, agent) {
			const servers = sessions.get(session);
			return (agent.mcpServers ?? []).flatMap((id) => servers?.get(id)?.tools() ?? []);
		},
		async prepare(session, agent, signal) {
			const wanted = [...new Set(agent.mcpServers ?? [])];
			const others = [...(sessions.get(session)?.values() ?? [])].filter(({ connection }) => !wanted.includes(connection.config.id));
			for (const one of others) drop(one).catch((error: unknown) => host.log(String(error)));
			return (await Promise.all(wanted.map((id) => ready(session, id, agent, signal)))).flat();
		},
		async release(session) {
			await Promise.all([...(sessions.get(session)?.values() ?? [])].map(drop));
		},
		servers: status.all,
		onChange: status.onChange,
		output: status.outputOf,
		async try(server, signal) {
			const config = host.servers().find(({ id }) => id === server);
			if (!config || idProblem(server) !== undefined) return status.of(server);
			const one = served(`try:${server}`, config);
			try {
				await unlessAborted(one.connection.ensureReady(signal), signal).catch(() => undefined);
				return status.of(server);
			} finally {
				await drop(one);
			}
		},
		stop,
		async signOut(server) {
			await host.tokens.set(server, undefined);
			await stop(server);
		},
		prompts: (session) => listPrompts(sessions.get(session)),
		prompt: (session, name, values, signal) => getPrompt(sessions.get(session), name, values, signal),
		async dispose() {
			watch.dispose();
			await Promise.all(all().map(drop));
			status.dispose();
		},
	};
}

const ID = /^[A-Za-z0-9-](?:[A-Za-z0-9_-]{0,62}[A-Za-z0-9-])?$/;

/** Tool names must be unique across servers and differ from built-in ones. */
function problemWith(id: string, reserved: readonly string[]): string | undefined {
	if (!ID.test(id) || id.includes("__")) {
		return t(
			"“{0}” isn't a valid MCP server ID. Use 1 to 64 letters, digits, - or _, without __ and without _ at either end.",
			cleanLine(id, 80),
		);
	}
	return reserved.includes(id) ? t("“{0}” isn't a valid MCP server ID. The name is reserved by Troupe.", id) : undefined;
}
