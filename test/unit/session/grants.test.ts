// Standing approvals over real files: what counts, where it stands, and what ends it. Two keepers are two windows.
import assert from "node:assert/strict";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Grantable } from "../../../src/core/ports/gate.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { type Grants, withGrantCleanup } from "../../../src/session/state/grants.ts";
import { fixedRegistry } from "../../fakes/fixedRegistry.ts";
import { AT, allow, counts, edits, gitAdd, npmTest, outside, rows, sweep, world } from "./grantsFixture.ts";

describe("standing approvals", () => {
	after(sweep);

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

		it("stand for the tasks of a type that is still defined", async () => {
			const grants = world().window();
			await allow(grants, "task-general", npmTest());
			assert.equal(await counts(grants, "task-general", npmTest()), true);
			assert.equal(await counts(grants, "task-explore", npmTest()), false);
			await assert.rejects(allow(grants, "task-unknown", npmTest()), /no longer defined/);
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
				(await rows(grants))
					.filter(({ unreadable }) => !unreadable)
					.map(({ ended }) => /it's unknown what this entry allowed/.test(ended ?? "")),
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

	it("go with their agent, and are listed as ended where its definition went without a word", async () => {
		const made = world();
		made.define("mine", "file");
		const grants = made.window();
		await allow(grants, "mine", edits);
		await allow(grants, "default", edits);
		const removed: string[] = [];
		const registry = withGrantCleanup({ ...fixedRegistry(() => []), remove: async (id) => void removed.push(id) }, grants);
		const listed = made.agents.splice(1, 1);
		assert.equal(await counts(grants, "mine", edits), false);
		await assert.rejects(allow(grants, "mine", edits), /no longer defined/);
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
		await allow(grants, "default", { ...npmTest(), bound: ["package.json"] });
		await allow(grants, "default", { ...npmTest(), class: "deno task x", line: true, bound: ["/usr/bin/deno"] });
		await allow(grants, "mine", outside("d1"));
		await allow(grants, "mine", { tool: "web_fetch", class: "https://example.org" });
		await allow(grants, "theirs", edits);
		const told = (await rows(grants)).map(({ agent, entry, place, sentence, ended }) => ({ agent, entry, place, sentence, ended }));
		const since = new Date(AT).toLocaleString("en");
		const row = (agent: string, entry: string, sentence: string) => ({
			agent,
			entry,
			place: "in this workspace",
			sentence: `Approved on ${since}. ${sentence}`,
			ended: undefined,
		});
		assert.deepEqual(told, [
			row("DEFAULT", "execute_command(npm test)", "Allows npm test in this workspace until its definition in package.json changes."),
			row(
				"DEFAULT",
				"execute_command(deno task x)",
				"Allows only this exact command in this workspace until /usr/bin/deno changes: deno task x",
			),
			row("MINE", "mcp__x__y", "Allows mcp__x__y in this workspace until its definition changes."),
			row("MINE", "web_fetch(https://example.org)", "Allows fetching from https://example.org in this workspace."),
			row(
				"THEIRS",
				"update_file",
				"Allows this agent to edit files in this workspace, except protected ones. Ends when the workspace file that defines the agent changes.",
			),
		]);
		const away = await rows(made.window("office"), "h1", "office");
		assert.deepEqual(
			away.map(({ elsewhere }) => elsewhere),
			[true, true, true, true, true],
		);
		assert.equal(away[0]?.place, "in the workspace folder of shop");
		assert.match(away[0]?.sentence ?? "", /Allows npm test until its definition in package\.json changes\.$/);
		made.agents.splice(2, 1);
		assert.match((await rows(grants)).at(-1)?.ended ?? "", /The agent is no longer defined/);
	});
});
