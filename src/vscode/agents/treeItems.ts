// Creates the tree items of agents, sessions, servers and skills.
import * as vscode from "vscode";
import type { BrokenAgent, UnapprovedAgent } from "../../core/agent.ts";
import type { SessionSummary } from "../../core/events.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { BrokenSkill, UnapprovedSkill } from "../../core/ports/skills.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import { formatDateTime, t } from "../../shared/l10n.ts";
import { formatRelativeTime, formatSpokenTime } from "../../shared/relativeTime.ts";
import { visibleLine, visibleText } from "../../shared/safeText.ts";
import { collapsibleState } from "./taskItems.ts";
import type { TaskCount } from "./taskRows.ts";
import type { AgentRow, RoleRow } from "./treeSnapshot.ts";

/** `gone`: the id of an agent that is no longer defined but still has sessions. */
export function agentTreeItem(agent: AgentRow | { gone: string }, parent: boolean): vscode.TreeItem {
	const { Collapsed, Expanded, None } = vscode.TreeItemCollapsibleState;
	const opened = !parent ? None : "gone" in agent ? Collapsed : Expanded;
	if ("gone" in agent) {
		const item = new vscode.TreeItem(visibleLine(agent.gone), opened);
		item.id = `agent:${agent.gone}`;
		item.contextValue = "agent.gone";
		item.iconPath = new vscode.ThemeIcon("question");
		item.description = t("no longer defined");
		item.tooltip = t("This agent is no longer defined. You can read its sessions. To continue one, switch its agent.");
		item.accessibilityInformation = { label: `${visibleLine(agent.gone)}, ${t("no longer defined")}` };
		return item;
	}
	const { definition, source, notes } = agent;
	const name = visibleLine(definition.displayName);
	const item = new vscode.TreeItem(name, opened);
	// The editor keeps an item drawn without children collapsed for good, so its first session needs a different id.
	item.id = parent ? `agent:${definition.agentId}` : `agent:${definition.agentId}:alone`;
	item.contextValue = source.kind === "file" ? "agent.own" : "agent";
	item.iconPath = agentIcon(definition);
	if (definition.uiVisible === false) item.description = t("hidden");
	item.tooltip = new vscode.MarkdownString().appendText(
		[definition.description ?? definition.displayName, ...notes].map(visibleText).join("\n\n"),
	);
	item.accessibilityInformation = { label: [name, ...(definition.uiVisible === false ? [t("hidden")] : [])].join(", ") };
	return item;
}

function agentIcon({ icon, color }: { icon?: string; color?: string }): vscode.ThemeIcon {
	return new vscode.ThemeIcon(icon ?? "hubot", color ? new vscode.ThemeColor(color) : undefined);
}

/** An unusable definition with its reason; clicking opens it. */
export function brokenAgentTreeItem({ source, line, ...given }: BrokenAgent): vscode.TreeItem {
	const [label, problem] = [visibleLine(given.label), visibleLine(given.problem)];
	const item = new vscode.TreeItem(label);
	item.contextValue = "agent.broken";
	item.iconPath = failedIcon;
	item.description = problem;
	item.tooltip = new vscode.MarkdownString().appendText(problem);
	item.accessibilityInformation = { label: t("{0}, can't be used: {1}", label, problem) };
	item.command =
		"path" in source
			? {
					command: "vscode.open",
					title: t("Open File"),
					arguments: [vscode.Uri.file(source.path), { selection: new vscode.Range((line ?? 1) - 1, 0, (line ?? 1) - 1, 0) }],
				}
			: {
					command: "workbench.action.openSettingsJson",
					title: t("Open Settings"),
					arguments: [{ revealSetting: { key: "troupe.agents" } }],
				};
	return item;
}

/** A workspace definition that the user has not approved. */
export function unapprovedAgentTreeItem(waiting: UnapprovedAgent): vscode.TreeItem {
	const { changed, source, definition } = waiting;
	const label = visibleLine(waiting.label);
	const item = new vscode.TreeItem(label);
	item.contextValue = "agent.waiting";
	item.iconPath = needsReviewIcon;
	item.description = changed ? t("changed, needs your review") : t("needs your review");
	item.tooltip = t("Agents defined in this workspace require your review before use.");
	item.accessibilityInformation = { label: `${label}, ${item.description}` };
	item.command = {
		command: "troupe.reviewAgent",
		title: t("Review Agent"),
		arguments: [{ path: source.path, agentId: definition.agentId }],
	};
	return item;
}

