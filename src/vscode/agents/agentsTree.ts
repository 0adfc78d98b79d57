// Tree view of agents, their sessions and background tasks, with unapproved and broken entries, from one snapshot.
import * as vscode from "vscode";
import type { EventType, SessionSummary, TranscriptEvent } from "../../core/events.ts";
import type { PendingTracker } from "../approvals/pendingTracker.ts";
import type { LazyEngine } from "../engine.ts";
import { toTaskNode } from "./taskRows.ts";
import type { SessionState } from "./treeItems.ts";
import type { MementoLike, TreeNode, TreeSnapshot } from "./treeSnapshot.ts";

/** Milliseconds. */
const REFRESH_INTERVAL = 1_000;
const ENGINE_DELAY = 400;

interface Parts {
	engine: LazyEngine;
	memory: MementoLike;
	attention: PendingTracker;
	/** The sessions in the cached index. */
	first(): Promise<readonly SessionSummary[]>;
	/** Called with the sessions and tasks when they were read from disk. */
	listed(sessions: readonly SessionSummary[]): void;
}

type SelectableView = Pick<vscode.TreeView<TreeNode>, "visible" | "selection" | "reveal">;

export class AgentsTree implements vscode.TreeDataProvider<TreeNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly parts: Parts;
	/** The pending or latest snapshot. */
	private listing: Promise<TreeSnapshot> | undefined;
	private resting: NodeJS.Timeout | undefined;
	private due = false;
	private shown: string | undefined;
	private view: SelectableView | undefined;
	/** The row of that session is still to be selected. */
	private selects = false;
	/** True if that row had tasks below it. */
	private hasTasks = false;

	constructor(parts: Parts) {
		this.parts = parts;
	}

	/** Refreshes immediately, then at most once a second, since each refresh lists the sessions. */
	refresh(): void {
		if (this.resting) {
			this.due = true;
			return;
		}
		this.listing = undefined;
		this.changed.fire(undefined);
		if (!this.selects) this.selectShown().catch(() => undefined);
		this.resting = setTimeout(() => {
			this.resting = undefined;
			if (!this.due) return;
			this.due = false;
			this.refresh();
			// A session that was created since the last refresh has a row now, or another one.
			if (this.selects) this.selectShown().catch(() => undefined);
		}, REFRESH_INTERVAL);
	}

	handleEvent(event: TranscriptEvent): void {
		if (ROW_EVENTS[event.type]) this.refresh();
	}

	/** Marks the session shown in the chat and selects it if the tree is visible. */
	async revealSession(sessionId: string, view: SelectableView): Promise<void> {
		if (this.shown === sessionId) return;
		this.shown = sessionId;
		this.view = view;
		this.selects = true;
		this.refresh();
		await this.selectShown();
	}

	private async selectShown(): Promise<void> {
		const { shown, view } = this;
		if (shown === undefined || !view) return;
		const listing = await this.gathered();
		const node = findRow(shown, listing);
		if (!node || this.shown !== shown) return;
		const hasTasks = listing.taskRows.count(shown).count > 0;
		// A row that gets its first task is another one to the editor, which selects none in its place.
		const isReplaced = hasTasks !== this.hasTasks && view.selection.every((row) => "sessionId" in row && row.sessionId === shown);
		if (!this.selects && !isReplaced) return;
		this.selects = false;
		this.hasTasks = hasTasks;
		if (view.visible) await view.reveal(node, { select: true, focus: false });
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		const listing = await this.gathered();
		if (!node) return listing.roots;
		if (node.kind === "agent") return listing.childrenOf(node.agentId);
		if (node.kind === "olderTasks") return node.tasks.map(toTaskNode);
		return node.kind === "session" || node.kind === "task" ? listing.taskRows.below(node.sessionId) : [];
	}

	async getParent(node: TreeNode): Promise<TreeNode | undefined> {
		const listing = await this.gathered();
		const findAgent = (id: string) => listing.roots.find((root) => root.kind === "agent" && root.agentId === id);
		if (node.kind === "session" || node.kind === "server") return findAgent(node.agentId);
		if (node.kind === "olderTasks") return findRow(node.caller, listing);
		if (node.kind !== "task") return undefined;
		const above = listing.taskRows.above(node.sessionId);
		if (above) return "kind" in above ? above : findRow(above.caller, listing);
		return findAgent(node.task.task?.caller.agent || node.task.agentId);
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		const { agentTreeItem, brokenAgentTreeItem, mcpServerTreeItem, sessionTreeItem, skillTreeItem, unapprovedAgentTreeItem } = await import(
			"./treeItems.ts"
		);
		const { olderTasksTreeItem, taskTreeItem } = await import("./taskItems.ts");
		if (node.kind === "broken") return brokenAgentTreeItem(node.broken);
		if (node.kind === "waiting") return unapprovedAgentTreeItem(node.waiting);
		if (node.kind === "skill") return skillTreeItem(node.skill);
		if (node.kind === "server") return mcpServerTreeItem(node.server, node.agentId);
		if (node.kind === "olderTasks") return olderTasksTreeItem(node.caller, node.tasks.length);
		const listing = await this.gathered();
		if (node.kind === "task") {
			const { sessionId, task } = node;
			const [attention, tasks] = [this.parts.attention.isPending(sessionId), listing.taskRows.count(sessionId)];
			return taskTreeItem(task, { attention, open: sessionId === this.shown, tasks });
		}
		if (node.kind === "agent") return agentTreeItem(node.agent ?? { gone: node.agentId }, listing.childrenOf(node.agentId).length > 0);
		const { sessionId, session } = node;
		const { askedBy } = session;
		const caller = listing.roots.find((root) => root.kind === "agent" && root.agentId === askedBy?.agent);
		const name = caller?.kind === "agent" ? caller.agent?.definition.displayName : undefined;
		return sessionTreeItem(session, {
			role: listing.roles.get(session.role),
			now: this.stateOf(session, listing),
			open: sessionId === this.shown,
			calls: listing.calls.get(sessionId) ?? 0,
			tasks: listing.taskRows.count(sessionId),
			...(askedBy && { calledBy: name ?? askedBy.agent }),
		});
	}

	private stateOf({ sessionId, outcome }: SessionSummary, { runningSessions: running }: TreeSnapshot): SessionState {
		if (this.parts.attention.isPending(sessionId)) return "waiting";
		if (running.has(sessionId)) return "running";
		return outcome === "failed" || outcome === "interrupted" ? outcome : "idle";
	}

	private gathered(): Promise<TreeSnapshot> {
		this.listing ??= this.look().catch((error: unknown) => {
			this.listing = undefined;
			throw error;
		});
		return this.listing;
	}

	private async look(): Promise<TreeSnapshot> {
		const { engine, memory, listed } = this.parts;
		const snapshotModule = import("./treeSnapshot.ts");
		if (!engine.current()) {
			const first = (await snapshotModule).cachedTreeSnapshot(memory, await this.parts.first());
			// The chat opens beside the tree; by then it has deferred loading until its page is ready.
			const later = new Promise((resolve) => setTimeout(resolve, ENGINE_DELAY)).then(() => engine.load());
			if (first) {
				later.then(
					() => this.refresh(),
					() => undefined,
				);
				return first;
			}
			await later;
		}
		const { createTreeSnapshot } = await import("./treeSnapshot.ts");
		const listing = await createTreeSnapshot(await engine.load());
		listed([...listing.sessions, ...listing.tasks]);
		(await snapshotModule).cacheTreeRows(memory, listing);
		void vscode.commands.executeCommand("setContext", "troupe.noSessions", listing.roots.length === 0);
		const [{ setListContextKeys }, loaded] = await Promise.all([import("../chat/setContextKeys.ts"), engine.load()]);
		setListContextKeys(listing.sessions, await loaded.lastShownSession());
		return listing;
	}
}

/** Events that change a session's row in the tree. */
const ROW_EVENTS: Readonly<Record<EventType, boolean>> = {
	user: true,
	assistant: true,
	reply: true,
	agent: true,
	role: true,
	started: true,
	plan: true,
	question: true,
	asked: true,
	answered: true,
	expired: true,
	ended: true,
	rewound: true,
	result: false,
	step: false,
	queued: true,
	unqueued: true,
	delegated: true,
	task: true,
	status: false,
	compacted: false,
};

/** The row of a session or a task. */
function findRow(id: string, { sessions, tasks }: Pick<TreeSnapshot, "sessions" | "tasks">): TreeNode | undefined {
	const session = sessions.find(({ sessionId }) => sessionId === id);
	if (session) return { kind: "session", agentId: session.agentId, sessionId: id, session };
	const task = tasks.find(({ sessionId }) => sessionId === id);
	return task && toTaskNode(task);
}
