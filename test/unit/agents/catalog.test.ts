// All sources together: who has an id, what is broken, and what waits.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { defaultAgent } from "../../../src/agents/builtinRoles.ts";
import { createCatalogBuilder } from "../../../src/agents/catalog.ts";
import type { DefinitionFile } from "../../../src/agents/definitionFile.ts";
import { isAllowedByLists } from "../../../src/gate/scope.ts";
import { scopeLists } from "../../../src/gate/scopeList.ts";
import { agent, brought, catalogOf, file, ids, whatBecomesOf } from "./support.ts";

describe("the catalog of agents", () => {
	it("has the sample of the seeds as it is, from a file and from the settings", async () => {
		const text = await readFile("test/fixtures/agents/sample.json", "utf8");
		const { agents: entries } = JSON.parse(text) as { agents: Record<string, unknown>[] };
		const expected = entries.map((entry) => Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== null)));
		for (const sources of [{ files: [file("/own/sample.json", text)] }, { settings: entries }]) {
			const { agents, broken } = await catalogOf(sources);
			assert.deepEqual(broken, []);
			assert.deepEqual(
				agents.flatMap(({ notes }) => notes),
				[],
			);
			assert.deepEqual(
				agents.map(({ definition }) => definition),
				[defaultAgent, ...expected],
			);
		}
	});

	it("reads only those files again that have changed: whatever else there is stays the very same", async () => {
		const build = createCatalogBuilder();
		const of = async (...files: DefinitionFile[]) => {
			const { agents, broken } = await build({
				settings: [],
				files,
				workspace: [],
				subagents: [],
				displayPath: (path) => path,
				roles: [],
				scopeLists,
			});
			return { broken, found: new Map(agents.map(({ definition }) => [definition.agentId, definition])) };
		};
		const broken = file("/own/3.json", agent("c", { type: "x" }));
		const first = await of(file("/own/1.json", agent("a")), file("/own/2.json", agent("b")), broken);
		const second = await of(file("/own/1.json", agent("a")), file("/own/2.json", agent("b", { description: "New." })), broken);
		assert.equal(second.found.get("a"), first.found.get("a"));
		assert.equal(second.found.get("b")?.description, "New.");
		assert.deepEqual(second.broken, first.broken);
		const third = await of(file("/own/2.json", agent("b")), file("/own/3.json", agent("c")));
		assert.deepEqual([...third.found.keys()], ["default", "main", "b", "c"]);
		assert.equal(third.found.get("b")?.description, undefined);
		assert.deepEqual(third.broken, []);
	});

	it("keeps a stored deny list of the person's that is longer than lists may be, and names it; a workspace's is refused", async () => {
		const toolDenylist = Array.from({ length: 70 }, (_, at) => `tool_${at}_*`);
		const { agents, broken } = await catalogOf({
			files: [file("/own/1.json", agent("own", { toolDenylist }))],
			workspace: [brought(".troupe/agents/theirs.json", agent("theirs", { toolDenylist }))],
		});
		const found = agents.find(({ definition }) => definition.agentId === "own");
		assert.match(found?.notes.join() ?? "", /^toolDenylist exceeds a limit but still applies: .*\.$/);
		assert.equal(isAllowedByLists(undefined, found?.definition.toolDenylist, "tool_69_x"), false);
		assert.equal(isAllowedByLists(undefined, found?.definition.toolDenylist, "tool_70_x"), true);
		assert.deepEqual([broken.map(({ label }) => label), broken[0]?.problem.includes("toolDenylist")], [["theirs"], true]);
	});

	it("refuses, with its reason at its field, what nothing here runs, also where it is inherited, and gives its id to nobody", async () => {
		const external = { type: "external", external: { inputUrl: "https://example.com/input" } };
		const { agents, broken } = await catalogOf({
			files: [
				file("/own/1.json", agent("remote", external)),
				file("/own/2.json", agent("heir", { extends: "remote" })),
				file("/own/3.json", agent("local", { extends: "remote", type: "chat" })),
				file("/own/4.json", agent("nowhere", { type: "external" })),
				file("/own/5.json", agent("cli", { chat: { provider: "pi-cli" } })),
				file("/own/6.json", agent("plain", { chat: { provider: "openai-compatible" } })),
			],
			workspace: [brought(".troupe/agents/cli.json", agent("cli"))],
		});
		assert.deepEqual(ids(agents), ["default", "local", "plain"]);
		assert.deepEqual(broken.map(({ label, problem }) => `${label}: ${problem}`).sort(), [
			"cli: .troupe/agents/cli.json, line 1, agentId: This ID is already used by the agent “CLI”",
			"cli: /own/5.json, line 1, chat.provider: This version doesn't run pi-cli",
			"heir: /own/2.json, line 1, type: This version doesn't run external agents",
			"nowhere: /own/4.json, line 1, external.inputUrl: Required field is missing",
			"remote: /own/1.json, line 1, type: This version doesn't run external agents",
		]);
	});

	it("gives no agent an id of background tasks, whose approvals it would share", async () => {
		const { agents, broken } = await catalogOf({ files: [file("/own/1.json", agent("task-general"))] });
		assert.ok(!agents.some(({ definition }) => definition.agentId === "task-general"));
		assert.match(broken[0]?.problem ?? "", /IDs that begin with “task-” belong to background tasks/);
	});

	it("gives an id to the first: built in, settings, own files, the workspace", async () => {
		const { agents, broken } = await catalogOf({
			settings: [agent("default"), agent("a"), agent("a")],
			files: [file("/own/1.json", agent("a")), file("/own/2.json", agent("b"))],
			workspace: [brought(".troupe/agents/b.json", agent("b")), brought(".troupe/agents/c.json", agent("c"))],
		});
		assert.deepEqual(ids(agents), ["default", "a", "b", "c"]);
		assert.deepEqual(
			broken.map(({ problem }) => problem),
			[
				"Entry 1 in troupe.agents, agentId: This ID is used by a built-in agent",
				"Entry 3 in troupe.agents, agentId: This ID is already used by the agent “A”",
				"/own/1.json, line 1, agentId: This ID is already used by the agent “A”",
				".troupe/agents/b.json, line 1, agentId: This ID is already used by the agent “B”",
			],
		);
	});

	it("lets no workspace have the id of an agent of the person's that is broken", async () => {
		const { agents, broken } = await catalogOf({
			files: [file("/own/1.json", agent("a", { type: "x" }))],
			workspace: [brought(".troupe/agents/a.json", agent("a"))],
		});
		assert.deepEqual(ids(agents), ["default"]);
		assert.match(broken[1]?.problem ?? "", /This ID is already used by another definition, which has errors/);
	});

	const text =
		'{\r\n\t// mine\r\n\t"agentId": "a",\r\n\t"displayName": "A",\r\n\t"toolAllowlist": [\r\n\t\t"x",\r\n\t\t5,\r\n\t],\r\n}\r\n';
	const files: [string, unknown, string, number | undefined][] = [
		["a field, by file, line and field", text, "toolAllowlist[1]: Must be text", 7],
		["a field in a list of agents", '{ "agents": [\n{ "agentId": "a",\n"displayName": 5 } ] }', "displayName: Must be text", 3],
		[
			"a misspelt field",
			'{ "agentId": "a",\n"displayName": "A",\n\n"tools": [] }',
			"tools: Unknown field (did you mean toolAllowlist?)",
			4,
		],
		["a missing field", '\n{ "agentId": "a" }', "displayName: Required field is missing", 2],
		["what is no JSON", '{\n"agentId": "a"\n"x": 1 }', "Invalid JSON: comma expected", 3],
		["what ends too early", '{\n"agentId": ', "Invalid JSON: value expected", 2],
		["a text without its end", '{\n"agentId": "a\n}', "Invalid JSON: closing quotation mark expected", 2],
		["what is no JSON at all", "agent", "Invalid JSON: unexpected symbol", 1],
		["an empty file", "\n", "Must not be empty", 1],
		[
			"a field that stands there twice",
			'{ "agentId": "a", "displayName": "A", "toolDenylist": ["*"],\n"toolDenylist": [] }',
			"Duplicate field toolDenylist",
			2,
		],
		[
			"more agents than a file may have",
			{ agents: Array.from({ length: 501 }, (_, index) => agent(`w${index}`)) },
			"Must have 500 entries or fewer",
			undefined,
		],
		[
			"a definition of more fields than there are",
			agent("a", Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`x${index}`, 1]))),
			"Must have 100 fields or fewer",
			1,
		],
		["what is nested without end", "[".repeat(200_000), "Nested more than 24 levels deep", undefined],
		["what is no text", Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), "The file isn't valid UTF-8", undefined],
	];

	for (const [what, content, problem, line] of files) {
		it(`names ${what}`, async () => {
			const { agents, broken } = await catalogOf({ files: [file("/own/a.json", content), file("/own/b.json", agent("b"))] });
			assert.deepEqual(ids(agents), ["default", "b"]);
			const where = line === undefined ? "/own/a.json" : `/own/a.json, line ${line}`;
			const joint = /^(toolAllowlist|displayName|tools)/.test(problem) ? ", " : ": ";
			assert.deepEqual([broken.length, broken[0]?.problem, broken[0]?.line], [1, `${where}${joint}${problem}`, line]);
		});
	}

	it("reads files with a byte order mark, Windows line ends, comments and commas too many", async () => {
		const whole = '\uFEFF{\r\n\t// mine\r\n\t"agentId": "a",\r\n\t"displayName": "A", /* so */\r\n\t"toolAllowlist": ["x",],\r\n}\r\n';
		const found = await whatBecomesOf({ files: [file("/own/a.json", whole)] }, "a");
		assert.deepEqual("definition" in found && found.definition, agent("a", { toolAllowlist: ["x"] }));
	});

	it("takes 500 agents, and two files with the same one take nothing else down", async () => {
		const files = Array.from({ length: 500 }, (_, index) =>
			file(`/own/${index}.json`, agent(`a${index % 499}`, { toolAllowlist: [`t${index}_*`] })),
		);
		const { agents, broken } = await catalogOf({ files });
		assert.deepEqual([agents.length, broken.length], [500, 1]);
	});

	it("names roles that do not exist", async () => {
		const found = await whatBecomesOf({ settings: [agent("a", { roles: ["planner", "x"], defaultRole: "y" })] }, "a");
		assert.deepEqual("notes" in found && found.notes, ["Role not found: x, y."]);
	});
});

