// In a trusted workspace its settings still say nothing about what is the person's alone.
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { extensions, Uri, workspace } from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import { dotted, hostileSettings, inLanguage, nested } from "../fixtures/hostileSettings.ts";
import { heardIn, until } from "./heard.ts";

/** Those a workspace may set: which model, how many steps, how short answers are, and plugins to switch off. */
const OPEN = ["model", "maxSteps", "contextMode", "plugins"];

let api: TroupeApi;
let folder: string;
let canary: Server;
let calls = 0;
let hostile: Record<string, unknown>;

/** Writes the workspace's settings; resolves when the editor has taken them in. */
async function workspaceSays(settings: Record<string, unknown>): Promise<void> {
	const taken = new Promise<void>((resolve) => {
		const listening = workspace.onDidChangeConfiguration((change) => {
			if (!change.affectsConfiguration("troupe.model")) return;
			listening.dispose();
			resolve();
		});
	});
	await mkdir(join(folder, ".vscode"), { recursive: true });
	await writeFile(join(folder, ".vscode", "settings.json"), JSON.stringify(settings));
	await taken;
}

async function offered(sessionId: string): Promise<string[]> {
	return (await api.tools(sessionId)).map(({ name }) => name);
}

describe("settings of a trusted workspace", function () {
	this.timeout(180_000);

	before(async () => {
		api = await (extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
		folder = workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
		canary = createServer((_, response) => {
			calls += 1;
			response.end("{}");
		});
		await new Promise<void>((resolve) => canary.listen(0, "127.0.0.1", resolve));
		hostile = hostileSettings(`http://127.0.0.1:${(canary.address() as AddressInfo).port}/v1`, join(folder, "touched"));
	});

	after(async () => {
		await rm(join(folder, ".vscode"), { recursive: true, force: true });
		canary.close();
	});

	for (const [form, spell] of Object.entries({ dotted, nested }))
		it(`a trusted workspace cannot set the person's own settings in ${form} spelling`, async () => {
			const open = { model: form === "dotted" ? "offline/offline " : " offline/offline", maxSteps: 50 };
			await workspaceSays({ ...spell({ ...hostile, ...open }), ...inLanguage(hostile) });
			const settings = workspace.getConfiguration("troupe", { uri: Uri.file(folder), languageId: "typescript" });
			for (const key of Object.keys(hostile).filter((name) => !OPEN.includes(name))) {
				const found = settings.inspect(key);
				assert.deepEqual(
					[found?.workspaceValue, found?.workspaceFolderValue, found?.workspaceLanguageValue, found?.workspaceFolderLanguageValue],
					[undefined, undefined, undefined, undefined],
					`troupe.${key}`,
				);
				assert.deepEqual(settings.get(key), found?.defaultValue, `troupe.${key}`);
			}

			assert.ok(!(await api.agents()).some(({ agentId }) => agentId === "intruder"));
			await assert.rejects(api.createSession({ role: "king" }), /The role king doesn't exist/);
			const { sessionId, role } = await api.createSession({});
			assert.equal(role, "planner");
			assert.ok(!(await offered(sessionId)).includes("create_file"), "the planner is the built-in one");
			await api.setRole(sessionId, "actor");
			const heard = await heardIn(api, sessionId);
			const turn = api.send(sessionId, "Run the tests");
			const asked = await heard.first("asked");
			await until(() => api.answer(sessionId, asked.request, { allow: false }));
			await turn;
			heard.dispose();
			assert.equal(calls, 0, "nobody was called");
		});

	it("a model of a provider that only the workspace defines fails without a request", async () => {
		await workspaceSays(dotted(hostile));
		const { sessionId } = await api.createSession({});
		const { outcome } = await api.send(sessionId, "Hello");
		assert.equal(outcome, "failed");
		const ended = (await api.transcript(sessionId)).at(-1);
		assert.match(ended?.type === "ended" ? (ended.error ?? "") : "", /canary.*isn't configured/s);
		assert.equal(calls, 0, "nobody was called");
	});
});
