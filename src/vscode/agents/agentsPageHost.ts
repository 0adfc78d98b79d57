// Window services of the "Manage Agents" page: dialogs, editors and settings.

// Loaded when the page is first opened.
import * as vscode from "vscode";
import { type AgentsPageController, createAgentsPageController, limitDrafts } from "../../agents/agentsPage/controller.ts";
import type { AgentSource } from "../../core/agent.ts";
import { t } from "../../shared/l10n.ts";
import type { AgentsCommand, AgentsUpdate, ModelGroup, StoredDrafts } from "../../shared/protocol/agents.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { askForConsent } from "../consent.ts";
import type { Engine } from "../engine.ts";
import { showNotification } from "../notifications.ts";
import { windowFocusedFor } from "../windowFocus.ts";

interface WindowParts {
	engine: Engine;
	memory: vscode.Memento;
	post(update: AgentsUpdate): void;
	/** Reports whether there are unsaved changes. */
	unsaved(any: boolean): void;
}

const DRAFTS = "troupe.agentDrafts";

export function createAgentsPage({ engine, memory, post, unsaved }: WindowParts): AgentsPageController {
	/** Drafts already reported as too large. */
	const reported = new Set<string>();
	const page = createAgentsPageController(engine.sessions, {
		post,
		windowFocusedFor: windowFocusedFor,
		notify: (level, text) => void showNotification(level, text),
		confirm: async (question, lines, button) => (await askForConsent(question, lines, [button])) !== undefined,
		models: () => modelGroups(engine),
		servers: () => engine.mcpServerManager?.servers() ?? [],
		approvals: () => engine.approvals.rows(),
		openSource: openSource,
		runCommand: command,
		displayPath: (path) => vscode.workspace.asRelativePath(path, (vscode.workspace.workspaceFolders?.length ?? 0) > 1),
		drafts: {
			get: () => memory.get<StoredDrafts>(DRAFTS, {}),
			set(drafts) {
				const any = Object.keys(drafts).length > 0;
				unsaved(any);
				const { kept, over } = limitDrafts(drafts);
				void memory.update(DRAFTS, any ? kept : undefined);
				if (over.every((key) => reported.has(key))) return;
				for (const key of over) reported.add(key);
				void showNotification("warning", t("This draft is too large to keep when the page closes. Save the agent to keep your changes."));
			},
		},
		now: Date.now,
	});
	const ends = [engine.mcpServerManager?.onChange(() => page.refresh())];
	return {
		...page,
		dispose() {
			for (const end of ends) end?.dispose();
			page.dispose();
		},
	};
}

function command(name: AgentsCommand, agentId?: string): void {
	const commands: Record<AgentsCommand, [string, ...unknown[]]> = {
		manageGrants: ["troupe.manageGrants", { agentId }],
		mcpSettings: ["workbench.action.openSettings", "troupe.mcpServers"],
		selectModel: ["troupe.selectModel"],
	};
	void vscode.commands.executeCommand(...commands[name]);
}

/** `line` is 1-based. */
async function openSource(source: AgentSource, line = 1): Promise<void> {
	if (source.kind === "builtin") return;
	if (source.kind === "settings") {
		await vscode.commands.executeCommand("workbench.action.openSettingsJson", { revealSetting: { key: "troupe.agents", edit: true } });
		return;
	}
	const at = new vscode.Position(Math.max(0, line - 1), 0);
	await vscode.window.showTextDocument(vscode.Uri.file(source.path), { selection: new vscode.Range(at, at) });
}

/** If the models can't be listed, the error takes their place. */
async function modelGroups(engine: Engine): Promise<{ groups: readonly ModelGroup[]; auto: string }> {
	try {
		const { auto, providers } = await engine.models();
		const setting = vscode.workspace.getConfiguration("troupe").get("model", "auto").trim();
		const found = providers.flatMap(({ models }) => models).find(({ id }) => id === setting);
		return {
			auto: ["", "auto"].includes(setting) ? auto.name : (found?.name ?? setting),
			groups: providers.map(({ label, models, problem }) => ({
				label,
				models: models.map(({ id, name }) => ({ id, name: name ?? id })),
				...(problem !== undefined && { problem }),
			})),
		};
	} catch (error) {
		return { auto: "", groups: [{ label: t("Models"), models: [], problem: reasonOf(error, engine.log) }] };
	}
}
