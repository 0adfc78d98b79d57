// The agents of a workspace over real files: what a person approves, and how long it counts.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { rmSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { createWorkspaceAgents } from "../../../src/storage/agents/workspaceAgents.ts";
import { closeTestRegistries, ids, openTestRegistry } from "./testRegistry.ts";

describe("the agents of a workspace", () => {
	afterEach(closeTestRegistries);

	const reviewer = '{ "agentId": "reviewer", "displayName": "Reviewer" }\n';

	it("count once their content is approved, and not one byte longer", async () => {
		const app = await openTestRegistry();
		const path = app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await app.registry.refresh();
		const [waiting] = app.registry.catalog().waiting;
		assert.deepEqual([ids(app), waiting?.text, waiting?.changed], [["default"], reviewer, false]);
		await app.registry.approve(path, waiting?.hash ?? "");
		assert.deepEqual(ids(app), ["default", "reviewer"]);
		assert.deepEqual(ids({ registry: await app.open() }), ["default", "reviewer"]);
		const draft = { displayName: "Mine", extends: "reviewer" };
		await assert.rejects(app.registry.create(draft), /^(Error: )?.*extends: /);

		app.put("workspace/.troupe/agents/reviewer.json", `${reviewer} `);
		await app.registry.refresh();
		const [changed] = app.registry.catalog().waiting;
		assert.deepEqual([ids(app), changed?.changed, changed?.approved], [["default"], true, reviewer]);
		app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await app.registry.refresh();
		assert.deepEqual(ids(app), ["default", "reviewer"]);
		await app.registry.disapprove(path);
		assert.deepEqual([ids(app), app.registry.catalog().waiting[0]?.changed], [["default"], false]);
	});

	it("are not approved where the file has changed since it was shown", async () => {
		const app = await openTestRegistry();
		const path = app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await app.registry.refresh();
		const { hash = "" } = app.registry.catalog().waiting[0] ?? {};
		app.put("workspace/.troupe/agents/reviewer.json", reviewer.replace("Reviewer", "Wrecker"));
		await assert.rejects(app.registry.approve(path, hash), /\.troupe\/agents\/reviewer\.json has changed since it was shown/);
		assert.deepEqual([ids(app), app.registry.catalog().waiting[0]?.definition.displayName], [["default"], "Wrecker"]);
		await assert.rejects(app.registry.approve("/etc/passwd", hash), /not in this workspace/);
	});

	it("are approved by path: the same content elsewhere waits", async () => {
		const app = await openTestRegistry();
		const path = app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		await app.registry.refresh();
		await app.registry.approve(path, app.registry.catalog().waiting[0]?.hash ?? "");
		rmSync(path);
		app.put("workspace/.troupe/agents/other.json", reviewer);
		await app.registry.refresh();
		assert.deepEqual([ids(app), app.registry.catalog().waiting.length], [["default"], 1]);
	});

	it("keep what was approved of each, to show what has changed of it since", async () => {
		const app = await openTestRegistry();
		for (const name of ["one", "two"]) {
			const path = app.put(`workspace/.troupe/agents/${name}.json`, reviewer.replace("reviewer", name));
			await app.registry.refresh();
			const { waiting } = app.registry.catalog();
			await app.registry.approve(path, waiting[0]?.hash ?? "");
		}
		assert.deepEqual(ids(app), ["default", "one", "two"]);
		app.put("workspace/.troupe/agents/one.json", '{ "agentId": "one", "displayName": "Wrecker" }\n');
		await app.registry.refresh();
		assert.equal(app.registry.catalog().waiting[0]?.approved, reviewer.replace("reviewer", "one"));
	});

	it("are approved for their folder: the same file in another one waits", async () => {
		const app = await openTestRegistry();
		const path = app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		app.put("second/.troupe/agents/reviewer.json", reviewer);
		const second = join(dirname(app.folder), "second");
		await app.registry.refresh();
		await app.registry.approve(path, app.registry.catalog().waiting[0]?.hash ?? "");
		const states = (await createWorkspaceAgents(app.shared, () => [app.folder, second]).read()).map(({ state }) => state);
		assert.deepEqual(states, ["approved", "new"]);
	});

	it("are not read in Restricted Mode, nor through links that lead out, nor what is no file", async () => {
		const app = await openTestRegistry();
		const path = app.put("workspace/.troupe/agents/reviewer.json", reviewer);
		app.put("elsewhere/spy.json", reviewer.replace("reviewer", "spy"));
		symlinkSync(join(dirname(app.folder), "elsewhere", "spy.json"), join(dirname(path), "spy.json"));
		await app.registry.refresh();
		await app.registry.approve(path, app.registry.catalog().waiting[0]?.hash ?? "");
		app.put("workspace-else/neighbor.json", reviewer.replace("reviewer", "neighbor"));
		symlinkSync(join(`${app.folder}-else`, "neighbor.json"), join(dirname(path), "neighbor.json"));
		execFileSync("mkfifo", [join(dirname(path), "pipe.json")]);
		await app.registry.refresh();
		const refused = app.registry.catalog().broken.map(({ problem }) => problem.split(": ")[0]);
		assert.deepEqual(
			refused,
			["neighbor", "pipe", "spy"].map((name) => `workspace/.troupe/agents/${name}.json`),
		);
		app.trusted = false;
		await app.registry.refresh();
		assert.deepEqual([ids(app), app.registry.catalog().broken, app.registry.catalog().waiting], [["default"], [], []]);
	});

	it("are read from where other programs have theirs", async () => {
		const app = await openTestRegistry();
		app.put("workspace/.github/agents/a.agent.md", "---\nname: A\n---\nBe brief.");
		app.put("workspace/.github/agents/notes.md", "No agent.");
		app.put("workspace/.claude/agents/b.md", "---\nname: b\ntools: Read\n---\nBe brief.");
		await app.registry.refresh();
		const { waiting, broken } = app.registry.catalog();
		assert.deepEqual(
			[waiting.map(({ definition, source }) => `${definition.agentId} ${source.format}`), broken],
			[["a github", "b claude"], []],
		);
	});
});
