// Agents and roles as the tree drew them last, kept small, so that its first rows need neither the engine nor a file.
import type { SessionSummary } from "../../core/events.ts";
import type { AgentRow, RoleRow, TreeNode, TreeSnapshot } from "./treeListing.ts";

/** The part of `vscode.Memento` that is needed. */
export interface MementoLike {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "troupe.agentRows";
/** Bytes of JSON, of the 64 KB that the index, these and the drafts of agents take together. */
const LIMIT = 4 * 1024;

interface Kept {
	agents: Row[];
	roles: ({ id: string } & RoleRow)[];
}

interface Row {
	agentId: string;
	displayName: string;
	icon?: string;
	color?: string;
	uiVisible?: boolean;
	source: AgentRow["source"]["kind"];
}

/** Keeps as many of the agents, from the top, as fit. */
export function cacheTreeRows(memory: MementoLike, { roots, roles }: TreeSnapshot): void {
	const kept: Kept = { agents: [], roles: [...roles.values()].map(({ id, label, icon }) => ({ id, label, ...(icon && { icon }) })) };
	for (const node of roots) {
		if (node.kind !== "agent" || !node.agent) continue;
		const { agentId, displayName, icon, color, uiVisible } = node.agent.definition;
		const row = { agentId, displayName, ...(icon && { icon }), ...(color && { color }), ...(uiVisible === false && { uiVisible }) };
		kept.agents.push({ ...row, source: node.agent.source.kind });
		if (Buffer.byteLength(JSON.stringify(kept)) <= LIMIT) continue;
		kept.agents.pop();
		break;
	}
	if (Buffer.byteLength(JSON.stringify(kept)) > LIMIT) kept.roles = [];
	if (JSON.stringify(kept) !== JSON.stringify(memory.get(KEY))) void memory.update(KEY, kept);
}

/** Undefined where nothing is known that is worth drawing. */
export function cachedTreeSnapshot(memory: MementoLike, sessions: readonly SessionSummary[]): TreeSnapshot | undefined {
	if (sessions.length === 0) return undefined;
	const { agents, roles } = parse(memory.get(KEY));
	const known = new Set(agents.map(({ agentId }) => agentId));
	const roots: TreeNode[] = agents.map(({ agentId, source, ...definition }) => ({
		kind: "agent",
		agentId,
		agent: { definition: { agentId, ...definition }, source: { kind: source }, notes: [] },
	}));
	for (const agentId of new Set(sessions.map((session) => session.agentId))) {
		if (!known.has(agentId))
			roots.push({
				kind: "agent",
				agentId,
				agent: { definition: { agentId, displayName: agentId }, source: { kind: "builtin" }, notes: [] },
			});
	}
	return {
		roots,
		childrenOf: (agentId) =>
			sessions
				.filter((session) => session.agentId === agentId)
				.map((session) => ({ kind: "session", agentId, sessionId: session.sessionId, session })),
		sessions,
		roles: new Map(roles.map((role) => [role.id, role])),
		runningSessions: new Set(),
	};
}

function parse(value: unknown): Kept {
	const { agents, roles } = (typeof value === "object" && value !== null ? value : {}) as Partial<Record<keyof Kept, unknown>>;
	const list = (given: unknown, ...fields: string[]): Record<string, unknown>[] =>
		(Array.isArray(given) ? given : []).filter(
			(row: unknown) =>
				typeof row === "object" && row !== null && fields.every((field) => typeof (row as Record<string, unknown>)[field] === "string"),
		);
	return {
		agents: list(agents, "agentId", "displayName", "source") as unknown as Row[],
		roles: list(roles, "id", "label") as unknown as Kept["roles"],
	};
}
