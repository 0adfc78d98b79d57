// The tree of agents and their sessions: pinned first, then the newest; each with its role and its time.
import * as vscode from "vscode";
import type { SessionSummary } from "../core/events.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import { sessionTitle } from "./pickers.ts";

export type TreeNode =
	| { kind: "agent"; agentId: string }
	| { kind: "session"; agentId: string; sessionId: string; session: SessionSummary };

export class AgentsTree implements vscode.TreeDataProvider<TreeNode> {
	private readonly changed = new vscode.EventEmitter<undefined>();
	readonly onDidChangeTreeData = this.changed.event;
	private readonly engine: LazyEngine;
	private running = new Set<string>();

	constructor(engine: LazyEngine) {
		this.engine = engine;
	}

	refresh(): void {
		this.changed.fire(undefined);
	}

	async getChildren(node?: TreeNode): Promise<TreeNode[]> {
		const { conversations } = await this.engine.load();
		const sessions = await conversations.list();
		if (node?.kind === "session") return [];
		if (node) {
			this.running = new Set(await conversations.running());
			return sessions
				.filter((session) => session.agentId === node.agentId)
				.map((session) => ({ kind: "session" as const, agentId: session.agentId, sessionId: session.sessionId, session }));
		}
		if (sessions.length === 0) return [];
		return conversations.services.agents().map((agent) => ({ kind: "agent" as const, agentId: agent.agentId }));
	}

	async getTreeItem(node: TreeNode): Promise<vscode.TreeItem> {
		const engine = await this.engine.load();
		return node.kind === "agent" ? agentItem(engine, node.agentId) : sessionItem(engine, node.session, this.running.has(node.sessionId));
	}
}

function agentItem(engine: Engine, agentId: string): vscode.TreeItem {
	const agent = engine.conversations.services.agents().find((candidate) => candidate.agentId === agentId);
	const item = new vscode.TreeItem(agent?.displayName ?? agentId, vscode.TreeItemCollapsibleState.Expanded);
	item.id = `agent:${agentId}`;
	item.contextValue = "agent";
	item.iconPath = new vscode.ThemeIcon(agent?.icon ?? "hubot", agent?.color ? new vscode.ThemeColor(agent.color) : undefined);
	item.tooltip = agent?.description ?? "";
	item.accessibilityInformation = { label: agent?.displayName ?? agentId };
	return item;
}

function sessionItem(engine: Engine, session: SessionSummary, running: boolean): vscode.TreeItem {
	const role = engine.conversations.services.roles().find((candidate) => candidate.id === session.role);
	const title = sessionTitle(session);
	const item = new vscode.TreeItem(title);
	item.id = `session:${session.sessionId}`;
	item.contextValue = session.pinnedAt ? "session.pinned" : "session";
	item.iconPath = new vscode.ThemeIcon(running ? "loading~spin" : session.pinnedAt ? "pinned" : (role?.icon ?? "comment"));
	item.description = ago(session.updatedAt);
	item.tooltip = new vscode.MarkdownString().appendText(
		`${title}\n${role?.label ?? session.role} · ${new Date(session.updatedAt).toLocaleString()}`,
	);
	item.command = { command: "troupe.open", title: "Open Session", arguments: [{ sessionId: session.sessionId }] };
	item.accessibilityInformation = { label: `${title}, ${role?.label ?? session.role}, ${ago(session.updatedAt)} ago` };
	return item;
}

const UNITS: readonly [string, number][] = [
	["min", 60],
	["h", 60],
	["d", 24],
	["w", 7],
];

/** "2 h", as the list of a time line would say it. */
function ago(at: string): string {
	let amount = Math.max(0, (Date.now() - Date.parse(at)) / 1_000);
	let shown = "now";
	for (const [unit, size] of UNITS) {
		amount /= size;
		if (amount < 1) break;
		shown = `${Math.floor(amount)} ${unit}`;
	}
	return shown;
}
