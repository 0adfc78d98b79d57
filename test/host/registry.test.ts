// Tests agent files in a real editor: file watchers and the commands that open agents and sessions.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import type { TroupeApi } from "../../src/api.ts";
import { until } from "./heard.ts";

let api: TroupeApi;
let folder: string;
let shared: string;
const window = vscode.window as unknown as Record<string, unknown>;

async function nameOf(agentId: string): Promise<string | undefined> {
	return (await api.agents()).find((agent) => agent.agentId === agentId)?.displayName;
}

/** The editor's watchers tell in their own time. */
function named(agentId: string, displayName: string | undefined): Promise<void> {
	return until(async () => assert.equal(await nameOf(agentId), displayName));
}

/** Says in the extension's storage that a person has read these bytes. */
async function approved(path: string, text: string): Promise<void> {
	const hash = createHash("sha256").update(text).digest("hex");
	const approvals = [{ workspace: folder, path, hash, at: new Date().toISOString() }];
	await mkdir(join(shared, "approvedAgents"), { recursive: true });
	await writeFile(join(shared, "approvedAgents", hash), text);
	await writeFile(join(shared, "approvedAgents.json"), JSON.stringify(approvals));
}

const definition = (agentId: string, displayName: string, rest: object = {}): string =>
	JSON.stringify({ agentId, displayName, systemPrompt: "Be kind.", ...rest });

before(async () => {
	api = await (vscode.extensions.getExtension<TroupeApi>("troupe.troupe")?.activate() ?? assert.fail("troupe.troupe is not installed"));
	folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? assert.fail("no folder is open");
	const beside = vscode.extensions.getExtension<{ storage: string }>("troupe-test.models");
	shared = join(dirname((await beside?.activate())?.storage ?? assert.fail("no test models")), "troupe.troupe");
	await api.agents();
});

