// Sessions and background tasks read together: listed, opened, reviewed, exported, searched and deleted.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileChange, SessionSummary } from "../../../src/core/events.ts";
import { joinText, streamExport } from "../../../src/sessions/exportSession.ts";
import { importSession } from "../../../src/sessions/importSession.ts";
import { Sessions } from "../../../src/sessions/sessions.ts";
import { sha256 } from "../../../src/shared/node/hash.ts";
import { nameFolder } from "../../../src/storage/sessions/sessionPaths.ts";
import { openStore, taskRecord, taskSummary, userEvent } from "../storage/support.ts";
import { closeTestSessions, openTestSession, type TestSession } from "./testSession.ts";

const ids = (found: readonly SessionSummary[]) => found.map(({ sessionId }) => sessionId);

/** A session "talk" with the task "work", that one's task "below", and a task of another session. */
async function withTasks(): Promise<TestSession> {
	const at = await openTestSession([], { files: { "a.txt": "old\n" }, role: "actor" });
	const { sessions, store } = at.app;
	await sessions.create({ sessionId: "talk" });
	const over = (session: string) => taskRecord("done", session);
	const time = (minute: number) => ({ updatedAt: `2025-01-01T00:0${minute}:00.000Z`, agentId: "default" });
	await store.create(taskSummary("work", over("talk"), { ...time(1), name: "Slow tests" }));
	await store.create(taskSummary("below", over("work"), time(2)));
	await store.create(taskSummary("other", over(at.summary.sessionId), time(3)));
	for (const [index, id] of ["work", "below", "other"].entries()) await store.append(id, userEvent(index + 1, `look for ${id}`));
	return at;
}

/** As a turn records it. */
async function change({ app }: TestSession, sessionId: string, before: string, after: string): Promise<void> {
	const path = "a.txt";
	const blob = { blob: await app.services.blobs.put(Buffer.from(before)), size: before.length };
	const done: FileChange = { path, action: "update", diff: "", added: 1, removed: 1, before: blob, after: sha256(after) };
	writeFileSync(join(app.folder, path), after);
	await (await app.sessions.get(sessionId)).note("Edited", { changes: [done], redo: true });
}

