// Tests the commands that make and delete sessions, with chats in the side bar and in editor tabs.
import assert from "node:assert/strict";
import type { ChatHost } from "../../../src/chat/chatHost.ts";
import { createChatController } from "../../../src/chat/controller.ts";
import { MAIN_AGENT } from "../../../src/core/role.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";
import { finishedTask } from "../delegation/applyChanges/finishedTask.ts";
import { closeTestTasks } from "../delegation/tasks/testTasks.ts";

type Parts = typeof import("../../../src/vscode/commands.ts") & typeof import("../../../src/vscode/chat/chatViews.ts");

const agents = [
	{ agentId: "default", displayName: "General" },
	{ agentId: "reviewer", displayName: "Reviewer" },
	{ agentId: MAIN_AGENT, displayName: "Main", single: true as const },
];

describe("a session", () => {
	let editor: Awaited<ReturnType<typeof onEditorWindow<Parts>>>;
	const apps: TestApp[] = [];
	before(async () => {
		editor = await onEditorWindow<Parts>("sessionCommands", "src/vscode/commands.ts", "src/vscode/chat/chatViews.ts");
	});
	afterEach(async () => {
		for (const app of apps.splice(0)) await app.close();
		await closeTestTasks();
	});

	/** A window with the chat in the side bar. */
	async function openWindow(app: TestApp, sidebarShows: string) {
		const { sessions } = app;
		const host: Partial<ChatHost> = { post: () => undefined, shown: () => undefined, health: () => undefined, pageFocus: () => undefined };
		const engine = {
			sessions,
			delegation: app.delegation,
			lastShownSession: async () => undefined,
			setLastShownSession: () => undefined,
			createChat: (_: unknown, session?: string) => createChatController(app, host as ChatHost, session),
		};
		const lazy = { load: async () => engine, current: () => engine, deferUntil: () => undefined } as never;
		const views = new editor.ChatViews(editor.Uri.file("/troupe") as never, lazy);
		const webview = () => ({ asWebviewUri: String, onDidReceiveMessage: () => undefined, postMessage: async () => true });
		const pane = (closed: () => void = () => undefined) => {
			const disposed = new editor.EventEmitter();
			const nothing = () => undefined;
			const dispose = () => {
				closed();
				disposed.fire();
			};
			return { webview: webview(), visible: true, title: "", dispose, onDidDispose: disposed.event, onDidChangeViewState: nothing };
		};
		views.resolveWebviewView({ ...pane(), onDidChangeVisibility: () => undefined } as never);
		const sidebar = await views.reveal();
		await sidebar.show(sidebarShows);
		editor.registerCommands({ engine: lazy, views, log: { error: () => undefined }, page: {}, storage: editor.Uri.file("/") } as never);
		return {
			sidebar,
			/** Opens an editor tab; returns whether it is open. */
			async tab(sessionId: string) {
				let isOpen = true;
				const panel = pane(() => {
					isOpen = false;
				});
				Object.assign(editor.window, { createWebviewPanel: () => panel });
				await (await views.openInEditor(sessionId)).show(sessionId);
				return () => isOpen;
			},
			run: (command: string, target?: object) => editor.commands.executeCommand(`troupe.${command}`, target),
		};
	}

	async function openWindowApp(): Promise<TestApp> {
		const app = await openTestApp({ agents, model: scriptedModel(() => ({ text: "Done." })) });
		apps.push(app);
		return app;
	}

	it("begins with the agent of the session that the chat shows, whichever was used last", async () => {
		const app = await openWindowApp();
		const { sessions } = app;
		const general = await sessions.create({ agentId: "default" });
		await app.services.registry.used("reviewer");
		const { sidebar, run } = await openWindow(app, general.sessionId);
		await run("newSession");
		assert.notEqual(sidebar.sessionId, general.sessionId);
		assert.equal((await sessions.find(sidebar.sessionId ?? ""))?.agentId, "default");
	});

	it("begins with the agent that was used last where the chat shows the main agent, which has one session only", async () => {
		const app = await openWindowApp();
		const { sessions } = app;
		await app.services.registry.used("reviewer");
		const { sidebar, run } = await openWindow(app, (await sessions.create({ agentId: MAIN_AGENT })).sessionId);
		await run("newSession");
		assert.equal((await sessions.find(sidebar.sessionId ?? ""))?.agentId, "reviewer");
	});

	it("that is deleted leaves no chat behind: its tab and those of its tasks close, and the side bar shows another session", async () => {
		const { app, caller, taskId, change } = await finishedTask();
		const { sessions } = app;
		change("src/b.ts", "theirs\n");
		const other = await sessions.create({ agentId: "caller" });
		const { sidebar, tab, run } = await openWindow(app, caller.sessionId);
		const tabs = [await tab(taskId), await tab(other.sessionId)];
		editor.presses("Delete");
		await run("deleteSession", { sessionId: caller.sessionId });
		assert.match(editor.shown.at(-1)?.detail ?? "", /1 task has changes that you haven't taken/);
		assert.equal(await sessions.find(taskId), undefined);
		assert.deepEqual(
			tabs.map((isOpen) => isOpen()),
			[false, true],
		);
		assert.equal(sidebar.sessionId, other.sessionId);
		await run("deleteSession", { sessionId: other.sessionId });
		assert.equal(tabs[1]?.(), false);
		assert.equal((await sessions.list()).length, 1);
		assert.equal(sidebar.sessionId, (await sessions.list())[0]?.sessionId);
	});
});
