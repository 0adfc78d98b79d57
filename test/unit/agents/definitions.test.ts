// Agents and roles from settings: what is taken, and what is named and left out.
import assert from "node:assert/strict";
import { builtinAgents } from "../../../src/agents/builtinAgents.ts";
import { checkAgents, checkRoles } from "../../../src/agents/definitions.ts";
import { builtinRoles } from "../../../src/agents/roles.ts";

const own = (entries: unknown[]) => {
	const { all, problems } = checkAgents(entries);
	return { agents: all.slice(builtinAgents.length), problems };
};

const writer = { agentId: "writer", displayName: "Writer" };

describe("agents from settings", () => {
	it("stand after the built-in ones", () => {
		const { all } = checkAgents([writer]);
		assert.deepEqual(all, [...builtinAgents, writer]);
	});

	it("may be written with id and name, and null is absent", () => {
		const { agents, problems } = own([{ id: "writer", name: "Writer", description: null, toolAllowlist: null, toolDenylist: ["web_*"] }]);
		assert.deepEqual({ agents, problems }, { agents: [{ ...writer, toolDenylist: ["web_*"] }], problems: [] });
	});

	it("may say what is so anyway", () => {
		const { agents, problems } = own([{ ...writer, type: "chat", mcpServers: {}, allowedTools: [], chat: null, uiVisible: true }]);
		assert.deepEqual({ agents, problems }, { agents: [writer], problems: [] });
	});

	const notYet: [string, unknown][] = [
		["type", "external"],
		["chat", { provider: "claude-cli" }],
		["external", { url: "https://example.com" }],
		["mcpServers", ["files"]],
		["mcpServers", { files: { command: "files" } }],
		["allowedTools", ["read_file"]],
		["extends", "default"],
		["roles", []],
		["defaultRole", "reviewer"],
		["toolExposure", "skills"],
		["uiVisible", false],
	];
	for (const [field, value] of notYet) {
		it(`are left out when they ask for ${field}: ${JSON.stringify(value)}`, () => {
			const { agents, problems } = own([{ ...writer, [field]: value }]);
			assert.deepEqual(agents, []);
			assert.deepEqual(problems, [`“writer” (entry 1) is left out: ${field} cannot be used yet.`]);
		});
	}

	it("are left out when a list is misspelt, for it would not limit them", () => {
		const { agents, problems } = own([{ ...writer, toolDenyList: ["*"] }]);
		assert.deepEqual(agents, []);
		assert.match(problems[0] ?? "", /“writer” \(entry 1\) is left out: .*toolDenyList/);
	});

	it("are left out when they take the id of another", () => {
		const { agents, problems } = own([{ agentId: "default", displayName: "Mine" }, writer, { ...writer, displayName: "Second" }]);
		assert.deepEqual(agents, [writer]);
		assert.deepEqual(problems, [
			"“default” (entry 1) is left out: a built-in one has this id.",
			"“writer” (entry 3) is left out: an earlier one has this id.",
		]);
	});

	it("are named by their place where they have no id", () => {
		assert.deepEqual(own(["writer"]).problems, ["Entry 1 is left out: it is not an object."]);
		assert.match(own([{ displayName: "Writer" }]).problems[0] ?? "", /^Entry 1 is left out: agentId: /);
	});
});

describe("roles from settings", () => {
	const auditor = { id: "auditor", label: "Auditor", permissions: ["ReadFiles"], prompt: "Audit." };

	it("stand after the built-in ones and lead to the actor where it may do more", () => {
		const free = { ...auditor, id: "free", permissions: builtinRoles.find(({ id }) => id === "actor")?.permissions };
		const { all, problems } = checkRoles([auditor, free]);
		assert.deepEqual(all, [...builtinRoles, { ...auditor, acts: "actor" }, free]);
		assert.deepEqual(problems, []);
	});

	it("are left out with a built-in id, a known id, or a permission that does not exist", () => {
		const { all, problems } = checkRoles([{ ...auditor, id: "planner" }, auditor, auditor, { ...auditor, id: "x", permissions: ["Fly"] }]);
		assert.deepEqual(
			all.slice(builtinRoles.length).map(({ id }) => id),
			["auditor"],
		);
		assert.equal(problems.length, 3);
		assert.equal(problems[0], "“planner” (entry 1) is left out: a built-in one has this id.");
		assert.equal(problems[1], "“auditor” (entry 3) is left out: an earlier one has this id.");
		assert.match(problems[2] ?? "", /^“x” \(entry 4\) is left out: permissions\.0: /);
	});
});

describe("the built-in roles", () => {
	it("lead to the actor, and the actor leads nowhere", () => {
		for (const { id, acts } of builtinRoles) assert.equal(acts, id === "actor" ? undefined : "actor", id);
	});
});
