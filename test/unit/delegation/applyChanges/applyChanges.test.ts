// Tests taking back what a task has changed in its copy, with real files and a real repository.

import assert from "node:assert/strict";
import { chmodSync, existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { FileConflict } from "../../../../src/core/ports/workspace/files.ts";
import { UserError } from "../../../../src/core/userError.ts";
import { createDeferred } from "../../../fakes/deferred.ts";
import { gitIn, treeOf } from "../../platform/copies/support.ts";
import { closeTestTasks, newHome, openTestTasks, spawning } from "../tasks/testTasks.ts";
import { applyChangesOf, edited, FILES, finishedTask, formatFirstWrite, opened, outcomes, reviewed, write } from "./finishedTask.ts";

describe("the changes of a task in its copy", () => {
	afterEach(closeTestTasks);

	it("are listed with diff and counts, and by what can be taken together, by name only, or not at all", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2, 25));
		task.change("new.txt", "new\n");
		task.change("old.txt", undefined);
		task.change("package.json", '{ "scripts": { "test": "evil" } }\n');
		task.change("eslint.config.js", "export default [1];\n");
		for (const name of ["AGENTS.md", ".vscode/tasks.json", ".github/workflows/ci.yml", ".husky/pre-commit", ".env"])
			task.change(name, "{}\n");
		task.change("dist/out.js", "out\n");
		symlinkSync("/etc", join(task.copy, "etc"));
		const changes = await task.list();
		assert.deepEqual(
			changes.map(({ path, action, group, added, removed }) => `${path} ${action} ${group} +${added} -${removed}`),
			[
				".env create apart +1 -0",
				".github/workflows/ci.yml create apart +1 -0",
				".husky/pre-commit create apart +1 -0",
				".vscode/tasks.json create apart +1 -0",
				"AGENTS.md create apart +1 -0",
				"dist/out.js create refused +0 -0",
				"eslint.config.js update apart +1 -1",
				"etc create refused +0 -0",
				"new.txt create takeable +1 -0",
				"old.txt delete takeable +0 -1",
				"package.json update apart +1 -1",
				"src/a.ts update takeable +2 -2",
			],
		);
		assert.equal((await task.one("src/a.ts")).diff.match(/^@@/gm)?.length, 2);
		for (const { group, reason } of changes) assert.equal(reason === undefined, group === "takeable");
	});

	it("lists a package.json with unchanged scripts among the others, and one that fetches a schema apart", async () => {
		const task = await finishedTask();
		task.change("package.json", '{ "version": "2.0.0", "scripts": { "test": "true" } }\n');
		task.change("data.json", '{ "$schema": "https://example.com/schema" }\n');
		assert.equal((await task.one("package.json")).group, "takeable");
		assert.equal((await task.one("data.json")).group, "apart");
	});

	it("judges by the person's own rules, whatever they allow an agent", async () => {
		const rules = { deny: ["update_file(src/b.ts)"], ask: ["update_file(old.txt)"], allow: ["*"] };
		const task = await finishedTask({ settings: { rules } });
		for (const name of ["src/b.ts", "old.txt", "eslint.config.js"]) task.change(name, "changed\n");
		assert.deepEqual(
			(await task.list()).map(({ path, group }) => `${path} ${group}`),
			["eslint.config.js apart", "old.txt apart", "src/b.ts refused"],
		);
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: refused"]);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
	});

	it("has a sentence for a task without a copy, for one whose copy is gone, and for no task", async () => {
		const task = await finishedTask();
		await task.app.services.copies?.remove(task.taskId);
		await assert.rejects(applyChangesOf(task).list(task.taskId), /copy of the workspace is gone/);
		await assert.rejects(applyChangesOf(task).take(task.taskId, { shown: "" }), /copy of the workspace is gone/);
		await assert.rejects(applyChangesOf(task).list("nobody"), /has no copy/);
		await assert.rejects(applyChangesOf(task).discard(task.caller.sessionId), /has no copy/);
	});
});

