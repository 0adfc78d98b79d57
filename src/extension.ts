// Activation: puts up the signs (views, commands, status bar) and builds what stands behind them on first use.
import "./vscode/loadTranslations.ts";
import * as vscode from "vscode";
import type { TroupeApi } from "./api.ts";
import { registerAgentCommands } from "./vscode/agents/agentCommands.ts";
import { AGENTS_PANEL, AgentsPage } from "./vscode/agents/agentsPage.ts";
import { AgentsTree } from "./vscode/agents/agentsTree.ts";
import { sessionAttention } from "./vscode/approvals/attention.ts";
import { notices } from "./vscode/approvals/pendingBadge.ts";
import { registerArtifacts } from "./vscode/artifacts/artifacts.ts";
import { ChatViews, PANEL } from "./vscode/chat/chatView.ts";
import { registerCommands } from "./vscode/commands.ts";
import type { LazyEngine } from "./vscode/engine.ts";
import { registerDoors } from "./vscode/integrations/integrations.ts";
import { lazyApi } from "./vscode/lazyApi.ts";
import { lazyEngine } from "./vscode/lazyEngine.ts";
import { watchTerminals } from "./vscode/mentions/terminals.ts";
import { UNREVIEWED } from "./vscode/review/unreviewed.ts";
import { roleItem } from "./vscode/statusBar.ts";
import { noteMilestone } from "./vscode/walkthrough.ts";

let engine: LazyEngine | undefined;

export function activate(context: vscode.ExtensionContext): TroupeApi {
	const log = vscode.window.createOutputChannel("Troupe", { log: true });
	const role = roleItem(context.workspaceState);
	const terminals = watchTerminals();
	const lazy = lazyEngine(async () => {
		const { buildEngine } = await import("./compose/buildEngine.ts");
		const { announceWaiting } = await import("./vscode/approvals/waitingReview.ts");
		const { showApprovalsNews } = await import("./vscode/approvals/approvalNotices.ts");
		const shown = (sessionId: string): void => {
			void waiting.sessionsChanged();
			tree.show(sessionId, treeView).catch((error: unknown) => log.warn(String(error)));
		};
		const built = await buildEngine({ context, log, role, shell: terminals, shown });
		built.sessions.listen({
			changed(sessionId) {
				tree.refresh();
				if (sessionId === undefined) void waiting.sessionsChanged();
			},
			event(sessionId, event) {
				// What waits is known before it is drawn.
				const draw = (): void => tree.took(event);
				waiting.took(sessionId, event).then(draw, draw);
				noteMilestone(event);
			},
		});
		const { registry } = built.sessions.services;
		context.subscriptions.push(
			announceWaiting({ registry, skills: built.skills, workspace: context.workspaceState, everywhere: context.globalState }),
			registry.onChange(() => tree.refresh()),
			built.skills.onChange(() => tree.refresh()),
			...(built.mcp ? [built.mcp.onChange(() => tree.refresh())] : []),
		);
		showApprovalsNews(built, context.globalState);
		return built;
	});
	const agents = new AgentsPage(context.extensionUri, lazy, context.workspaceState);
	const views = new ChatViews(context.extensionUri, lazy);
	const attention = sessionAttention();
	const first = async () => (await import("./compose/firstRows.ts")).firstSessions(context.workspaceState);
	const tree = new AgentsTree({
		engine: lazy,
		memory: context.workspaceState,
		attention,
		first,
		listed: (sessions) => waiting.listed(sessions),
	});
	const treeView = vscode.window.createTreeView("troupe.agents", { treeDataProvider: tree });
	const waiting = notices({ engine: lazy, views, badge: treeView, attention, status: role });
	// The badge is there before the tree is in sight, and costs activation nothing.
	setTimeout(() => void first().then((sessions) => lazy.loaded() ?? waiting.listed(sessions)), 0);
	engine = lazy;
	context.subscriptions.push(
		log,
		role,
		terminals,
		vscode.window.registerWebviewViewProvider("troupe.chat", views),
		vscode.window.registerWebviewPanelSerializer(PANEL, views),
		vscode.window.registerWebviewPanelSerializer(AGENTS_PANEL, agents),
		treeView,
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (!change.affectsConfiguration("troupe") || !lazy.loaded()) return;
			void views.refresh();
			void agents.refresh();
			tree.refresh();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void views.refresh()),
		...registerCommands({ engine: lazy, views, log }),
		...registerAgentCommands({ engine: lazy, page: agents, log }),
		...registerDoors({ engine: lazy, views, log }),
		...registerArtifacts({ engine: lazy, log }),
	);
	if (context.workspaceState.get(UNREVIEWED) === true) lazy.load().catch((error: unknown) => log.error(String(error)));
	return lazyApi(lazy);
}

/** Everything is on disk already when it happens; this only lets go of processes and locks. */
export async function deactivate(): Promise<void> {
	await engine?.loaded()?.dispose();
}
