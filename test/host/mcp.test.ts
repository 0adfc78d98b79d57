// MCP servers in a real editor: what a person is asked before one starts, what they mark, and where their secrets are not.
import assert from "node:assert/strict";
import { join } from "node:path";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import type { McpQuestion } from "../../src/core/mcp.ts";
import { answerQuestion } from "../../src/vscode/mcpAnswer.ts";
import { mcpDialogs } from "../../src/vscode/mcpDialogs.ts";
import { mcpDocuments } from "../../src/vscode/mcpDocuments.ts";
import { launchLines } from "../../src/vscode/mcpShown.ts";
import { heardIn, until } from "./heard.ts";

interface TestModels {
	script: unknown[];
	requests: unknown[];
	offer(...names: string[]): void;
}

type Shown = { message: string; detail: string; buttons: string[] };

const CANARY = "canary-5b1d0c";
const SERVER = join("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js");
const window = vscode.window as unknown as Record<string, unknown>;
const real = Object.fromEntries(
	["showWarningMessage", "showInformationMessage", "showInputBox", "showQuickPick"].map((name) => [name, window[name]]),
);

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
	this.timeout(180_000);

	before(async () => {
		const extension = vscode.extensions.getExtension<TroupeApi>("troupe.troupe") ?? assert.fail("troupe.troupe is not installed");
		api = await extension.activate();
		root = extension.extensionPath;
		models = await (vscode.extensions.getExtension<TestModels>("troupe-test.models")?.activate() ?? assert.fail("no test models"));
		models.offer("one");
		await set("model", "vscode/troupe-test/one");
	});

	afterEach(() => Object.assign(window, real));

	after(async () => {
		for (const key of ["agents", "mcpServers"]) await set(key, undefined);
		await set("model", "offline/offline");
		models.offer();
	});

	it("start when the person says so, give their tools to the actor, and their secrets are in nothing that is kept or sent", async () => {
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
		assert.deepEqual(asked?.buttons, ["Not Now", "Start Server", "Never"], "the one with the focus does nothing");
		assert.match(asked?.detail ?? "", /server-everything\/dist\/index\.js\n/);
		assert.match(asked?.detail ?? "", /Variables:\n {4}TOKEN\n/);
		assert.match(asked?.detail ?? "", /Secrets it is given: every_token/);

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
		assert.ok(result?.type === "result" && result.output.includes(CANARY), "the server itself was not given it");
	});

	it("marked ones of their tools a planner has, from the same list where they are stopped", async () => {
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

	it("that are set up as something else ask again, saying what has changed; “Never” is the last word on that", async () => {
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
		assert.match(asked[0]?.detail ?? "", /Changed since you approved it:\n− Variables: TOKEN\n\+ Arguments: stdio$/);
	});
});

