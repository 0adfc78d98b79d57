// Tests what is left, with Undo, when a window dies or closes while a task's changes are taken.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { FileEdit } from "../../../../src/core/ports/workspace/files.ts";
import type { TakeResult } from "../../../../src/delegation/applyChanges/applyChanges.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { closeTestTasks, closeWindow, newHome, openTestTasks, outputsOf } from "../tasks/testTasks.ts";
import { applyChangesOf, edited, FILES, finishedTask, formatFirstWrite, opened, outcomes, reviewed, type Taken } from "./finishedTask.ts";

type Moment = "before" | "after";

/** Takes all until the named file is about to be written, or is; then `go` lets it go on. */
async function takeUntil(task: Taken, name: string, moment: Moment): Promise<{ go(): void; taken: Promise<TakeResult> }> {
	const { workspace } = task.app.services.window;
	const apply = workspace.apply.bind(workspace);
	const [reached, going] = [createDeferred(), createDeferred()];
	const wait = async ([edit]: readonly FileEdit[]) => {
		if (!edit?.path.endsWith(name)) return;
		reached.open();
		await going.until;
	};
	workspace.apply = async (edits, real) => {
		if (moment === "before") await wait(edits);
		const changes = await apply(edits, real);
		if (moment === "after") await wait(edits);
		return changes;
	};
	const taken = task.takeAll();
	taken.catch(() => undefined);
	await reached.until;
	return { go: going.open, taken };
}

async function dieAt(task: Taken, name: string, moment: Moment): Promise<void> {
	await takeUntil(task, name, moment);
	await closeWindow(task);
}

async function nextWindow(home: string, { taskId }: Taken): Promise<Taken> {
	return opened(await openTestTasks({ caller: [{ text: "I see." }] }, { home }), taskId);
}

function notesOf({ caller }: Pick<Taken, "caller">): string[] {
	return caller.state.events.flatMap((event) => (event.type === "status" && event.changes ? event.changes.map(({ path }) => path) : []));
}

const pathsOf = ({ app }: Taken) => app.sessions.review.files().map(({ path }) => path);

