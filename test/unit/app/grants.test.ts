// Standing approvals over real files: what counts, where it stands, and what ends it. Two keepers are two windows.
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { grantRows } from "../../../src/app/grantRows.ts";
import { createGrants, type Grants, withGrants } from "../../../src/app/grants.ts";
import type { AgentSource, ListedAgent } from "../../../src/core/agents.ts";
import type { Grantable } from "../../../src/core/gate.ts";
import type { AgentDefinition } from "../../../src/core/permissions.ts";
import { neverGranted } from "../../../src/gate/grants.ts";
import { createGrantLists } from "../../../src/storage/grantLists.ts";
import { createGrantStore } from "../../../src/storage/grants.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";

const AT = "2026-01-01T00:00:00.000Z";
const npmTest = (scriptsHash = "h1"): Grantable => ({ tool: "execute_command", class: "npm test", scriptsHash });
const gitAdd: Grantable = { tool: "execute_command", class: "git add" };
const edits: Grantable = { tool: "update_file", class: "update_file" };
const outside = (hash: string): Grantable => ({ tool: "mcp__x__y", class: hash, external: true });

interface World {
	folder: string;
	agents: ListedAgent[];
	/** A window with that workspace open; `around` is done before or after its next look into a list. */
	window(workspace?: string, around?: { before?(): Promise<void>; after?(): Promise<void> }): Grants;
	write(name: string, value: unknown): void;
	read(name: string): unknown;
	define(agentId: string, kind: AgentSource["kind"], more?: Partial<AgentDefinition>): void;
}

const folders: string[] = [];

function world(): World {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-grants-")));
	folders.push(folder);
	mkdirSync(join(folder, "agents"));
	const agents: ListedAgent[] = [];
	const path = (name: string) => join(folder, name);
	const sourceOf = (agentId: string, kind: AgentSource["kind"]): AgentSource => {
		if (kind === "settings") return { kind, index: 0 };
		if (kind === "file") return { kind, path: path(`agents/${agentId}.json`) };
		return kind === "workspace" ? { kind, path: "x.json", format: "troupe" } : { kind };
	};
	const made: World = {
		folder,
		agents,
		window: (workspace = "shop", around = {}) => {
			const lists = createGrantLists(join(folder, "agents"));
			return createGrants({
				records: createGrantStore(folder),
				lists: {
					...lists,
					async read(list) {
						await around.before?.();
						const entries = await lists.read(list);
						await around.after?.();
						return entries;
					},
				},
				registry: { catalog: () => ({ agents, broken: [], waiting: [] }) },
				gate: { neverGranted },
				tools: builtinTools(),
				workspace: { identity: () => workspace, folders: () => [{ name: `folder of ${workspace}` }] },
				now: () => new Date(AT),
				log: () => undefined,
			});
		},
		write: (name, value) => writeFileSync(path(name), typeof value === "string" ? value : JSON.stringify(value)),
		read: (name) => JSON.parse(readFileSync(path(name), "utf8")) as unknown,
		define(agentId, kind, more = {}) {
			const at = agents.findIndex(({ definition }) => definition.agentId === agentId);
			const listed = { definition: { agentId, displayName: agentId.toUpperCase(), ...more }, source: sourceOf(agentId, kind), notes: [] };
			agents.splice(at < 0 ? agents.length : at, at < 0 ? 0 : 1, listed);
			const file = `agents/${agentId}.json`;
			if (kind === "file" && !existsSync(path(file))) made.write(file, { ...listed.definition });
		},
	};
	made.define("default", "builtin");
	return made;
}

/** What "Always allow" does. */
const allow = (grants: Grants, agent: string, one: Grantable, workspace = "shop") => grants.add({ ...one, agent, workspace, at: AT });

/** Whether the gate would let it pass: same class and, where it has one, same hash. */
async function counts(grants: Grants, agent: string, one: Grantable): Promise<boolean> {
	const found = await grants.counting(agent, [one]);
	return found.some((grant) => grant.class === one.class && grant.scriptsHash === one.scriptsHash && grant.tool === one.tool);
}

const rows = (grants: Grants, scripts: string | undefined = "h1", workspace = "shop") =>
	grantRows({ grants, workspace: () => workspace, scripts: async () => scripts });

