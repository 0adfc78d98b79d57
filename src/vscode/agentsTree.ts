// The tree of agents and their sessions, and what waits for the person or is broken. Drawn from one look at everything.
import * as vscode from "vscode";
import type { TranscriptEvent } from "../core/events.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import type { Listing, TreeNode } from "./treeListing.ts";
import { type Waiting, waitingSessions, waitsForPerson } from "./waiting.ts";

/** Milliseconds. */
const REST = 1_000;
const CHAT_FIRST = 200;

export class AgentsTree implements vscode.TreeDataProvider<TreeNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly engine: LazyEngine;
	private readonly waiting: Waiting;
	/** Of the drawing that is on its way or was the last. */
	private listing: Promise<Listing> | undefined;
	private resting: NodeJS.Timeout | undefined;
	private due = false;

	constructor(engine: LazyEngine, memory: vscode.Memento) {
		this.engine = engine;
		this.waiting = waitingSessions(memory);
	}

	/** At once, then at most once a second: each drawing asks for the list of sessions. */
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
		}, REST);
	}

	/** Something has happened in a session. */
	async took(sessionId: string, event: TranscriptEvent): Promise<void> {
		if (!SHOWN.has(event.type)) return;
		const conversation = await this.engine
			.loaded()
			?.conversations.get(sessionId)
			.catch(() => undefined);
		if (conversation) this.waiting.mark(sessionId, waitsForPerson(conversation.state));
		this.refresh();
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		// The chat opens beside the tree, and its page goes first: loading holds up this host for a moment.
		if (!this.engine.loaded()) await new Promise((resolve) => setTimeout(resolve, CHAT_FIRST));
		const engine = await this.engine.load();
		const listing = await this.gathered(engine);
		if (!node) {
			this.waiting.keep(listing.sessions);
			return listing.roots;
		}
		return node.kind === "agent" ? listing.below(node.agentId) : [];
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		const { agentItem, brokenItem, serverItem, sessionItem, skillItem, waitingItem } = await import("./treeItems.ts");
		if (node.kind === "broken") return brokenItem(node.broken);
		if (node.kind === "waiting") return waitingItem(node.waiting);
		if (node.kind === "skill") return skillItem(node.skill);
		if (node.kind === "server") return serverItem(node.server, node.agentId);
		const { below, roles, running } = await this.gathered(await this.engine.load());
		if (node.kind === "agent") return agentItem(node.agent ?? { gone: node.agentId }, below(node.agentId).length > 0);
		const { sessionId, session } = node;
		const now = this.waiting.has(sessionId) ? "waiting" : running.has(sessionId) ? "running" : "idle";
		return sessionItem(session, roles.get(session.role), now);
	}

	private gathered(engine: Engine): Promise<Listing> {
		this.listing ??= import("./treeListing.ts")
			.then(({ listingOf }) => listingOf(engine))
			.catch((error: unknown) => {
				this.listing = undefined;
				throw error;
			});
		return this.listing;
	}
}

/** Events that change what the tree shows of a session. */
const SHOWN = new Set<TranscriptEvent["type"]>([
	"user",
	"assistant",
	"agent",
	"role",
	"started",
	"plan",
	"question",
	"asked",
	"answered",
	"expired",
	"ended",
	"rewound",
]);