describe("what a workspace brings", () => {
	it("waits with all there is to see until its content is approved", async () => {
		const before = JSON.stringify(agent("a"));
		const text = JSON.stringify(agent("a", { extends: "mine", toolAllowlist: ["read_file"] }));
		const workspace = [{ ...brought(".troupe/agents/a.json", text, "changed"), approvedText: before }];
		const { agents, waiting, broken } = await catalogOf({ settings: [agent("mine", { model: "x/y" })], workspace });
		assert.deepEqual([ids(agents), broken], [["default", "mine"], []]);
		assert.deepEqual(waiting, [
			{
				label: "a",
				notes: [],
				source: { kind: "workspace", path: ".troupe/agents/a.json", format: "troupe" },
				hash: workspace[0]?.hash,
				text,
				definition: agent("a", { extends: "mine", model: "x/y", toolAllowlist: ["read_file"] }),
				changed: true,
				approved: before,
			},
		]);
	});

	it("cannot approve tools", async () => {
		const workspace = [brought(".troupe/agents/a.json", agent("a", { allowedTools: ["execute_command(npm test)"] }))];
		const found = await whatBecomesOf({ workspace }, "a");
		assert.deepEqual("definition" in found && [found.definition, found.notes], [
			agent("a"),
			["allowedTools is ignored in workspace agents. Only your own agents can list approved tools."],
		]);
	});

	it("is bounded in number, and what is left out says so", async () => {
		const many = (from: number) => ({ agents: Array.from({ length: 300 }, (_, index) => agent(`w${from + index}`)) });
		const workspace = [0, 300, 600].map((from) => brought(`.troupe/agents/${from}.json`, many(from)));
		const { agents, broken } = await catalogOf({ workspace });
		const problem = ".troupe/agents/300.json: The workspace has more than 500 agents; this file and later files are ignored";
		assert.deepEqual([agents.length, broken.map((one) => one.problem)], [301, [problem]]);
	});

	it("does not have an id before it is approved, if another one is", async () => {
		const workspace = [brought(".troupe/agents/1.json", agent("a"), "new"), brought(".troupe/agents/2.json", agent("a", { icon: "bug" }))];
		const { agents, waiting, broken } = await catalogOf({ workspace });
		assert.deepEqual([agents.at(-1)?.definition.icon, waiting.length, broken.length], ["bug", 0, 1]);
	});
});
