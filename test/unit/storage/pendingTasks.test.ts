// The background tasks that are not over: their list on disk, and what a crash between two writes leaves.
import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { TranscriptEvent } from "../../../src/core/events.ts";
import { isTaskOver, TASK_STATES } from "../../../src/core/task.ts";
import { nodeFileSystem, type StorageFileSystem } from "../../../src/storage/fileSystem.ts";
import { copiesFolder, nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import type { DiskSessionStore } from "../../../src/storage/sessions/sessionStore.ts";
import { hasWorkLeft, recordUnreviewedChanges } from "../../../src/storage/sessions/stateIndex.ts";
import { cleanUp, newFolder, openStore, smallState, summary, taskRecord, taskSummary, userEvent } from "./support.ts";

const pendingPath = (root: string) => join(root, "tasks", "pending.json");

async function pendingIds(store: DiskSessionStore): Promise<string[]> {
	return (await store.pendingTasks()).map(({ sessionId }) => sessionId).sort();
}

async function listed(root: string): Promise<string[]> {
	return (JSON.parse(await readFile(pendingPath(root), "utf8")) as { tasks: string[] }).tasks;
}

describe("the tasks that are not over", () => {
	cleanUp();

	it("are those that are queued, running or waiting, also after each change", async () => {
		const root = await newFolder();
		const store = openStore(root);
		for (const state of TASK_STATES) await store.create(taskSummary(`task-${state}`, taskRecord(state)));
		const pending = TASK_STATES.filter((state) => !isTaskOver(state));
		assert.deepEqual(await pendingIds(openStore(root)), pending.map((state) => `task-${state}`).sort());
		await store.update("task-running", { task: taskRecord("failed") });
		await store.update("task-done", { task: taskRecord("running") });
		const expected = ["task-done", "task-queued", "task-waiting"];
		assert.deepEqual([await pendingIds(openStore(root)), (await listed(root)).sort()], [expected, expected]);
		await store.delete("task-done");
		assert.deepEqual([await pendingIds(store), (await listed(root)).sort()], [expected.slice(1), expected.slice(1)]);
	});

	it("are read without opening the others", async () => {
		const root = await newFolder();
		const store = openStore(root);
		for (let index = 0; index < 20; index += 1) await store.create(taskSummary(`over-${index}`, taskRecord("done")));
		await store.create(taskSummary("work"));
		await store.close();
		const read: string[] = [];
		const note = (path: string) => read[read.push(path) - 1] as string;
		const files: StorageFileSystem = {
			...nodeFileSystem,
			stat: ((path: string) => nodeFileSystem.stat(note(path))) as unknown as StorageFileSystem["stat"],
			readFile: ((path: string, how: "utf8") => nodeFileSystem.readFile(note(path), how)) as StorageFileSystem["readFile"],
		};
		assert.deepEqual(await pendingIds(openStore(root, { files })), ["work"]);
		const over = Array.from({ length: 20 }, (_, index) => nameFolder(`over-${index}`));
		assert.deepEqual(
			read.filter((path) => over.some((name) => path.includes(name))),
			[],
		);
	});

	for (const [what, damage] of [
		["is missing", (path: string) => rm(path)],
		["is half a file", (path: string) => writeFile(path, '{"version":1,"tasks":["wo')],
		["has something that is no id", (path: string) => writeFile(path, '{"version":1,"tasks":["../../sessions/talk"]}')],
		["is of another version", (path: string) => writeFile(path, '{"version":9,"tasks":[]}')],
		["is a folder", (path: string) => rm(path).then(() => mkdir(path))],
	] as const) {
		it(`are found although their list ${what}`, async () => {
			const root = await newFolder();
			const store = openStore(root);
			await store.create(taskSummary("work"));
			await store.create(taskSummary("over", taskRecord("done")));
			await damage(pendingPath(root));
			assert.deepEqual(await pendingIds(openStore(root)), ["work"]);
			if (what !== "is a folder") assert.deepEqual(await listed(root), ["work"]);
		});
	}

	it("are all in a list that was lost and then got one more", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(taskSummary("work"));
		await rm(pendingPath(root));
		await store.create(taskSummary("more"));
		assert.deepEqual(
			[await pendingIds(openStore(root)), (await listed(root)).sort()],
			[
				["more", "work"],
				["more", "work"],
			],
		);
	});

	it("are completed by a start if their list was forged, and lose what is no task or over", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(summary("talk"));
		await store.create(taskSummary("work"));
		await store.create(taskSummary("over", taskRecord("done")));
		await writeFile(pendingPath(root), '{"version":1,"tasks":["over","talk","none"]}');
		assert.deepEqual([await pendingIds(openStore(root)), await listed(root)], [[], []]);
		await openStore(root).recover();
		assert.deepEqual([await pendingIds(openStore(root)), await listed(root)], [["work"], ["work"]]);
	});

	it("are none before there was a task, and nothing is created for that", async () => {
		const root = await newFolder();
		const store = openStore(root);
		assert.deepEqual(await store.pendingTasks(), []);
		await store.recover();
		assert.deepEqual(await readdir(root), []);
	});

	it("are those of earlier storages of the same folders too, each in its own list", async () => {
		const [before, root] = [await newFolder(), await newFolder()];
		const old = openStore(before);
		await old.create(taskSummary("old"));
		await old.create(taskSummary("older"));
		await old.close();
		const store = openStore(root, { additionalRoots: [before] });
		await store.create(taskSummary("new"));
		assert.deepEqual(await pendingIds(store), ["new", "old", "older"]);
		await store.update("old", { task: taskRecord("cancelled") });
		assert.deepEqual([await listed(before), await listed(root)], [["older"], ["new"]]);
		await rm(pendingPath(before));
		assert.deepEqual(await pendingIds(openStore(root, { additionalRoots: [before] })), ["new", "older"]);
	});

	it("are kept by two windows that start and end tasks at the same time", async () => {
		const root = await newFolder();
		const windows = [openStore(root), openStore(root)];
		await Promise.all(
			windows.flatMap((store, window) =>
				Array.from({ length: 6 }, async (_, index) => {
					const id = `task-${window}-${index}`;
					await store.create(taskSummary(id, taskRecord("queued")));
					assert.equal(await store.own(id), true);
					await store.update(id, { task: taskRecord("running") });
					if (index % 2 === 0) await store.update(id, { task: taskRecord("done") });
				}),
			),
		);
		const expected = ["0-1", "0-3", "0-5", "1-1", "1-3", "1-5"].map((id) => `task-${id}`);
		assert.deepEqual([await pendingIds(openStore(root)), (await listed(root)).sort()], [expected, expected]);
	});

	it("have one that another window continues although this one ended it before", async () => {
		const root = await newFolder();
		const [one, two] = [openStore(root), openStore(root)];
		await one.create(taskSummary("work"));
		await one.own("work");
		await one.update("work", { task: taskRecord("running") });
		await one.update("work", { task: taskRecord("done") });
		await one.release("work");
		await two.own("work");
		await two.update("work", { task: taskRecord("running") });
		await two.update("work", { task: taskRecord("done") });
		await two.release("work");
		await one.own("work");
		await one.update("work", { task: taskRecord("running") });
		assert.deepEqual(await pendingIds(openStore(root)), ["work"]);
	});
});

