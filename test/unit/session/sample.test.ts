// Tests the sample agents: offered tools, allowed calls and prompts, through the real catalog.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { builtinAgents } from "../../../src/agents/builtinRoles.ts";
import { defineTool, type Tool, type ToolSource } from "../../../src/core/ports/tool.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { listOfferedTools } from "../../../src/session/agent/sessionAgent.ts";
import { catalogOf, file } from "../agents/support.ts";
import { closeTestSessions, openTestSession, results } from "./testSession.ts";

const ran: string[] = [];

function tool(name: string, capabilities: string[]): Tool {
	return defineTool<object>({
		name,
		plugin: name.slice(0, name.lastIndexOf("_")),
		description: name,
		permissions: [],
		capabilities,
		input: z.object({}),
		summary: () => name,
		async run() {
			ran.push(name);
			return { output: "ok" };
		},
	});
}

/** What the sample's agents were made for. */
const TOOLS = [
	tool("reading_list_list", ["lists.read"]),
	tool("reading_list_plain", []),
	tool("reading_list_add", ["lists.write"]),
	tool("reading_list_delete", ["lists.read"]),
	tool("reading_list_share", ["lists.read", "mail.send"]),
	tool("todo_add", ["lists.write"]),
	tool("journal_write", ["journal.write"]),
];
const source: ToolSource = { tools: () => TOOLS, prepare: async () => [], release: async () => undefined };

async function sample(): Promise<AgentDefinition[]> {
	const { agents } = await catalogOf({ files: [file("/own/sample.json", await readFile("test/fixtures/agents/sample.json", "utf8"))] });
	return agents.filter(({ source: { kind } }) => kind === "file").map(({ definition }) => definition);
}

describe("the sample of the seeds", () => {
	afterEach(closeTestSessions);

	it("gives each agent what its lists name, and nothing else beside the plan's tools", async () => {
		const agents = await sample();
		const { app, session } = await openTestSession([], { agents, sources: [source], role: "actor" });
		const offered = async (agentId: string): Promise<string[]> => {
			await session.setAgent(agentId);
			const own = listOfferedTools(session).filter(({ plugin }) => plugin !== "plan");
			return own.map(({ name }) => name).sort();
		};
		assert.deepEqual(await offered("reading-list"), ["reading_list_list", "reading_list_plain"]);
		assert.deepEqual(await offered("todo"), ["todo_add"]);
		assert.deepEqual(await offered("journal"), ["journal_write"]);
		const all = await offered("general");
		for (const { name } of TOOLS) assert.ok(all.includes(name), name);
		assert.ok(all.includes("execute_command") && all.includes("notes_write"));
		assert.deepEqual(
			app.policy.agents().map(({ agentId }) => agentId),
			[...builtinAgents, ...agents].map(({ agentId }) => agentId),
		);
	});

	it("runs nothing else either, whatever the model calls, and begins each prompt with the agent's own", async () => {
		const agents = await sample();
		const calls = [...TOOLS.map(({ name }) => name), "notes_write", "execute_command"];
		const { session, model } = await openTestSession(
			(_, call) => (call === 0 ? { calls: calls.map((name, index) => ({ id: `c${index}`, name, input: {} })) } : { text: "Done." }),
			{ agents, sources: [source], role: "actor" },
		);
		await session.setAgent("reading-list");
		ran.length = 0;
		await session.send("Do everything");
		assert.deepEqual(ran, ["reading_list_list", "reading_list_plain"]);
		assert.deepEqual(
			results(session).map(({ status }) => status),
			calls.map((name) => (ran.includes(name) ? "ok" : "denied")),
		);
		assert.match(model.requests[0]?.system ?? "", /^You are a reading list manager\. Help the user/);
	});

	it("lets an agent turn to those that its list names", async () => {
		const agents = await sample();
		const { app } = await openTestSession([], { agents, role: "actor" });
		const [agent] = agents;
		assert.ok(agent);
		const { gate } = app.services.window;
		const role = app.policy.roles().find(({ id }) => id === "actor") ?? assert.fail();
		const asking = { ...tool("agents_message", []), plugin: "agents" };
		const may = (peer: string) =>
			gate.authorize({
				agent: { ...agent, toolAllowlist: null, capabilityAllowlist: null },
				role,
				tool: asking,
				access: { pluginsOff: [] },
				peer,
				paths: [],
				rules: { deny: [], ask: [], allow: [] },
				grants: [],
				workspace: "",
				mode: "auto",
				planRuns: false,
				canAsk: true,
			}).decision;
		assert.deepEqual(["todo", "journal", "general", "default"].map(may), ["allow", "allow", "deny", "deny"]);
	});
});
