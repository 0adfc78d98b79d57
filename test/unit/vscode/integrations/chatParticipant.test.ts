// Tests `@troupe`, our participant in VS Code's chat: sessions, references, plans, approvals and errors.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import type { ModelProvider } from "../../../../src/core/ports/model.ts";
import { UserError } from "../../../../src/core/userError.ts";
import type { Engine } from "../../../../src/vscode/engine.ts";
import { handleChatRequest } from "../../../../src/vscode/integrations/chatParticipant.ts";
import { type Script, scriptedModel } from "../../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../../fakes/testApp.ts";

describe("@troupe in VS Code's chat", () => {
	let app: TestApp;

	afterEach(() => app.close());

	async function chat(script: Script, options: Partial<Parameters<typeof openTestApp>[0]> = {}) {
		app = await openTestApp({
			model: scriptedModel(script) as ModelProvider,
			files: { "a.ts": "const a = 1;\n", ".env": "A=canary\n" },
			...options,
		});
		const log = { error: () => undefined, info: () => undefined } as unknown as vscode.LogOutputChannel;
		const ctx = { engine: { load: async () => app as unknown as Engine, current: () => undefined }, views: undefined as never, log };
		const offered = new vscode.EventEmitter<void>();
		const told = { text: "", progress: [] as string[], buttons: [] as vscode.Command[] };
		const stream = {
			markdown: (text: string | vscode.MarkdownString) => {
				told.text += typeof text === "string" ? text : text.value;
			},
			progress: (text: string) => told.progress.push(text),
			button: (command: vscode.Command) => {
				told.buttons.push(command);
				offered.fire();
			},
		} as unknown as vscode.ChatResponseStream;
		const stop = new vscode.CancellationTokenSource();
		const history: unknown[] = [];
		const ask = async (prompt: string, given: { command?: string; references?: unknown[] } = {}) => {
			const request = { prompt, references: [], ...given } as unknown as vscode.ChatRequest;
			const context = { history } as unknown as vscode.ChatContext;
			const result = await handleChatRequest(ctx, { request, context, stream, token: stop.token });
			history.push({ result });
			return result;
		};
		const button = () => new Promise<void>((resolve) => offered.event(resolve));
		return { ask, told, stop, button };
	}

	it("answers every request of a chat from one session, recorded as that chat's", async () => {
		const { ask, told } = await chat([{ text: "One." }, { text: "Two." }]);
		const first = await ask("What is a?", { command: "plan" });
		const second = await ask("And now?", { command: "act" });
		assert.equal(told.text, "One.\n\nTwo.\n\n");
		assert.deepEqual(second.metadata, first.metadata);
		const [session, ...others] = await app.sessions.list();
		assert.deepEqual(others, []);
		assert.ok(session);
		const { state } = await app.sessions.get(session.sessionId);
		assert.equal(state.role, "actor");
		assert.deepEqual(
			state.events.flatMap((event) => (event.type === "user" ? [event.by] : [])),
			["channel:VS Code chat", "channel:VS Code chat"],
		);
	});

	it("attaches the files that a request refers to, but no protected ones", async () => {
		const { ask, told } = await chat([{ text: "Seen." }]);
		const at = (name: string) => ({ id: name, value: vscode.Uri.file(join(app.folder, name)) });
		await ask("Look", { references: [at("a.ts"), at(".env"), { id: "note", value: "some text, @b.ts @changes @https://evil.example/" }] });
		const [session] = await app.sessions.list();
		const { state } = await app.sessions.get(session?.sessionId ?? "");
		const said = state.events.find((event) => event.type === "user");
		assert.match(said?.text ?? "", /> some text/);
		assert.deepEqual(
			said?.attachments?.map(({ text }) => /const a = 1/.test(text)),
			[true],
		);
		assert.doesNotMatch(JSON.stringify(state.events), /canary/);
		assert.match(told.text, /\.env wasn't included/);
		assert.doesNotMatch(told.text, /evil|changes/);
	});

	it("shows a plan as a list with a button, and starts nothing", async () => {
		const plan = { goal: "Say hello", steps: [{ step_number: 1, action: "Write it" }] };
		const { ask, told } = await chat([{ calls: [{ name: "present_plan", input: plan }] }]);
		const { metadata } = await ask("Hello");
		assert.match(told.text, /1\. Write it/);
		assert.deepEqual(told.buttons, [
			{ title: "Execute Plan…", command: "troupe.showWaiting", arguments: [{ sessionId: metadata?.["session"] }] },
		]);
		assert.equal((await app.sessions.get(metadata?.["session"])).state.role, "planner");
	});

	it("leads to an approval and waits, until stopping the request stops the turn", async () => {
		const edit = { name: "update_file", input: { path: "a.ts", old: "1", new: "2" } };
		const { ask, told, stop, button } = await chat([{ calls: [edit] }]);
		const offered = button();
		const asking = ask("Change it", { command: "act" });
		await offered;
		assert.equal(told.buttons.length, 1);
		assert.equal(told.buttons[0]?.title, "Show Approval");
		assert.match(told.text, /Waiting for your approval/);
		stop.cancel();
		const { metadata, errorDetails } = await asking;
		assert.equal(errorDetails, undefined);
		assert.equal((await app.sessions.get(metadata?.["session"])).state.outcome, "cancelled");
	});

	it("says what went wrong, even before a turn begins", async () => {
		const failing = await chat([{ error: new UserError("The model is gone.") }]);
		assert.equal((await failing.ask("Hm?")).errorDetails?.message, "The model is gone.");
		await app.close();
		const restricted = await chat([], { restricted: "Restricted Mode: nothing runs." });
		assert.equal((await restricted.ask("Hm?")).errorDetails?.message, "Restricted Mode: nothing runs.");
	});
});
