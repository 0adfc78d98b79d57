// Tests the integrations in a real editor: code actions, the commit message, `@troupe` and `troupe_ask`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { EventOf } from "../../src/core/events.ts";
import type { ModelProvider } from "../../src/core/ports/model.ts";
import type { Engine } from "../../src/vscode/engine.ts";
import { invokeAskTool, prepareAskInvocation } from "../../src/vscode/integrations/askTool.ts";
import { handleChatRequest } from "../../src/vscode/integrations/chatParticipant.ts";
import { buildHouse, type House } from "../fakes/house.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { type Script, scriptedModel } from "../fakes/scriptedModel.ts";
import { until } from "./heard.ts";

let api: TroupeApi;
let folder: string;

/** The next message of any session. */
function nextMessage(): Promise<{ sessionId: string; event: EventOf<"user"> }> {
	return new Promise((resolve) => {
		const listening = api.onEvent(({ sessionId, event }) => {
			if (event.type !== "user") return;
			listening.dispose();
			resolve({ sessionId, event });
		});
	});
}

function problemIn(path: string, line: number, message: string): { uri: vscode.Uri; range: vscode.Range; dispose(): void } {
	const uri = vscode.Uri.file(join(folder, path));
	const range = new vscode.Range(line - 1, 0, line - 1, 5);
	const found = vscode.languages.createDiagnosticCollection("doors");
	const diagnostic = new vscode.Diagnostic(range, message, vscode.DiagnosticSeverity.Error);
	diagnostic.source = "checker";
	found.set(uri, [diagnostic]);
	return { uri, range, dispose: () => found.dispose() };
}

async function actionsAt(uri: vscode.Uri, range: vscode.Range): Promise<vscode.CodeAction[]> {
	await vscode.window.showTextDocument(uri);
	const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>("vscode.executeCodeActionProvider", uri, range);
	return actions.filter(({ title }) => / with Troupe( in |$)/.test(title));
}

function git(...words: string[]): string {
	const person = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
	return execFileSync("git", [...person, ...words], { cwd: folder, encoding: "utf8" });
}

