// The agents of a workspace over real files: what a person approves, and how long it counts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createWorkspaceAgents } from "../../../src/storage/agents/workspaceAgents.ts";
import { ids, stage, strike } from "./registryStage.ts";

describe("the agents of a workspace", () => {
	afterEach(strike);

	const reviewer = '{ "agentId": "reviewer", "displayName": "Reviewer" }\n';

	it("count once their content is approved, and not one byte longer", async () => {
		const house = await stage();
		const path = house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await house.registry.refresh();
		const [waiting] = house.registry.catalog().waiting;
		assert.deepEqual([ids(house), waiting?.text, waiting?.changed], [["default"], reviewer, false]);
		await house.registry.approve(path, waiting?.hash ?? "");
		assert.deepEqual(ids(house), ["default", "reviewer"]);
		assert.deepEqual(ids({ registry: await house.open() }), ["default", "reviewer"]);
		const draft = { displayName: "Mine", extends: "reviewer" };
		await assert.rejects(house.registry.create(draft), /^(Error: )?.*extends: /);

		house.put("workspace/.troupe/agents/reviewer.json", `${reviewer} `);
		await house.registry.refresh();
		const [changed] = house.registry.catalog().waiting;
		assert.deepEqual([ids(house), changed?.changed, changed?.approved], [["default"], true, reviewer]);
		house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await house.registry.refresh();
		assert.deepEqual(ids(house), ["default", "reviewer"]);
		await house.registry.disapprove(path);
		assert.deepEqual([ids(house), house.registry.catalog().waiting[0]?.changed], [["default"], false]);
	});

	it("are not approved where the file has changed since it was shown", async () => {
		const house = await stage();
		const path = house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await house.registry.refresh();
		const { hash = "" } = house.registry.catalog().waiting[0] ?? {};
		house.put("workspace/.troupe/agents/reviewer.json", reviewer.replace("Reviewer", "Wrecker"));
		await assert.rejects(house.registry.approve(path, hash), /\.troupe\/agents\/reviewer\.json has changed since it was shown/);
		assert.deepEqual([ids(house), house.registry.catalog().waiting[0]?.definition.displayName], [["default"], "Wrecker"]);
		await assert.rejects(house.registry.approve("/etc/passwd", hash), /not in this workspace/);
	});

	it("are approved by path: the same content elsewhere waits", async () => {
		const house = await stage();
		const path = house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await house.registry.refresh();
		await house.registry.approve(path, house.registry.catalog().waiting[0]?.hash ?? "");
		rmSync(path);
		house.put("workspace/.troupe/agents/other.json", reviewer);
		await house.registry.refresh();
		assert.deepEqual([ids(house), house.registry.catalog().waiting.length], [["default"], 1]);
	});

	it("keep what was approved of each, to show what has changed of it since", async () => {
		const house = await stage();
		for (const name of ["one", "two"]) {
			const path = house.put(`workspace/.troupe/agents/${name}.json`, reviewer.replace("reviewer", name));
			await house.registry.refresh();
			const { waiting } = house.registry.catalog();
			await house.registry.approve(path, waiting[0]?.hash ?? "");
		}
		assert.deepEqual(ids(house), ["default", "one", "two"]);
		house.put("workspace/.troupe/agents/one.json", '{ "agentId": "one", "displayName": "Wrecker" }\n');
		await house.registry.refresh();
		assert.equal(house.registry.catalog().waiting[0]?.approved, reviewer.replace("reviewer", "one"));
	});

	it("are approved for their folder: the same file in another one waits", async () => {
		const house = await stage();
		const path = house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		house.put("second/.troupe/agents/reviewer.json", reviewer);
		const second = join(dirname(house.folder), "second");
		await house.registry.refresh();
		await house.registry.approve(path, house.registry.catalog().waiting[0]?.hash ?? "");
		const states = (await createWorkspaceAgents(house.shared, () => [house.folder, second]).read()).map(({ state }) => state);
		assert.deepEqual(states, ["approved", "new"]);
	});

	it("are not read in Restricted Mode, nor through links that lead out, nor what is no file", async () => {
		const house = await stage();
		const path = house.put("workspace/.troupe/agents/reviewer.json", reviewer);
		house.put("elsewhere/spy.json", reviewer.replace("reviewer", "spy"));
		symlinkSync(join(dirname(house.folder), "elsewhere", "spy.json"), join(dirname(path), "spy.json"));
		await house.registry.refresh();
		await house.registry.approve(path, house.registry.catalog().waiting[0]?.hash ?? "");
		house.put("workspace-else/neighbor.json", reviewer.replace("reviewer", "neighbor"));
		symlinkSync(join(`${house.folder}-else`, "neighbor.json"), join(dirname(path), "neighbor.json"));
		execFileSync("mkfifo", [join(dirname(path), "pipe.json")]);
		await house.registry.refresh();
		const refused = house.registry.catalog().broken.map(({ problem }) => problem.split(": ")[0]);
		assert.deepEqual(
			refused,
			["neighbor", "pipe", "spy"].map((name) => `workspace/.troupe/agents/${name}.json`),
		);
		house.trusted = false;
		await house.registry.refresh();
		assert.deepEqual([ids(house), house.registry.catalog().broken, house.registry.catalog().waiting], [["default"], [], []]);
	});

	it("are read from where other programs have theirs", async () => {
		const house = await stage();
		house.put("workspace/.github/agents/a.agent.md", "---\nname: A\n---\nBe brief.");
		house.put("workspace/.github/agents/notes.md", "No agent.");
		house.put("workspace/.claude/agents/b.md", "---\nname: b\ntools: Read\n---\nBe brief.");
		await house.registry.refresh();
		const { waiting, broken } = house.registry.catalog();
		assert.deepEqual(
			[waiting.map(({ definition, source }) => `${definition.agentId} ${source.format}`), broken],
			[["a github", "b claude"], []],
		);
	});
});
