// Tests what the main agent may do, that it has one session, and how much its first request holds.
import assert from "node:assert/strict";
import { mainAgent } from "../../../../src/agents/builtinRoles.ts";
import { MAIN_AGENT } from "../../../../src/core/role.ts";
import { createOpenAiProvider } from "../../../../src/models/openai/openai.ts";
import { getAgent, getRole, listOfferedTools } from "../../../../src/session/agent/sessionAgent.ts";
import { computeOffer } from "../../../../src/session/prompt/computeOffer.ts";
import { fixedRegistry } from "../../../fakes/fixedRegistry.ts";
import { tokensOf } from "../../../fakes/modelServer/pieces.ts";
import { startModelServer } from "../../../fakes/modelServer/server.ts";
import { openTestApp } from "../../../fakes/testApp.ts";
import { agent } from "../../delegation/calls/testCalls.ts";
import { results } from "../testSession.ts";
import { closeMain, openTestMain, saying } from "./testMain.ts";

const OWN = [
	...["reply", "current_time", "ask_question", "use_skill", "session_archive_read"],
	...["spawn_subagent", "resume_task", "task_status", "task_list", "task_replay", "task_stop"],
	...["agents_message", "agents_list", "agents_switch"],
];

describe("the main agent", () => {
	afterEach(closeMain);

	it("has no tool that touches a file, a shell or the web, in either role, whatever its lists say", async () => {
		const wide = { ...mainAgent, toolAllowlist: ["*"], optIn: ["tasks", "memory", "files"], mcpServers: ["m"] };
		for (const definition of [mainAgent, wide]) {
			const { session } = await openTestMain({ main: [] }, { registry: fixedRegistry(() => [agent("default"), definition]) });
			for (const role of ["planner", "commander"]) {
				await session.setRole(role);
				const names = listOfferedTools(session).map(({ name }) => name);
				assert.deepEqual(
					names.filter((name) => !OWN.includes(name) && !name.startsWith("memory_")),
					[],
				);
			}
		}
	});

	it("is denied the calls of other tools", async () => {
		const { session } = await openTestMain(
			{
				main: [
					{
						calls: [
							{ name: "read_file", input: { path: "README.md" } },
							{ name: "execute_command", input: { command: "ls" } },
						],
					},
				],
			},
			{ files: { "README.md": "secret" } },
		);
		await session.send("Read it");
		assert.deepEqual(
			results(session).map(({ status }) => status),
			["denied", "denied"],
		);
	});

	it("has one session, which is found again, and which no other agent takes or leaves", async () => {
		const { app, session } = await openTestMain({ main: [] });
		const { sessions } = app;
		const again = await Promise.all([
			sessions.create({ agentId: MAIN_AGENT }),
			sessions.create({ agentId: MAIN_AGENT, sessionId: "other" }),
		]);
		assert.deepEqual(
			again.map(({ sessionId }) => sessionId),
			[session.sessionId, session.sessionId],
		);
		await assert.rejects(session.setAgent("default"), /has its own session/);
		const { sessionId } = await sessions.create({ agentId: "default" });
		await assert.rejects((await sessions.get(sessionId)).setAgent(MAIN_AGENT), /has its own session/);
	});

	it("hears what comes from other channels, although another agent speaks in replies and is listed before it", async () => {
		const voice = { ...agent("voice"), output: "reply" as const };
		const { app, session } = await openTestMain({ main: [] }, { registry: fixedRegistry(() => [voice, agent("default"), mainAgent]) });
		const heard = new Promise<string>((resolve) => {
			app.sessions.listen({ event: (id, { type }) => void (type === "user" && resolve(id)) });
		});
		app.channels.registerAdapter({
			sender: { allowed: () => true },
			type: "test",
			start: async ({ send }) => send({ text: "Hello", channel: { channelId: "1" } }),
			deliver: async () => undefined,
			stop: async () => undefined,
		});
		assert.equal(await heard, session.sessionId);
	});

	it("is called by no other agent, and doesn't become the agent of new sessions", async () => {
		const { app, session } = await openTestMain({ main: [saying("Hello")] });
		await session.send("Hello");
		const { agentId, sessionId } = await app.sessions.create();
		assert.equal(agentId, "default");
		const created = await app.sessions.get(sessionId);
		const tools = computeOffer(created, getRole(created), getAgent(created)).described.map(({ name }) => name);
		assert.deepEqual(
			tools.filter((name) => name === "reply" || name.startsWith("agents_")),
			[],
			"there is nobody else to call",
		);
	});

	it("sends at most 3,000 tokens with a first hello, as the fake server counts them", async () => {
		const server = await startModelServer({ script: [{ text: "Hello." }] });
		const provider = createOpenAiProvider({ id: "openai", baseUrl: server.url, apiKey: async () => "test", api: "chat" });
		const app = await openTestApp({ model: provider });
		try {
			const { sessionId } = await app.sessions.latest(MAIN_AGENT);
			await (await app.sessions.get(sessionId)).send("hello");
			const [request = assert.fail()] = server.requests;
			assert.ok(
				["reply", "spawn_subagent", "memory_write"].every((name) => request.tools.includes(name)),
				request.tools.join(),
			);
			assert.ok(tokensOf(request) <= 3_000, `${tokensOf(request)} tokens`);
		} finally {
			await app.close();
			await server.close();
		}
	});

	it("learns who it is, how to think and to speak, and what its tasks may, in the order of its design", async () => {
		const { session, model } = await openTestMain({ main: [] }, { settings: { persona: { name: "Mira" } } });
		await session.send("Hello");
		await session.setRole("commander");
		await session.send("Hello");
		const [planner = "", commander = ""] = [0, -1].map((index) => model.requests.at(index)?.system);
		assert.match(planner, /^You are Mira\.\n\nYou are the person's main agent/);
		assert.deepEqual(
			[...planner.matchAll(/^# (.*)$/gm)].map(([, heading]) => heading),
			[
				...["Safety", "How you think", "Available tools", "Thinking style", "When to reply and when to start a task", "Types of tasks"],
				...["Channels", "Session history", "Message Context", "Available agents", "Current role: Planner"],
			],
		);
		assert.match(planner, /- cli: A terminal/);
		assert.match(planner, /\n- explore: Answers a question/);
		assert.match(planner, /Your tasks may: read and search files, ask other agents\. They may not: change files/);
		assert.match(commander, /Your tasks may: read and search files, change files/);
		assert.doesNotMatch(
			planner,
			/present_plan|read_file|Read before you edit|Answer in Markdown|Paths are relative|read the file|You may: /,
		);
	});
});
