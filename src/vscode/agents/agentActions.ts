// Commands that create, edit, duplicate, delete and review agents.

import * as vscode from "vscode";
import { waitingKey } from "../../agents/agentsPage/agentsView.ts";
import type { AgentCatalog, AgentRegistry, UnapprovedAgent } from "../../core/agent.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";
import { showNotification } from "../notifications.ts";
import type { AgentsPage } from "./agentsPage.ts";

/** Argument of a command from the tree: an agent, an unapproved one, or its file. */
export interface AgentTarget {
	agentId?: string;
	waiting?: UnapprovedAgent;
	path?: string;
}

type Handler = (registry: AgentRegistry, page: AgentsPage, target: AgentTarget) => unknown;

export type AgentCommand = keyof typeof agentActions;

export const agentActions = {
	manageAgents: (_, page) => page.open(),
	newAgent: (_, page) => page.open("new"),
	async editAgent(registry, page, { agentId }) {
		const id = agentId ?? (await pickEditable(registry.catalog(), t("Edit Agent")));
		if (id !== undefined) await page.open(`agent:${id}`);
	},
	async duplicateAgent(registry, page, { agentId }) {
		const id = agentId ?? (await pick(registry.catalog().agents, t("Duplicate Agent")));
		if (id !== undefined) await page.open(`agent:${(await registry.duplicate(id)).agentId}`);
	},
	async deleteAgent(registry, _, { agentId }) {
		const id = agentId ?? (await pickEditable(registry.catalog(), t("Delete Agent")));
		const listed = registry.catalog().agents.find(({ definition }) => definition.agentId === id);
		if (!listed) return;
		if (listed.source.kind !== "file") return registry.remove(listed.definition.agentId);
		const agent = listed.definition;
		const { confirmDestructive } = await import("../pickers.ts");
		const lost = t("This permanently deletes the agent. Its sessions are kept; assign another agent to continue them.");
		if (await confirmDestructive(t("Delete the agent “{0}”?", agent.displayName), t("Delete"), [lost]))
			await registry.remove(agent.agentId);
	},
	async reviewAgent(registry, page, target) {
		const { waiting } = registry.catalog();
		const meant =
			target.waiting ??
			waiting.find(
				({ source, definition }) => source.path === target.path && definition.agentId === (target.agentId ?? definition.agentId),
			);
		if (waiting.length === 0) return showNotification("info", t("No agents in this workspace need your review."));
		const items = waiting.map((candidate) => ({
			label: escapeLabel(candidate.label),
			description: escapeLabel(vscode.workspace.asRelativePath(candidate.source.path)),
			one: candidate,
		}));
		const one = meant ?? (items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title: t("Review Agent") }))?.one;
		return one === undefined ? undefined : page.open(waitingKey(one));
	},
} satisfies Record<string, Handler>;

async function pickEditable(catalog: AgentCatalog, title: string): Promise<string | undefined> {
	const editable = catalog.agents.filter(({ source }) => source.kind === "file");
	if (editable.length > 0) return pick(editable, title);
	const create = t("New Agent");
	const answer = await showNotification("info", t("You haven't created any agents yet."), create);
	if (answer === create) await vscode.commands.executeCommand("troupe.newAgent");
	return undefined;
}

async function pick(agents: AgentCatalog["agents"], title: string): Promise<string | undefined> {
	const items = agents.map(({ definition: { agentId, displayName, description, icon } }) => ({
		label: `$(${icon ?? "hubot"}) ${escapeLabel(displayName)}`,
		detail: escapeLabel(description ?? ""),
		agentId,
	}));
	return (await vscode.window.showQuickPick(items, { title, matchOnDetail: true }))?.agentId;
}
