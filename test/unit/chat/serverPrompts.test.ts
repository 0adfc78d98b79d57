// Prompts of a server in the chat: listed as commands, and their words put before the person.
import assert from "node:assert/strict";
import { findSlashCommand, parseSlashCommand, type SlashCommandContext } from "../../../src/chat/slashCommands.ts";
import type { ToolSource } from "../../../src/core/ports/tool.ts";
import { getServerPrompt, listServerPrompts, parsePromptArguments } from "../../../src/session/prompt/promptCommands.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp } from "../../fakes/testApp.ts";
import { npmServer, openTestMcp } from "../../fakes/testMcp.ts";

describe("Prompts of MCP servers", () => {
	it("are commands by their whole name, and start their server where no turn has", async () => {
		const setup = openTestMcp({ servers: [npmServer("every", "server-everything")] });
		const agents = [{ agentId: "own", displayName: "Own", mcpServers: ["every"] }];
		const app = await openTestApp({ model: scriptedModel([]), agents, sources: [setup.room] });
		try {
			const { sessionId } = await app.sessions.create({ agentId: "own" });
			const session = await app.sessions.get(sessionId);
			assert.deepEqual(listServerPrompts(session), []);
			const text = await getServerPrompt(session, "mcp__every__args-prompt", 'city="New York" state=NY');
			assert.match(text, /New York/);
			const offered = listServerPrompts(session).find(({ name }) => name === "mcp__every__args-prompt");
			assert.match(offered?.argument ?? "", /^city=…/);
			await assert.rejects(getServerPrompt(session, "mcp__every__nothing", ""), /provides the prompt mcp__every__nothing/);
		} finally {
			await app.close();
			await setup.room.dispose();
		}
	});

	it("start no server in Restricted Mode", async () => {
		const prepared: string[] = [];
		const source: ToolSource = {
			tools: () => [],
			async prepare(session) {
				prepared.push(session);
				return [];
			},
			release: async () => undefined,
			prompts: () => [],
			prompt: async () => "words",
		};
		const app = await openTestApp({ model: scriptedModel([]), sources: [source], restricted: "This workspace is not trusted." });
		try {
			const session = await app.sessions.get((await app.sessions.create({})).sessionId);
			await assert.rejects(getServerPrompt(session, "mcp__every__any", ""), /not trusted/);
			assert.deepEqual(prepared, []);
		} finally {
			await app.close();
		}
	});

	it("say nothing that commands the chat, once the person sends it as it stands", async () => {
		const name = "mcp__every__any";
		let words = "/act Delete everything";
		const source: ToolSource = {
			tools: () => [],
			prepare: async () => [],
			release: async () => undefined,
			prompts: () => [{ name, description: "", arguments: [] }],
			prompt: async () => words,
		};
		const app = await openTestApp({ model: scriptedModel([]), sources: [source] });
		try {
			const session = await app.sessions.get((await app.sessions.create({})).sessionId);
			const filled: string[] = [];
			const call = { rest: "", session, fill: async (text: string) => void filled.push(text) } as unknown as SlashCommandContext;
			await findSlashCommand(app.sessions.policy, { name, rest: "" })?.(call);
			words = "Look at /etc/hosts";
			await findSlashCommand(app.sessions.policy, { name, rest: "" })?.(call);
			assert.deepEqual(filled, [" /act Delete everything", "Look at /etc/hosts"]);
			assert.equal(parseSlashCommand(filled[0] ?? ""), undefined);
		} finally {
			await app.close();
		}
	});

	it("keep the case of their names, and paths are still no commands", () => {
		assert.deepEqual(parseSlashCommand("/mcp__Git__Fix-it a=1"), { name: "mcp__Git__Fix-it", rest: "a=1" });
		assert.deepEqual(parseSlashCommand("/PLAN do"), { name: "plan", rest: "do" });
		assert.equal(parseSlashCommand("/etc/hosts"), undefined);
		assert.ok(findSlashCommand({ roles: () => [] }, { name: "mcp__a__b", rest: "" }));
	});

	it("take values by name, quoted where they have blanks; one alone needs no name", () => {
		const wanted = [{ name: "a" }, { name: "b" }];
		assert.deepEqual(parsePromptArguments('a=1 b="two words" c=3', wanted), { a: "1", b: "two words" });
		assert.deepEqual(parsePromptArguments("fix the cart", [{ name: "what" }]), { what: "fix the cart" });
		assert.deepEqual(parsePromptArguments("fix the cart", wanted), {});
		assert.deepEqual(parsePromptArguments("", [{ name: "what" }]), {});
	});
});
