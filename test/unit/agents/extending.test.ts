// Agents that extend others: what is inherited, what may not be extended, and how narrow a workspace's agent stays.
import assert from "node:assert/strict";
import { agent, brought, catalogOf, ids, whatBecomesOf } from "./support.ts";

describe("extending an agent", () => {
	const base: ReturnType<typeof agent> & { allowedTools?: string[] } = agent("base", {
		systemPrompt: "Be.",
		toolAllowlist: ["read_*", "web_fetch"],
		toolDenylist: ["read_x"],
		mcpServers: ["m"],
		allowedTools: ["read_file"],
		roles: ["planner", "reviewer"],
	});

	it("inherits what is absent, replaces lists, and takes back what is null; approvals stay with the parent", async () => {
		const child = agent("child", { extends: "base", toolAllowlist: ["a"], toolDenylist: null, systemPrompt: null });
		const found = await whatBecomesOf({ settings: [child, base] }, "child");
		assert.deepEqual(
			"definition" in found && found.definition,
			agent("child", { extends: "base", toolAllowlist: ["a"], mcpServers: ["m"], roles: ["planner", "reviewer"] }),
		);
	});

	it("goes on over several", async () => {
		const settings = [agent("c", { extends: "b" }), agent("b", { extends: "base", icon: "bug" }), base];
		const found = await whatBecomesOf({ settings }, "c");
		const { allowedTools: _, ...inherited } = base;
		assert.deepEqual("definition" in found && found.definition, { ...inherited, ...agent("c", { extends: "b", icon: "bug" }) });
	});

	it("does not make an heir of the default agent say that it is the default agent", async () => {
		const { agents } = await catalogOf({ settings: [agent("heir", { extends: "default", displayName: "Heir" })] });
		const [builtin, heir] = agents.map(({ definition }) => definition);
		assert.deepEqual([heir?.systemPrompt, heir?.description, heir?.icon], [undefined, builtin?.description, builtin?.icon]);
	});

	it("refuses rings by name, and what extends into one", async () => {
		const settings = [
			agent("a", { extends: "b" }),
			agent("b", { extends: "c" }),
			agent("c", { extends: "a" }),
			agent("d", { extends: "a" }),
			agent("e", { extends: "e" }),
			agent("f"),
		];
		const { agents, broken } = await catalogOf({ settings });
		assert.deepEqual(ids(agents), ["default", "f"]);
		assert.deepEqual(
			broken.map(({ problem }) => problem.replace(/^Entry \d in troupe.agents, extends: /, "")),
			[
				"Circular inheritance: a → b → c → a",
				"Circular inheritance: b → c → a → b",
				"Circular inheritance: c → a → b → c",
				"The parent agent “a” can't be used: Circular inheritance: a → b → c → a",
				"Circular inheritance: e → e",
			],
		);
	});

	it("refuses a line of parents without an end", async () => {
		const settings = Array.from({ length: 20_000 }, (_, index) => agent(`a${index}`, { extends: `a${index + 1}` }));
		const { agents, broken } = await catalogOf({ settings: [...settings, agent("a20000")] });
		assert.deepEqual([agents.length, broken.length], [22, 19_980]);
		assert.match(broken[0]?.problem ?? "", /More than 20 levels of parent agents$/);
	});

	it("refuses a parent that is unknown, broken, waiting or of the workspace", async () => {
		const { broken } = await catalogOf({
			settings: [
				agent("a", { extends: "nobody" }),
				agent("b", { extends: "ill" }),
				agent("ill", { type: 1 }),
				agent("c", { extends: "w" }),
			],
			workspace: [
				brought(".troupe/agents/w.json", agent("w")),
				brought(".troupe/agents/v.json", agent("v"), "new"),
				brought(".troupe/agents/x.json", agent("x", { extends: "v" })),
			],
		});
		const why = (label: string) =>
			broken
				.find((one) => one.label === label)
				?.problem.split(": ")
				.slice(1)
				.join(": ");
		assert.equal(why("a"), "The parent agent “nobody” doesn't exist");
		assert.equal(why("b"), "The parent agent “ill” has errors");
		assert.equal(why("c"), "Can't extend the workspace agent “w”; your agents can only extend built-in agents and your own");
		assert.equal(why("x"), "The parent agent “v” needs your approval");
	});

	it("never makes a workspace's agent wider than the person's that it extends", async () => {
		const wide = {
			toolAllowlist: ["read_*", "read_file", "execute_command", "*"],
			toolDenylist: null,
			mcpServers: ["m", "n"],
			roles: null,
			capabilityDenylist: ["x"],
		};
		const workspace = [
			brought(".troupe/agents/a.json", agent("a", { extends: "base", ...wide })),
			brought(".troupe/agents/b.json", agent("b", { extends: "a", toolAllowlist: null, toolDenylist: ["read_y"], roles: ["actor"] })),
		];
		const a = await whatBecomesOf({ settings: [base], workspace }, "a");
		const narrow = { toolAllowlist: ["read_*", "read_file"], toolDenylist: ["read_x"], mcpServers: ["m"], roles: ["planner", "reviewer"] };
		assert.deepEqual(
			"definition" in a && a.definition,
			agent("a", { extends: "base", systemPrompt: "Be.", capabilityDenylist: ["x"], ...narrow }),
		);
		assert.deepEqual("notes" in a && a.notes, [
			"Entries in toolAllowlist that the parent agent doesn't allow are ignored: execute_command, *.",
			"Entries in mcpServers that the parent agent doesn't allow are ignored: n.",
		]);
		const b = await whatBecomesOf({ settings: [base], workspace }, "b");
		assert.deepEqual(
			"definition" in b && b.definition,
			agent("b", {
				extends: "a",
				systemPrompt: "Be.",
				capabilityDenylist: ["x"],
				...narrow,
				toolDenylist: ["read_x", "read_y"],
				roles: [],
			}),
		);
	});

	it("gives a workspace's agent no servers where its parent has none, and no tools where it has programs only", async () => {
		const settings = [agent("closed", { toolExposure: "skills", skillAllowlist: ["notes"] })];
		const wide = { mcpServers: ["m"], toolExposure: "mixed", skillAllowlist: ["notes", "lists"] };
		const workspace = [brought(".troupe/agents/a.json", agent("a", { extends: "closed", ...wide }))];
		const a = await whatBecomesOf({ settings, workspace }, "a");
		const narrow = { toolExposure: "skills", skillAllowlist: ["notes"], mcpServers: [] };
		assert.deepEqual("definition" in a && a.definition, agent("a", { extends: "closed", ...narrow }));
	});

	it("takes part in the opt-in plugins of its parent, and a workspace's agent in no others", async () => {
		const settings = [
			agent("open", { optIn: ["tasks", "memory"] }),
			agent("shut"),
			agent("heir", { extends: "default" }),
			agent("none", { extends: "default", optIn: null }),
		];
		const workspace = [
			brought(".troupe/agents/a.json", agent("a", { extends: "open", optIn: ["tasks", "task"] })),
			brought(".troupe/agents/b.json", agent("b", { extends: "shut", optIn: ["tasks"] })),
			brought(".troupe/agents/c.json", agent("c", { extends: "open" })),
		];
		const { agents } = await catalogOf({ settings, workspace });
		assert.deepEqual(Object.fromEntries(agents.map(({ definition: { agentId, optIn } }) => [agentId, optIn])), {
			default: ["tasks"],
			open: ["tasks", "memory"],
			shut: undefined,
			heir: ["tasks"],
			none: undefined,
			a: ["tasks"],
			b: [],
			c: ["tasks", "memory"],
		});
	});

	it("is refused where a workspace makes a deny list too long by adding to the inherited one", async () => {
		const half = (of: string) => Array.from({ length: 40 }, (_, at) => `${of}_${at}_*`);
		const settings = [agent("base", { toolDenylist: half("a") }), agent("long", { toolDenylist: [...half("a"), ...half("b")] })];
		const workspace = [
			brought(".troupe/agents/more.json", agent("more", { extends: "base", toolDenylist: half("b") })),
			brought(".troupe/agents/same.json", agent("same", { extends: "long" })),
		];
		const more = await whatBecomesOf({ settings, workspace }, "more");
		assert.match(String("problem" in more && more.problem), /toolDenylist is too long together with inherited entries: More than 64/);
		const same = await whatBecomesOf({ settings, workspace }, "same");
		assert.equal("definition" in same && same.definition.toolDenylist?.length, 80);
	});

	it("takes no pattern of a workspace for narrower because its letters match", async () => {
		const settings = [agent("base", { toolAllowlist: ["?", "read_*"] })];
		const workspace = [brought(".troupe/agents/a.json", agent("a", { extends: "base", toolAllowlist: ["*", "read_file", "read_*,*"] }))];
		const a = await whatBecomesOf({ settings, workspace }, "a");
		assert.deepEqual("definition" in a && a.definition.toolAllowlist, ["read_file"]);
	});
});
