// Tests MCP servers in a real editor: start approval, read-only marks, and that secrets do not leak.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import { heardIn, until } from "./heard.ts";
import { restoreWindow, window } from "./stubs.ts";

interface TestModels {
	script: unknown[];
	requests: unknown[];
	offer(...names: string[]): void;
}

type Shown = { message: string; detail: string; buttons: string[] };

const CANARY = "canary-5b1d0c";
const SERVER = join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js");

/** Answers messages of the editor as a person does: after looking, the button that `choose` names. */
function answering(choose: (shown: Shown) => string | undefined, look = 600): Shown[] {
	const shown: Shown[] = [];
	for (const name of ["showWarningMessage", "showInformationMessage"]) {
		window[name] = async (message: string, ...rest: unknown[]) => {
			const modal = typeof rest[0] === "object" && rest[0] !== null && "modal" in rest[0];
			const detail = modal ? String((rest[0] as { detail?: string }).detail ?? "") : "";
			const buttons = (modal ? rest.slice(1) : rest).map(String);
			const one = { message, detail, buttons };
			shown.push(one);
			await new Promise((resolve) => setTimeout(resolve, look));
			return choose(one);
		};
	}
	return shown;
}

async function set(key: string, value: unknown): Promise<void> {
	await vscode.workspace.getConfiguration("troupe").update(key, value, vscode.ConfigurationTarget.Global);
}

let api: TroupeApi;
let models: TestModels;
let root: string;

describe("MCP servers", function () {
	this.timeout(120_000);

	before(async () => {
		const extension = vscode.extensions.getExtension<TroupeApi>("troupe.troupe") ?? assert.fail("troupe.troupe is not installed");
		api = await extension.activate();
		root = extension.extensionPath;
		models = await (vscode.extensions.getExtension<TestModels>("troupe-test.models")?.activate() ?? assert.fail("no test models"));
		models.offer("one");
		await set("model", "vscode/troupe-test/one");
	});

	afterEach(restoreWindow);

	after(async () => {
		for (const key of ["agents", "mcpServers"]) await set(key, undefined);
		await set("model", "offline/offline");
		models.offer();
	});

	it("an MCP server starts only on consent, and its secret stays hidden", async () => {
		window["showInputBox"] = async () => CANARY;
		answering(() => undefined);
		await vscode.commands.executeCommand("troupe.setSecret", { secret: "every_token" });
		await set("agents", [
			{ agentId: "tried", displayName: "Tried", toolAllowlist: ["mcp__every__echo", "mcp__every__get-env"], mcpServers: ["every"] },
		]);
		await set("mcpServers", {
			every: { name: "Every", command: process.execPath, args: [join(root, SERVER)], env: { TOKEN: "${secret:every_token}" } },
			broken: { name: "Broken" },
		});

		const shown = answering(({ message }) => (/^Start the MCP server/.test(message) ? "Start Server" : undefined));
		models.script.push([new vscode.LanguageModelTextPart("Hello.")]);
		const { sessionId } = await api.createSession({ agentId: "tried", role: "actor" });
		await api.send(sessionId, "Hello");
		const [asked, ...more] = shown.filter(({ message }) => /MCP server “Every”/.test(message));
		assert.equal(more.length, 0);
		assert.equal(asked?.message, "Start the MCP server “Every”?");
		assert.deepEqual(asked?.buttons, ["Copy Details", "Start Server", "Never"], "the one with the focus does nothing");
		assert.match(asked?.detail ?? "", /server-everything\/dist\/index\.js\n/);
		assert.match(asked?.detail ?? "", /Environment variables:\n {4}TOKEN\n/);
		assert.match(asked?.detail ?? "", /Secrets passed to the server: every_token/);

		const offered = async () => (await api.tools(sessionId)).map(({ name }) => name).filter((name) => name.startsWith("mcp__"));
		assert.ok((await offered()).includes("mcp__every__echo"), (await offered()).join());
		await api.setRole(sessionId, "planner");
		assert.deepEqual(await offered(), []);

		const kept = JSON.stringify([shown, models.requests, await api.transcript(sessionId), vscode.workspace.getConfiguration("troupe")]);
		assert.ok(!kept.includes(CANARY), "the secret got out");

		models.script.push(
			[new vscode.LanguageModelToolCallPart("call-1", "mcp__every__get-env", {})],
			[new vscode.LanguageModelTextPart("There.")],
		);
		await api.setRole(sessionId, "actor");
		const heard = await heardIn(api, sessionId);
		const turn = api.send(sessionId, "What do you see?");
		const request = await Promise.race([heard.first("asked"), turn.then(() => assert.fail("it ended and asked nothing"))]);
		await until(() => api.answer(sessionId, request.request, { allow: true }));
		await turn;
		heard.dispose();
		const result = (await api.transcript(sessionId)).findLast((event) => event.type === "result");
		assert.ok(result?.type === "result");
		assert.match(result.output, /TOKEN\W+\[secret hidden by Troupe\]/, "the server itself was not given it");
		assert.ok(!result.output.includes(CANARY), "what the server says of it is not blanked");
	});

	it("a planner gets the MCP tools that the user marked as read-only", async () => {
		const lists: string[][] = [];
		window["showQuickPick"] = async (items: { label: string }[]) => {
			lists.push(items.map(({ label }) => label));
			return items.filter(({ label }) => label === "echo");
		};
		answering(({ message }) => (/^Start the/.test(message) ? "Start Server" : undefined));
		await vscode.commands.executeCommand("troupe.manageServers", { server: "every" });
		assert.ok(lists[0]?.includes("echo") && lists[0].includes("get-sum"), lists.join());
		models.script.push([new vscode.LanguageModelTextPart("Hello.")]);
		const { sessionId } = await api.createSession({ agentId: "tried", role: "planner" });
		await api.send(sessionId, "Hello");
		assert.deepEqual(
			(await api.tools(sessionId)).map(({ name }) => name).filter((name) => name.startsWith("mcp__")),
			["mcp__every__echo"],
		);
	});

	it("a changed MCP server asks again with the changes, and never after “Never”", async () => {
		await set("mcpServers", { every: { name: "Every", command: process.execPath, args: [join(root, SERVER), "stdio"] } });
		const shown = answering(({ message }) => (/^Start the changed MCP server/.test(message) ? "Never" : undefined));
		for (const _ of [1, 2]) {
			models.script.push([new vscode.LanguageModelTextPart("Hello.")]);
			const { sessionId } = await api.createSession({ agentId: "tried", role: "actor" });
			await api.send(sessionId, "Hello");
			assert.ok(!(await api.tools(sessionId)).some(({ name }) => name.startsWith("mcp__")));
		}
		const asked = shown.filter(({ message }) => /MCP server “Every”/.test(message));
		assert.equal(asked.length, 1);
		assert.match(asked[0]?.detail ?? "", /Changed since you approved it:\n− Environment variables: TOKEN\n\+ Arguments: stdio$/);
	});
});