describe("a crash between any two writes", () => {
	cleanUp();

	/** Real files until the given number of changes; then nothing is written, as after a crash. Counts the changes. */
	function crashingFiles(after: number): { files: StorageFileSystem; changes: number } {
		const crashing = { files: nodeFileSystem, changes: 0 };
		const change = <T>(work: () => Promise<T>): Promise<T> => {
			crashing.changes += 1;
			if (crashing.changes > after) return Promise.reject(Object.assign(new Error("crashed"), { code: "EIO" }));
			return work();
		};
		crashing.files = {
			...nodeFileSystem,
			open: ((path: string, flags: string, mode?: number) =>
				flags === "r"
					? nodeFileSystem.open(path, flags, mode)
					: change(() => nodeFileSystem.open(path, flags, mode))) as StorageFileSystem["open"],
			rename: (from, to) => change(() => nodeFileSystem.rename(from, to)),
			rm: (path, options) => change(() => nodeFileSystem.rm(path, options)),
			mkdir: ((path: string, options?: object) => change(() => nodeFileSystem.mkdir(path, options))) as StorageFileSystem["mkdir"],
		};
		return crashing;
	}

	/** Makes the locks those of a process that is gone. */
	async function bury(root: string): Promise<void> {
		const names = await readdir(root, { recursive: true });
		for (const name of names) if (/(\.lock|owner\.json)$/.test(name)) await rm(join(root, name));
	}

	/** Runs `work` once for each change that it makes, with a crash after it. */
	async function crashEverywhere(
		prepare: (store: DiskSessionStore) => Promise<void>,
		work: (store: DiskSessionStore) => Promise<void>,
		check: (store: DiskSessionStore, root: string, finished: boolean) => Promise<void>,
	): Promise<number> {
		for (let after = 0; ; after += 1) {
			const root = await newFolder();
			const first = openStore(root);
			await prepare(first);
			await first.close();
			const crashing = crashingFiles(after);
			const store = openStore(root, { files: crashing.files, index: smallState() });
			const finished = await work(store).then(
				() => true,
				() => false,
			);
			const changes = crashing.changes;
			await bury(root);
			await check(openStore(root), root, finished);
			if (changes <= after) return after;
		}
	}

	/** Every task that its file records as not over is among the pending ones. */
	async function nothingLost(store: DiskSessionStore): Promise<void> {
		const recorded = (await store.list("task")).filter(({ task }) => task && !isTaskOver(task.state)).map(({ sessionId }) => sessionId);
		assert.deepEqual(await pendingIds(store), recorded.sort());
	}

	it("loses no task that was created, ended, or continued", async () => {
		const crashes = await crashEverywhere(
			async (store) => {
				await store.create(taskSummary("before"));
				await store.create(taskSummary("over", taskRecord("done")));
			},
			async (store) => {
				await store.create(taskSummary("new", taskRecord("queued")));
				await store.own("new");
				await store.update("new", { task: taskRecord("running") });
				await store.update("over", { task: taskRecord("running") });
				await store.update("before", { task: taskRecord("failed") });
				await store.delete("new");
			},
			async (store, root, finished) => {
				await nothingLost(store);
				// A start leaves no leftovers, and keeps them all.
				await store.recover();
				await nothingLost(store);
				assert.deepEqual((await listed(root)).sort(), await pendingIds(store));
				if (finished) assert.deepEqual(await pendingIds(store), ["over"]);
			},
		);
		assert.ok(crashes > 20, `${crashes} writes`);
	});

	it("while a session is deleted with its tasks leaves no task without the session", async () => {
		const crashes = await crashEverywhere(
			async (store) => {
				await store.create(summary("talk"));
				await store.append("talk", userEvent(1));
				await store.create(taskSummary("work", taskRecord("done", "talk")));
				await store.create(taskSummary("below", taskRecord("running", "work")));
			},
			(store) => store.delete("talk", ["below", "work"]),
			async (store) => {
				const callers = new Map((await store.list("task")).map(({ sessionId, task }) => [sessionId, task?.caller.session]));
				const isThere = (await store.list()).length > 0;
				assert.ok(isThere || callers.size === 0, [...callers.keys()].join());
				assert.ok(!callers.has("below") || callers.has("work"));
				await nothingLost(store);
			},
		);
		assert.ok(crashes > 3, `${crashes} writes`);
	});
});

