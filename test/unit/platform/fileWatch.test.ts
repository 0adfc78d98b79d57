// Tests the files changed by a command: diffs, previous contents and undo.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { how, type Place, place, sha256 } from "./support.ts";

for (const inGit of [true, false]) {
	describe(`files a command changed, ${inGit ? "in git" : "outside git"}`, () => {
		let at: Place;
		beforeEach(() => {
			at = place();
			if (inGit) execFileSync("git", ["init", "-q"], { cwd: at.folder });
			at.put("changed.txt", "one\ntwo\n");
			at.put("gone.txt", "bye\n");
			at.put("same.txt", "same\n");
			at.put("node_modules/x/index.js", "old\n");
			if (inGit) at.put(".gitignore", "node_modules\n");
			if (inGit) execFileSync("git", ["add", "changed.txt", "same.txt"], { cwd: at.folder });
		});
		afterEach(() => at.dispose());

		it("are told with diffs, and can be undone", async () => {
			const changes = await at.machine.watch();
			const command =
				"sed -i s/two/three/ changed.txt; rm gone.txt; touch same.txt; mkdir d; echo new > d/new.txt; echo new > node_modules/x/index.js";
			await at.machine.run(command, how(at.folder));
			const found = await changes();
			assert.deepEqual(found, [
				{
					path: at.path("changed.txt"),
					action: "update",
					diff: "@@ -1,2 +1,2 @@\n one\n-two\n+three",
					added: 1,
					removed: 1,
					after: sha256("one\nthree\n"),
					before: { blob: sha256("one\ntwo\n"), size: 8 },
				},
				{ path: at.path("d/new.txt"), action: "create", diff: "@@ -0,0 +1 @@\n+new", added: 1, removed: 0, after: sha256("new\n") },
				{
					path: at.path("gone.txt"),
					action: "delete",
					diff: "@@ -1 +0,0 @@\n-bye",
					added: 0,
					removed: 1,
					after: "",
					before: { blob: sha256("bye\n"), size: 4 },
				},
			]);
			for (const change of found) await at.machine.undo(change);
			assert.deepEqual([readFileSync(at.path("changed.txt"), "utf8"), readFileSync(at.path("gone.txt"), "utf8")], ["one\ntwo\n", "bye\n"]);
			assert.equal(existsSync(at.path("d/new.txt")), false);
		});

		it("are seen although size and time were put back", async () => {
			const path = at.path("same.txt");
			const time = new Date("2020-01-01");
			utimesSync(path, time, time);
			const changes = await at.machine.watch();
			writeFileSync(path, "SAME\n");
			utimesSync(path, time, time);
			assert.deepEqual(
				(await changes()).map((change) => change.path),
				[path],
			);
		});

		it("of large or binary kind are named without a diff", async () => {
			at.put("large.txt", "x".repeat(2_000_000));
			at.put("binary.bin", Buffer.from([0, 255, 2]));
			const changes = await at.machine.watch();
			at.put("large.txt", "y".repeat(2_000_001));
			at.put("binary.bin", Buffer.from([0, 255, 3]));
			assert.deepEqual(
				(await changes()).map(({ path, diff, before, after, unshown }) => [path, diff, before?.size, after.length, unshown]),
				[
					[at.path("binary.bin"), "", 3, 64, { why: "binary", size: 3 }],
					[at.path("large.txt"), "", undefined, 64, { why: "large", size: 2_000_001 }],
				],
			);
		});

		it("are told again from a later picture, which takes over what it knows", async () => {
			await at.machine.watch();
			at.put("changed.txt", "two\n");
			const changes = await at.machine.watch();
			at.put("changed.txt", "three\n");
			assert.deepEqual(
				(await changes()).map(({ diff }) => diff),
				["@@ -1 +1 @@\n-two\n+three"],
			);
		});
	});
}
