// Tests in which order a chat's page gets the messages of its host.
import assert from "node:assert/strict";
import type { Intent, Update } from "../../../src/shared/protocol/chat.ts";
import { createDeferred } from "../../fakes/deferred.ts";
import { onEditorWindow } from "../../fakes/onEditorWindow.ts";

type Parts = typeof import("../../../src/vscode/chat/chatViews.ts");

describe("a chat's page", () => {
	it("hears that its intent is handled after the updates that it caused, also those that wait for others", async () => {
		const editor = await onEditorWindow<Parts>("chatMessages", "src/vscode/chat/chatViews.ts");
		const acknowledged = createDeferred();
		const messages: unknown[] = [];
		const webview = {
			asWebviewUri: String,
			handle: (_: unknown) => undefined as unknown,
			onDidReceiveMessage(handle: (message: unknown) => unknown) {
				webview.handle = handle;
			},
			async postMessage(message: { type?: string }) {
				messages.push(message);
				if (message.type === "acknowledged") acknowledged.open();
				return true;
			},
		};
		const update = { type: "context" } as Update;
		const engine = {
			parseIntent: (intent: unknown) => intent,
			createChat: (post: (update: Update) => void) => ({
				handle(_: Intent, acknowledge: () => void) {
					post(update);
					acknowledge();
				},
			}),
		};
		const lazy = { load: async () => engine, current: () => engine, deferUntil: () => undefined };
		const views = new editor.ChatViews(editor.Uri.file("/troupe") as never, lazy as never);
		const nothing = () => undefined;
		views.resolveWebviewView({ webview, visible: true, onDidDispose: nothing, onDidChangeVisibility: nothing } as never);
		webview.handle({ number: 7, intent: { type: "ready" } });
		await acknowledged.until;
		assert.deepEqual(messages, [[update], { type: "acknowledged", number: 7 }]);
	});
});
