// Tests the integrations in a real editor: code actions, the commit message and `troupe_ask`.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { EventOf } from "../../src/core/events.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";

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
	const found = vscode.languages.createDiagnosticCollection("checked");
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

	it("Fix with Troupe sends a problem's file, lines and text as the user's message", async () => {
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

	it("Explain with Troupe uses a new planner session even if the open session may act", async () => {
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

	it("a line without a problem offers no fix and no explanation", async () => {
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

	it("a commit message is written from staged changes by one request without tools", async () => {
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

describe("troupe_ask", () => {
	it("troupe_ask answers models of other extensions from a planner session of its own", async () => {
		assert.ok(vscode.lm.tools.some(({ name }) => name === "troupe_ask"));
		const options = { input: { question: "Explain money.ts" }, toolInvocationToken: undefined };
		const { content } = await vscode.lm.invokeTool("troupe_ask", options);
		assert.match(content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join(""), /money/i);
		const session = (await api.sessions()).find(({ name }) => name === "Explain money.ts");
		assert.equal(session?.role, "planner");
		const said = (await api.transcript(session?.sessionId ?? "")).find((event) => event.type === "user");
		assert.equal(said?.by, "api");
	});
});
