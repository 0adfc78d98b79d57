// Tests custom agents end to end: created on the page, offered to a recording model, with an MCP server.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { AskedRequest, ScriptedAnswer } from "../fakes/modelServer/script.ts";
import { type ModelServer, startModelServer } from "../fakes/modelServer/server.ts";
import { AgentsPage } from "./agentsPage.ts";
import { expect } from "./expect.ts";
import { removeMachineSettings, writeMachineSettings } from "./machineSettings.ts";
import { openWindow, type TestWindow, takeScreenshot } from "./testWindow.ts";

const memory = join(
	dirname(createRequire(join(process.cwd(), "package.json")).resolve("@modelcontextprotocol/server-memory/package.json")),
	"dist",
	"index.js",
);

const REMEMBER = { entities: [{ name: "Shop", entityType: "project", observations: ["It sells apples"] }] };

/** A model that does one thing for each word it is told, and tries what it was not offered, too. */
function answerTo({ messages }: AskedRequest): ScriptedAnswer {
	const last = messages.at(-1);
	if (last?.role === "tool") return { text: `Done: ${last.text.slice(0, 200)}` };
	const said = messages.findLast(({ role }) => role === "user")?.text ?? "";
	if (/run it/.test(said)) return { calls: [{ name: "execute_command", input: { command: "touch made" } }] };
	if (/remember/.test(said)) return { calls: [{ name: "mcp__memory__create_entities", input: REMEMBER }] };
	return { text: "I am here." };
}

const OWN = ["read_file", "search_code"];

