// Measures the agents tree from files on disk to the tree items handed to the editor.

// Opens the registry, lists the sessions and requests every row. Excludes the editor's own rendering: treePieces.ts
// stands in for `vscode`.
import { readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { builtinRoles } from "../../src/agents/builtinRoles.ts";
import type { createDiskAgentRegistry } from "../../src/compose/diskRegistry.ts";
import type { SessionSummary } from "../../src/core/events.ts";
import { createSessionStore } from "../../src/storage/sessions/sessionStore.ts";
import { AgentsTree } from "../../src/vscode/agents/agentsTree.ts";
import { createPendingTracker } from "../../src/vscode/approvals/pendingTracker.ts";
import type { LazyEngine } from "../../src/vscode/engine.ts";

const SESSIONS = 200;
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

/** Rows that were delivered, and milliseconds until the first screen was and until all were. */
export async function drawTree(root: string, open: () => ReturnType<typeof createDiskAgentRegistry>) {
	const began = performance.now();
	const registry = await open();
	const sessions = store(root);
	const engine = {
		sessions: {
			services: { registry, roles: () => builtinRoles },
			list: () => sessions.list(),
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
	const rows = { agents: 0, sessions: 0 };
	let screen = 0;
	for (const agent of await tree.getChildren()) {
		await tree.getTreeItem(agent);
		rows.agents += 1;
		for (const session of await tree.getChildren(agent)) {
			await tree.getTreeItem(session);
			rows.sessions += 1;
		}
		if (screen === 0 && rows.agents + rows.sessions >= SCREEN) screen = performance.now() - began;
	}
	const all = performance.now() - began;
	await sessions.close();
	if (rows.sessions !== SESSIONS) throw new Error(`The tree has ${rows.sessions} sessions.`);
	return { ...rows, screen, all };
}

/** The least that could be done: every file is read, one after the other in batches, and the definitions are parsed. */
export async function readAll(agents: string, root: string): Promise<void> {
	await Promise.all(readdirSync(agents).map(async (name) => JSON.parse(await readFile(join(agents, name), "utf8"))));
	const kept = readdirSync(root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
	await Promise.all(kept.map((entry) => readFile(join(entry.parentPath, entry.name))));
}
