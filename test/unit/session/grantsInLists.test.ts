// Tests approvals that a user writes into their own list: which apply, and what is stored.
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { withGrantCleanup } from "../../../src/session/state/grants.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";
import { allow, counts, edits, gitAdd, npmTest, outside, rows, sweep, world } from "./grantsFixture.ts";

describe("standing approvals", () => {
	after(sweep);

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

		it("mean the definition that was first seen, before any call, and nothing after it", async () => {
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

		it("mean the scripts that each workspace had when they were first met", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["execute_command(npm test)"] });
			const [shop, office] = [made.window("shop"), made.window("office")];
			assert.equal(await counts(shop, "mine", npmTest("h1")), true);
			assert.equal(await counts(office, "mine", npmTest("h9")), true);
			assert.equal(await counts(shop, "mine", npmTest("h2")), false);
			assert.match((await rows(shop, "h2"))[0]?.ended ?? "", /^The command's definition has changed\.$/);
			await allow(shop, "mine", npmTest("h2"));
			assert.deepEqual([await counts(shop, "mine", npmTest("h2")), await counts(shop, "mine", npmTest("h1"))], [true, false]);
			assert.equal(await counts(office, "mine", npmTest("h9")), true);
		});

		it("are refused where no card would offer them, and the list and the agent's notes say why", async () => {
			const refused: Record<string, RegExp> = {
				execute_command: /can't approve all commands at once/,
				"execute_command(*)": /without wildcards/,
				"execute_command(node)": /require approval every time/,
				"execute_command(bash)": /require approval every time/,
				"execute_command(npm install)": /require approval every time/,
				"execute_command(rm)": /require approval every time/,
				"execute_command(curl)": /require approval every time/,
				"execute_command(git add -A)": /only the program and its subcommand: git add/,
				delete_file: /Deleting always requires approval/,
				web_fetch: /an allowed origin/,
				"web_fetch(*)": /an allowed origin/,
				"web_fetch(https://example.org/path)": /an allowed origin/,
				"update_file(src)": /Enter only update_file/,
				"update_*": /use the format tool or tool\(class\)/,
				"": /use the format tool or tool\(class\)/,
				"update_file\nexecute_command": /use the format tool or tool\(class\)/,
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
			const registry = withGrantCleanup(
				{ ...fixedRegistry(() => []), catalog: () => ({ agents: made.agents, tasks: [], broken: [], waiting: [] }) },
				grants,
			);
			const notes = registry.catalog().agents.find(({ definition }) => definition.agentId === "mine")?.notes ?? [];
			assert.equal(notes.length, Object.keys(refused).length);
			assert.match(notes[0] ?? "", /“execute_command” in allowedTools is ignored\. You can't approve all commands at once/);
		});

		it("that are said not to count let no line pass that reads the same", async () => {
			const made = world();
			made.define("mine", "file", { allowedTools: ["execute_command(frobnicate all)"] });
			const grants = made.window();
			assert.match((await rows(grants))[0]?.ended ?? "", /require approval every time/);
			const line = { tool: "execute_command", class: "frobnicate all", scriptsHash: "h1", bound: ["/usr/bin/frobnicate"], line: true };
			assert.equal(await counts(grants, "mine", line), false);
			await allow(grants, "mine", line);
			assert.equal(await counts(grants, "mine", line), true);
			assert.equal(await counts(made.window("office"), "mine", line), false);
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
			await assert.rejects(grants.revoke("set", "update_file"), /is defined in troupe\.agents in your settings/);
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
});
