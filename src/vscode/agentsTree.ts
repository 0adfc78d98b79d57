// The tree of agents and their sessions: pinned first, then the newest; each with its role and its time.
import * as vscode from "vscode";
import type { SessionSummary, TranscriptEvent } from "../core/events.ts";
import { shownDate, t } from "../l10n.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import { sessionTitle } from "./pickers.ts";
import { type Waiting, waitingSessions, waitsForPerson } from "./waiting.ts";

/** Milliseconds. */
const REST = 1_000;
const CHAT_FIRST = 200;

export type TreeNode =
	| { kind: "agent"; agentId: string }
	| { kind: "session"; agentId: string; sessionId: string; session: SessionSummary };

export class AgentsTree implements vscode.TreeDataProvider<TreeNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly engine: LazyEngine;
	private readonly waiting: Waiting;
	private running = new Set<string>();
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
		const { conversations } = await this.engine.load();
		const sessions = await conversations.list();
		if (node?.kind === "session") return [];
		if (node) {
			this.running = new Set(await conversations.running());
			return sessions
				.filter((session) => session.agentId === node.agentId)
				.map((session) => ({ kind: "session" as const, agentId: session.agentId, sessionId: session.sessionId, session }));
		}
		this.waiting.keep(sessions.map(({ sessionId }) => sessionId));
		if (sessions.length === 0) return [];
		// A session outlives its agent: what has left the settings is listed by its id.
		const agents = new Set([...conversations.services.agents(), ...sessions].map(({ agentId }) => agentId));
		return [...agents].map((agentId) => ({ kind: "agent" as const, agentId }));
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		const engine = await this.engine.load();
		if (node.kind === "agent") return agentItem(engine, node.agentId);
		const { sessionId, session } = node;
		return sessionItem(engine, session, this.waiting.has(sessionId) ? "waiting" : this.running.has(sessionId) ? "running" : "idle");
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

function agentItem(engine: Engine, agentId: string): vscode.TreeItem {
	const agent = engine.conversations.services.agents().find((candidate) => candidate.agentId === agentId);
	const item = new vscode.TreeItem(agent?.displayName ?? agentId, vscode.TreeItemCollapsibleState.Expanded);
	item.id = `agent:${agentId}`;
	item.contextValue = agent ? "agent" : "agent.gone";
	item.iconPath = new vscode.ThemeIcon(agent?.icon ?? "hubot", agent?.color ? new vscode.ThemeColor(agent.color) : undefined);
	item.tooltip = agent ? (agent.description ?? "") : t("This agent is not in the settings any more. The default agent stands in for it.");
	item.accessibilityInformation = { label: agent?.displayName ?? agentId };
	return item;
}

function sessionItem(engine: Engine, session: SessionSummary, now: keyof typeof ICONS): vscode.TreeItem {
	const role = engine.conversations.services.roles().find((candidate) => candidate.id === session.role);
	const title = sessionTitle(session);
	const item = new vscode.TreeItem(title);
	item.id = `session:${session.sessionId}`;
	item.contextValue = session.pinnedAt ? "session.pinned" : "session";
	item.iconPath = ICONS[now] ?? new vscode.ThemeIcon(role?.icon ?? "comment");
	const notes = [...(now === "waiting" ? [t("waits for you")] : []), ...(session.pinnedAt ? [t("pinned")] : [])];
	const age = ago(session.updatedAt);
	item.description = [...notes, age ?? t("now")].join(" · ");
	item.tooltip = new vscode.MarkdownString().appendText(`${title}\n${role?.label ?? session.role} · ${shownDate(session.updatedAt)}`);
	item.command = { command: "troupe.open", title: t("Open Session"), arguments: [{ sessionId: session.sessionId }] };
	item.accessibilityInformation = {
		label: [title, role?.label ?? session.role, ...notes, age === undefined ? t("now") : t("{0} ago", age)].join(", "),
	};
	return item;
}

/** In place of the role's icon while there is something to see or to do. */
const ICONS = {
	waiting: new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.yellow")),
	running: new vscode.ThemeIcon("loading~spin"),
	idle: undefined,
};

const UNITS: readonly [(amount: number) => string, number][] = [
	[(amount) => t("{0} min", amount), 60],
	[(amount) => t("{0} h", amount), 60],
	[(amount) => t("{0} d", amount), 24],
	[(amount) => t("{0} w", amount), 7],
];

/** "2 h", as the list of a time line would say it; undefined for less than a minute. */
function ago(at: string): string | undefined {
	let amount = Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
	let shown: string | undefined;
	for (const [inWords, size] of UNITS) {
		amount /= size;
		if (amount < 1) break;
		shown = inWords(Math.floor(amount));
	}
	return shown;
}
