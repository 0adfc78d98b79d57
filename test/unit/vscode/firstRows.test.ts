// The tree's first rows: from the workspace's small state alone, within its limits.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import type { Memento } from "vscode";
import { limitDrafts } from "../../../src/agents/agentsPage/controller.ts";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { createSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { readIndexedSessions, SESSION_INDEX_KEY } from "../../../src/storage/sessions/stateIndex.ts";
import { arrangeTasks } from "../../../src/vscode/agents/taskRows.ts";
import { cachedTreeSnapshot, cacheTreeRows, type TreeNode, type TreeSnapshot } from "../../../src/vscode/agents/treeSnapshot.ts";
import { createPendingTracker } from "../../../src/vscode/approvals/pendingTracker.ts";
import { cleanUp, newFolder, summary, userEvent } from "../storage/support.ts";

function memory() {
	const kept = new Map<string, unknown>();
	const update = async (key: string, value: unknown) => void kept.set(key, JSON.parse(JSON.stringify(value)) as unknown);
	return { kept, get: (key: string) => kept.get(key), update, keys: () => [...kept.keys()] };
}

const agent = (agentId: string, displayName: string): TreeNode => ({
	kind: "agent",
	agentId,
	agent: { definition: { agentId, displayName, icon: "pencil", description: "d".repeat(300) }, source: { kind: "builtin" }, notes: [] },
});

function drawn(roots: TreeNode[], sessions: TreeSnapshot["sessions"] = []): TreeSnapshot {
	const roles = new Map([["planner", { id: "planner", label: "Planner", icon: "checklist" }]]);
	const taskRows = arrangeTasks(sessions, []);
	return { roots, sessions, tasks: [], taskRows, roles, childrenOf: () => [], runningSessions: new Set(), calls: new Map() };
}

describe("the first rows of the tree", () => {
	cleanUp();

	it("are there with their agents and what waits, though no file can be read", async () => {
		const root = await newFolder();
		const state = memory();
		const index = { get: () => state.get(SESSION_INDEX_KEY), set: (value: unknown) => state.update(SESSION_INDEX_KEY, value) };
		const store = createSessionStore({ root, index });
		await store.create(summary("old", { agentId: "writer", name: "Old notes" }));
		await store.create(summary("new", { name: "Prices" }));
		await store.create(summary("pinned", { name: "Pinned", pinnedAt: "2025-01-05T00:00:00.000Z" }));
		await store.append("new", userEvent(1));
		const question = { type: "question", request: "q", question: { question: "Which?", allow_custom: true } } as const;
		await store.append("new", { ...userEvent(2), ...question } as TranscriptEvent);
		await store.close();
		cacheTreeRows(state, drawn([agent("default", "General Assistant"), agent("writer", "Writer")]));
		await rm(root, { recursive: true });

		const sessions = readIndexedSessions(state as unknown as Memento);
		const listing = cachedTreeSnapshot(state, sessions);
		assert.ok(listing);
		assert.deepEqual(
			listing.roots.map((node) => [node.kind, "agent" in node && node.agent?.definition.displayName]),
			[
				["agent", "General Assistant"],
				["agent", "Writer"],
			],
		);
		const names = (agentId: string) => listing.childrenOf(agentId).map((node) => "session" in node && node.session.name);
		assert.deepEqual([names("default"), names("writer")], [["Pinned", "Prices"], ["Old notes"]]);
		assert.equal(listing.roles.get("planner")?.icon, "checklist");
		const attention = createPendingTracker();
		attention.updateSessions(sessions);
		assert.deepEqual([attention.totalRequestCount(), attention.requestCount("new")], [1, 1]);
	});

	it("are left to the engine where no session is known, and of damaged state nothing is taken", () => {
		assert.equal(cachedTreeSnapshot(memory(), []), undefined);
		const state = memory();
		for (const strange of [undefined, null, 7, "x", [], { agents: 7, roles: [1] }, { agents: [{ agentId: 7 }], roles: [{}] }]) {
			state.kept.set("troupe.agentRows", strange);
			const listing = cachedTreeSnapshot(state, [summary("a", { agentId: "writer" })]);
			assert.deepEqual(
				listing?.roots.map((node) => "agentId" in node && node.agentId),
				["writer"],
			);
		}
	});

	it("keep the agents within 4 KB, the first ones, and write nothing where nothing changed", () => {
		const state = memory();
		const many = Array.from({ length: 300 }, (_, place) => agent(`agent-${place}`, `Agent ${place}`));
		cacheTreeRows(state, drawn(many));
		const text = JSON.stringify(state.get("troupe.agentRows"));
		assert.ok(text.length <= 4_096 && text.length > 3_500, `${text.length} bytes`);
		assert.match(text, /"Agent 0"/);
		const update = async () => assert.fail("it was written again");
		cacheTreeRows({ get: state.get, update }, drawn(many));
	});
});

describe("drafts of agents", () => {
	const draft = (prompt: string) => ({ draft: { displayName: "A", systemPrompt: prompt }, base: "" }) as never;

	it("stay within 16 KB; one that is too large pushes out no others, and is named", () => {
		const { kept, over } = limitDrafts({ long: draft("x".repeat(20_000)), one: draft("y".repeat(5_000)), two: draft("z".repeat(5_000)) });
		assert.deepEqual([Object.keys(kept), over], [["one", "two"], ["long"]]);
		assert.ok(JSON.stringify(kept).length <= 16 * 1024);
	});

	it("are all kept where they fit", () => {
		const all = { one: draft("a"), two: draft("b") };
		assert.deepEqual(limitDrafts(all), { kept: all, over: [] });
	});
});