describe("agents that the person makes", function () {
	this.timeout(240_000);
	let server: ModelServer;

	afterEach(async () => {
		await server?.close();
		await removeMachineSettings();
	});

	async function open(): Promise<TestWindow & { agents: AgentsPage }> {
		server = await startModelServer({ models: ["fake"], script: answerTo });
		await writeMachineSettings({
			"troupe.providers": { fake: { type: "openai-compatible", baseUrl: server.url } },
			"troupe.mcpServers": { memory: { name: "Memory", command: process.execPath, args: [memory] } },
		});
		const testWindow = await openWindow({ settings: { "troupe.model": "fake/fake" }, width: 1400, height: 900 });
		await testWindow.workbench.sideBar.open("Troupe");
		await testWindow.chat.ready();
		return { ...testWindow, agents: new AgentsPage(testWindow.page) };
	}

	/** Tools of the last request, as those of this agent and others. */
	function offered(): { own: string[]; notes: number; memory: number; others: string[] } {
		const tools = server.requests.at(-1)?.tools ?? [];
		const rest = tools.filter((name) => !OWN.includes(name));
		return {
			own: tools.filter((name) => OWN.includes(name)).sort(),
			notes: rest.filter((name) => name.startsWith("notes_")).length,
			memory: rest.filter((name) => name.startsWith("mcp__memory__")).length,
			others: rest.filter((name) => !/^(notes_|mcp__memory__)/.test(name)).sort(),
		};
	}

	it("an agent made in Manage Agents gets only its allowed tools and the plan tools", async () => {
		const { workbench, chat, agents, page, folder } = await open();
		await workbench.run("troupe.manageAgents");
		await agents.press("New");
		await agents.textbox("Name").fill("Release notes");
		await agents.textbox("Prompt").fill("You write release notes.");
		await agents.select("Model").selectOption("fake/fake");
		await agents.color("Purple");
		await agents.allowOnly("Allow tools", [...OWN, "notes_*"]);
		await agents.checkbox("Memory").check();
		await agents.scope().getByText("Its allowed tools exclude every tool of Memory.").waitFor();
		await agents.press("Add mcp__memory__*");
		await agents.textbox("Deny tools").fill("notes_del*");
		await agents.scope().getByText("Tools: denied by notes_del*").waitFor();
		await agents.textbox("Deny tools").fill("");
		await agents.scope().getByText("Tools: denied by notes_del*").waitFor({ state: "detached" });
		const scope = (await agents.scope().textContent()) ?? "";
		assert.match(scope, /files2 of \d+/, "two tools of the files result");
		await takeScreenshot(page, "agents-edit");
		await agents.press("Save");
		await agents.row("Release notes").waitFor();
		await expect(agents.row(/^Release notes/)).not.toHaveAttribute("aria-label", /Unsaved changes/);

		await chat.pick("Agent", /^Release notes/);
		await chat.agentIs("Release notes");
		await chat.message("Hello");
		await workbench.dialogs.answer("Start the MCP server “Memory”?", "Start Server");
		await chat.text("I am here.").waitFor();
		await chat.waitUntilIdle();
		const planner = offered();
		assert.deepEqual(planner.own, OWN);
		assert.ok(planner.notes > 0);
		assert.equal(planner.memory, 0, "a planner has no tools from outside");
		assert.deepEqual(
			planner.others.filter((name) => !isPlanTool(name)),
			[],
		);

		await chat.press(chat.role("Actor"));
		await chat.message("Now run it");
		await chat
			.text(/configured to use execute_command/)
			.first()
			.waitFor();
		await chat.waitUntilIdle();
		const actor = offered();
		assert.deepEqual(actor.own, OWN);
		assert.ok(actor.memory >= 9, `${actor.memory} tools of the server`);
		assert.deepEqual(
			actor.others.filter((name) => !isPlanTool(name)),
			[],
		);
		assert.equal(existsSync(join(folder, "made")), false, "nothing was made");

		await chat.message("Please remember it");
		await chat.approval("").waitUntilSettled();
		await chat.approval("").alwaysAllow();
		await chat
			.text(/Done: /)
			.last()
			.waitFor();
		await chat.waitUntilIdle();
		await chat.message("Please remember it again");
		await chat.waitUntilIdle();
		const results = server.requests.filter(({ messages }) => messages.at(-1)?.role === "tool");
		assert.ok(results.length >= 3, "what is always allowed is not asked again");
		await workbench.begin("troupe.manageGrants");
		await workbench.quickInput.pressOn("mcp__memory__create_entities", "Revoke");
		await workbench.quickInput.option("mcp__memory__create_entities").waitFor({ state: "detached" });
		await workbench.quickInput.close();

		await workbench.run("troupe.manageAgents");
		await agents.row("Release notes").click();
		await agents.press("Duplicate");
		await agents.heading("Release notes copy").waitFor();
		await expect(agents.row(/^Release notes/)).toHaveCount(2);
		await agents.textbox("Name").fill("Change log");
		await page.keyboard.press("ControlOrMeta+S");
		await expect(agents.row("Change log")).toHaveAttribute("aria-label", "Change log");
		await agents.press("Delete");
		await workbench.dialogs.answer("Delete the agent “Change log”?", "Delete");
		await agents.row("Change log").waitFor({ state: "detached" });
	});

	it("an unsaved agent survives a reload of the window", async () => {
		const { workbench, agents } = await open();
		await workbench.run("troupe.newAgent");
		await agents.textbox("Name").fill("Half done");
		await agents.row(/^Half done, Unsaved changes/).waitFor();
		await workbench.editors.tab("● Manage Agents").waitFor();
		await workbench.reloadWindow();
		await agents.row(/^Half done, Unsaved changes/).waitFor();
		await agents.press("Discard");
		await agents.row(/^Half done/).waitFor({ state: "detached" });
	});

	it("an agent from the repository can be chosen only after the person approved it", async () => {
		const { workbench, chat, agents, folder, page } = await open();
		await mkdir(join(folder, ".troupe", "agents"), { recursive: true });
		const definition = { agentId: "reviewer", displayName: "Reviewer", toolAllowlist: ["read_file"], allowedTools: ["update_file"] };
		await writeFile(join(folder, ".troupe", "agents", "reviewer.json"), JSON.stringify(definition, undefined, "\t"));
		await workbench.notifications.press("This workspace contains agents that need your review", "Review");
		const review = agents.review("reviewer");
		await review.getByText('"displayName": "Reviewer"').waitFor();
		await review.getByText(/allowedTools is ignored/).waitFor();
		await takeScreenshot(page, "agents-review");
		await chat.press(chat.combobox("Agent"));
		assert.equal(await chat.option(/Reviewer/).count(), 0, "it does not count yet");
		await page.keyboard.press("Escape");
		await agents.press("Approve");
		await agents.heading("Reviewer").waitFor();
		await chat.pick("Agent", /^Reviewer/);
		await chat.message("Hello");
		await chat.text("I am here.").waitFor();
		await chat.waitUntilIdle();
		assert.deepEqual(
			server.requests.at(-1)?.tools.filter((name) => !isPlanTool(name)),
			["read_file"],
		);
	});
});

const PLAN_TOOLS = ["present_plan", "ask_question", "update_step", "offer_switch"];

function isPlanTool(name: string): boolean {
	return PLAN_TOOLS.includes(name) || name.startsWith("system_");
}
