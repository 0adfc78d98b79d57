// Background tasks on disk: their record, and one that can't be read.
import assert from "node:assert/strict";
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StorageError } from "../../../src/core/ports/sessions.ts";
import type { TaskRecord } from "../../../src/core/task.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { CREATED, cleanUp, newFolder, openStore, summary, taskRecord, taskSummary, userEvent } from "./support.ts";

const folderOfTask = (root: string, id: string) => join(root, "tasks", nameFolder(id));
const recordPath = (root: string, id: string) => join(folderOfTask(root, id), "task.json");

describe("a task on disk", () => {
	cleanUp();

	it("has its record in task.json, which lists and a single look show, also in the next window", async () => {
		const root = await newFolder();
		const store = openStore(root);
		const task = taskRecord("waiting", "talk", { copied: true, released: true, reflected: true });
		const caller = { ...task.caller, above: ["first"], budget: { id: "t0", tokens: -3.5 }, approval: "edits" as const };
		const resumed = { ...caller, session: "other", call: "c9" };
		await store.create(taskSummary("work", { ...task, caller, resumed }, { name: "Slow tests" }));
		assert.deepEqual(await readdir(folderOfTask(root, "work")), ["task.json"]);
		for (const window of [store, openStore(root)]) {
			const [found] = await window.list("task");
			assert.deepEqual([found?.name, found?.kind, found?.task], ["Slow tests", "task", { ...task, caller, resumed }]);
			assert.deepEqual(await window.find("work"), found);
		}
		assert.equal(await store.find("other"), undefined);
	});

	it("changes its record as a whole, and keeps what else another window has changed", async () => {
		const root = await newFolder();
		const [one, two] = [openStore(root), openStore(root)];
		await one.create(taskSummary("work", taskRecord("running", "talk", { copied: true })));
		await one.list("task");
		await two.update("work", { name: "Renamed" });
		const next = taskRecord("done", "talk", { spent: { steps: 9, tokens: 10, minutes: 1 } });
		await one.update("work", { task: next });
		const found = await two.find("work");
		assert.deepEqual([found?.name, found?.task], ["Renamed", next]);
	});

	it("is not created without a record, or changed to an invalid one; nothing of it is then on disk or lost", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await assert.rejects(store.create(summary("work", { kind: "task" })), StorageError);
		assert.deepEqual(await store.list("task"), []);
		await store.create(taskSummary("work"));
		const invalid = { ...taskRecord(), state: "paused" } as unknown as TaskRecord;
		await assert.rejects(store.update("work", { task: invalid }), StorageError);
		await assert.rejects(store.update("work", { task: undefined }), StorageError);
		assert.deepEqual((await store.find("work"))?.task, taskRecord());
	});

	it("gives a session no record, whatever its file says", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("talk"));
		await store.update("talk", { task: taskRecord() });
		const path = join(root, "sessions", nameFolder("talk"), "session.json");
		const given = JSON.parse(await readFile(path, "utf8")) as object;
		await writeFile(path, JSON.stringify({ ...given, task: taskRecord() }));
		assert.deepEqual([(await store.find("talk"))?.task, await store.pendingTasks()], [undefined, []]);
	});

	it("is owned by one window, and takes messages of the others", async () => {
		const root = await newFolder();
		const [one, two] = [openStore(root), openStore(root)];
		await one.create(taskSummary("work"));
		assert.deepEqual([await one.own("work"), await two.own("work")], [true, false]);
		await two.post("work", { id: "m1", at: CREATED, from: {}, message: { text: "also look here" } });
		assert.deepEqual(
			(await one.inbox("work")).map(({ id }) => id),
			["m1"],
		);
		await one.release("work");
		assert.equal(await two.own("work"), true);
	});
});