describe("leftovers of a process that died beside the tasks", () => {
	cleanUp();

	it("go at the next start", async () => {
		const root = await newFolder();
		const store = openStore(root);
		await store.create(taskSummary("work"));
		const tasks = join(root, "tasks");
		await writeFile(join(tasks, ".pending.json.4194399-aabbcc.tmp"), "half");
		await writeFile(join(tasks, "pending.json.lock"), `4194399\n${hostname()}`);
		await openStore(root).recover();
		assert.deepEqual((await readdir(tasks)).sort(), [nameFolder("work"), "pending.json"].sort());
		assert.deepEqual(await pendingIds(openStore(root)), ["work"]);
	});
});

describe("a start finds work that was left", () => {
	cleanUp();

	const look = (root: string, shared: string, index = smallState()) => hasWorkLeft(index, { root, shared });

	it("while a task is not over, also if the list of such tasks is lost, and creates nothing for that", async () => {
		const [root, shared] = [join(await newFolder(), "none"), await newFolder()];
		assert.equal(await look(root, shared), false);
		await assert.rejects(readdir(root), { code: "ENOENT" });
		const store = openStore(root);
		await store.create(taskSummary("work"));
		assert.equal(await look(root, shared), true);
		await store.update("work", { task: taskRecord("done") });
		assert.equal(await look(root, shared), false);
		await rm(pendingPath(root));
		assert.equal(await look(root, shared), true);
		await store.pendingTasks();
		assert.equal(await look(root, shared), false);
	});

	it("while there is a copy of this workspace, which may be old", async () => {
		const [root, shared] = [await newFolder(), await newFolder()];
		await mkdir(join(copiesFolder(shared, "another"), "work"), { recursive: true });
		assert.equal(await look(root, shared), false);
		await mkdir(join(copiesFolder(shared, root), "work"), { recursive: true });
		assert.equal(await look(root, shared), true);
	});

	it("while there are changes to keep or undo", async () => {
		const [root, shared] = [await newFolder(), await newFolder()];
		const values = new Map<string, unknown>();
		const state = { get: (key: string) => values.get(key), update: async (key: string, value: unknown) => void values.set(key, value) };
		await recordUnreviewedChanges(state, true);
		assert.equal(await hasWorkLeft(state, { root, shared }), true);
		await recordUnreviewedChanges(state, false);
		assert.equal(await hasWorkLeft(state, { root, shared }), false);
	});

	it("while a session has messages that wait, without reading a file", async () => {
		const [root, shared, index] = [await newFolder(), await newFolder(), smallState()];
		const store = openStore(root, { index });
		await store.create(summary("talk"));
		await store.append("talk", userEvent(1));
		await store.list();
		await store.close();
		assert.equal(await look("/none", shared, index), false);
		const next = openStore(root, { index });
		await next.append("talk", { ...userEvent(2), type: "queued", message: "m", from: "agent:other" } as TranscriptEvent);
		await next.list();
		await next.close();
		assert.equal(await look("/none", shared, index), true);
	});
});
