// Hosts the chat page in the side bar and in editor tabs.
import * as vscode from "vscode";
import type { ChatController } from "../../chat/controller.ts";
import { createEarlyComposer } from "../../shared/earlyComposer.ts";
import { visibleLine } from "../../shared/safeText.ts";
import type { DeferredEngine } from "../lazyEngine.ts";
import { createUpdateBatches } from "./updateBatches.ts";
import { loadPage, tabIcon, webviewOptions, whenLoaded } from "./webviewPage.ts";

/** Maximum characters of a message. */
const MESSAGE_LIMIT = 1_000_000;

/** View type of the chat's editor tabs. */
export const CHAT_PANEL_VIEW_TYPE = "troupe.chatPanel";

export class ChatViews implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer {
	private readonly extensionUri: vscode.Uri;
	private readonly engine: DeferredEngine;
	private view: vscode.WebviewView | undefined;
	private sidebar: Promise<ChatController> | undefined;
	private resolved: ((chat: Promise<ChatController>) => void)[] = [];
	private readonly panels = new Map<vscode.WebviewPanel, Promise<ChatController>>();

	constructor(extensionUri: vscode.Uri, engine: DeferredEngine) {
		this.extensionUri = extensionUri;
		this.engine = engine;
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		const chat = this.attach(view.webview);
		this.sidebar = chat;
		for (const resolve of this.resolved.splice(0)) resolve(chat);
		// The editor unloads the page of a hidden view and reloads it when it is shown.
		view.onDidChangeVisibility(() => view.visible || handlePageUnload(chat));
		view.onDidDispose(() => {
			this.view = undefined;
			this.sidebar = undefined;
			dispose(chat);
		});
	}

	/** Reveals the visible editor tab that shows the session, or else the side bar, and resolves when it is loaded. */
	async reveal(sessionId?: string): Promise<ChatController> {
		const isSessionVisible = [...this.panels]
			.filter(([panel]) => panel.visible)
			.sort(([left], [right]) => Number(right.active) - Number(left.active));
		for (const [panel, loading] of sessionId === undefined ? [] : isSessionVisible) {
			const chat = await loading;
			if (chat.sessionId !== sessionId) continue;
			panel.reveal();
			return chat;
		}
		await vscode.commands.executeCommand("troupe.chat.focus");
		// The editor resolves a view some time after showing it.
		return this.sidebar ?? new Promise((resolve) => this.resolved.push(resolve));
	}

	/** Reveals a chat with this session in it. A task has an editor tab of its own, so that the session that started it stays. */
	async revealSession(sessionId: string): Promise<ChatController> {
		const summary = await (await this.engine.load()).sessions.find(sessionId);
		if (summary?.kind === "task") return this.revealInEditor(sessionId);
		const chat = await this.reveal(sessionId);
		if (chat.sessionId !== sessionId) await chat.show(sessionId);
		return chat;
	}

	/** Reveals the editor tab that shows the session, or opens one. */
	private async revealInEditor(sessionId: string): Promise<ChatController> {
		for (const [panel, loading] of this.panels) {
			const chat = await loading;
			if (chat.sessionId !== sessionId) continue;
			panel.reveal();
			return chat;
		}
		return this.openInEditor(sessionId);
	}

	openInEditor(sessionId?: string): Promise<ChatController> {
		return this.adopt(
			vscode.window.createWebviewPanel(CHAT_PANEL_VIEW_TYPE, "Troupe", vscode.ViewColumn.Beside, webviewOptions(this.extensionUri)),
			sessionId,
		);
	}

