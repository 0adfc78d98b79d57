// Tracks the state, tools and output of MCP servers for display.
import type { McpHost, McpServerState, McpServerStatus, McpToolStatus } from "../core/ports/mcp.ts";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { createListeners } from "../shared/listeners.ts";
import type { SessionServer } from "./sessionServer.ts";
import { cleanLine } from "./wire/sanitize.ts";

interface StatusParts {
	host: McpHost;
	/** The sessions' instances of a server. */
	served(server: string): SessionServer[];
	idProblem(id: string): string | undefined;
}

/** Display precedence if sessions differ. */
const ORDER: readonly McpServerState[] = ["approval", "signIn", "starting", "ready", "failed", "stopped"];
/** Maximum output lines per server. */
const LINES = 200;
/** Milliseconds over which changes are batched. */
const GATHER = 100;

type Known = Pick<McpServerStatus, "state" | "why" | "cause" | "tools" | "refused">;

export function createServerStatus({ host, served, idProblem }: StatusParts) {
	const listeners = createListeners<() => void>();
	const outputs = new Map<string, string[]>();
	/** Last known status, by server. */
	const last = new Map<string, Known>();
	const told = new Map<string, string>();
	let gathering: NodeJS.Timeout | undefined;

	function changed(): void {
		gathering ??= setTimeout(() => {
			gathering = undefined;
			listeners.tell((listener) => listener());
		}, GATHER);
	}

	function note(one: SessionServer): void {
		const { config, state, why, cause } = one.connection;
		const before = last.get(config.id);
		const kept = state === "stopped" && before?.state === "failed" ? before : undefined;
		const tools = toolsOf(one);
		last.set(config.id, {
			state: kept?.state ?? state,
			...(kept ? reasons(kept) : reasons({ why, cause })),
			tools: tools.length > 0 ? tools : (before?.tools ?? []),
			refused: one.refusedTools.length > 0 ? one.refusedTools : (before?.refused ?? []),
		} as Known);
		const line = why === undefined ? state : `${state}: ${why}`;
		const key = `${one.session} ${config.id}`;
		if (told.get(key) !== line) host.log(`MCP server ${config.id}: ${cleanLine(line, 500)}`);
		if (state === "stopped") told.delete(key);
		else told.set(key, line);
		changed();
	}

	function toolsOf(one: SessionServer): McpToolStatus[] {
		const off = new Set(one.changedTools());
		return one.definitions().map((definition) => ({
			name: definition.name,
			tool: definition.toolName,
			description: definition.description,
			hash: definition.hash,
			readOnly: one.isReadOnly(definition),
			claims: definition.claims,
			changed: off.has(definition),
		}));
	}

	function statusOf(config: McpServerStatus["config"]): McpServerStatus {
		const problem = idProblem(config.id);
		if (problem !== undefined) return { config, state: "failed", why: problem, sessions: 0, tools: [], refused: [] };
		const here = served(config.id).sort((one, other) => rank(one) - rank(other));
		const [first] = here;
		const known = last.get(config.id) ?? { state: "stopped", tools: [], refused: [] };
		const marked = known.tools.map((tool) => ({ ...tool, readOnly: host.isReadOnly(config.id, tool.tool, tool.hash) }));
		const changes = new Set(here.flatMap((one) => one.changedTools().map(({ hash }) => hash)));
		const { state, why, cause } = first?.connection ?? known;
		return {
			config,
			state,
			...reasons({ why, cause }),
			sessions: here.filter(({ connection }) => connection.state === "ready" || connection.state === "starting").length,
			tools: marked.map((tool) => ({ ...tool, changed: changes.has(tool.hash) })),
			refused: known.refused,
		};
	}

	return {
		changed,
		note,
		output(server: string, line: string): void {
			const lines = outputs.get(server) ?? [];
			lines.push(cleanLine(line, 500));
			if (lines.length > LINES) lines.splice(0, lines.length - LINES);
			outputs.set(server, lines);
			changed();
		},
		outputOf: (server: string) => outputs.get(server) ?? [],
		all: () => host.servers().map(statusOf),
		of(server: string): McpServerStatus {
			const config = host.servers().find(({ id }) => id === server);
			if (!config) throw new UserError(t("There is no MCP server {0}.", server));
			return statusOf(config);
		},
		onChange: listeners.add,
		dispose(): void {
			clearTimeout(gathering);
			listeners.clear();
		},
	};
}

function rank({ connection }: SessionServer): number {
	return ORDER.indexOf(connection.state);
}

function reasons({ why, cause }: { why?: string | undefined; cause?: string | undefined }): Pick<McpServerStatus, "why" | "cause"> {
	return { ...(why !== undefined && { why }), ...(cause !== undefined && { cause }) };
}
