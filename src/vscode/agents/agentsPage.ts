// The "Manage Agents" page as an editor tab; one per window, restored after a reload.
import * as vscode from "vscode";
import type { AgentsPageController } from "../../agents/agentsPage/controller.ts";
import { t } from "../../shared/l10n.ts";
import { loadPage, tabIcon, webviewOptions, whenLoaded } from "../chat/webviewPage.ts";
import type { LazyEngine } from "../engine.ts";

/** View type of its editor tab. */
export const AGENTS_PANEL_VIEW_TYPE = "troupe.agentsPanel";

/** Closes tabs restored but not yet shown since a reload: they can't be revealed. Drafts are in the memento. */
async function closeUnloadedTabs(): Promise<void> {
	const tabs = vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
	const ours = tabs.filter(({ input }) => input instanceof vscode.TabInputWebview && input.viewType.endsWith(AGENTS_PANEL_VIEW_TYPE));
	if (ours.length > 0) await vscode.window.tabGroups.close(ours, true);
}

export class AgentsPage implements vscode.WebviewPanelSerializer {
	private readonly extensionUri: vscode.Uri;
	private readonly engine: LazyEngine;
	private readonly memory: vscode.Memento;
	private shown: { panel: vscode.WebviewPanel; page: Promise<AgentsPageController> } | undefined;

	constructor(extensionUri: vscode.Uri, engine: LazyEngine, memory: vscode.Memento) {
		this.extensionUri = extensionUri;
		this.engine = engine;
		this.memory = memory;
	}

	/** Opens or reveals the page and selects the entry with that key; "new" for a new agent. */
	async open(key?: string): Promise<void> {
		if (this.shown) this.shown.panel.reveal();
		else {
			await closeUnloadedTabs();
			if (!this.shown)
				this.adopt(
					vscode.window.createWebviewPanel(
						AGENTS_PANEL_VIEW_TYPE,
						t("Manage Agents"),
						vscode.ViewColumn.Active,
						webviewOptions(this.extensionUri),
					),
				);
		}
		const page = await this.shown?.page;
		if (key !== undefined) page?.select(key);
	}

	/** Restores the editor tab after a reload. */
	async deserializeWebviewPanel(panel: vscode.WebviewPanel): Promise<void> {
		if (this.shown) panel.dispose();
		else this.adopt(panel);
	}

	/** Call when data other than the agents changes. */
	async refresh(): Promise<void> {
		(await this.shown?.page)?.refresh();
	}

	private adopt(panel: vscode.WebviewPanel): void {
		panel.iconPath = tabIcon(this.extensionUri);
		const page = loadPage(panel.webview, this.extensionUri, { bundle: "agents" }, async () => {
			const [engine, { createAgentsPage }] = await Promise.all([this.engine.load(), import("./agentsPageHost.ts")]);
			const page = createAgentsPage({
				engine,
				memory: this.memory,
				post: (update) => void panel.webview.postMessage(update),
				unsaved: (any) => {
					const title = any ? `● ${t("Manage Agents")}` : t("Manage Agents");
					if (panel.title !== title) panel.title = title;
				},
			});
			return { page, handleIntent: (message) => page.handleMessage(message) };
		});
		this.shown = { panel, page };
		// The editor unloads a hidden page and reloads it when it is shown.
		panel.onDidChangeViewState(() => {
			if (!panel.visible) whenLoaded(page, (loaded) => loaded.handlePageUnload());
		});
		panel.onDidDispose(() => {
			this.shown = undefined;
			whenLoaded(page, (loaded) => loaded.dispose());
		});
	}
}