describe("taking a task's changes", () => {
	afterEach(closeTestTasks);

	it("writes all that are takeable, leaves the others, and leads to pending changes with Undo", async () => {
		const task = await finishedTask();
		const repository = treeOf(join(task.app.folder, ".git"));
		task.change("src/a.ts", edited(2));
		task.change("new.txt", "new\n");
		task.change("old.txt", undefined);
		task.change("AGENTS.md", "obey\n");
		gitIn(task.copy, "add", "-A");
		gitIn(task.copy, "commit", "-q", "-m", "in the copy");
		const result = await task.takeAll();
		assert.deepEqual(outcomes(result), ["AGENTS.md: apart", "new.txt: taken", "old.txt: taken", "src/a.ts: taken"]);
		assert.equal(result.deleted, false);
		assert.equal(task.read("src/a.ts"), edited(2));
		assert.equal(existsSync(join(task.app.folder, "old.txt")), false);
		assert.equal(existsSync(join(task.app.folder, "AGENTS.md")), false);
		assert.deepEqual(treeOf(join(task.app.folder, ".git")), repository);
		const { review } = task.app.sessions;
		await reviewed(task, 3);
		assert.deepEqual(
			review.files().map(({ path }) => path),
			["new.txt", "old.txt", "src/a.ts"],
		);
		const notes = task.caller.state.events.flatMap((event) => (event.type === "status" && event.changes ? [event] : []));
		assert.equal(notes.length, 3);
		assert.ok(notes.every(({ by, text }) => by === "person" && text.includes("“count”")));
		assert.deepEqual(await review.undo(["new.txt", "old.txt", "src/a.ts"]), []);
		assert.equal(task.read("src/a.ts"), FILES["src/a.ts"]);
		assert.equal(task.read("old.txt"), "old\n");
		assert.equal(existsSync(join(task.app.folder, "new.txt")), false);
		assert.deepEqual(
			(await task.list()).map(({ path }) => path),
			["AGENTS.md", "new.txt", "old.txt", "src/a.ts"],
		);
	});

	it("writes a single hunk, then the other", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2, 25));
		assert.deepEqual(outcomes(await task.takeOne("src/a.ts", [1])), ["src/a.ts: taken"]);
		assert.equal(task.read("src/a.ts"), edited(25));
		assert.deepEqual(outcomes(await task.takeOne("src/a.ts", [0])), ["src/a.ts: taken"]);
		assert.equal(task.read("src/a.ts"), edited(2, 25));
	});

	it("refuses hunks that there are not, and parts of a created or deleted file", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2));
		task.change("new.txt", "new\n");
		task.change("old.txt", undefined);
		assert.deepEqual(outcomes(await task.takeOne("src/a.ts", [7])), ["src/a.ts: refused"]);
		assert.deepEqual(outcomes(await task.takeOne("new.txt", [0])), ["new.txt: refused"]);
		assert.deepEqual(outcomes(await task.takeOne("old.txt", [0])), ["old.txt: refused"]);
		assert.equal(task.read("src/a.ts"), FILES["src/a.ts"]);
		assert.equal(task.read("old.txt"), "old\n");
	});

	it("writes a protected file only when it is named", async () => {
		const task = await finishedTask();
		task.change("AGENTS.md", "obey\n");
		assert.deepEqual(outcomes(await task.takeAll()), ["AGENTS.md: apart"]);
		assert.equal(existsSync(join(task.app.folder, "AGENTS.md")), false);
		assert.deepEqual(outcomes(await task.takeOne("AGENTS.md")), ["AGENTS.md: taken"]);
		assert.equal(task.read("AGENTS.md"), "obey\n");
	});

	it("refuses links and ignored files, also when they are named", async () => {
		const task = await finishedTask();
		symlinkSync("/etc/passwd", join(task.copy, "link.txt"));
		task.change("dist/out.js", "out\n");
		rmSync(join(task.copy, "src/b.ts"));
		symlinkSync("/etc/passwd", join(task.copy, "src/b.ts"));
		for (const path of ["link.txt", "dist/out.js", "src/b.ts"]) {
			const { files } = await task.takeOne(path);
			assert.equal(files[0]?.outcome, "refused", path);
			assert.match(files[0]?.reason ?? "", /\.$/);
		}
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
		assert.deepEqual(
			readdirSync(task.app.folder).sort(),
			[".git", ...Object.keys(FILES).filter((name) => !name.includes("/")), "src"].sort(),
		);
	});

	it("takes only what was shown: nothing of a file or a list that has changed in the copy since", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "seen\n");
		const { shown } = await task.one("src/b.ts");
		const all = (await applyChangesOf(task).list(task.taskId)).shown;
		task.change("src/b.ts", "unseen\n");
		assert.deepEqual(outcomes(await applyChangesOf(task).take(task.taskId, { shown, path: "src/b.ts" })), ["src/b.ts: refused"]);
		await assert.rejects(applyChangesOf(task).take(task.taskId, { shown: all }), /no longer those that were shown/);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
	});

	it("leaves alone what the person has changed, hands out its versions, and takes the rest", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		task.put("src/a.ts", edited(4));
		const { changedMeanwhile, real, copiedPath } = await task.one("src/a.ts");
		assert.equal(changedMeanwhile, true);
		assert.deepEqual([real, copiedPath], [join(task.app.folder, "src/a.ts"), join(task.copy, "src/a.ts")]);
		const result = await task.takeAll();
		assert.deepEqual(outcomes(result), ["src/a.ts: conflict", "src/b.ts: taken"]);
		assert.match(result.files[0]?.reason ?? "", /left alone; merge/);
		assert.equal(result.deleted, false);
		assert.equal(task.read("src/a.ts"), edited(4));
		const { base, copied, original } = await applyChangesOf(task).versions(task.taskId, "src/a.ts");
		assert.deepEqual(
			[base, copied, original].map((bytes) => bytes && Buffer.from(bytes).toString()),
			[FILES["src/a.ts"], edited(2), edited(4)],
		);
	});

	it("leaves alone a file that is edited in the very moment", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		const { workspace } = task.app.services.window;
		const apply = workspace.apply.bind(workspace);
		workspace.apply = async (...given) => {
			task.put("src/b.ts", "mine\n");
			return apply(...given);
		};
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: conflict"]);
		assert.equal(task.read("src/b.ts"), "mine\n");
	});

	it("goes on with the next file when one can't be written, and says which", async () => {
		const task = await finishedTask();
		task.change("src/a.ts", edited(2));
		task.change("src/b.ts", "theirs\n");
		task.change("old.txt", "newer\n");
		const { workspace } = task.app.services.window;
		const apply = workspace.apply.bind(workspace);
		workspace.apply = (edits, real) => {
			const [edit] = edits;
			if (edit?.path.endsWith("a.ts")) return Promise.reject(new UserError("The disk is full."));
			if (edit?.path.endsWith("b.ts")) return Promise.reject(new FileConflict("Changed."));
			return apply(edits, real);
		};
		const { files } = await task.takeAll();
		assert.deepEqual(outcomes({ files, deleted: false }), ["old.txt: taken", "src/a.ts: failed", "src/b.ts: conflict"]);
		assert.match(files[1]?.reason ?? "", /was not taken\. The disk is full\./);
	});

	it("doesn't bring back a deleted file, but creates the folder of a new one", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.change("src/new.ts", "new\n");
		rmSync(join(task.app.folder, "src"), { recursive: true });
		assert.deepEqual(outcomes(await task.takeAll()), ["src/b.ts: conflict", "src/new.ts: taken"]);
		assert.equal(existsSync(join(task.app.folder, "src/b.ts")), false);
		assert.equal(task.read("src/new.ts"), "new\n");
	});

	it("writes nothing through a link, and nothing into a file with another name, unless it is named", async () => {
		const task = await finishedTask();
		const outside = newHome();
		task.change("src/b.ts", "theirs\n");
		task.change("old.txt", "theirs\n");
		write(outside, "b.ts", FILES["src/b.ts"]);
		rmSync(join(task.app.folder, "src"), { recursive: true });
		symlinkSync(outside, join(task.app.folder, "src"));
		linkSync(join(task.app.folder, "old.txt"), join(outside, "old.txt"));
		const { files } = await task.takeAll();
		assert.equal(files.find(({ path }) => path === "old.txt")?.outcome, "apart");
		assert.equal(files.find(({ path }) => path === "src/b.ts")?.outcome, "refused");
		assert.equal(readFileSync(join(outside, "b.ts"), "utf8"), FILES["src/b.ts"]);
		assert.equal(readFileSync(join(outside, "old.txt"), "utf8"), "old\n");
	});

	it("keeps that a new file is executable, also after Undo and Redo, and leaves the mode of one that is there", async function () {
		if (process.platform === "win32") this.skip();
		const task = await finishedTask();
		for (const name of ["run.sh", "src/b.ts", "plain.txt"]) {
			task.change(name, "theirs\n");
			chmodSync(join(task.copy, name), name === "plain.txt" ? 0o644 : 0o755);
		}
		const isExecutable = (name: string) => (statSync(join(task.app.folder, name)).mode & 0o100) !== 0;
		await task.takeAll();
		assert.deepEqual(["run.sh", "src/b.ts", "plain.txt"].map(isExecutable), [true, false, false]);
		const { workspace } = task.app.services.window;
		const [made] = task.caller.state.events
			.flatMap((event) => (event.type === "status" ? (event.changes ?? []) : []))
			.filter(({ path }) => path === "run.sh");
		assert.ok(made);
		const undone = await workspace.undo({ ...made, path: join(task.app.folder, "run.sh") });
		await workspace.undo(undone);
		assert.equal(isExecutable("run.sh"), true);
	});

	it("writes exactly what was taken where an editor formats the file when it saves, with one Undo for it", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "export const b=2;\n");
		formatFirstWrite(task);
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: taken"]);
		assert.equal(task.read("src/b.ts"), "export const b=2;\n");
		await reviewed(task, 1);
		const [change] = task.caller.state.events.flatMap((event) => (event.type === "status" ? (event.changes ?? []) : []));
		assert.equal(change?.diff, "@@ -1 +1 @@\n-export const b = 1;\n+export const b=2;");
		assert.deepEqual(await task.app.sessions.review.undo(["src/b.ts"]), []);
		assert.equal(task.read("src/b.ts"), FILES["src/b.ts"]);
	});

	it("leaves what the person types on while an editor saves what was taken", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		const { workspace } = task.app.services.window;
		const apply = workspace.apply.bind(workspace);
		workspace.unsaved = () => true;
		workspace.apply = async (edits, real) => {
			const changes = await apply(edits, real);
			task.put("src/b.ts", "typed on\n");
			workspace.apply = apply;
			return changes.map((change) => ({ ...change, after: "formatted" }));
		};
		assert.deepEqual(outcomes(await task.takeOne("src/b.ts")), ["src/b.ts: taken"]);
		assert.equal(task.read("src/b.ts"), "typed on\n");
	});

	it("happens once when it is asked for twice at the same time", async () => {
		const task = await finishedTask();
		task.change("src/b.ts", "theirs\n");
		task.change("AGENTS.md", "kept\n");
		const { shown } = await task.one("src/b.ts");
		const take = () => applyChangesOf(task).take(task.taskId, { shown, path: "src/b.ts" });
		const both = await Promise.all([take(), take()]);
		assert.deepEqual(both.map(outcomes), [["src/b.ts: taken"], ["src/b.ts: same"]]);
		assert.match(both[1]?.files[0]?.reason ?? "", /nothing left to take/);
		assert.equal(task.caller.state.events.filter((event) => event.type === "status" && event.changes).length, 1);
	});

	it("of the same line from two tasks: the first is written, the second is a conflict", async () => {
		const home = newHome();
		const folder = join(home, "workspace");
		for (const [name, content] of Object.entries(FILES)) write(folder, name, content);
		const calls = ["one", "two"].flatMap((name) => spawning(name, { type: "quick", isolation: "always" }).calls ?? []);
		const { until, open } = createDeferred();
		const [one, two] = [[{ text: "One.", until }], [{ text: "Two.", until }]];
		const setup = await openTestTasks({ caller: [{ calls }, { text: "They run." }, { text: "I see." }], one, two }, { home });
		await setup.caller.send("Count");
		const first = await opened(setup, (await setup.state("running", "one")).sessionId);
		const second = await opened(setup, (await setup.state("running", "two")).sessionId);
		first.change("src/b.ts", "one\n");
		second.change("src/b.ts", "two\n");
		open();
		await Promise.all([setup.state("done", "one"), setup.state("done", "two")]);
		assert.deepEqual(outcomes(await first.takeAll()), ["src/b.ts: taken"]);
		assert.deepEqual(outcomes(await second.takeAll()), ["src/b.ts: conflict"]);
		assert.equal(first.read("src/b.ts"), "one\n");
	});
});
