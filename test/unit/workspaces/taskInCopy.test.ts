// Tests a background task that works in its own copy of the workspace, in the composed app.

import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDeferred } from "../../fakes/deferred.ts";
import { closeTestTasks, openTestTasks, spawning } from "../delegation/tasks/testTasks.ts";

describe("a task in a copy", () => {
	afterEach(closeTestTasks);

	it("works on the copy's files alone, under the copy's instructions", async function () {
		this.timeout(30_000);
		const { until, open } = createDeferred();
		const create = { name: "create_file", input: { path: "new.txt", content: "made\n" } };
		const read = { name: "read_file", input: { path: "a.txt" } };
		const { caller, app, model, state, event } = await openTestTasks(
			{
				caller: [spawning("build", { isolation: "always" }), { text: "It runs." }, { text: "I see." }],
				build: [{ calls: [create] }, { calls: [read], until }, { text: "Done." }],
			},
			{ files: { "a.txt": "one\n", "AGENTS.md": "Use tabs.\n" }, settings: { approval: "auto" } },
		);
		await caller.send("Build");
		const { sessionId } = await state("running");
		const { call } = await event(sessionId, "result");
		const task = await app.sessions.get(sessionId);
		const [folder] = task.workspace.folders();
		assert.equal(task.state.calls.get(call)?.result?.status, "ok", task.state.calls.get(call)?.result?.output);
		writeFileSync(join(app.folder, "a.txt"), "two\n");
		writeFileSync(join(app.folder, "AGENTS.md"), "Use spaces.\n");
		open();
		await state("done");
		await task.send("Once more.");
		const seen = [...task.state.calls.values()].find((one) => one.call.name === "read_file")?.result?.output ?? "";
		assert.match(seen, /one/);
		assert.equal(readFileSync(join(folder?.path ?? "", "new.txt"), "utf8"), "made\n");
		assert.equal(existsSync(join(app.folder, "new.txt")), false);
		const own = model.requests.filter(({ system }) => !system.includes("<caller>"));
		assert.ok(own.length > 0 && own.every(({ system }) => system.includes("Use tabs.")));
		assert.equal(JSON.stringify(own).includes("Use spaces"), false);
	});
});