describe("background tasks", () => {
	afterEach(closeTestSessions);

	it("are listed beside the sessions, newest first, and found by id", async () => {
		const { app, summary } = await withTasks();
		const { sessions } = app;
		assert.deepEqual(ids(await sessions.list()).sort(), [summary.sessionId, "talk"].sort());
		assert.deepEqual(ids(await sessions.tasks()), ["other", "below", "work"]);
		const { sessionId, kind, task } = (await sessions.find("work")) ?? {};
		assert.deepEqual([sessionId, kind, task?.caller.session], ["work", "task", "talk"]);
		assert.deepEqual([await sessions.find("none"), await sessions.find("../work")], [undefined, undefined]);
	});

	it("belong to a session with those that they started, each after the one that started it", async () => {
		const { sessions } = (await withTasks()).app;
		assert.deepEqual(ids(await sessions.tasksOf("talk")), ["work", "below"]);
		assert.deepEqual([ids(await sessions.tasksOf("work")), await sessions.tasksOf("below")], [["below"], []]);
	});

	it("that name each other as callers do not go round in circles", async () => {
		const { sessions, store } = (await withTasks()).app;
		await store.update("work", { task: taskRecord("done", "below") });
		assert.deepEqual([ids(await sessions.tasksOf("work")), ids(await sessions.tasksOf("below"))], [["below"], ["work"]]);
	});

	it("open like sessions, and keep their attributes apart from those of sessions", async () => {
		const { sessions } = (await withTasks()).app;
		assert.equal((await sessions.get("work")).state.messages, 1);
		await sessions.mark("work", "kept", 1);
		await sessions.mark("work", "more", 2);
		assert.deepEqual((await sessions.find("work"))?.attributes, { kept: 1, more: 2 });
	});

	it("are searched like sessions", async () => {
		const { app } = await withTasks();
		const found: string[] = [];
		const all = ids([...(await app.sessions.list()), ...(await app.sessions.tasks())]);
		for await (const { sessionId } of app.store.search(all, "look for below", new AbortController().signal)) found.push(sessionId);
		assert.deepEqual(found, ["below"]);
	});

	it("are exported by themselves, and say so; an import makes a session of it", async () => {
		const { sessions } = (await withTasks()).app;
		const [task] = (await sessions.tasks()).filter(({ sessionId }) => sessionId === "work");
		assert.ok(task);
		const text = await joinText(await streamExport(sessions, task, "markdown"));
		assert.match(text, /^# Slow tests\n\n.*\n\n\*Background task · general · Completed\*\n\n## You\n\nlook for work\n/);
		const json = await joinText(await streamExport(sessions, task, "json"));
		assert.equal((JSON.parse(json) as { session: SessionSummary }).session.kind, "task");
		const imported = await sessions.find((await importSession(sessions, json, "task.json")).sessionId);
		assert.deepEqual([imported?.kind, imported?.task, imported?.messageCount], [undefined, undefined, 1]);
	});
});

describe("changes of background tasks", () => {
	afterEach(closeTestSessions);

	it("in the workspace itself are pending changes with the task's name, also in the next window", async () => {
		const at = await withTasks();
		const { review } = at.app.sessions;
		const changed = new Promise<void>((resolve) => review.onChange(resolve));
		await change(at, "work", "old\n", "new\n");
		await changed;
		const rows = ({ review: of }: Sessions) => of.files().map(({ path, tasks, sessions }) => [path, tasks, sessions.map(({ id }) => id)]);
		assert.deepEqual(rows(at.app.sessions), [["a.txt", ["Slow tests"], ["work"]]]);
		while ((await at.app.sessions.find("work"))?.attributes?.["unreviewed"] !== true) await new Promise(setImmediate);
		await at.app.sessions.close();
		const next = new Sessions(at.app.services, at.app.policy);
		await next.review.load();
		assert.deepEqual(rows(next), [["a.txt", ["Slow tests"], ["work"]]]);
		assert.deepEqual(await next.review.undo(["a.txt"]), []);
		assert.deepEqual(rows(next), []);
		await next.close();
	});

	for (const where of ["copied", "released"] as const)
		it(`in a copy of the workspace ${where === "copied" ? "" : "that is gone "}are not, nor those of a task whose record can't be read`, async () => {
			const at = await withTasks();
			const { sessions, store, storage } = at.app;
			await store.update("work", { task: taskRecord("done", "talk", { [where]: true }) });
			const path = join(storage, "tasks", nameFolder("below"), "task.json");
			writeFileSync(path, readFileSync(path, "utf8").replace('"done"', '"finished"'));
			await change(at, "work", "old\n", "new\n");
			await change(at, "below", "old\n", "new\n");
			const changed = new Promise<void>((resolve) => sessions.review.onChange(resolve));
			await change(at, "other", "new\n", "newer\n");
			await changed;
			const reviewed = () => sessions.review.files().map(({ sessions: by }) => by.map(({ id }) => id));
			assert.deepEqual(reviewed(), [["other"]]);
			await sessions.review.keep(["a.txt"]);
			assert.deepEqual(reviewed(), []);
		});

	it("go with the task", async () => {
		const at = await withTasks();
		const { sessions } = at.app;
		await change(at, "work", "old\n", "new\n");
		const gone = new Promise<void>((resolve) => sessions.review.onChange(() => sessions.review.files().length === 0 && resolve()));
		await sessions.delete("talk");
		await gone;
	});
});

describe("deleting a session", () => {
	afterEach(closeTestSessions);

	it("deletes its tasks and those that they started, and tells of each", async () => {
		const { app, summary } = await withTasks();
		const { sessions } = app;
		await sessions.get("below");
		const deleted: string[] = [];
		sessions.listen({ deleted: (id) => void deleted.push(id) });
		await sessions.delete("talk");
		assert.deepEqual(deleted, ["below", "work", "talk"]);
		assert.deepEqual([ids(await sessions.list()), ids(await sessions.tasks())], [[summary.sessionId], ["other"]]);
		assert.equal(app.store.isHeld("below"), false);
	});

	it("deletes nothing while another window has one of its tasks", async () => {
		const { app } = await withTasks();
		const other = openStore(app.storage);
		assert.equal(await other.own("below"), true);
		await assert.rejects(app.sessions.delete("talk"), /another window/);
		assert.deepEqual([(await app.sessions.list()).length, (await app.sessions.tasks()).length], [2, 3]);
		await other.close();
		await app.sessions.delete("talk");
		assert.deepEqual(ids(await app.sessions.tasks()), ["other"]);
	});

	it("leaves the session and its other tasks if only a task is deleted", async () => {
		const { sessions } = (await withTasks()).app;
		await sessions.delete("work");
		assert.deepEqual([(await sessions.list()).length, ids(await sessions.tasks())], [2, ["other"]]);
	});
});
