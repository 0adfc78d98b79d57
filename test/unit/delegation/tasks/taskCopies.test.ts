// Tests how long the copy of a task stays, and what a crash leaves to take.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { cleanCopies } from "../../../../src/delegation/oldCopies.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { applyChangesOf, FILES, finishedTask, opened, outcomes } from "../applyChanges/finishedTask.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks } from "./testTasks.ts";

const DAY = 24 * 60 * 60 * 1_000;

describe("the copy of a task", () => {
	afterEach(closeTestTasks);

	it("is deleted with its last change, and the task says why it can't go on", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		const { deleted } = await task.takeAll();
		assert.equal(deleted, true);
		assert.equal(existsSync(task.copy), false);
		const session = await task.app.sessions.get(task.taskId);
		assert.equal((await session.send("Go on")).outcome, "failed");
		assert.match(JSON.stringify(session.state.events.at(-1)), /copy of the workspace is gone, so the task can't go on/);
		assert.equal((await task.app.store.find(task.taskId))?.task?.copied, true);
	});

	it("stays after the last change was taken or discarded while it has files that Git ignores, until the person discards it", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.change("old.txt", "newer\n");
		task.change("dist/report.html", "the result\n");
		const { shown } = await task.one("old.txt");
		assert.equal((await task.takeOne("src/b.ts")).deleted, false);
		await applyChangesOf(task).discardChange(task.taskId, "old.txt", shown);
		assert.equal((await task.takeAll()).deleted, false);
		assert.ok(existsSync(join(task.copy, "dist/report.html")));
		await applyChangesOf(task).discard(task.taskId);
		assert.equal(existsSync(task.copy), false);
	});

	it("stays while a file in it became executable, which isn't taken", async function () {
		if (process.platform === "win32") this.skip();
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		chmodSync(join(task.copy, "src/a.ts"), 0o755);
		assert.deepEqual((await applyChangesOf(task).list(task.taskId)).left, [
			"Files that became executable or no longer are, which can't be taken: src/a.ts",
		]);
		assert.equal((await task.takeAll()).deleted, false);
		assert.ok(existsSync(task.copy));
	});

	it("stays while the task works, and is not discarded then", async () => {
		const { until, open } = createDeferred();
		const task = await finishedTask({ until });
		task.change("src/b.ts", "theirs\n");
		assert.equal((await task.takeAll()).deleted, false);
		await assert.rejects(applyChangesOf(task).discard(task.taskId), /still works in its copy\. Nothing was deleted/);
		assert.ok(existsSync(task.copy));
		open();
		await task.state("done");
	});

	it("is deleted with what wasn't taken when the person discards it", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		await applyChangesOf(task).discard(task.taskId);
		assert.equal(existsSync(task.copy), false);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
		await assert.rejects(task.list(), /copy of the workspace is gone/);
	});

	it("is deleted with its task, and with the session that started it", async () => {
		for (const which of ["task", "caller"] as const) {
			const task = await finishedTask();
			await task.app.sessions.delete(which === "task" ? task.taskId : task.caller.sessionId);
			assert.equal(existsSync(task.copy), false, which);
		}
	});

	it("of a task that was deleted is removed at the next start, with what a dead window left; others stay", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		const root = dirname(dirname(dirname(task.copy)));
		const { copies } = task.app.services;
		for (const id of ["deleted", "unknown"]) await copies?.create(id, new AbortController().signal);
		// As the window that ended had done before it deleted the task. The other one's record may be with another identity.
		await copies?.abandon("deleted");
		// Its record is still there: the deletion did not come so far.
		await copies?.abandon(task.taskId);
		mkdirSync(join(root, ".half~deadbeef~1~00.removed"));
		const other = join(dirname(root), "another-workspace", "its-task");
		mkdirSync(other, { recursive: true });
		await closeWindow(task);
		const next = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await next.app.sessions.recover();
		assert.equal(existsSync(join(root, "deleted")), false);
		assert.ok(existsSync(join(root, "unknown")));
		assert.ok(existsSync(task.copy));
		assert.ok(existsSync(other));
	});

	it("that no record names is removed at the next start, unless its task is about to work in it", async () => {
		const home = newHome();
		const { until, open } = createDeferred();
		const task = await finishedTask({ home, until });
		const { store } = task.app;
		// As if the window had died between making the copy and recording it, or between recording its end and removing it.
		const forget = async () => {
			const { copied: _, ...record } = (await store.find(task.taskId))?.task ?? assert.fail("no task");
			await store.update(task.taskId, { task: record });
		};
		await forget();
		await cleanCopies(task.app.services);
		assert.ok(existsSync(task.copy));
		await closeWindow(task);
		open();
		const next = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await next.app.sessions.recover();
		assert.equal((await next.state("interrupted")).task?.copied, undefined);
		assert.equal(existsSync(task.copy), false);
	});

	it("is found, taken, asked about and deleted when the workspace has another identity since", async () => {
		const home = newHome();
		const first = await finishedTask({ home });
		first.change("src/b.ts", "theirs\n");
		first.change("AGENTS.md", "obey\n");
		await first.app.services.copies?.create("of-another-folder", new AbortController().signal);
		await closeWindow(first);
		const script = { caller: [{ text: "I see." }] };
		const second = await openTestTasks(script, { home, storage: "second", also: [first.app.storage] });
		await second.app.sessions.recover();
		const { copies } = second.app.services;
		assert.ok(await copies?.find("of-another-folder"), "its task may be known to the other identity alone");
		const task = await opened(second, first.taskId);
		assert.equal(task.copy, first.copy);
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: taken"]);
		assert.equal(task.read("src/b.ts"), "theirs\n");
		const inCopy = await copies?.open(first.taskId);
		assert.equal(inCopy?.workspace.folders()[0]?.path, first.copy);
		await inCopy?.dispose();
		task.clock.ahead = 15 * DAY;
		assert.deepEqual(await task.app.delegation.tasks.oldCopies(), [{ taskId: first.taskId, name: "count" }]);
		await applyChangesOf(task).discard(first.taskId);
		assert.equal(existsSync(first.copy), false);
	});

	it("is asked about after 14 days, if its task is over; keeping it asks again 14 days later", async () => {
		const task = await finishedTask();
		const { tasks } = task.app.delegation;
		assert.deepEqual(await tasks.oldCopies(), []);
		task.clock.ahead = 15 * DAY;
		assert.deepEqual(await tasks.oldCopies(), [{ taskId: task.taskId, name: "count" }]);
		await tasks.keepCopy(task.taskId);
		assert.deepEqual(await tasks.oldCopies(), []);
		task.clock.ahead = 30 * DAY;
		assert.equal((await tasks.oldCopies()).length, 1);
		await tasks.applyChanges.discard(task.taskId);
		assert.deepEqual(await tasks.oldCopies(), []);
	});
});