/** A workspace skill that is unapproved or unusable. */
export function skillTreeItem(skill: UnapprovedSkill | BrokenSkill): vscode.TreeItem {
	const broken = "problem" in skill;
	const label = visibleLine(broken ? skill.label : skill.name);
	const item = new vscode.TreeItem(t("{0} (skill)", label));
	item.contextValue = broken ? "skill.broken" : "skill.waiting";
	item.iconPath = broken ? failedIcon : needsReviewIcon;
	item.description = broken ? visibleLine(skill.problem) : skill.changed ? t("changed, needs your review") : t("needs your review");
	item.tooltip = new vscode.MarkdownString().appendText(
		broken ? visibleText(skill.problem) : t("Skills in this workspace require your review before use."),
	);
	item.accessibilityInformation = { label: `${t("{0} (skill)", label)}, ${item.description}` };
	item.command = broken
		? { command: "vscode.open", title: t("Open File"), arguments: [vscode.Uri.file(skill.path)] }
		: { command: "troupe.reviewSkills", title: t("Review Skill"), arguments: [{ path: skill.path }] };
	return item;
}

/** A server that its agent lists and that failed to start. */
export function mcpServerTreeItem({ config, why, cause }: McpServerStatus, agentId: string): vscode.TreeItem {
	const item = new vscode.TreeItem(visibleLine(config.name));
	item.id = `server:${agentId}:${config.id}`;
	item.contextValue = "server.failed";
	item.iconPath = failedIcon;
	item.description = visibleLine(cause ?? why ?? t("failed"));
	item.tooltip = new vscode.MarkdownString().appendText(visibleText(why ?? t("failed")));
	item.accessibilityInformation = { label: visibleLine(t("MCP server {0}, failed: {1}", config.name, why ?? "")) };
	item.command = { command: "troupe.manageServers", title: t("Manage MCP Servers"), arguments: [{ server: config.id }] };
	return item;
}

export type SessionState = "waiting" | "running" | "failed" | "interrupted" | "idle";

export interface SessionRow {
	role: RoleRow | undefined;
	now: SessionState;
	/** The chat shows this session. */
	open: boolean;
	/** Name of the agent whose call it answers. */
	calledBy?: string;
	/** Number of called sessions that it waits for. */
	calls: number;
	/** Tasks that it started. */
	tasks: TaskCount;
}

export function sessionTreeItem(session: SessionSummary, { role, now, open, calledBy, calls, tasks }: SessionRow): vscode.TreeItem {
	const title = visibleLine(formatSessionTitle(session));
	const item = new vscode.TreeItem(title, collapsibleState(tasks));
	item.id = tasks.count > 0 ? `session:${session.sessionId}:tasks` : `session:${session.sessionId}`;
	item.contextValue = session.pinnedAt ? "session.pinned" : "session";
	item.iconPath = ICONS[now] ?? new vscode.ThemeIcon(role?.icon ?? "comment");
	const state = {
		waiting: t("needs your attention"),
		running: t("running"),
		failed: t("failed"),
		interrupted: t("interrupted"),
		idle: undefined,
	}[now];
	const called = [
		...(calledBy === undefined ? [] : [t("called by {0}", visibleLine(calledBy))]),
		...(calls === 0 ? [] : [calls === 1 ? t("waits for 1 agent") : t("waits for {0} agents", calls)]),
		...(tasks.active === 0 ? [] : [tasks.active === 1 ? t("1 background task") : t("{0} background tasks", tasks.active)]),
	];
	const notes = [state, ...called, ...(session.pinnedAt ? [t("pinned")] : [])].filter((note) => note !== undefined);
	const age = formatRelativeTime(session.updatedAt);
	const last = visibleLine((session.lastSnippet ?? "").replace(/\s+/g, " ").trim());
	const snippet = last !== "" && last !== title ? last : undefined;
	item.description = [...notes, age ?? t("now"), ...(snippet === undefined ? [] : [snippet])].join(" · ");
	item.tooltip = new vscode.MarkdownString().appendText(
		`${[title, ...(snippet === undefined ? [] : [snippet]), ...called].join("\n")}\n${role?.label ?? session.role} · ${formatDateTime(session.updatedAt)}`,
	);
	item.command = { command: "troupe.open", title: t("Open Session"), arguments: [{ sessionId: session.sessionId }] };
	item.accessibilityInformation = {
		label: [
			title,
			role?.label ?? session.role,
			...(open ? [t("open in the chat")] : []),
			...notes,
			formatSpokenTime(session.updatedAt),
		].join(", "),
	};
	return item;
}

const failedIcon = new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
const needsReviewIcon = new vscode.ThemeIcon("shield", new vscode.ThemeColor("list.warningForeground"));

/** Replaces the role's icon unless the session is idle. */
const ICONS: Record<SessionState, vscode.ThemeIcon | undefined> = {
	waiting: new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.yellow")),
	running: new vscode.ThemeIcon("loading~spin"),
	failed: failedIcon,
	interrupted: new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground")),
	idle: undefined,
};