	/** Restores an editor tab after a reload. */
	async deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
		void this.adopt(panel, sessionIn(state));
	}

	/** The active chat: an active editor tab, or else the side bar. */
	async active(): Promise<ChatController | undefined> {
		for (const [panel, chat] of this.panels) if (panel.active) return chat;
		return this.sidebar;
	}

	/** Closes the editor tabs that show one of these sessions, which were deleted. Returns the side bar's chat if it shows one. */
	async leave(deleted: ReadonlySet<string>): Promise<ChatController | undefined> {
		const shows = ({ sessionId }: ChatController) => sessionId !== undefined && deleted.has(sessionId);
		for (const [panel, chat] of [...this.panels]) if (shows(await chat)) panel.dispose();
		const sidebar = await this.sidebar;
		return sidebar && shows(sidebar) ? sidebar : undefined;
	}

	/** Returns true if the user can see this session now. */
	async inSight(sessionId: string): Promise<boolean> {
		const inSight = [...this.panels].filter(([panel]) => panel.visible).map(([, chat]) => chat);
		if (this.sidebar && this.view?.visible) inSight.push(this.sidebar);
		return (await Promise.all(inSight)).some((chat) => chat.sessionId === sessionId);
	}

	/** Shows the session's title in the view and on each editor tab, there with the pending count. */
	async updateTitles(of: (sessionId: string | undefined) => { title: string | undefined; waiting: number }): Promise<void> {
		for (const [panel, chat] of this.panels) {
			const { title = "Troupe", waiting } = of((await chat).sessionId);
			const shown = visibleLine(waiting > 0 ? `${shortened(title)} (${waiting})` : shortened(title));
			if (panel.title !== shown) panel.title = shown;
		}
		const { title } = of((await this.sidebar)?.sessionId);
		if (this.view && this.view.description !== title) this.view.description = title === undefined ? "" : visibleLine(title);
	}

	async refresh(): Promise<void> {
		for (const chat of [this.sidebar, ...this.panels.values()]) (await chat)?.refresh();
	}

	get visible(): boolean {
		return this.view?.visible === true || [...this.panels.keys()].some((panel) => panel.visible);
	}

	private adopt(panel: vscode.WebviewPanel, sessionId?: string): Promise<ChatController> {
		panel.iconPath = tabIcon(this.extensionUri);
		const chat = this.attach(panel.webview, sessionId);
		this.panels.set(panel, chat);
		panel.onDidChangeViewState(() => {
			if (!panel.visible) handlePageUnload(chat);
			void this.followActive();
		});
		panel.onDidDispose(() => {
			this.panels.delete(panel);
			dispose(chat);
			void this.followActive();
		});
		return chat;
	}

	/** The status bar and commands follow the active chat. */
	private async followActive(): Promise<void> {
		const sessionId = (await this.active().catch(() => undefined))?.sessionId;
		if (sessionId !== undefined) this.engine.current()?.setLastShownSession(sessionId);
	}

	private attach(webview: vscode.Webview, sessionId?: string): Promise<ChatController> {
		return loadPage(webview, this.extensionUri, { bundle: "webview", early: createEarlyComposer() }, async (ready) => {
			this.engine.deferUntil(ready);
			const engine = await this.engine.load();
			// The page may be gone when the last of them are posted.
			const updates = createUpdateBatches((batch) => webview.postMessage(batch).then(undefined, () => undefined));
			const page = engine.createChat(updates.post, sessionId);
			return {
				page,
				async handleIntent(message) {
					const intent = engine.parseIntent(message, MESSAGE_LIMIT);
					if (intent) await new Promise<void>((acknowledge) => page.handle(intent, acknowledge));
					else engine.log("a message of the chat page was not understood and dropped");
					updates.flush();
				},
			};
		});
	}
}

/** Characters that fit in a tab. */
const MAX_TAB_TITLE = 32;

function shortened(title: string): string {
	const letters = [...title];
	return letters.length > MAX_TAB_TITLE
		? `${letters
				.slice(0, MAX_TAB_TITLE - 1)
				.join("")
				.trimEnd()}…`
		: title;
}

/** The session in the page's saved state, if any. */
function sessionIn(state: unknown): string | undefined {
	const session = typeof state === "object" && state !== null && "session" in state ? state.session : undefined;
	return typeof session === "string" ? session : undefined;
}

function handlePageUnload(chat: Promise<ChatController>): void {
	whenLoaded(chat, (loaded) => loaded.pageGone());
}

function dispose(chat: Promise<ChatController>): void {
	whenLoaded(chat, (loaded) => loaded.dispose());
}