describe("agents in files", function () {
	this.timeout(120_000);
	const warnings: string[] = [];
	const real = window["showWarningMessage"];

	before(() => {
		window["showWarningMessage"] = async (message: string) => void warnings.push(message);
	});

	after(async () => {
		window["showWarningMessage"] = real;
		await rm(join(shared, "agents"), { recursive: true, force: true });
		await rm(join(shared, "approvedAgents.json"), { force: true });
		await rm(join(folder, ".troupe"), { recursive: true, force: true });
	});

	it("agents of the user appear, change and disappear with their files", async () => {
		const file = join(shared, "agents", "agent-1-abc.json");
		await writeFile(file, definition("written", "Written"));
		await named("written", "Written");
		await writeFile(file, definition("written", "Written Again"));
		await named("written", "Written Again");
		await rm(file);
		await named("written", undefined);
	});

	it("a broken agent is reported with its file and field, and other agents stay", async () => {
		await writeFile(join(shared, "agents", "good.json"), definition("good", "Good"));
		await named("good", "Good");
		await writeFile(join(shared, "agents", "bad.json"), definition("bad", "Bad", { toolAllowlist: "read_file" }));
		await until(async () => assert.match(warnings.join("\n"), /“bad” can't be used\. .*bad\.json.*toolAllowlist/));
		assert.deepEqual([await nameOf("good"), await nameOf("bad")], ["Good", undefined]);
		await writeFile(join(shared, "agents", "bad.json"), definition("bad", "Mended", { toolAllowlist: ["read_file"] }));
		await named("bad", "Mended");
	});

	it("an agent of the workspace can be used only while its content is approved", async () => {
		const text = definition("brought", "Brought");
		await approved(".troupe/agents/brought.json", text);
		const outside = await mkdtemp(join(tmpdir(), "troupe-brought-"));
		const file = join(folder, ".troupe", "agents", "brought.json");
		try {
			await mkdir(dirname(file), { recursive: true });
			await writeFile(file, text);
			await named("brought", "Brought");
			await writeFile(file, `${text}\n`);
			await named("brought", undefined);
			await writeFile(file, text);
			await named("brought", "Brought");
			await rename(join(folder, ".troupe"), join(outside, "kept"));
			await named("brought", undefined);
			await rename(join(outside, "kept"), join(folder, ".troupe"));
			await named("brought", "Brought");
		} finally {
			await rm(outside, { recursive: true, force: true });
		}
	});

	it("an agent of the workspace that nobody has approved cannot be used", async () => {
		await mkdir(join(folder, ".troupe", "agents"), { recursive: true });
		await writeFile(join(folder, ".troupe", "agents", "unread.json"), definition("unread", "Unread"));
		await writeFile(join(shared, "agents", "after.json"), definition("after", "After"));
		await named("after", "After");
		assert.equal(await nameOf("unread"), undefined);
		await assert.rejects(api.createSession({ agentId: "unread" }));
	});

	it("opening an agent shows its latest session, or a new one if none exists", async () => {
		await writeFile(join(shared, "agents", "asked.json"), definition("asked", "Asked"));
		await named("asked", "Asked");
		const [older, newer] = [await api.createSession({ agentId: "asked" }), await api.createSession({ agentId: "asked" })];
		await api.send(older.sessionId, "Hello");
		await vscode.commands.executeCommand("troupe.openLatest", { agentId: "asked" });
		assert.equal(await shown(), older.sessionId, "it was spoken to last");
		await api.send(newer.sessionId, "Hello");
		await vscode.commands.executeCommand("troupe.openLatest", { agentId: "asked" });
		assert.equal(await shown(), newer.sessionId);

		await vscode.commands.executeCommand("troupe.openLatest", { agentId: "good" });
		const first = await shown();
		assert.equal((await api.sessions()).find(({ sessionId }) => sessionId === first)?.agentId, "good");
		await vscode.commands.executeCommand("troupe.openLatest", { agentId: "good" });
		assert.equal(await shown(), first, "it is not made twice");
	});
});

/** The session in the chat: the one that commands act on. */
async function shown(): Promise<string | undefined> {
	const before = new Set((await api.sessions()).flatMap(({ sessionId, pinnedAt }) => (pinnedAt ? [sessionId] : [])));
	await vscode.commands.executeCommand("troupe.pinSession");
	const found = (await api.sessions()).find(({ sessionId, pinnedAt }) => Boolean(pinnedAt) !== before.has(sessionId));
	if (found) await vscode.commands.executeCommand("troupe.unpinSession");
	return found?.sessionId;
}

describe("searching sessions", function () {
	this.timeout(60_000);
	const create = vscode.window.createQuickPick;
	afterEach(() => {
		window["createQuickPick"] = create;
	});

	/** The next list that a command opens, which still is the editor's. */
	function picker(): Promise<vscode.QuickPick<vscode.QuickPickItem>> {
		return new Promise((resolve) => {
			window["createQuickPick"] = () => {
				const made = create.call(vscode.window);
				resolve(made);
				return made;
			};
		});
	}

	it("session search finds titles and words of messages, and opens the picked session", async () => {
		const prices = await api.createSession({ name: "About prices" });
		const weather = await api.createSession({ name: "About something" });
		await api.send(weather.sessionId, "Does a Zaunkönig sing?");
		// The list shows the latest words below the title.
		await api.send(weather.sessionId, "Thank you");
		const opened = picker();
		const done = vscode.commands.executeCommand("troupe.searchSessions");
		const list = await opened;
		const labels = () => list.items.map(({ label }) => label.replace(/^\$\([^)]*\) /, ""));
		await until(async () => assert.ok(labels().includes("About prices")));
		assert.ok(list.items.length >= 2);
		list.value = "ZAUNKÖ";
		await until(async () => assert.deepEqual(labels().slice(-2), ["In messages", "About something"]));
		assert.match(list.items.at(-1)?.detail ?? "", /Does a Zaunkönig sing/);
		await until(async () => assert.match(list.activeItems[0]?.label ?? "", /About something$/));
		await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
		await done;
		assert.equal(await shown(), weather.sessionId);

		const again = picker();
		const other = vscode.commands.executeCommand("troupe.searchSessions");
		const titles = await again;
		await until(async () => assert.ok(titles.items.length >= 2));
		titles.value = "About prices";
		await until(async () => assert.match(titles.activeItems[0]?.label ?? "", /About prices/));
		await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
		await other;
		assert.equal(await shown(), prices.sessionId);
	});

	it("closing session search without a choice keeps the current session", async () => {
		const before = await shown();
		const opened = picker();
		const done = vscode.commands.executeCommand("troupe.searchSessions");
		const list = await opened;
		await until(async () => assert.ok(list.items.length > 0));
		list.hide();
		await done;
		assert.equal(await shown(), before);
	});
});
