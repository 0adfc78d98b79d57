// The tree of agents and their sessions: pinned first, then the newest; each with its role and its time; and the definitions that wait or are broken.
import * as vscode from "vscode";
import type { BrokenAgent, ListedAgent, WaitingAgent } from "../core/agents.ts";
import type { SessionSummary, TranscriptEvent } from "../core/events.ts";
import type { Role } from "../core/permissions.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import { agentItem, brokenItem, sessionItem, waitingItem } from "./treeItems.ts";
import { type Waiting, waitingSessions, waitsForPerson } from "./waiting.ts";

/** Milliseconds. */
const REST = 1_000;
const CHAT_FIRST = 200;

export type TreeNode =
	/** Without `agent` its definition is gone. */
	| { kind: "agent"; agentId: string; agent?: ListedAgent }
	| { kind: "broken"; broken: BrokenAgent }
	| { kind: "waiting"; waiting: WaitingAgent }
	| { kind: "session"; agentId: string; sessionId: string; session: SessionSummary };

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
			this.waiting.keep([...listing.sessions.values()].flat().map(({ sessionId }) => sessionId));
			return listing.roots;
		}
		const sessions = node.kind === "agent" ? (listing.sessions.get(node.agentId) ?? []) : [];
		return sessions.map((session) => ({ kind: "session", agentId: session.agentId, sessionId: session.sessionId, session }));
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		if (node.kind === "broken") return brokenItem(node.broken);
		if (node.kind === "waiting") return waitingItem(node.waiting);
		const { sessions, roles, running } = await this.gathered(await this.engine.load());
		if (node.kind === "agent") return agentItem(node.agent ?? { gone: node.agentId }, sessions.get(node.agentId)?.length ?? 0);
		const { sessionId, session } = node;
		const now = this.waiting.has(sessionId) ? "waiting" : running.has(sessionId) ? "running" : "idle";
		return sessionItem(session, roles.get(session.role), now);
	}

	private gathered(engine: Engine): Promise<Listing> {
		this.listing ??= listingOf(engine).catch((error: unknown) => {
			this.listing = undefined;
			throw error;
		});
		return this.listing;
	}
}

/** What one drawing of the tree rests on, gathered once. */
interface Listing {
	roots: TreeNode[];
	/** By agent, pinned first, then the newest. */
	sessions: Map<string, SessionSummary[]>;
	roles: Map<string, Role>;
	running: ReadonlySet<string>;
}

async function listingOf({ conversations }: Engine): Promise<Listing> {
	const { registry, roles } = conversations.services;
	const sessions = new Map<string, SessionSummary[]>();
	for (const session of await conversations.list()) {
		const own = sessions.get(session.agentId);
		if (own) own.push(session);
		else sessions.set(session.agentId, [session]);
	}
	const { agents, broken, waiting } = registry.catalog();
	const known = new Set(agents.map(({ definition }) => definition.agentId));
	const listed = agents.filter(({ definition }) => definition.uiVisible !== false || sessions.has(definition.agentId));
	const roots: TreeNode[] = [
		...listed.map((agent) => ({ kind: "agent" as const, agentId: agent.definition.agentId, agent })),
		...[...sessions.keys()].filter((id) => !known.has(id)).map((agentId) => ({ kind: "agent" as const, agentId })),
		...waiting.map((one) => ({ kind: "waiting" as const, waiting: one })),
		...broken.map((one) => ({ kind: "broken" as const, broken: one })),
	];
	// With nothing but the agent that is always there, the view's welcome says more.
	const bare = sessions.size === 0 && roots.length <= 1;
	return {
		roots: bare ? [] : roots,
		sessions,
		roles: new Map(roles().map((role) => [role.id, role])),
		running: new Set(await conversations.running()),
	};
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
