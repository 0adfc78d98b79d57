// The agents that run tasks: what they have of their type and of their caller, as the gate judges it.
import assert from "node:assert/strict";
import * as z from "zod";
import { builtinRoles, defaultAgent, taskRole } from "../../../../src/agents/builtinRoles.ts";
import { builtinTaskTypes } from "../../../../src/agents/subagents/builtinTypes.ts";
import { createTaskAgent } from "../../../../src/agents/subagents/taskAgent.ts";
import { defineTool } from "../../../../src/core/ports/tool.ts";
import { AGENT_SCOPE_LISTS, type AgentDefinition, PERMISSIONS } from "../../../../src/core/role.ts";
import type { TaskType } from "../../../../src/core/task.ts";
import { offers } from "../../../../src/gate/authorize.ts";
import { excludedBy } from "../../../../src/gate/scope.ts";

const type = (over: Partial<TaskType> = {}): TaskType => ({
	name: "odd",
	description: "Odd work.",
	source: "person",
	prompt: "Do it.",
	role: "actor",
	...over,
});
const caller = (over: Partial<AgentDefinition> = {}): AgentDefinition => ({ agentId: "lead", displayName: "Lead", ...over });

const tool = (name: string, plugin: string, capability: string, optIn?: true) =>
	defineTool({
		name,
		plugin,
		description: "",
		permissions: [],
		capabilities: [capability],
		input: z.object({}),
		summary: () => "",
		...(optIn && { optIn }),
	});

const notify = tool("notify", "task", "task.notify", true);
const tools = [
	tool("read_file", "files", "files.read"),
	tool("search_code", "files", "files.read"),
	tool("create_file", "files", "files.create"),
	tool("ask_question", "plan", "plan.ask"),
	tool("agents_message", "agents", "agents.message"),
	tool("spawn_subagent", "tasks", "tasks.start", true),
	tool("remember", "memory", "memory.write"),
	notify,
];
const offered = (agent: AgentDefinition) => tools.filter((one) => !excludedBy(agent, one)).map(({ name }) => name);

describe("the agent of a task", () => {
	it("is its type, hidden, with one role and no way to another", () => {
		const made = createTaskAgent(type({ model: "openai/gpt-5" }), caller({ model: "groq/fast" }));
		assert.deepEqual(made, {
			agentId: "task-odd",
			displayName: "odd",
			description: "Odd work.",
			systemPrompt: "Do it.",
			uiVisible: false,
			model: "openai/gpt-5",
			roles: ["actor"],
			defaultRole: "actor",
			optIn: ["task"],
			capabilityDenylist: ["agents.*", "tasks.*", "memory.*"],
		});
	});

	it("plans if its permissions are none that a planner lacks, and acts otherwise", () => {
		for (const permissions of [[], ["ReadFiles"], ["ReadFiles", "Delegate"]] as const) assert.equal(taskRole(permissions), "planner");
		for (const permission of PERMISSIONS.filter((one) => one !== "ReadFiles" && one !== "Delegate"))
			assert.equal(taskRole(["ReadFiles", permission]), "actor", permission);
		assert.equal(taskRole(undefined), "actor");
		assert.deepEqual(
			builtinTaskTypes.map((one) => [one.name, createTaskAgent(one, defaultAgent).roles, one.reflects]),
			[
				["general", ["actor"], true],
				["explore", ["planner"], undefined],
				["plan", ["planner"], true],
			],
		);
	});

	it("has the model of its caller, with its wire format, if its type names none", () => {
		const model = { planner: "openai/gpt-5", actor: "groq/fast" };
		const chat = { provider: "openai" as const };
		const { model: same, chat: format } = createTaskAgent(type(), caller({ model, chat }));
		assert.deepEqual([same, format], [model, chat]);
		assert.equal("model" in createTaskAgent(type(), caller()), false);
		assert.equal("chat" in createTaskAgent(type({ model: "groq/fast" }), caller({ model, chat })), false);
	});

	it("has the lists, servers and exposure of its caller, and nothing else of it", () => {
		const lists = Object.fromEntries(AGENT_SCOPE_LISTS.map((list) => [list, [`${list}_*`]]));
		const lead = caller({
			...lists,
			mcpServers: ["linear"],
			toolExposure: "skills",
			optIn: ["tasks", "memory"],
			allowedTools: ["update_file"],
			apiExposed: true,
			extends: "default",
			icon: "bug",
		});
		const { agentId: _, displayName: __, description: ___, systemPrompt: ____, ...made } = createTaskAgent(type(), lead);
		assert.deepEqual(made, {
			...lists,
			capabilityDenylist: ["capabilityDenylist_*", "agents.*", "tasks.*", "memory.*"],
			mcpServers: ["linear"],
			toolExposure: "skills",
			uiVisible: false,
			roles: ["actor"],
			defaultRole: "actor",
			optIn: ["task"],
		});
	});

	it("has none of them if its caller says so, which no definition can", () => {
		const lead = caller({
			freshTasks: true,
			toolAllowlist: ["agents_*"],
			capabilityDenylist: ["files.*"],
			mcpServers: ["linear"],
			model: "groq/fast",
		});
		const made = createTaskAgent(type(), lead);
		assert.deepEqual(offered(made), ["read_file", "search_code", "create_file", "ask_question", "notify"]);
		assert.deepEqual([made.mcpServers, made.toolAllowlist, made.model], [undefined, undefined, "groq/fast"]);
	});

	it("has only those tools that both its caller and its type allow, and always those that answer", () => {
		const made = (toolAllowlist: string[] | undefined, globs: string[] | undefined) =>
			offered(createTaskAgent(type(globs && { tools: globs }), caller(toolAllowlist && { toolAllowlist })));
		const answers = ["ask_question", "notify"];
		assert.deepEqual(made(undefined, undefined), ["read_file", "search_code", "create_file", ...answers]);
		assert.deepEqual(made(["*_file"], ["{read,search}_*"]), ["read_file", ...answers]);
		assert.deepEqual(made(["*_file"], ["*"]), ["read_file", "create_file", ...answers]);
		assert.deepEqual(made(undefined, ["search_*"]), ["search_code", ...answers]);
		assert.deepEqual(made([], ["*"]), answers);
		assert.deepEqual(made(undefined, []), answers);
		assert.deepEqual(made(undefined, ["{"]), answers, "a pattern that cannot be read allows nothing");
	});

	it("calls no agents, starts no tasks and remembers nothing, whatever its type and its caller allow", () => {
		const wide = type({ tools: ["*", "spawn_subagent"], permissions: PERMISSIONS });
		const made = createTaskAgent(wide, caller({ toolAllowlist: ["*"], capabilityAllowlist: ["*"], optIn: ["tasks", "memory"] }));
		for (const role of builtinRoles)
			for (const name of ["agents_message", "spawn_subagent", "remember"]) {
				const [found] = tools.filter((one) => one.name === name);
				assert.ok(found);
				assert.equal(offers({ agent: made, role, tool: found }), false, name);
			}
	});

	it("is the only one with the tools that answer its caller", () => {
		assert.equal(excludedBy(defaultAgent, notify)?.list, "optIn");
		assert.equal(excludedBy(createTaskAgent(type(), defaultAgent), notify), undefined);
	});

	it("costs few tokens of prompt", () => {
		for (const { name, prompt, description } of builtinTaskTypes) {
			assert.ok(prompt.length < 1_200, `${name}: ${prompt.length}`);
			assert.ok(description.length < 160, `${name}: ${description.length}`);
		}
	});
});
