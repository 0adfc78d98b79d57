// Tests `troupe_ask`: what the user confirms, and which session answers.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { Engine } from "../../../../src/vscode/engine.ts";
import { invokeAskTool, prepareAskInvocation } from "../../../../src/vscode/integrations/askTool.ts";
import { scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp } from "../../../fakes/testApp.ts";

describe("troupe_ask", () => {
	it("shows the user the question as plain text before running", () => {
		const message = prepareAskInvocation({ question: "[Why](command:x)?" }).confirmationMessages?.message;
		assert.ok(message instanceof vscode.MarkdownString);
		assert.match(message.value, /\\\[Why/);
		assert.notEqual(message.isTrusted, true);
	});

	it("answers all questions of one conversation from one planner session", async () => {
		const app = await openTestApp({ model: scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]) });
		const ctx = {
			engine: { load: async () => app as unknown as Engine, current: () => undefined },
			views: undefined as never,
			log: undefined as never,
		};
		const asked = async (question: string, sessionId: string) => {
			const options = { input: { question }, toolInvocationToken: { sessionId } as never };
			const { content } = await invokeAskTool(ctx, options, new vscode.CancellationTokenSource().token);
			return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
		};
		assert.deepEqual([await asked("A?", "x"), await asked("B?", "x"), await asked("C?", "y")], ["One.", "Two.", "Three."]);
		const sessions = await app.sessions.list();
		assert.deepEqual(sessions.map(({ name, role }) => [name, role]).sort(), [
			["A?", "planner"],
			["C?", "planner"],
		]);
		await app.close();
	});
});