describe("standing approvals", () => {
	after(() => {
		for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
	});

	describe("given by “Always allow”", () => {
		it("stand in the agent's file, in the preferences for the default agent, and beside nothing for agents of settings and workspaces", async () => {
			const made = world();
			made.define("mine", "file");
			made.define("set", "settings");
			made.define("theirs", "workspace");
			const grants = made.window();
			for (const agent of ["default", "mine", "set", "theirs"]) {
				for (const one of [npmTest(), edits, outside("d1"), { tool: "web_fetch", class: "https://example.org" }])
					await allow(grants, agent, one);
				assert.equal(await counts(grants, agent, npmTest()), true, agent);
			}
			const entries = ["execute_command(npm test)", "update_file", "mcp__x__y", "web_fetch(https://example.org)"];
			assert.deepEqual(made.read("agents/mine.json"), { agentId: "mine", displayName: "MINE", allowedTools: entries });
			assert.deepEqual(made.read("agents/_preferences.json"), { defaultAgentAllowedTools: entries });
			assert.equal((made.read("grants.json") as unknown[]).length, 16);
		});

		it("count for that agent, tool, class, workspace and hash alone", async () => {
			const made = world();
			made.define("mine", "file");
			made.define("other", "file");
			const grants = made.window();
			await allow(grants, "mine", npmTest());
			await allow(grants, "mine", outside("d1"));
			assert.equal(await counts(grants, "mine", npmTest()), true);
			assert.equal(await counts(grants, "mine", npmTest("h2")), false);
			assert.equal(await counts(grants, "mine", gitAdd), false);
			assert.equal(await counts(grants, "other", npmTest()), false);
			assert.equal(await counts(made.window("office"), "mine", npmTest()), false);
			assert.equal(await counts(made.window("office"), "mine", outside("d1")), false);
			assert.equal(await counts(grants, "mine", outside("d2")), false);
		});

		it("end everywhere at once when the entry leaves the file by hand, and do not come back with a later one elsewhere", async () => {
			const made = world();
			made.define("mine", "file");
			const [shop, office] = [made.window("shop"), made.window("office")];
			await allow(shop, "mine", gitAdd, "shop");
			await allow(office, "mine", gitAdd, "office");
			made.write("agents/mine.json", { agentId: "mine", displayName: "MINE", allowedTools: [] });
			assert.deepEqual([await counts(shop, "mine", gitAdd), await counts(office, "mine", gitAdd)], [false, false]);
			await allow(office, "mine", gitAdd, "office");
			assert.deepEqual([await counts(shop, "mine", gitAdd), await counts(office, "mine", gitAdd)], [false, true]);
		});

		it("are taken back in one workspace or in all, and the entry stays as long as any is left", async () => {
			const made = world();
			made.define("mine", "file");
			const [shop, office] = [made.window("shop"), made.window("office")];
			await allow(shop, "mine", gitAdd, "shop");
			await allow(office, "mine", gitAdd, "office");
			await shop.revoke("mine", "execute_command(git add)", "shop");
			assert.deepEqual([await counts(shop, "mine", gitAdd), await counts(office, "mine", gitAdd)], [false, true]);
			await shop.revoke("mine", "execute_command(git add)", "office");
			assert.equal(await counts(office, "mine", gitAdd), false);
			assert.deepEqual((made.read("agents/mine.json") as AgentDefinition).allowedTools, []);
			assert.deepEqual(made.read("grants.json"), []);
		});

		it("are never taken for an entry of the person's own, while another window gives them or takes them back", async () => {
			const made = world();
			made.define("mine", "file");
			const office = made.window("office");
			const giving = made.window("shop", { before: () => allow(office, "mine", gitAdd, "office") });
			assert.equal(await counts(giving, "mine", gitAdd), false);
			const entry = "execute_command(git add)";
			const taking = made.window("shop", { after: () => office.revoke("mine", entry) });
			assert.equal(await counts(taking, "mine", gitAdd), false);
			assert.deepEqual([made.read("grants.json"), await office.kept().then((all) => all.flatMap(({ entries }) => entries))], [[], []]);
		});

		it("without their record, or with their record and no entry, are worth nothing more than before", async () => {
			const made = world();
			made.define("mine", "file");
			const grants = made.window();
			await allow(grants, "mine", npmTest());
			await allow(grants, "mine", gitAdd);
			const before = readFileSync(join(made.folder, "agents/mine.json"), "utf8");
			for (const text of ["", "[", '[{"agent":1}]', before]) {
				made.write("grants.json", text);
				assert.equal(await counts(made.window(), "mine", npmTest()), false);
				assert.equal(await counts(made.window("office"), "mine", gitAdd), false);
				assert.equal(await counts(grants, "mine", gitAdd), false);
			}
			assert.deepEqual(
				(await rows(grants)).map(({ ended }) => /were damaged/.test(ended ?? "")),
				[true, true],
			);
			await allow(grants, "mine", gitAdd);
			assert.deepEqual([await counts(grants, "mine", gitAdd), await counts(grants, "mine", npmTest())], [true, false]);
			made.write("agents/mine.json", before.slice(0, -20));
			assert.equal(await counts(grants, "mine", gitAdd), false);
		});

		it("of an agent that a workspace defines end with the definition they were given to", async () => {
			const made = world();
			made.define("theirs", "workspace", { systemPrompt: "Review." });
			const grants = made.window();
			await allow(grants, "theirs", edits);
			assert.equal(await counts(grants, "theirs", edits), true);
			made.define("theirs", "workspace", { systemPrompt: "Review, and send it to me." });
			assert.equal(await counts(grants, "theirs", edits), false);
			assert.match((await rows(grants))[0]?.ended ?? "", /definition has changed/);
			made.define("theirs", "file");
			assert.equal(await counts(grants, "theirs", edits), false);
		});

		it("given by several windows at once are all kept, five hundred of them too", async () => {
			const made = world();
			made.define("mine", "file");
			const windows = [made.window("one"), made.window("two"), made.window("three")];
			await Promise.all(windows.map((grants, index) => allow(grants, "mine", { tool: "execute_command", class: `git a${index}` }, "one")));
			const one = windows[0] as Grants;
			for (let index = 0; index < 3; index++)
				assert.equal(await counts(one, "mine", { tool: "execute_command", class: `git a${index}` }), true);
			const many = Array.from({ length: 500 }, (_, index) => ({ tool: "execute_command", class: `prog${index}` }));
			made.write("agents/mine.json", {
				agentId: "mine",
				displayName: "MINE",
				allowedTools: many.map(({ class: name }) => `execute_command(${name})`),
			});
			made.write(
				"grants.json",
				many.map((grant) => ({ ...grant, agent: "mine", workspace: "one", at: AT, listed: true })),
			);
			assert.equal(await counts(one, "mine", many[499] as Grantable), true);
			assert.equal(await counts(windows[1] as Grants, "mine", many[499] as Grantable), false);
			assert.equal((await rows(one)).length, 500);
		});
	});

	describe("that a person writes into a list", () => {
		it("count in every workspace, and say what a record alone would", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["update_file", "execute_command( git   add )", "web_fetch(https://example.org)"] });
			made.define("set", "settings", { allowedTools: ["update_file"] });
			made.write("agents/_preferences.json", { defaultAgentAllowedTools: ["update_file"] });
			for (const workspace of ["shop", "office"]) {
				const grants = made.window(workspace);
				for (const agent of ["mine", "set", "default"]) assert.equal(await counts(grants, agent, edits), true, agent);
				assert.equal(await counts(grants, "mine", gitAdd), true);
				assert.equal(await counts(grants, "mine", { tool: "web_fetch", class: "https://example.org" }), true);
				assert.equal(await counts(grants, "mine", { tool: "web_fetch", class: "https://example.org:444" }), false);
				assert.equal(await counts(grants, "set", gitAdd), false);
			}
		});

		it("count for nothing in a workspace's definition", async () => {
			const made = world();
			made.define("theirs", "workspace", { allowedTools: ["update_file", "mcp__x__y"] });
			const grants = made.window();
			assert.deepEqual([await counts(grants, "theirs", edits), await counts(grants, "theirs", outside("d"))], [false, false]);
			assert.deepEqual(await rows(grants), []);
		});

		it("mean the definition that was first seen, before any call, and nothing after it (S-41)", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["mcp__x__y"] });
			const tool = (definitionHash: string) =>
				({ ...builtinTools()[0], name: "mcp__x__y", external: { definitionHash, readOnly: false } }) as ReturnType<
					typeof builtinTools
				>[number];
			await made.window().see("mine", [tool("d1")]);
			assert.equal(await counts(made.window("office"), "mine", outside("d2")), false);
			assert.equal(await counts(made.window("office"), "mine", outside("d1")), true);
			const grants = made.window();
			await grants.see("mine", [tool("d2")]);
			assert.match((await rows(grants))[0]?.ended ?? "", /definition has changed/);
			await allow(grants, "mine", outside("d2"));
			assert.deepEqual([await counts(grants, "mine", outside("d2")), await counts(grants, "mine", outside("d1"))], [true, false]);
			assert.equal(await counts(made.window("office"), "mine", outside("d2")), true);
			assert.deepEqual((made.read("agents/mine.json") as AgentDefinition).allowedTools, ["mcp__x__y"]);
		});

		it("mean the scripts that each workspace had when they were first met (S-07)", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["execute_command(npm test)"] });
			const [shop, office] = [made.window("shop"), made.window("office")];
			assert.equal(await counts(shop, "mine", npmTest("h1")), true);
			assert.equal(await counts(office, "mine", npmTest("h9")), true);
			assert.equal(await counts(shop, "mine", npmTest("h2")), false);
			assert.match((await rows(shop, "h2"))[0]?.ended ?? "", /scripts in package\.json have changed/);
			await allow(shop, "mine", npmTest("h2"));
			assert.deepEqual([await counts(shop, "mine", npmTest("h2")), await counts(shop, "mine", npmTest("h1"))], [true, false]);
			assert.equal(await counts(office, "mine", npmTest("h9")), true);
		});

		it("are refused where no card would offer them, and the list and the agent's notes say why", async () => {
			const refused: Record<string, RegExp> = {
				execute_command: /never allowed all at once/,
				"execute_command(*)": /without wild cards/,
				"execute_command(node)": /ask each time/,
				"execute_command(bash)": /ask each time/,
				"execute_command(npm install)": /ask each time/,
				"execute_command(rm)": /ask each time/,
				"execute_command(curl)": /ask each time/,
				"execute_command(git add -A)": /names the program and its sub-command: git add/,
				delete_file: /Deleting always asks/,
				web_fetch: /names where it may go/,
				"web_fetch(*)": /names where it may go/,
				"web_fetch(https://example.org/path)": /names where it may go/,
				"update_file(src)": /write update_file alone/,
				"update_*": /written as tool or tool\(class\)/,
				"": /written as tool or tool\(class\)/,
				"update_file\nexecute_command": /written as tool or tool\(class\)/,
			};
			const made = world();
			made.define("mine", "file", { allowedTools: Object.keys(refused) });
			const grants = made.window();
			for (const one of [npmTest(), gitAdd, edits, { tool: "web_fetch", class: "https://example.org" }]) {
				assert.equal(await counts(grants, "mine", one), false);
			}
			const listed = await rows(grants);
			assert.deepEqual(
				listed.map(({ entry }) => entry),
				Object.keys(refused),
			);
			for (const row of listed) assert.match(row.ended ?? "", refused[row.entry] as RegExp, row.entry);
			const registry = withGrants(
				{ ...fixedRegistry(() => []), catalog: () => ({ agents: made.agents, broken: [], waiting: [] }) },
				grants,
			);
			const notes = registry.catalog().agents.find(({ definition }) => definition.agentId === "mine")?.notes ?? [];
			assert.equal(notes.length, Object.keys(refused).length);
			assert.match(notes[0] ?? "", /“execute_command” in its allowedTools does not count\. Commands are never allowed all at once/);
		});

		it("are taken back from the list as from the file; those of settings say where they stand", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["mcp__x__y", "nonsense(("] });
			made.define("set", "settings", { allowedTools: ["update_file"] });
			const grants = made.window();
			assert.equal(await counts(grants, "mine", outside("d1")), true);
			for (const row of await rows(grants)) if (!row.inSettings) await grants.revoke(row.agentId, row.entry, row.workspace);
			assert.deepEqual((made.read("agents/mine.json") as AgentDefinition).allowedTools, []);
			assert.deepEqual([made.read("grants.json"), await counts(grants, "mine", outside("d1"))], [[], false]);
			await assert.rejects(grants.revoke("set", "update_file"), /stands in troupe\.agents in your settings/);
			assert.equal(await counts(grants, "set", edits), true);
		});

		it("count for nothing where it cannot be kept what they stand for", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["mcp__x__y"] });
			mkdirSync(join(made.folder, "grants.json"));
			assert.equal(await counts(made.window(), "mine", outside("d1")), false);
		});

		it("count for nothing where they are taken out while it is kept what they stand for", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["mcp__x__y"] });
			let looks = 0;
			const grants = made.window("shop", {
				async before() {
					looks += 1;
					if (looks === 2) made.write("agents/mine.json", { agentId: "mine", displayName: "MINE" });
				},
			});
			assert.equal(await counts(grants, "mine", outside("d1")), false);
			assert.equal(looks, 2);
		});
	});

	it("go with their agent, and are listed as ended where its definition went without a word", async () => {
		const made = world();
		made.define("mine", "file");
		const grants = made.window();
		await allow(grants, "mine", edits);
		await allow(grants, "default", edits);
		const removed: string[] = [];
		const registry = withGrants({ ...fixedRegistry(() => []), remove: async (id) => void removed.push(id) }, grants);
		const listed = made.agents.splice(1, 1);
		assert.equal(await counts(grants, "mine", edits), false);
		await assert.rejects(allow(grants, "mine", edits), /not defined any more/);
		made.agents.push(...listed);
		rmSync(join(made.folder, "agents/mine.json"));
		assert.equal(await counts(grants, "mine", edits), false);
		made.agents.splice(1, 1);
		await registry.remove("mine");
		assert.deepEqual(removed, ["mine"]);
		assert.deepEqual(
			(made.read("grants.json") as { agent: string }[]).map(({ agent }) => agent),
			["default"],
			"an agent that comes to the same id later has none of them",
		);
		assert.deepEqual(
			(await rows(grants)).map(({ agentId }) => agentId),
			["default"],
		);
		await grants.forget("default");
		assert.deepEqual([made.read("grants.json"), made.read("agents/_preferences.json")], [[], { defaultAgentAllowedTools: [] }]);
	});

	it("are explained in a sentence each: what, for whom, where, since when, and what ends them", async () => {
		const made = world();
		made.define("mine", "file");
		made.define("theirs", "workspace");
		const grants = made.window();
		await allow(grants, "default", npmTest());
		await allow(grants, "mine", outside("d1"));
		await allow(grants, "mine", { tool: "web_fetch", class: "https://example.org" });
		await allow(grants, "theirs", edits);
		const told = (await rows(grants)).map(({ agent, entry, sentence, ended }) => ({ agent, entry, sentence, ended }));
		const since = new Date(AT).toLocaleString("en");
		const row = (agent: string, entry: string, sentence: string) => ({ agent, entry, sentence, ended: undefined });
		assert.deepEqual(told, [
			row(
				"DEFAULT",
				"execute_command(npm test)",
				`DEFAULT may run “npm test” in this workspace, since you allowed it on ${since}. It ends when the scripts in package.json change.`,
			),
			row(
				"MINE",
				"mcp__x__y",
				`MINE may use mcp__x__y in this workspace, since you allowed it on ${since}. It ends when the tool's definition changes.`,
			),
			row(
				"MINE",
				"web_fetch(https://example.org)",
				`MINE may fetch from https://example.org in this workspace, since you allowed it on ${since}.`,
			),
			row(
				"THEIRS",
				"update_file",
				`THEIRS may use update_file on any file that is not protected in this workspace, since you allowed it on ${since}. It ends when the workspace's file that defines the agent says something else.`,
			),
		]);
		const away = await rows(made.window("office"), "h1", "office");
		assert.deepEqual(
			away.map(({ elsewhere }) => elsewhere),
			[true, true, true, true],
		);
		assert.match(away[0]?.sentence ?? "", /in the workspace folder of shop/);
		made.agents.splice(2, 1);
		assert.match((await rows(grants)).at(-1)?.ended ?? "", /The agent is not defined any more/);
	});
});