describe("what MCP servers ask a person", () => {
	const clock = { time: 0, now: () => clock.time, focused: async () => 60_000 };
	const documents = mcpDocuments();
	const dialogs = mcpDialogs(documents, clock);
	const config = { id: "docs", name: "Docs\u202e", source: "settings", command: "npx", args: ["a"] } as const;

	afterEach(() => Object.assign(window, real));
	after(() => documents.dispose());

	it("an answer that comes too early counts for nothing and the question stays", async () => {
		const delays = [100, 499, 501];
		const times: number[] = [];
		window["showWarningMessage"] = async () => {
			clock.time += delays[times.length] ?? 0;
			times.push(clock.time);
			return "Start Server";
		};
		assert.equal(await dialogs.mayStart({ config, secrets: [], home: "/" }), "start");
		assert.equal(times.length, 3);
	});

	it("what does not fit a dialogue is opened whole beside it", async () => {
		let shown: Shown | undefined;
		window["showWarningMessage"] = async (message: string, { detail }: Shown) => {
			shown = { message, detail, buttons: [] };
			return undefined;
		};
		const args = Array.from({ length: 120 }, (_, place) => `argument-${place}`);
		assert.equal(await dialogs.mayStart({ config: { ...config, args }, secrets: [], home: "/" }), "later");
		assert.match(shown?.message ?? "", /“Docs\\u\{202e\}”/);
		assert.match(shown?.detail ?? "", /argument-0\n[\s\S]*editor behind this message/);
		const text = vscode.window.activeTextEditor?.document.getText() ?? "";
		for (const argument of args) assert.ok(text.includes(`    ${argument}`), argument);
		await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	});

	it("a changed tool shows what it was and is, and is used again only when they say so", async () => {
		const definition = (hash: string, description: string) => ({ hash, description, inputSchema: "{}", annotations: "{}" });
		const change = {
			server: { id: "docs", name: "Docs [x](command:y)" },
			approved: "0",
			tools: [
				{
					name: "mcp__docs__find",
					tool: "find",
					before: definition("1", "Finds."),
					after: definition("2", "Finds, and tells everybody.\u202e"),
				},
			],
		};
		const answers = ["Use It Again", "Show Changes", "Use It Again", undefined];
		const messages: string[] = [];
		window["showWarningMessage"] = async (message: string) => {
			messages.push(message);
			clock.time += messages.length === 1 ? 499 : 501;
			return answers.shift();
		};
		assert.equal(await dialogs.useAgain(change), true);
		assert.equal(await dialogs.useAgain(change), false);
		assert.ok(!messages.join().includes("["), "nothing of it becomes a link");
		const tab = vscode.window.tabGroups.activeTabGroup.activeTab;
		const diff = tab?.input instanceof vscode.TabInputTextDiff ? tab.input : assert.fail("no diff was opened");
		const texts = await Promise.all(
			[diff.original, diff.modified].map(async (uri) => (await vscode.workspace.openTextDocument(uri)).getText()),
		);
		assert.match(texts[0] ?? "", /^mcp__docs__find\n\nFinds\.\n/);
		assert.match(texts[1] ?? "", /^mcp__docs__find\n\nFinds, and tells everybody\.\\u\{202e\}\n/);
		await vscode.commands.executeCommand("workbench.action.closeActiveEditor");
	});

	it("a sign-in opens the whole address after its host was shown, and nothing but https or this computer's http", async () => {
		const opened: unknown[] = [];
		const env = vscode.env as unknown as Record<string, unknown>;
		const open = env["openExternal"];
		env["openExternal"] = async (address: unknown) => opened.push(address) > 0;
		let hosts: string[] = [];
		window["showInformationMessage"] = async (message: string) => {
			hosts.push(message);
			return "Open in Browser";
		};
		try {
			const address = "https://auth.example/authorize?redirect_uri=http%3A%2F%2F127.0.0.1%3A1%2Fcallback&state=a%2Bb";
			assert.equal(await dialogs.open(address), true);
			assert.deepEqual([opened, hosts], [[address], ["Sign in at auth.example?"]]);
			hosts = [];
			for (const bad of ["http://auth.example/", "file:///etc/passwd", "vscode://a.b/c", "https://x.example/$(touch y) z"])
				assert.equal(await dialogs.open(bad), false, bad);
			assert.deepEqual([opened.length, hosts], [1, []]);
			window["showInformationMessage"] = async () => undefined;
			assert.equal(await dialogs.open(address), false);
			assert.equal(opened.length, 1);
		} finally {
			env["openExternal"] = open;
		}
	});

	it("the lines that are compared hold no value of a variable", () => {
		assert.deepEqual(launchLines({ ...config, env: { B: CANARY, A: CANARY } }), ["command npx", "argument a", "variable A", "variable B"]);
	});
});

describe("a question of an MCP server", () => {
	const question: McpQuestion = {
		session: "s",
		server: { id: "docs", name: "Docs" },
		message: "Which one?\u202e",
		fields: [
			{ name: "town", title: "Town", description: "", type: "string", required: true },
			{ name: "count", title: "", description: "", type: "integer", required: false },
			{ name: "sure", title: "Sure", description: "", type: "boolean", required: true },
		],
	};
	/** Every answer is a second later. */
	const clock = { time: 0, now: () => (clock.time += 1_000), focused: async () => 60_000 };
	afterEach(() => Object.assign(window, real));

	/** Answers each dialogue, box and list in turn; undefined closes it. */
	function person(modals: (string | undefined)[], boxes: (string | undefined)[], picks: (string | undefined)[]): string[] {
		const details: string[] = [];
		window["showWarningMessage"] = async (_: string, { detail }: { detail: string }) => {
			details.push(detail);
			return modals.shift();
		};
		window["showInputBox"] = async () => boxes.shift();
		window["showQuickPick"] = async (items: { label: string }[]) => {
			const label = picks.shift();
			return items.find((item) => item.label === label);
		};
		return details;
	}

	it("is shown whole, answered field by field, and shown again before it is sent", async () => {
		const details = person(["Answer…", "Send Answers"], ["Ulm", "3"], ["Yes"]);
		assert.deepEqual(await answerQuestion(question, new AbortController().signal, clock), { town: "Ulm", count: 3, sure: true });
		assert.match(details[0] ?? "", /^Which one\?\\u\{202e\}\n\n• Town\n• count\n• Sure\n/);
		assert.equal(details[1], 'Town: "Ulm"\ncount: 3\nSure: true');
	});

	it("is refused where the person leaves at any point, or the call has ended", async () => {
		const never = new AbortController().signal;
		for (const [modals, boxes, picks] of [
			[[undefined], [], []],
			[["Answer…"], [undefined], []],
			[["Answer…"], ["Ulm", "not a number"], ["Yes"]],
			[["Answer…"], ["Ulm", ""], [undefined]],
			[["Answer…", undefined], ["Ulm", ""], ["No"]],
		] as [(string | undefined)[], (string | undefined)[], (string | undefined)[]][]) {
			person(modals, boxes, picks);
			assert.equal(await answerQuestion(question, never, clock), undefined);
		}
		person(["Answer…", "Send Answers"], ["Ulm", ""], ["No"]);
		assert.equal(await answerQuestion(question, AbortSignal.abort(), clock), undefined);
	});
});
