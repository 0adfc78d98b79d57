// Tests what differs in a copy, and that taking it back never overwrites what the person has changed.
import assert from "node:assert/strict";
import { chmodSync, existsSync, readFileSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkspaceCopy } from "../../../../src/core/ports/copies.ts";
import { editor } from "../support.ts";
import { type CopyPlace, changeOf, commitAll, copyPlace, gitIn, only, options, write } from "./support.ts";

const LINES = Array.from({ length: 40 }, (_, index) => `line ${index}\n`);

function lines(changes: Record<number, string> = {}): string {
	return LINES.map((line, index) => changes[index] ?? line).join("");
}

describe("changes in a copy", () => {
	let at: CopyPlace;
	beforeEach(() => {
		at = copyPlace();
	});
	afterEach(() => at.dispose());
	const text = (name: string) => readFileSync(at.path(name), "utf8");

	async function started(): Promise<WorkspaceCopy> {
		at.put("a.txt", lines());
		at.put("gone.txt", "gone\n");
		at.put("same.txt", "same\n");
		at.put(".gitignore", "node_modules\nbuild\n");
		at.put("node_modules/x/index.js", "x\n");
		commitAll(at.folder);
		return at.copies.create("task-1", options());
	}

	it("are listed with diffs against the files as they were copied, also after commits, and ignored ones by name", async () => {
		const copy = await started();
		const folder = only(copy);
		write(folder, "a.txt", lines({ 0: "first\n" }));
		rmSync(join(folder, "gone.txt"));
		write(folder, "src/new.txt", "new\n");
		write(folder, "build/out.js", "out\n");
		write(folder, "node_modules/x/index.js", "y\n");
		utimesSync(join(folder, "same.txt"), 1, 1);
		gitIn(folder, "add", "-A");
		gitIn(folder, "commit", "-q", "-m", "in the copy");
		const { changes, notes } = await at.copies.changes((await at.copies.find("task-1")) ?? assert.fail());
		assert.deepEqual(
			changes.map(({ path, action, diff, ignored, changedMeanwhile }) => [path, action, diff, ignored, changedMeanwhile]),
			[
				["a.txt", "update", "@@ -1,4 +1,4 @@\n-line 0\n+first\n line 1\n line 2\n line 3", undefined, false],
				["build/out.js", "create", "", true, false],
				["gone.txt", "delete", "@@ -1 +0,0 @@\n-gone", undefined, false],
				["node_modules/x/index.js", "update", "", true, false],
				["src/new.txt", "create", "@@ -0,0 +1 @@\n+new", undefined, false],
			],
		);
		assert.deepEqual(notes, []);
		assert.deepEqual([changes[0]?.real, changes[0]?.copied, changes[0]?.folder], [at.path("a.txt"), join(folder, "a.txt"), "workspace"]);
	});

	it("are seen although size and times were put back", async () => {
		const copy = await started();
		const path = join(only(copy), "same.txt");
		writeFileSync(path, "SAME\n");
		const time = new Date("2020-01-01");
		utimesSync(path, time, time);
		assert.equal((await changeOf(at.copies, copy, "same.txt")).action, "update");
	});

	it("of whether files are executable are said, but not those of new files, which are taken", async function () {
		if (process.platform === "win32") this.skip();
		at.put("run.sh", "run\n");
		chmodSync(at.path("run.sh"), 0o755);
		const copy = await started();
		const folder = only(copy);
		write(folder, "new.sh", "new\n");
		write(folder, "a.txt", lines({ 0: "first\n" }));
		for (const name of ["new.sh", "a.txt", "same.txt"]) chmodSync(join(folder, name), 0o755);
		chmodSync(join(folder, "run.sh"), 0o644);
		const { changes, notes } = await at.copies.changes(copy);
		assert.deepEqual(
			changes.map(({ path }) => path),
			["a.txt", "new.sh"],
		);
		assert.deepEqual(notes, ["Files that became executable or no longer are, which can't be taken: a.txt, run.sh, same.txt"]);
		chmodSync(join(folder, "run.sh"), 0o755);
		for (const name of ["a.txt", "same.txt"]) chmodSync(join(folder, name), 0o644);
		assert.deepEqual((await at.copies.changes(copy)).notes, []);
	});

	it("are taken whole, one after the other, until none is left", async () => {
		const copy = await started();
		const folder = only(copy);
		write(folder, "a.txt", lines({ 0: "first\n" }));
		rmSync(join(folder, "gone.txt"));
		write(folder, "src/new.txt", "new\n");
		for (const change of (await at.copies.changes(copy)).changes) assert.equal(await at.take(copy, change), "write");
		assert.deepEqual([text("a.txt"), existsSync(at.path("gone.txt")), text("src/new.txt")], [lines({ 0: "first\n" }), false, "new\n"]);
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
		write(folder, "a.txt", lines({ 0: "second\n" }));
		const again = await changeOf(at.copies, copy, "a.txt");
		assert.deepEqual([again.diff.includes("-first\n+second"), again.changedMeanwhile], [true, false]);
		assert.equal(await at.take(copy, again), "write");
		assert.equal(text("a.txt"), lines({ 0: "second\n" }));
	});

	it("are taken hunk by hunk, come back with Undo, and go on from what was taken", async () => {
		const copy = await started();
		write(only(copy), "a.txt", lines({ 2: "two\n", 20: "twenty\n", 38: "more\nlines\n" }));
		const change = await changeOf(at.copies, copy, "a.txt");
		const taken = await at.copies.take(copy, change, [1]);
		assert.ok(taken.kind === "write");
		const [done] = await at.machine.apply([taken.edit], new Map([[change.real, change.real]]));
		assert.equal(text("a.txt"), lines({ 20: "twenty\n" }));
		assert.equal(await at.take(copy, change, [0]), "conflict");
		const rest = await changeOf(at.copies, copy, "a.txt");
		assert.equal(rest.changedMeanwhile, false);
		assert.equal(rest.diff.match(/^@@/gm)?.length, 2);
		await at.machine.undo(done ?? assert.fail());
		assert.equal((await changeOf(at.copies, copy, "a.txt")).diff, change.diff);
		assert.equal(await at.take(copy, change, [0, 2]), "write");
		assert.equal(text("a.txt"), lines({ 2: "two\n", 38: "more\nlines\n" }));
	});

	it("are left alone where the person has changed the file, deleted it, or made one of that name; a merge gets all three versions", async () => {
		const copy = await started();
		const folder = only(copy);
		write(folder, "a.txt", lines({ 0: "theirs\n" }));
		rmSync(join(folder, "gone.txt"));
		write(folder, "same.txt", "changed\n");
		write(folder, "new.txt", "new\n");
		const before = (await at.copies.changes(copy)).changes;
		at.put("a.txt", lines({ 39: "mine\n" }));
		at.put("gone.txt", "still needed\n");
		rmSync(at.path("same.txt"));
		at.put("new.txt", "mine\n");
		for (const change of before) assert.equal((await at.copies.take(copy, change)).kind, "conflict", change.path);
		const { changes } = await at.copies.changes(copy);
		assert.deepEqual(
			changes.map(({ path, changedMeanwhile }) => [path, changedMeanwhile]),
			["a.txt", "gone.txt", "new.txt", "same.txt"].map((path) => [path, true]),
		);
		for (const change of changes) assert.equal(await at.take(copy, change), "conflict");
		const { base, copied, original } = await at.copies.versions(copy, changes[0] ?? assert.fail());
		assert.deepEqual(
			[base, copied, original].map((bytes) => Buffer.from(bytes ?? []).toString()),
			[lines(), lines({ 0: "theirs\n" }), lines({ 39: "mine\n" })],
		);
		const refused = await at.copies.take(copy, changes[0] ?? assert.fail());
		assert.ok(refused.kind === "conflict" && /^a\.txt has changed in the workspace since it was copied\./.test(refused.reason));
	});

	it("that two copies make to the same line: the first is taken, the second is merged", async () => {
		const [one, two] = [await started(), await at.copies.create("task-2", options())];
		write(only(one), "a.txt", lines({ 5: "one\n" }));
		write(only(two), "a.txt", lines({ 5: "two\n" }));
		const second = await changeOf(at.copies, two, "a.txt");
		assert.equal(await at.take(one, await changeOf(at.copies, one, "a.txt")), "write");
		assert.equal(await at.take(two, second), "conflict");
		assert.equal(text("a.txt"), lines({ 5: "one\n" }));
	});

	it("that the workspace has too are not listed", async () => {
		const copy = await started();
		write(only(copy), "a.txt", "both\n");
		const change = await changeOf(at.copies, copy, "a.txt");
		at.put("a.txt", "both\n");
		assert.equal((await at.copies.take(copy, change)).kind, "same");
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
	});

	it("that go on after they were looked at are looked at again", async () => {
		const copy = await started();
		write(only(copy), "a.txt", "one\n");
		const change = await changeOf(at.copies, copy, "a.txt");
		write(only(copy), "a.txt", "two\n");
		const taken = await at.copies.take(copy, change);
		assert.ok(taken.kind === "refused" && /has changed in the copy meanwhile/.test(taken.reason));
	});

	it("to links are refused, and nothing is read through one", async () => {
		symlinkSync("a.txt", at.path("link"));
		const copy = await started();
		const folder = only(copy);
		write(at.outside, "a.txt", "secret\n");
		rmSync(join(folder, "a.txt"));
		symlinkSync(join(at.outside, "a.txt"), join(folder, "a.txt"));
		rmSync(join(folder, "link"));
		write(folder, "dir/new.txt", "new\n");
		const listed = await changeOf(at.copies, copy, "dir/new.txt");
		rmSync(join(folder, "dir"), { recursive: true });
		symlinkSync(at.outside, join(folder, "dir"));
		write(at.outside, "new.txt", "secret\n");
		const { changes } = await at.copies.changes(copy);
		assert.deepEqual(
			changes.map(({ path, link, diff }) => [path, link, diff]),
			[
				["a.txt", join(at.outside, "a.txt"), ""],
				["dir", at.outside, ""],
				["link", "", ""],
			],
		);
		for (const change of [...changes, listed]) assert.equal((await at.copies.take(copy, change)).kind, "refused", change.path);
		assert.equal((await at.copies.versions(copy, listed)).copied, undefined);
	});

	it("are judged against unsaved text, and go through its editor", async () => {
		const { buffers, unsaved, saved } = editor();
		await at.dispose();
		at = copyPlace({ buffers });
		at.put("a.txt", "saved\n");
		unsaved.set(at.path("a.txt"), Buffer.from("unsaved\n"));
		const copy = await at.copies.create("task-1", options());
		write(only(copy), "a.txt", "changed\n");
		const change = await changeOf(at.copies, copy, "a.txt");
		assert.deepEqual([change.diff, change.changedMeanwhile], ["@@ -1 +1 @@\n-unsaved\n+changed", false]);
		unsaved.set(at.path("a.txt"), Buffer.from("typed on\n"));
		assert.equal(await at.take(copy, change), "conflict");
		unsaved.set(at.path("a.txt"), Buffer.from("unsaved\n"));
		assert.equal(await at.take(copy, change), "write");
		assert.deepEqual(saved, [at.path("a.txt")]);
	});

	it("keep line ends and encodings hunk by hunk, and can be taken only whole where they have none", async () => {
		const utf16 = (content: string) => Buffer.from(`\ufeff${content}`, "utf16le");
		at.put("crlf.txt", lines().replaceAll("\n", "\r\n"));
		at.put("utf16.txt", utf16(lines()));
		at.put("binary.bin", Buffer.from([0, 255, 1]));
		const copy = await at.copies.create("task-1", options());
		const changed = lines({ 0: "first\n", 39: "last" });
		write(only(copy), "crlf.txt", changed.replaceAll("\n", "\r\n"));
		write(only(copy), "utf16.txt", utf16(changed));
		write(only(copy), "binary.bin", Buffer.from([0, 255, 2]));
		for (const path of ["crlf.txt", "utf16.txt"]) assert.equal(await at.take(copy, await changeOf(at.copies, copy, path), [1]), "write");
		assert.equal(text("crlf.txt"), lines({ 39: "last" }).replaceAll("\n", "\r\n"));
		assert.deepEqual(readFileSync(at.path("utf16.txt")), utf16(lines({ 39: "last" })));
		const binary = await changeOf(at.copies, copy, "binary.bin");
		assert.equal(await at.take(copy, binary, [0]), "refused");
		assert.equal(await at.take(copy, binary), "write");
	});

	it("to files over 50 MB are listed, and can't be taken", async () => {
		at.put("large.bin", "");
		truncateSync(at.path("large.bin"), 60_000_000);
		const copy = await at.copies.create("task-1", options());
		assert.deepEqual(copy.notes, ["Larger than 50 MB, so changes to them can't be taken: large.bin"]);
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
		truncateSync(join(only(copy), "large.bin"), 61_000_000);
		const change = await changeOf(at.copies, copy, "large.bin");
		assert.deepEqual([change.action, change.unshown?.why, change.changedMeanwhile], ["update", "large", false]);
		assert.equal(await at.take(copy, change), "refused");
	});

	it("to ignored files can be taken while the workspace's file is as it was", async () => {
		const copy = await started();
		write(only(copy), "node_modules/x/index.js", "y\n");
		const change = await changeOf(at.copies, copy, "node_modules/x/index.js");
		assert.equal(await at.take(copy, change), "write");
		assert.equal(text("node_modules/x/index.js"), "y\n");
		write(only(copy), "node_modules/x/index.js", "z\n");
		at.put("node_modules/x/index.js", "mine\n");
		assert.equal(await at.take(copy, await changeOf(at.copies, copy, "node_modules/x/index.js")), "conflict");
	});
});