describe("a window that dies while changes are taken", () => {
	afterEach(closeTestTasks);

	/** The window recorded nothing any more. */
	async function withoutRecords(): Promise<{ home: string; task: Taken }> {
		const home = newHome();
		const task = await finishedTask({ home });
		task.caller.note = () => new Promise(() => undefined);
		return { home, task };
	}

	it("leaves the copy, the other changes to take, and Undo for what was written since the next start", async () => {
		const { home, task } = await withoutRecords();
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		task.change("old.txt", undefined);
		await dieAt(task, "a.ts", "after");
		const next = await nextWindow(home, task);
		await next.app.sessions.recover();
		await reviewed(next, 2);
		assert.equal(next.read("src/a.ts"), edited(2));
		assert.equal(existsSync(join(home, "workspace/old.txt")), false);
		assert.deepEqual(
			(await next.list()).map(({ path }) => path),
			["src/b.ts"],
		);
		const result = await next.takeAll();
		assert.deepEqual(outcomes(result), ["src/b.ts: taken"]);
		assert.equal(result.deleted, true);
		await reviewed(next, 3);
		assert.deepEqual(notesOf(next), ["old.txt", "src/a.ts", "src/b.ts"]);
		assert.deepEqual(await next.app.sessions.review.undo(["old.txt", "src/a.ts", "src/b.ts"]), []);
		for (const name of ["src/a.ts", "src/b.ts", "old.txt"] as const) assert.equal(next.read(name), FILES[name]);
		assert.deepEqual(outputsOf(next.caller, "spawn_subagent"), [{ taskId: task.taskId }]);
	});

	it("leaves Undo also where nothing was left to take, and the copy until that is recorded", async () => {
		const { home, task } = await withoutRecords();
		task.change("src/a.ts", edited(2));
		await dieAt(task, "a.ts", "after");
		const next = await nextWindow(home, task);
		assert.deepEqual(await next.list(), []);
		await next.app.sessions.recover();
		await reviewed(next, 1);
		assert.deepEqual(await next.app.sessions.review.undo(["src/a.ts"]), []);
		assert.equal(next.read("src/a.ts"), FILES["src/a.ts"]);
	});

	it("leaves Undo also where the person discards the copy in the next window", async () => {
		const { home, task } = await withoutRecords();
		task.change("src/a.ts", edited(2));
		await dieAt(task, "a.ts", "after");
		const next = await nextWindow(home, task);
		await applyChangesOf(next).discard(task.taskId);
		await reviewed(next, 1);
		assert.deepEqual(notesOf(next), ["src/a.ts"]);
	});

	it("has not taken what it did not write, even if the person makes the same change by hand", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		task.change("old.txt", "theirs\n");
		task.put("old.txt", "mine\n");
		task.change("package.json", undefined);
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		await dieAt(task, "a.ts", "before");
		const next = await nextWindow(home, task);
		next.put("old.txt", "theirs\n");
		next.put("src/b.ts", "theirs\n");
		await next.app.sessions.recover();
		assert.deepEqual(outcomes(await next.takeOne("src/a.ts")), ["src/a.ts: taken"]);
		assert.deepEqual(notesOf(next), ["src/a.ts"]);
	});

	it("brings nothing back that the person has kept since", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		task.change("old.txt", "theirs\n");
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		const { copies } = task.app.services;
		if (!copies) assert.fail("no copies");
		copies.endWrite = () => Promise.reject(new Error("The disk is full."));
		await dieAt(task, "b.ts", "before");
		const next = await nextWindow(home, task);
		await next.app.sessions.review.load();
		await reviewed(next, 2);
		await next.app.sessions.review.keep(["old.txt", "src/a.ts"]);
		assert.deepEqual(outcomes(await next.takeAll()), ["src/b.ts: taken"]);
		await reviewed(next, 1);
		assert.deepEqual(notesOf(next), ["old.txt", "src/a.ts", "src/b.ts"]);
	});

	it("says where Undo can't be offered, because the file has changed since", async () => {
		const { home, task } = await withoutRecords();
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		await dieAt(task, "a.ts", "after");
		const next = await nextWindow(home, task);
		next.put("src/a.ts", "mine\n");
		await next.app.sessions.recover();
		await next.event(next.caller.sessionId, "status", ({ text }) =>
			/^src\/a\.ts may have been taken from the background task “count”\. It has changed since/.test(text),
		);
		assert.deepEqual([next.read("src/a.ts"), notesOf(next)], ["mine\n", []]);
	});

	it("leaves the copy of its interrupted tasks, also once all in it was taken, so that they can go on", async () => {
		const home = newHome();
		const task = await finishedTask({ home, until: createDeferred().until });
		await task.event(task.taskId, "started");
		await closeWindow(task);
		const setup = await openTestTasks({ caller: [{ text: "I see." }] }, { home });
		await setup.app.sessions.recover();
		await setup.state("interrupted");
		const next = await opened(setup, task.taskId);
		next.change("src/a.ts", edited(2));
		const { files, deleted } = await next.takeAll();
		assert.deepEqual([outcomes({ files, deleted }), deleted], [["src/a.ts: taken"], false]);
		assert.ok(existsSync(next.copy));
	});

	it("leaves a part as a part", async () => {
		const { home, task } = await withoutRecords();
		task.change("src/a.ts", edited(2, 25));
		const { shown } = await task.one("src/a.ts");
		const { workspace } = task.app.services.window;
		const apply = workspace.apply.bind(workspace);
		const reached = createDeferred();
		workspace.apply = async (...given) => {
			await apply(...given);
			reached.open();
			return new Promise(() => undefined);
		};
		void applyChangesOf(task).take(task.taskId, { shown, path: "src/a.ts", hunks: [1] });
		await reached.until;
		await closeWindow(task);
		const next = await nextWindow(home, task);
		await next.app.sessions.recover();
		const texts = next.caller.state.events.flatMap((event) => (event.type === "status" && event.changes ? [event.text] : []));
		assert.deepEqual(texts, ["Took a part of src/a.ts from the background task “count”."]);
	});
});

