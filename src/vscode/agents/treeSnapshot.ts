// Builds the tree's ordered content: agents, sessions and failing servers, then unapproved and broken entries.
import type { BrokenAgent, ListedAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { SessionSummary } from "../../core/events.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { BrokenSkill, UnapprovedSkill } from "../../core/ports/skills.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import type { Engine } from "../engine.ts";
import { arrangeTasks, type TaskNode, type TaskRows, toTaskNode } from "./taskRows.ts";

export type TreeNode =
	/** Without `agent`, the agent is no longer defined. */
	| { kind: "agent"; agentId: string; agent?: AgentRow }
	| { kind: "session"; agentId: string; sessionId: string; session: SessionSummary }
	| TaskNode
	/** A server that the agent lists and that can't run. */
	| { kind: "server"; agentId: string; server: McpServerStatus }
	| { kind: "broken"; broken: BrokenAgent }
	| { kind: "waiting"; waiting: UnapprovedAgent }
	| { kind: "skill"; skill: UnapprovedSkill | BrokenSkill };

/** The fields that an agent's row shows. */
export interface AgentRow {
	definition: Pick<AgentDefinition, "agentId" | "displayName" | "description" | "icon" | "color" | "uiVisible">;
	source: { kind: ListedAgent["source"]["kind"] };
	notes: readonly string[];
}

export type RoleRow = Pick<Role, "id" | "label" | "icon">;

export interface TreeSnapshot {
	roots: TreeNode[];
	/** Failing servers, then sessions, pinned first, then tasks whose session is gone. */
	childrenOf(agentId: string): TreeNode[];
	/** All sessions, pinned first. */
	sessions: readonly SessionSummary[];
	tasks: readonly SessionSummary[];
	taskRows: TaskRows;
	roles: ReadonlyMap<string, RoleRow>;
	runningSessions: ReadonlySet<string>;
	/** Number of called sessions that each session waits for, by its id. */
	calls: ReadonlyMap<string, number>;
}

export async function createTreeSnapshot({ sessions, mcpServerManager: mcp, skills }: Engine): Promise<TreeSnapshot> {
	const { registry } = sessions.services;
	const [all, tasks, running] = await Promise.all([sessions.list(), sessions.tasks(), sessions.running()]);
	const children = new Map<string, TreeNode[]>();
	const addChild = (agentId: string, node: TreeNode): void => {
		const existing = children.get(agentId);
		if (existing) existing.push(node);
		else children.set(agentId, [node]);
	};
	const { agents, broken, waiting } = registry.catalog();
	const failing = new Map((mcp?.servers() ?? []).flatMap((server) => (server.state === "failed" ? [[server.config.id, server]] : [])));
	for (const { definition } of failing.size > 0 ? agents : []) {
		for (const id of definition.mcpServers ?? []) {
			const server = failing.get(id);
			if (server) addChild(definition.agentId, { kind: "server", agentId: definition.agentId, server });
		}
	}
	const taskRows = arrangeTasks(all, tasks);
	const agentsWithSessions = new Set(all.map(({ agentId }) => agentId));
	for (const session of all)
		addChild(session.agentId, { kind: "session", agentId: session.agentId, sessionId: session.sessionId, session });
	for (const summary of taskRows.orphans) {
		const agentId = summary.task?.caller.agent || summary.agentId;
		agentsWithSessions.add(agentId);
		addChild(agentId, toTaskNode(summary));
	}
	const known = new Set(agents.map(({ definition }) => definition.agentId));
	const { waiting: unapprovedSkills, broken: brokenSkills } = skills.now();
	const roots: TreeNode[] = [
		...agents
			.filter(({ definition }) => definition.uiVisible !== false || agentsWithSessions.has(definition.agentId))
			.map((agent) => ({ kind: "agent" as const, agentId: agent.definition.agentId, agent })),
		...[...agentsWithSessions].filter((id) => !known.has(id)).map((agentId) => ({ kind: "agent" as const, agentId })),
		...waiting.map((one) => ({ kind: "waiting" as const, waiting: one })),
		...unapprovedSkills.map((skill) => ({ kind: "skill" as const, skill })),
		...broken.map((one) => ({ kind: "broken" as const, broken: one })),
		...brokenSkills.map((skill) => ({ kind: "skill" as const, skill })),
	];
	// With only built-in agents, show the view's welcome content instead.
	const isEmpty =
		all.length + taskRows.orphans.length === 0 && roots.every((root) => root.kind === "agent" && root.agent?.source.kind === "builtin");
	return {
		roots: isEmpty ? [] : roots,
		childrenOf: (agentId) => children.get(agentId) ?? [],
		sessions: all,
		tasks,
		taskRows,
		roles: new Map(sessions.policy.roles().map((role) => [role.id, role])),
		runningSessions: new Set(running),
		calls: countCalls(all),
	};
}

function countCalls(sessions: readonly SessionSummary[]): Map<string, number> {
	const counts = new Map<string, number>();
	// One that was cleared waits for nothing, although the called turn goes on.
	const waiting = new Set(sessions.filter(({ unsettled }) => unsettled).map(({ sessionId }) => sessionId));
	for (const { askedBy } of sessions)
		if (askedBy && waiting.has(askedBy.session)) counts.set(askedBy.session, (counts.get(askedBy.session) ?? 0) + 1);
	return counts;
}

/** The part of `vscode.Memento` used here. */
export interface MementoLike {
	get(key: string): unknown;
	update(key: string, value: unknown): PromiseLike<void>;
}

const KEY = "troupe.agentRows";
/** Bytes of JSON, of the 64 KB shared with the session index and the agent drafts. */
const MAX_BYTES = 4 * 1024;

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

/** Stores as many agents as fit, from the top. */
export function cacheTreeRows(memory: MementoLike, { roots, roles }: TreeSnapshot): void {
	const cached: Kept = { agents: [], roles: [...roles.values()].map(({ id, label, icon }) => ({ id, label, ...(icon && { icon }) })) };
	for (const node of roots) {
		if (node.kind !== "agent" || !node.agent) continue;
		const { agentId, displayName, icon, color, uiVisible } = node.agent.definition;
		const row = { agentId, displayName, ...(icon && { icon }), ...(color && { color }), ...(uiVisible === false && { uiVisible }) };
		cached.agents.push({ ...row, source: node.agent.source.kind });
		if (Buffer.byteLength(JSON.stringify(cached)) <= MAX_BYTES) continue;
		cached.agents.pop();
		break;
	}
	if (Buffer.byteLength(JSON.stringify(cached)) > MAX_BYTES) cached.roles = [];
	if (JSON.stringify(cached) !== JSON.stringify(memory.get(KEY))) void memory.update(KEY, cached);
}

/** Returns undefined if no sessions are cached. */
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
		tasks: [],
		taskRows: arrangeTasks(sessions, []),
		roles: new Map(roles.map((role) => [role.id, role])),
		runningSessions: new Set(),
		calls: countCalls(sessions),
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
