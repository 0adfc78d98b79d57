// Activation: puts up the signs (views, commands, status bar) and builds what stands behind them on first use.
import "./vscode/words.ts";
import * as vscode from "vscode";
import type { TroupeApi } from "./api.ts";
import { AgentsTree } from "./vscode/agentsTree.ts";
import { ChatViews, PANEL } from "./vscode/chatView.ts";
import { registerCommands } from "./vscode/commands.ts";
import type { Engine, LazyEngine } from "./vscode/engine.ts";
import { lazyApi } from "./vscode/lazyApi.ts";
import { roleItem } from "./vscode/statusBar.ts";

let engine: LazyEngine | undefined;

export function activate(context: vscode.ExtensionContext): TroupeApi {
	const log = vscode.window.createOutputChannel("Troupe", { log: true });
	const role = roleItem(context.workspaceState);
	const lazy = lazyEngine(async () => {
		const { buildEngine } = await import("./engine/buildEngine.ts");
		const built = await buildEngine({ context, log, role });
		built.conversations.listen({
			changed: () => tree.refresh(),
			event: (sessionId, event) => void tree.took(sessionId, event),
		});
		return built;
	});
	const views = new ChatViews(context.extensionUri, lazy);
	const tree = new AgentsTree(lazy, context.workspaceState);
	engine = lazy;
	context.subscriptions.push(
		log,
		role,
		vscode.window.registerWebviewViewProvider("troupe.chat", views),
		vscode.window.registerWebviewPanelSerializer(PANEL, views),
		vscode.window.createTreeView("troupe.agents", { treeDataProvider: tree }),
		vscode.workspace.onDidChangeConfiguration((change) => {
			if (!change.affectsConfiguration("troupe") || !lazy.loaded()) return;
			void views.refresh();
			tree.refresh();
		}),
		vscode.workspace.onDidGrantWorkspaceTrust(() => void views.refresh()),
		...registerCommands({ engine: lazy, views, log }),
	);
	return lazyApi(lazy);
}

/** Everything is on disk already when it happens; this only lets go of processes and locks. */
export async function deactivate(): Promise<void> {
	await engine?.loaded()?.dispose();
}

function lazyEngine(build: () => Promise<Engine>): LazyEngine {
	let building: Promise<Engine> | undefined;
	let built: Engine | undefined;
	return {
		load() {
			// What this host has said to the editor leaves first: loading is work of one piece.
			building ??= new Promise((resolve) => setTimeout(resolve, 0)).then(build).then(
				(done) => {
					built = done;
					return done;
				},
				(error: unknown) => {
					building = undefined;
					throw error;
				},
			);
			return building;
		},
		loaded: () => built,
	};
}