before(async () => {
	api = await (vscode.extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
	folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
});

describe("a problem in the editor", function () {
	this.timeout(120_000);

	it("offers to fix it, which sends its file, lines and words as the person's message, the way of the session's role", async () => {
		const problem = problemIn("src/money.ts", 3, "Something is off");
		const actions = await actionsAt(problem.uri, problem.range);
		assert.deepEqual(
			actions.map(({ title, kind }) => [title, kind?.value]),
			[
				["Fix with Troupe", "quickfix"],
				["Explain with Troupe", "quickfix"],
			],
		);
		const said = nextMessage();
		const { command } = actions[0] ?? {};
		assert.ok(command);
		await vscode.commands.executeCommand(command.command, ...(command.arguments ?? []));
		const { event, sessionId } = await said;
		problem.dispose();
		assert.equal(event.text, "Fix this problem in @src/money.ts:3:\n```\n- line 3: Something is off (checker)\n```");
		assert.equal(event.by, "person");
		assert.deepEqual(
			event.attachments?.map(({ path, lines }) => [path, lines]),
			[["src/money.ts", [3, 3]]],
		);
		const session = (await api.sessions()).find((candidate) => candidate.sessionId === sessionId);
		assert.equal(session?.role, "planner");
	});

	it("is explained by a role that reads only, even where the shown session may act", async () => {
		const { sessionId: shown } = await api.createSession({ role: "actor" });
		await vscode.commands.executeCommand("troupe.open", { sessionId: shown });
		const problem = problemIn("src/money.ts", 3, "Something is off");
		const [, explain] = await actionsAt(problem.uri, problem.range);
		const said = nextMessage();
		assert.equal(explain?.title, "Explain with Troupe in a New Session");
		assert.ok(explain.command);
		await vscode.commands.executeCommand(explain.command.command, ...(explain.command.arguments ?? []));
		const { event, sessionId } = await said;
		problem.dispose();
		assert.match(event.text, /^Explain this problem in @src\/money\.ts:3/);
		assert.notEqual(sessionId, shown);
		assert.equal((await api.sessions()).find((session) => session.sessionId === sessionId)?.role, "planner");
	});

	it("is not offered where there is none", async () => {
		assert.deepEqual(await actionsAt(vscode.Uri.file(join(folder, "src/cart.ts")), new vscode.Range(0, 0, 0, 1)), []);
	});
});

describe("the commit message", function () {
	this.timeout(120_000);
	let server: ModelServer | undefined;
	const settings = () => vscode.workspace.getConfiguration("troupe");

	afterEach(async () => {
		await settings().update("model", "offline/offline", vscode.ConfigurationTarget.Global);
		await settings().update("providers", undefined, vscode.ConfigurationTarget.Global);
		await server?.close();
	});

	it("is written from what is staged, in the style of the commits there, by the chosen model, in one request without tools", async () => {
		server = await startModelServer({ models: ["fake"], script: [{ text: "```\nfeat(money): say hello\n```" }] });
		await settings().update("providers", { fake: { type: "openai-compatible", baseUrl: server.url } }, vscode.ConfigurationTarget.Global);
		await settings().update("model", "fake/fake", vscode.ConfigurationTarget.Global);
		git("commit", "--allow-empty", "-qm", "feat(shop): first");
		writeFileSync(join(folder, "hello.txt"), "hello staged\n");
		writeFileSync(join(folder, ".env"), "TOKEN=canary\n");
		git("add", "-f", "hello.txt", ".env");
		writeFileSync(join(folder, "README.md"), "not staged\n");
		const extension = vscode.extensions.getExtension("vscode.git") ?? assert.fail("git is built in");
		const gitApi = (await extension.activate()).getAPI(1);
		const root = vscode.Uri.file(folder);
		const repository = (await gitApi.openRepository(root)) ?? gitApi.getRepository(root);
		assert.ok(repository);
		await vscode.commands.executeCommand("troupe.generateCommitMessage", { rootUri: root });
		assert.equal(repository.inputBox.value, "feat(money): say hello");
		assert.equal(server.requests.length, 1);
		const [request] = server.requests;
		const sent = JSON.stringify(request?.body);
		assert.deepEqual(request?.tools, []);
		assert.match(sent, /hello staged/);
		assert.match(sent, /feat\(shop\): first/);
		assert.doesNotMatch(sent, /canary|not staged/);
		assert.match(sent, /\.env: changed/);
		git("rm", "-qf", "--cached", ".env");
	});
});

describe("@troupe in the editor's chat", () => {
	let house: House;

	afterEach(() => house.close());

	async function chat(script: Script, options: Partial<Parameters<typeof buildHouse>[0]> = {}) {
		house = await buildHouse({
			model: scriptedModel(script) as ModelProvider,
			files: { "a.ts": "const a = 1;\n", ".env": "A=canary\n" },
			...options,
		});
		const log = { error: () => undefined, info: () => undefined } as unknown as vscode.LogOutputChannel;
		const doors = { engine: { load: async () => house as unknown as Engine, current: () => undefined }, views: undefined as never, log };
		const told = { text: "", progress: [] as string[], buttons: [] as vscode.Command[] };
		const stream = {
			markdown: (text: string | vscode.MarkdownString) => {
				told.text += typeof text === "string" ? text : text.value;
			},
			progress: (text: string) => told.progress.push(text),
			button: (command: vscode.Command) => told.buttons.push(command),
		} as unknown as vscode.ChatResponseStream;
		const stop = new vscode.CancellationTokenSource();
		const history: unknown[] = [];
		const ask = async (prompt: string, given: { command?: string; references?: unknown[] } = {}) => {
			const request = { prompt, references: [], ...given } as unknown as vscode.ChatRequest;
			const context = { history } as unknown as vscode.ChatContext;
			const result = await handleChatRequest(doors, { request, context, stream, token: stop.token });
			history.push({ result });
			return result;
		};
		return { ask, told, stop };
	}

	it("answers from a session of that chat, which goes on with the next request, recorded as that chat's", async () => {
		const { ask, told } = await chat([{ text: "One." }, { text: "Two." }]);
		const first = await ask("What is a?", { command: "plan" });
		const second = await ask("And now?", { command: "act" });
		assert.equal(told.text, "One.\n\nTwo.\n\n");
		assert.deepEqual(second.metadata, first.metadata);
		const [session, ...others] = await house.sessions.list();
		assert.deepEqual(others, []);
		assert.ok(session);
		const { state } = await house.sessions.get(session.sessionId);
		assert.equal(state.role, "actor");
		assert.deepEqual(
			state.events.flatMap((event) => (event.type === "user" ? [event.by] : [])),
			["channel:VS Code chat", "channel:VS Code chat"],
		);
	});

	it("brings along the files it refers to, but none from a protected place", async () => {
		const { ask, told } = await chat([{ text: "Seen." }]);
		const at = (name: string) => ({ id: name, value: vscode.Uri.file(join(house.folder, name)) });
		await ask("Look", { references: [at("a.ts"), at(".env"), { id: "note", value: "some text, @b.ts @changes @https://evil.example/" }] });
		const [session] = await house.sessions.list();
		const { state } = await house.sessions.get(session?.sessionId ?? "");
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

	it("shows a plan as a list with a button that leads to its card, and starts nothing", async () => {
		const plan = { goal: "Say hello", steps: [{ step_number: 1, action: "Write it" }] };
		const { ask, told } = await chat([{ calls: [{ name: "present_plan", input: plan }] }]);
		const { metadata } = await ask("Hello");
		assert.match(told.text, /1\. Write it/);
		assert.deepEqual(told.buttons, [
			{ title: "Execute Plan…", command: "troupe.showWaiting", arguments: [{ sessionId: metadata?.["session"] }] },
		]);
		assert.equal((await house.sessions.get(metadata?.["session"])).state.role, "planner");
	});

	it("leads to an approval and waits; stopping the request stops the turn", async () => {
		const edit = { name: "update_file", input: { path: "a.ts", old: "1", new: "2" } };
		const { ask, told, stop } = await chat([{ calls: [edit] }]);
		const asking = ask("Change it", { command: "act" });
		await until(async () => assert.equal(told.buttons.length, 1));
		assert.equal(told.buttons[0]?.title, "Show Approval");
		assert.match(told.text, /Waiting for your approval/);
		stop.cancel();
		const { metadata, errorDetails } = await asking;
		assert.equal(errorDetails, undefined);
		assert.equal((await house.sessions.get(metadata?.["session"])).state.outcome, "cancelled");
	});

	it("says what went wrong, also before a turn begins", async () => {
		const failing = await chat([{ error: new Error("The model is gone.") }]);
		assert.equal((await failing.ask("Hm?")).errorDetails?.message, "The model is gone.");
		await house.close();
		const restricted = await chat([], { restricted: "Restricted Mode: nothing runs." });
		assert.equal((await restricted.ask("Hm?")).errorDetails?.message, "Restricted Mode: nothing runs.");
	});
});

describe("troupe_ask", () => {
	it("is there for models of other extensions, and answers from a planner's session of its own", async () => {
		assert.ok(vscode.lm.tools.some(({ name }) => name === "troupe_ask"));
		const options = { input: { question: "Explain money.ts" }, toolInvocationToken: undefined };
		const { content } = await vscode.lm.invokeTool("troupe_ask", options);
		assert.match(content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join(""), /money/i);
		const session = (await api.sessions()).find(({ name }) => name === "Explain money.ts");
		assert.equal(session?.role, "planner");
		const said = (await api.transcript(session?.sessionId ?? "")).find((event) => event.type === "user");
		assert.equal(said?.by, "api");
	});

	it("shows the person the question as it is, before it runs", () => {
		const message = prepareAskInvocation({ question: "[Why](command:x)?" }).confirmationMessages?.message;
		assert.ok(message instanceof vscode.MarkdownString);
		assert.match(message.value, /\\\[Why/);
		assert.notEqual(message.isTrusted, true);
	});

	it("answers from a planner's session, which goes on with the next question of that conversation", async () => {
		const house = await buildHouse({ model: scriptedModel([{ text: "One." }, { text: "Two." }, { text: "Three." }]) });
		const doors = {
			engine: { load: async () => house as unknown as Engine, current: () => undefined },
			views: undefined as never,
			log: undefined as never,
		};
		const asked = async (question: string, sessionId: string) => {
			const options = { input: { question }, toolInvocationToken: { sessionId } as never };
			const { content } = await invokeAskTool(doors, options, new vscode.CancellationTokenSource().token);
			return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
		};
		assert.deepEqual([await asked("A?", "x"), await asked("B?", "x"), await asked("C?", "y")], ["One.", "Two.", "Three."]);
		const sessions = await house.sessions.list();
		assert.deepEqual(sessions.map(({ name, role }) => [name, role]).sort(), [
			["A?", "planner"],
			["C?", "planner"],
		]);
		await house.close();
	});
});
