// Measures the agents tree from files on disk to the tree items handed to the editor.

// Opens the registry, lists the sessions and requests every row. Excludes the editor's own rendering: treePieces.ts
// stands in for `vscode`.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { builtinRoles } from "../../src/agents/builtinRoles.ts";
import type { createDiskAgentRegistry } from "../../src/compose/diskRegistry.ts";
import type { SessionSummary } from "../../src/core/events.ts";
import type { TaskRecord } from "../../src/core/task.ts";
import { createSessionStore } from "../../src/storage/sessions/sessionStore.ts";
import { AgentsTree } from "../../src/vscode/agents/agentsTree.ts";
import type { TreeNode } from "../../src/vscode/agents/treeSnapshot.ts";
import { createPendingTracker } from "../../src/vscode/approvals/pendingTracker.ts";
import type { LazyEngine } from "../../src/vscode/engine.ts";

export const SESSIONS = 200;
export const TASKS = 500;
/** As many as the rows of a high window. */
const SCREEN = 60;

const store = (root: string) => createSessionStore({ root, index: { get: () => undefined, set: async () => undefined } });

/** Sessions of every second agent or so, as the store keeps them. */
export async function writeSessions(root: string, agents: number): Promise<void> {
	const sessions = store(root);
	for (let index = 0; index < SESSIONS; index += 1) {
		const at = new Date(1_700_000_000_000 + index * 60_000).toISOString();
		const summary: SessionSummary = {
			sessionId: `session-${index}`,
			agentId: `agent-${(index * 7) % agents}`,
			createdAt: at,
			updatedAt: at,
			messageCount: 2,
			lastSnippet: `What was said last in session ${index}.`,
			role: "planner",
			...(index % 20 === 0 && { pinnedAt: at }),
		};
		await sessions.create(summary);
	}
	await sessions.close();
}

/** A session with finished tasks, as a long-used workspace has them. */
export async function writeTasks(root: string): Promise<void> {
	const sessions = store(root);
	const at = (index: number) => new Date(1_700_000_000_000 + index * 60_000).toISOString();
	const base = { agentId: "default", role: "actor", messageCount: 0 };
	await sessions.create({ ...base, sessionId: "talk", createdAt: at(0), updatedAt: at(0) });
	const ceiling = ["ReadFiles", "WriteFiles"] as const;
	const caller = { session: "talk", turn: "t", call: "c", agent: "default", role: "actor", ceiling, depth: 1, chain: ["default"] };
	const [budget, spent] = [
		{ steps: 60, tokens: 400_000, minutes: 60 },
		{ steps: 12, tokens: 40_000, minutes: 3 },
	];
	const task: TaskRecord = { state: "done", caller, type: "general", ceiling, budget, spent, isolation: "never" };
	for (let index = 0; index < TASKS; index += 1) {
		// Like the ids that tasks have.
		const [sessionId, time] = [`00000000-0000-4000-8000-${String(index).padStart(12, "0")}`, at(index)];
		await sessions.create({ ...base, sessionId, kind: "task", name: `Task ${index}`, createdAt: time, updatedAt: time, task });
		for (const [seq, text] of [`Do part ${index}.`, `Part ${index} is done. ${"More of it. ".repeat(40)}`].entries())
			await sessions.append(sessionId, { id: `e${seq}`, seq: seq + 1, at: time, by: "host", type: "user", text });
	}
	await sessions.close();
}

/** Rows that were delivered, and milliseconds until the first screen was and until all were. */
export async function drawTree(root: string, open: () => ReturnType<typeof createDiskAgentRegistry>) {
	const began = performance.now();
	const registry = await open();
	const sessions = store(root);
	const engine = {
		sessions: {
			services: { registry },
			policy: { roles: () => builtinRoles },
			list: () => sessions.list(),
			tasks: () => sessions.list("task"),
			running: async () => [],
		},
		skills: { now: () => ({ waiting: [], broken: [] }) },
		lastShownSession: async () => undefined,
	};
	const tree = new AgentsTree({
		engine: { load: async () => engine, current: () => engine } as unknown as LazyEngine,
		memory: { get: () => undefined, update: async () => undefined },
		attention: createPendingTracker(),
		first: async () => [],
		listed: () => undefined,
	});
	const rows = { agent: 0, session: 0, task: 0 };
	let screen = 0;
	const draw = async (node?: TreeNode): Promise<void> => {
		for (const child of await tree.getChildren(node)) {
			await tree.getTreeItem(child);
			if (child.kind in rows) rows[child.kind as keyof typeof rows] += 1;
			await draw(child);
			if (screen === 0 && rows.agent + rows.session + rows.task >= SCREEN) screen = performance.now() - began;
		}
	};
	await draw();
	const all = performance.now() - began;
	await sessions.close();
	return { agents: rows.agent, sessions: rows.session, tasks: rows.task, screen, all };
}

/** The least that could be done: every file is read, one after the other in batches, and the definitions are parsed. */
export async function readAll(agents: string, root: string): Promise<void> {
	await Promise.all(readdirSync(agents).map(async (name) => JSON.parse(await readFile(join(agents, name), "utf8"))));
	const kept = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	await Promise.all(kept.map((entry) => readFile(join(entry.parentPath, entry.name))));
}
