// Activation: registers views, commands, and the status bar; builds the rest on first use.
import "./vscode/loadTranslations.ts";
import * as vscode from "vscode";
import type { TroupeApi } from "./api.ts";
import { AGENTS_PANEL_VIEW_TYPE, AgentsPage } from "./vscode/agents/agentsPage.ts";
import { AgentsTree } from "./vscode/agents/agentsTree.ts";
import { createPendingNotifier } from "./vscode/approvals/pendingNotifier.ts";
import { createPendingTracker } from "./vscode/approvals/pendingTracker.ts";
import { registerArtifacts } from "./vscode/artifacts/artifacts.ts";
import { CHAT_PANEL_VIEW_TYPE, ChatViews } from "./vscode/chat/chatViews.ts";
import { registerCommands } from "./vscode/commands.ts";
import type { LazyEngine } from "./vscode/engine.ts";
import { registerIntegrations } from "./vscode/integrations/integrations.ts";
import { createLazyApi, createLazyEngine, loadAfterActivation } from "./vscode/lazyEngine.ts";
import { registerLinks } from "./vscode/links.ts";
import { watchTerminalOutput } from "./vscode/mentions/terminalLog.ts";
import { createRoleStatusBarItem } from "./vscode/statusBar/roleItem.ts";
import { createTaskStatus } from "./vscode/statusBar/taskStatus.ts";
import { recordMilestone } from "./vscode/walkthrough.ts";

let engine: LazyEngine | undefined;

export function activate(context: vscode.ExtensionContext): TroupeApi {
	const log = vscode.window.createOutputChannel("Troupe", { log: true });
	const role = createRoleStatusBarItem(context.workspaceState);
	const tasks = createTaskStatus();
	const terminals = watchTerminalOutput();
	const lazy = createLazyEngine(async () => {
		const { buildEngine } = await import("./compose/editor.ts");
		const { notifyReviewsNeeded } = await import("./vscode/approvals/reviewNotifications.ts");
		const { showApprovalNotifications } = await import("./vscode/approvals/approvalsPicker.ts");
		const shown = (sessionId: string): void => {
			void waiting.reloadSessions();
			tree.revealSession(sessionId, treeView).catch((error: unknown) => log.warn(String(error)));
		};
		const built = await buildEngine({ context, log, role, shell: terminals, shown });
		built.sessions.listen({
			changed(sessionId) {
				tree.refresh();
				void tasks.refresh(built.sessions);
				if (sessionId === undefined) void waiting.reloadSessions();
			},
			event(sessionId, event) {
				// Update the pending count before drawing.
				const draw = (): void => tree.handleEvent(event);
				waiting.handleEvent(sessionId, event).then(draw, draw);
				void tasks.handleEvent(event);
				recordMilestone(event);
			},
		});
		void tasks.refresh(built.sessions);
		const { registry } = built.sessions.services;
		context.subscriptions.push(
			notifyReviewsNeeded({ registry, skills: built.skills, workspace: context.workspaceState, everywhere: context.globalState }),
			registry.onChange(() => tree.refresh()),
			built.skills.onChange(() => tree.refresh()),
			...(built.mcpServerManager ? [built.mcpServerManager.onChange(() => tree.refresh())] : []),
		);
		showApprovalNotifications(built, context.globalState);
		return built;
	});
	const agents = new AgentsPage(context.extensionUri, lazy, context.workspaceState);
	const views = new ChatViews(context.extensionUri, lazy);
	const attention = createPendingTracker();
	const early = () => import("./storage/sessions/stateIndex.ts");
	const first = async () => (await early()).readIndexedSessions(context.workspaceState);
	const tree = new AgentsTree({
		engine: lazy,
		memory: context.workspaceState,
		attention,
		first,
		listed: (sessions) => waiting.updateSessions(sessions),
	});
	const hasWorkLeft = async (): Promise<boolean> => {
		const shared = context.globalStorageUri;
		const root = context.storageUri ?? vscode.Uri.joinPath(shared, "empty");
		return (await early()).hasWorkLeft(context.workspaceState, { shared: shared.fsPath, root: root.fsPath });
	};
	const treeView = vscode.window.createTreeView("troupe.agents", { treeDataProvider: tree });
	const waiting = createPendingNotifier({ engine: lazy, views, badge: treeView, attention, status: role });
	// Updates the badge before the tree is visible, without delaying activation.
	setTimeout(() => void first().then((sessions) => lazy.current() ?? waiting.updateSessions(sessions)), 0);
	loadAfterActivation(lazy, hasWorkLeft, (error) => log.error(String(error)));
	engine = lazy;
	context.subscriptions.push(
		log,
		role,
		tasks,
		terminals,
		vscode.window.registerWebviewViewProvider("troupe.chat", views),
		vscode.window.registerWebviewPanelSerializer(CHAT_PANEL_VIEW_TYPE, views),
		vscode.window.registerWebviewPanelSerializer(AGENTS_PANEL_VIEW_TYPE, agents),
		treeView,
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (!change.affectsConfiguration("troupe") || !lazy.current()) return;
			void views.refresh();
			void agents.refresh();
			tree.refresh();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void views.refresh()),
		...registerCommands({ engine: lazy, views, page: agents, log, storage: context.globalStorageUri }),
		...registerIntegrations({ engine: lazy, views, log }),
		...registerArtifacts({ engine: lazy, log }),
		registerLinks({ engine: lazy, views, log }),
	);
	return createLazyApi(lazy);
}

/** Everything is written to disk as it happens, so this only releases processes and locks. */
export async function deactivate(): Promise<void> {
	await engine?.current()?.dispose();
}