describe("taking changes", () => {
	afterEach(closeTestTasks);

	it("stops with a sentence when the window closes, with what was written recorded and the rest left in the copy", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		for (const name of ["old.txt", "src/a.ts", "src/b.ts"]) task.change(name, "theirs\n");
		const { go, taken } = await takeUntil(task, "a.ts", "before");
		const closed = closeWindow(task);
		go();
		const result = await taken;
		await closed;
		assert.deepEqual(outcomes(result), ["old.txt: taken", "src/a.ts: taken", "src/b.ts: failed"]);
		assert.match(result.files[2]?.reason ?? "", /window is closing/);
		const next = await nextWindow(home, task);
		await next.app.sessions.review.load();
		await reviewed(next, 2);
		assert.deepEqual(outcomes(await next.takeAll()), ["src/b.ts: taken"]);
	});

	it("is refused in another window while it goes on in this one, and happens once", async () => {
		const home = newHome();
		const task = await finishedTask({ home });
		for (const name of ["old.txt", "src/a.ts"]) task.change(name, "theirs\n");
		const other = await nextWindow(home, task);
		const { shown } = await applyChangesOf(other).list(task.taskId);
		const { go, taken } = await takeUntil(task, "a.ts", "after");
		await other.app.sessions.recover();
		await assert.rejects(applyChangesOf(other).take(task.taskId, { shown }), /another window/);
		go();
		assert.deepEqual(outcomes(await taken), ["old.txt: taken", "src/a.ts: taken"]);
		assert.deepEqual(notesOf(task), ["old.txt", "src/a.ts"]);
	});

	it("says which files could not be recorded, keeps the copy, and records them with the next take", async () => {
		const task = await finishedTask();
		task.change("old.txt", "theirs\n");
		task.change("src/a.ts", edited(2));
		const note = task.caller.note.bind(task.caller);
		task.caller.note = (text, about) => (text.includes("old.txt") ? Promise.reject(new Error("The disk is full.")) : note(text, about));
		const { files, deleted } = await task.takeAll();
		assert.deepEqual([outcomes({ files, deleted }), deleted], [["old.txt: taken", "src/a.ts: taken"], false]);
		assert.match(files[0]?.reason ?? "", /isn't recorded yet/);
		assert.equal(files[1]?.reason, undefined);
		task.caller.note = note;
		task.change("src/b.ts", "theirs\n");
		assert.equal((await task.takeAll()).deleted, true);
		await reviewed(task, 3);
		assert.deepEqual(pathsOf(task), ["old.txt", "src/a.ts", "src/b.ts"]);
	});

	it("says what was taken before the copy was removed by somebody else", async () => {
		const task = await finishedTask();
		for (const name of ["old.txt", "src/a.ts", "src/b.ts"]) task.change(name, name === "src/a.ts" ? undefined : "theirs\n");
		const { workspace } = task.app.services.window;
		const apply = workspace.apply.bind(workspace);
		workspace.apply = async (...given) => {
			const changes = await apply(...given);
			await task.app.services.copies?.remove(task.taskId);
			return changes;
		};
		const { files, deleted } = await task.takeAll();
		assert.deepEqual([files[0]?.outcome, deleted], ["taken", false]);
		for (const { path, outcome } of files.slice(1)) assert.notEqual(outcome, "taken", path);
		assert.match(files[1]?.reason ?? "", /copy of the workspace is gone/);
		assert.equal(task.read("src/a.ts"), FILES["src/a.ts"]);
		await reviewed(task, 1);
	});

	it("records what an editor has formatted where the exact bytes can't be written after it", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "export const b=2;\n");
		formatFirstWrite(task, new Error("The disk is full."));
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: taken"]);
		await reviewed(task, 1);
		assert.deepEqual(await task.app.sessions.review.undo(["src/b.ts"]), []);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
	});
});
