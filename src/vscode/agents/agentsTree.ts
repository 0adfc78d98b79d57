// Tree view of agents and their sessions, with unapproved and broken entries, from one snapshot.
import * as vscode from "vscode";
import type { EventType, SessionSummary, TranscriptEvent } from "../../core/events.ts";
import type { PendingTracker } from "../approvals/pendingTracker.ts";
import type { LazyEngine } from "../engine.ts";
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
	/** Called when the full list was read from disk. */
	listed(sessions: readonly SessionSummary[]): void;
}

export class AgentsTree implements vscode.TreeDataProvider<TreeNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly parts: Parts;
	/** The pending or latest snapshot. */
	private listing: Promise<TreeSnapshot> | undefined;
	private resting: NodeJS.Timeout | undefined;
	private due = false;
	private shown: string | undefined;

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
		this.resting = setTimeout(() => {
			this.resting = undefined;
			if (!this.due) return;
			this.due = false;
			this.refresh();
		}, REFRESH_INTERVAL);
	}

	handleEvent(event: TranscriptEvent): void {
		if (ROW_EVENTS[event.type]) this.refresh();
	}

	/** Marks the session shown in the chat and selects it if the tree is visible. */
	async revealSession(sessionId: string, view: Pick<vscode.TreeView<TreeNode>, "visible" | "reveal">): Promise<void> {
		if (this.shown === sessionId) return;
		this.shown = sessionId;
		this.refresh();
		const session = (await this.gathered()).sessions.find((one) => one.sessionId === sessionId);
		if (!session || !view.visible || this.shown !== sessionId) return;
		await view.reveal({ kind: "session", agentId: session.agentId, sessionId, session }, { select: true, focus: false });
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		if (node && node.kind !== "agent") return [];
		const listing = await this.gathered();
		return node ? listing.childrenOf(node.agentId) : listing.roots;
	}

	async getParent(node: TreeNode): Promise<TreeNode | undefined> {
		if (node.kind !== "session" && node.kind !== "server") return undefined;
		return (await this.gathered()).roots.find((root) => root.kind === "agent" && root.agentId === node.agentId);
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		const { agentTreeItem, brokenAgentTreeItem, mcpServerTreeItem, sessionTreeItem, skillTreeItem, unapprovedAgentTreeItem } = await import(
			"./treeItems.ts"
		);
		if (node.kind === "broken") return brokenAgentTreeItem(node.broken);
		if (node.kind === "waiting") return unapprovedAgentTreeItem(node.waiting);
		if (node.kind === "skill") return skillTreeItem(node.skill);
		if (node.kind === "server") return mcpServerTreeItem(node.server, node.agentId);
		const listing = await this.gathered();
		if (node.kind === "agent") return agentTreeItem(node.agent ?? { gone: node.agentId }, listing.childrenOf(node.agentId).length > 0);
		const { sessionId, session } = node;
		return sessionTreeItem(session, listing.roles.get(session.role), this.stateOf(session, listing), sessionId === this.shown);
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
		listed(listing.sessions);
		(await snapshotModule).cacheTreeRows(memory, listing);
		void vscode.commands.executeCommand("setContext", "troupe.noSessions", listing.roots.length === 0);
		const [{ setPinContextKeys }, loaded] = await Promise.all([import("../chat/setContextKeys.ts"), engine.load()]);
		setPinContextKeys(listing.sessions, await loaded.lastShownSession());
		return listing;
	}
}

/** Events that change a session's row in the tree. */
const ROW_EVENTS: Readonly<Record<EventType, boolean>> = {
	user: true,
	assistant: true,
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
	delegated: false,
	status: false,
	compacted: false,
};