describe("a task whose record can't be read", () => {
	cleanUp();

	const forged: Record<string, (record: Record<string, unknown>) => unknown> = {
		"a state that there is not": (record) => ({ ...record, state: "paused" }),
		"a permission that there is not": (record) => ({ ...record, ceiling: ["ReadFiles", "Everything"] }),
		"no ceiling": ({ ceiling: _, ...record }) => record,
		"a negative budget": (record) => ({ ...record, budget: { steps: -1, tokens: 1, minutes: 1 } }),
		"a budget without an end": (record) => ({ ...record, budget: { steps: "Infinity", tokens: 1, minutes: 1 } }),
		"a copy that is a word": (record) => ({ ...record, copied: "no" }),
		"no caller": ({ caller: _, ...record }) => record,
		"a caller above which is no list": (record) => ({ ...record, caller: { ...(record["caller"] as object), above: "first" } }),
		"a caller with an approval mode that there is not": (record) => ({
			...record,
			caller: { ...(record["caller"] as object), approval: "all" },
		}),
		"a list in its place": () => [],
	};
	for (const [what, forge] of Object.entries(forged)) {
		it(`reads as interrupted, without permissions: ${what}`, async () => {
			const root = await newFolder();
			const store = openStore(root);
			await store.create(taskSummary("work", taskRecord("running"), { name: "Slow tests", attributes: { kept: 1 } }));
			await store.append("work", userEvent(1, "find out why"));
			const path = recordPath(root, "work");
			const given = JSON.parse(await readFile(path, "utf8")) as { task: Record<string, unknown> };
			await writeFile(path, JSON.stringify({ ...given, task: forge(given.task) }));
			for (const window of [store, openStore(root)]) {
				const [found] = await window.list("task");
				assert.deepEqual(
					[found?.task?.state, found?.task?.ceiling, found?.task?.caller.ceiling, found?.task?.budget.steps, found?.task?.copied],
					["interrupted", [], [], 0, true],
				);
				assert.deepEqual([found?.name, found?.attributes, found?.lastSnippet], ["Slow tests", { kept: 1 }, "find out why"]);
				assert.equal((await window.identity("work"))?.role, "planner");
				assert.deepEqual(await window.pendingTasks(), []);
			}
		});
	}

	it("stays where it belongs if its caller is readable, and its file is set aside when it is changed", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(taskSummary("work", taskRecord("running", "talk"), { name: "Slow tests" }));
		const path = recordPath(root, "work");
		const given = (await readFile(path, "utf8")).replace('"running"', '"going"');
		await writeFile(path, given);
		assert.equal((await store.find("work"))?.task?.caller.session, "talk");
		await store.update("work", { name: "Renamed" });
		const found = await openStore(root).find("work");
		assert.deepEqual([found?.name, found?.task?.state, found?.task?.caller.session], ["Renamed", "interrupted", "talk"]);
		assert.equal(await readFile(`${path}.corrupt`, "utf8"), given);
	});

	for (const [what, damage] of [
		["is half a file", (path: string) => writeFile(path, '{"agentId": "task-gen')],
		["is empty", (path: string) => writeFile(path, "")],
		["is gone", (path: string) => rm(path)],
	] as const) {
		it(`because its file ${what} has its messages, and nothing of it runs`, async () => {
			const root = await newFolder();
			const store = openStore(root);
			await store.create(taskSummary("work"));
			await store.append("work", userEvent(1, "find out why"));
			await damage(recordPath(root, "work"));
			const [found] = await store.list("task");
			assert.deepEqual([found?.task?.state, found?.task?.ceiling, found?.lastSnippet], ["interrupted", [], "find out why"]);
			assert.deepEqual([await store.pendingTasks(), (await store.read("work")).events.length], [[], 1]);
		});
	}
});

describe("deleting a session with its tasks", () => {
	cleanUp();

	it("deletes nothing if another window has one of them", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("talk"));
		for (const id of ["one", "two"]) await store.create(taskSummary(id, taskRecord("done")));
		const other = openStore(root);
		await other.own("two");
		await assert.rejects(store.delete("talk", ["one", "two"]), (error) => error instanceof StorageError && error.code === "EBUSY");
		assert.deepEqual([(await store.list()).length, (await store.list("task")).length], [1, 2]);
		await other.release("two");
		await store.delete("talk", ["one", "two"]);
		assert.deepEqual(await Promise.all(["sessions", "tasks"].map((name) => readdir(join(root, name)))), [[], []]);
	});
});
