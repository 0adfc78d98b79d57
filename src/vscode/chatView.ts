// The chat behind glass: the same page in the side bar and as an editor tab.
import * as vscode from "vscode";
import type { Chat } from "../app/chat.ts";
import type { Update } from "../protocol.ts";
import { chatPage } from "./chatPage.ts";
import type { Engine, LazyEngine } from "./engine.ts";

/** Messages larger than this are not looked at. */
const MESSAGE_LIMIT = 1_000_000;

export class ChatViews implements vscode.WebviewViewProvider {
	private readonly extensionUri: vscode.Uri;
	private readonly engine: LazyEngine;
	private view: vscode.WebviewView | undefined;
	private sidebar: Promise<Chat> | undefined;
	private resolved: ((chat: Promise<Chat>) => void)[] = [];
	private readonly panels = new Map<vscode.WebviewPanel, Promise<Chat>>();

	constructor(extensionUri: vscode.Uri, engine: LazyEngine) {
		this.extensionUri = extensionUri;
		this.engine = engine;
	}

	resolveWebviewView(view: vscode.WebviewView): void {
		this.view = view;
		const chat = this.attach(view.webview);
		this.sidebar = chat;
		for (const resolve of this.resolved.splice(0)) resolve(chat);
		view.onDidDispose(() => {
			this.view = undefined;
			this.sidebar = undefined;
			dispose(chat);
		});
	}

	/** Opens the side bar's chat and resolves once it is there. */
	async reveal(): Promise<Chat> {
		await vscode.commands.executeCommand("troupe.chat.focus");
		// The editor resolves a view in its own time after it was shown.
		return this.sidebar ?? new Promise((resolve) => this.resolved.push(resolve));
	}

	async openInEditor(sessionId?: string): Promise<void> {
		const panel = vscode.window.createWebviewPanel("troupe.chatPanel", "Troupe", vscode.ViewColumn.Beside, this.options());
		panel.iconPath = vscode.Uri.joinPath(this.extensionUri, "media", "troupe.svg");
		const chat = this.attach(panel.webview, sessionId);
		this.panels.set(panel, chat);
		panel.onDidDispose(() => {
			this.panels.delete(panel);
			dispose(chat);
		});
	}

	/** The chat that the person looks at: an active editor tab before the side bar. */
	async active(): Promise<Chat | undefined> {
		for (const [panel, chat] of this.panels) if (panel.active) return chat;
		return this.sidebar;
	}

	async refresh(): Promise<void> {
		for (const chat of [this.sidebar, ...this.panels.values()]) (await chat)?.refresh();
	}

	get visible(): boolean {
		return this.view?.visible === true || [...this.panels.keys()].some((panel) => panel.visible);
	}

	/** The page loads while the engine does; what it says meanwhile waits. */
	private attach(webview: vscode.Webview, sessionId?: string): Promise<Chat> {
		webview.options = this.options();
		const loading = this.engine.load();
		const early: unknown[] = [];
		let take = (message: unknown): void => void early.push(message);
		webview.onDidReceiveMessage((message: unknown) => take(message));
		webview.html = chatPage(webview, this.extensionUri);
		return loading.then(async (engine) => {
			const post = (update: Update): void => void webview.postMessage(update);
			const chat = engine.createChat(post, sessionId);
			take = (message) => receive(engine, chat, message);
			for (const message of early) take(message);
			return chat;
		});
	}

	private options(): vscode.WebviewOptions {
		return {
			enableScripts: true,
			enableCommandUris: false,
			enableForms: false,
			localResourceRoots: [vscode.Uri.joinPath(this.extensionUri, "dist"), vscode.Uri.joinPath(this.extensionUri, "media")],
		};
	}
}

function receive(engine: Engine, chat: Chat, message: unknown): void {
	const intent = engine.parseIntent(message, MESSAGE_LIMIT);
	if (intent) void chat.handle(intent);
	else engine.log("a message of the chat page was not understood and dropped");
}

function dispose(chat: Promise<Chat>): void {
	chat.then(
		(loaded) => loaded.dispose(),
		() => undefined,
	);
}
