// Tests the tool preview of "Manage Agents" against the gate: offered tools, and the list excluding each other.
import assert from "node:assert/strict";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import { desk, leave, server } from "./manageFixture.ts";

const TASK_TOOLS = ["spawn_subagent", "resume_task", "task_status", "task_list", "task_replay", "task_stop"];

describe("the page of agents", () => {
	afterEach(leave);

	it("says while one types which tools result and which list cuts each of the others, as the gate decides", async () => {
		const { page, last, app } = await desk();
		const draft = {
			displayName: "Docs",
			toolAllowlist: ["*_file", "search_code"],
			toolDenylist: ["delete_*"],
			capabilityDenylist: ["files.write"],
		};
		await page.handleMessage({ type: "check", ask: 7, key: "new:1", draft });
		const { ask, scope, problems } = last("checked");
		assert.deepEqual([ask, problems], [7, []]);
		const agent = { ...draft, agentId: "new" };
		const [actor] = builtinRoles.filter(({ id }) => id === "actor");
		assert.ok(actor);
		const role = { ...actor, acts: "actor" };
		const offered = app.services.tools.filter((tool) => app.services.window.gate.offers({ agent, role, tool })).map(({ name }) => name);
		assert.deepEqual(scope.groups.flatMap((group) => group.offered).sort(), offered.sort());
		assert.equal(scope.offered, offered.length);
		// Replies and the time are for agents that speak in nothing else.
		assert.equal(scope.total, app.services.tools.length - 2);
		await page.handleMessage({ type: "check", ask: 8, key: "new:1", draft: { displayName: "Voice", output: "reply" } });
		assert.equal(last("checked").scope.total, app.services.tools.length);
		const files = scope.groups.find(({ plugin }) => plugin === "files");
		assert.deepEqual(files?.offered, ["read_file", "search_code", "create_file"]);
		const cut = files?.cut.map(({ list, pattern, tools }) => [list, pattern, tools]);
		assert.ok(cut?.some(([list, pattern, tools]) => list === "toolDenylist" && pattern === "delete_*" && String(tools) === "delete_file"));
		assert.ok(cut?.some(([list, , tools]) => list === "toolAllowlist" && String(tools).includes("apply_patch")));
		assert.ok(
			cut?.some(
				([list, pattern, tools]) => list === "capabilityDenylist" && pattern === "files.write" && String(tools).includes("update_file"),
			),
		);
	});

	it("counts an agent's tools with what it inherits, and in each of its roles", async () => {
		const { page, last, app } = await desk({
			settings: [{ agentId: "base", displayName: "Base", toolAllowlist: ["read_file", "update_file"], roles: ["planner", "actor"] }],
		});
		await page.handleMessage({
			type: "check",
			ask: 1,
			key: "new:1",
			draft: { displayName: "Child", extends: "base", toolDenylist: ["none"] },
		});
		const { scope } = last("checked");
		assert.deepEqual(scope.groups.find(({ plugin }) => plugin === "files")?.offered, ["read_file", "update_file"]);
		const agent = { agentId: "new", displayName: "Child", toolAllowlist: ["read_file", "update_file"] };
		const offeredAs = (id: string) => {
			const role = builtinRoles.find((candidate) => candidate.id === id);
			assert.ok(role);
			return app.services.tools.filter((tool) => app.services.window.gate.offers({ agent, role, tool })).length;
		};
		assert.deepEqual(
			scope.roles.map(({ id, tools }) => [id, tools]),
			[
				["planner", offeredAs("planner")],
				["actor", offeredAs("actor")],
			],
		);
	});

	it("knows no tools of a plugin that is switched off", async () => {
		const { page, last } = await desk({ pluginsOff: ["web"] });
		await page.handleMessage({ type: "check", ask: 1, key: "new:1", draft: { displayName: "A", toolAllowlist: ["web_*", "read_file"] } });
		const { scope } = last("checked");
		assert.deepEqual([scope.groups.some(({ plugin }) => plugin === "web"), scope.idle], [false, ["web_*"]]);
	});

	it("says which tools an agent lacks because it doesn't name their plugin, and takes no pattern for one of them", async () => {
		const { page, last } = await desk();
		const check = async (draft: object) => {
			await page.handleMessage({ type: "check", ask: 1, key: "new:1", draft: { displayName: "A", ...draft } });
			const { groups, idle } = last("checked").scope;
			return { ...groups.find(({ plugin }) => plugin === "tasks"), idle };
		};
		const lists = { toolDenylist: ["delete_flie", "spawn_*"] };
		const without = await check(lists);
		assert.deepEqual([without.offered, without.cut], [[], [{ list: "optIn", tools: TASK_TOOLS, capabilities: [] }]]);
		assert.deepEqual(without.idle, ["delete_flie", "spawn_*"]);
		const named = await check({ ...lists, optIn: ["tasks"] });
		assert.deepEqual(named.cut, [{ list: "toolDenylist", pattern: "spawn_*", tools: ["spawn_subagent"], capabilities: [] }]);
		assert.deepEqual(named.idle, ["delete_flie"]);
		assert.deepEqual((await check({ optIn: ["tasks"] })).offered, TASK_TOOLS);
	});

	it("names patterns that match no tool, but not those of a server that has not run", async () => {
		const { page, last } = await desk({ servers: [server("notes", ["read"]), server("cold", [])] });
		const draft = {
			displayName: "A",
			mcpServers: ["notes", "cold"],
			toolAllowlist: ["read_*", "raed_file", "present_plna", "mcp__notes__*", "mcp__cold__peek"],
			toolDenylist: ["", "delete_flie"],
		};
		await page.handleMessage({ type: "check", ask: 1, key: "new:1", draft });
		assert.deepEqual(last("checked").scope.idle, ["raed_file", "present_plna", "delete_flie"]);
		const long = { displayName: "A", toolDenylist: Array.from({ length: 60 }, (_, index) => `none_${index}`) };
		await page.handleMessage({ type: "check", ask: 2, key: "new:1", draft: long });
		assert.equal(last("checked").scope.idle.length, 40, "of a long list the first ones are looked at");
	});

	it("shows the tools of the servers an agent lists, and says when its lists shut all of them out", async () => {
		const { page, last } = await desk({ servers: [server("notes", ["read", "write"]), server("other", ["x"]), server("cold", [])] });
		const check = async (toolAllowlist: string[]) => {
			await page.handleMessage({
				type: "check",
				ask: 1,
				key: "new:1",
				draft: { displayName: "A", mcpServers: ["notes", "cold"], toolAllowlist },
			});
			return last("checked").scope;
		};
		const shut = await check(["read_file"]);
		assert.deepEqual(shut.shut, [
			{ name: "The notes", pattern: "mcp__notes__*" },
			{ name: "The cold", pattern: "mcp__cold__*" },
		]);
		assert.deepEqual(shut.unknown, ["The cold"]);
		const open = await check(["read_file", "mcp__notes__*", "mcp__cold__peek"]);
		assert.deepEqual(open.shut, []);
		assert.deepEqual(open.groups.find(({ label }) => label === "The notes")?.offered, ["mcp__notes__read", "mcp__notes__write"]);
		assert.ok(!open.groups.some(({ label }) => label === "The other"));
	});
});
