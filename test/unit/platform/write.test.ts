// Changes to files: exact bytes, all or nothing, and refused where a file has moved on.
import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FileConflict } from "../../../src/core/ports/workspace/files.ts";
import { baseOf, bytes, editor, type Place, place, sha256, straight } from "./support.ts";

describe("a change to files", () => {
	let at: Place;
	const { buffers, unsaved, saved } = editor();
	const base = (path: string) => baseOf(at, path);

	beforeEach(() => {
		at = place({ buffers });
		unsaved.clear();
	});
	afterEach(() => at.dispose());

	it("writes exactly the bytes given and keeps mode and inode", async () => {
		const path = at.put("run.sh", "#!/bin/sh\r\necho one\r\n");
		chmodSync(path, 0o755);
		const inode = statSync(path).ino;
		const content = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), bytes("#!/bin/sh\r\necho two"), Buffer.from([0xff, 0xfe])]);
		const [change] = await at.machine.apply([{ path, action: "update", content, base: await base(path) }], straight(path));
		assert.deepEqual(readFileSync(path), content);
		assert.deepEqual([statSync(path).mode & 0o777, statSync(path).ino], [0o755, inode]);
		assert.equal(change?.after, sha256(content));
	});

	it("reports hunks with three lines of context, counts and the pre-image", async () => {
		const lines = Array.from({ length: 12 }, (_, index) => `line ${index + 1}`);
		const before = `${lines.join("\n")}\n`;
		const path = at.put("a.txt", before);
		const content = bytes(before.replace("line 6", "line six"));
		const changes = await at.machine.apply([{ path, action: "update", content, base: await base(path) }], straight(path));
		assert.deepEqual(changes, [
			{
				path,
				action: "update",
				diff: "@@ -3,7 +3,7 @@\n line 3\n line 4\n line 5\n-line 6\n+line six\n line 7\n line 8\n line 9",
				added: 1,
				removed: 1,
				before: { blob: sha256(before), size: before.length },
				after: sha256(content),
			},
		]);
	});

	it("previews the same without writing anything", async () => {
		const path = at.put("a.txt", "one\n");
		const edits = [{ path, action: "update" as const, content: bytes("two\n"), base: await base(path) }];
		const [seen] = await at.machine.preview(edits);
		assert.equal(readFileSync(path, "utf8"), "one\n");
		const [made] = await at.machine.apply(edits, straight(path));
		assert.deepEqual({ ...seen, before: made?.before }, made);
	});

	it("creates with missing folders, deletes and renames", async () => {
		const [made, gone, from, to] = [at.path("x/y/new.txt"), at.put("gone.txt", "bye\n"), at.put("from.txt", "same\n"), at.path("z/to.txt")];
		const changes = await at.machine.apply(
			[
				{ path: made, action: "create", content: bytes("hi\n") },
				{ path: gone, action: "delete" },
				{ path: from, action: "rename", to },
			],
			straight(made, gone, from, to),
		);
		assert.deepEqual(
			[readFileSync(made, "utf8"), existsSync(gone), existsSync(from), readFileSync(to, "utf8")],
			["hi\n", false, false, "same\n"],
		);
		assert.deepEqual(
			changes.map(({ path, action, from, diff, after }) => ({ path, action, from, diff, after })),
			[
				{ path: made, action: "create", from: undefined, diff: "@@ -0,0 +1 @@\n+hi", after: sha256("hi\n") },
				{ path: gone, action: "delete", from: undefined, diff: "@@ -1 +0,0 @@\n-bye", after: "" },
				{ path: to, action: "rename", from, diff: "", after: sha256("same\n") },
			],
		);
	});

	it("is refused when the file has changed since it was read, and says so", async () => {
		const [one, two] = [at.put("one.txt", "1\n"), at.put("two.txt", "2\n")];
		const bases = [await base(one), await base(two)] as const;
		writeFileSync(two, "3\n");
		const edits = [
			{ path: one, action: "update" as const, content: bytes("new\n"), base: bases[0] },
			{ path: two, action: "update" as const, content: bytes("new\n"), base: bases[1] },
		];
		await assert.rejects(at.machine.apply(edits, straight(one, two)), (error: Error) => {
			assert.ok(error instanceof FileConflict);
			assert.match(error.message, /two\.txt has changed since it was read.*Nothing was changed/);
			return true;
		});
		assert.deepEqual([readFileSync(one, "utf8"), readFileSync(two, "utf8")], ["1\n", "3\n"]);
	});

	it("never overwrites a file that is created or renamed to", async () => {
		const [from, to] = [at.put("a.txt", "a\n"), at.put("b.txt", "b\n")];
		await assert.rejects(at.machine.apply([{ path: to, action: "create", content: bytes("") }], straight(to)), FileConflict);
		await assert.rejects(at.machine.apply([{ path: from, action: "rename", to }], straight(from, to)), FileConflict);
		assert.deepEqual([readFileSync(from, "utf8"), readFileSync(to, "utf8")], ["a\n", "b\n"]);
	});

	it("puts everything back when a later edit fails", async () => {
		const [one, gone, moved] = [at.put("one.txt", "1\n"), at.put("gone.sh", "2\n"), at.put("moved.txt", "3\n")];
		chmodSync(gone, 0o755);
		const [made, to] = [at.path("new/deep/file.txt"), at.path("elsewhere/moved.txt")];
		// A name that is too long is only found out by the write itself.
		const impossible = at.path(`${"x".repeat(300)}/file.txt`);
		const apply = at.machine.apply(
			[
				{ path: one, action: "update", content: bytes("changed, and longer\n"), base: await base(one) },
				{ path: gone, action: "delete" },
				{ path: made, action: "create", content: bytes("new\n") },
				{ path: moved, action: "rename", to, content: bytes("changed\n") },
				{ path: impossible, action: "create", content: bytes("") },
			],
			straight(one, gone, made, moved, to, impossible),
		);
		await assert.rejects(apply, /name too long|name is too long/i);
		await assert.rejects(apply, /Nothing was changed/);
		assert.deepEqual(
			[one, gone, moved].map((path) => readFileSync(path, "utf8")),
			["1\n", "2\n", "3\n"],
		);
		assert.equal(statSync(gone).mode & 0o777, 0o755);
		assert.deepEqual(readdirSync(at.folder).sort(), ["gone.sh", "moved.txt", "one.txt"]);
	});

	it("goes through the editor where it holds unsaved text, and reports what saving made of it", async () => {
		const path = at.put("open.txt", "on disk");
		unsaved.set(path, bytes("typed"));
		assert.equal(Buffer.from(await at.machine.read(path)).toString(), "typed");
		const [change] = await at.machine.apply(
			[{ path, action: "update", content: bytes("typed and changed"), base: await base(path) }],
			straight(path),
		);
		assert.deepEqual(saved.splice(0), [path]);
		assert.equal(readFileSync(path, "utf8"), "typed and changed\n");
		assert.equal(change?.after, sha256("typed and changed\n"));
		assert.deepEqual(change?.before, { blob: sha256("typed"), size: 5 });
		assert.match(change?.diff ?? "", /-typed\n.*\n?\+typed and changed/);
	});

	it("is refused for notebooks, links, folders and files that are too large", async () => {
		const notebook = at.put("a.ipynb", "{}");
		const target = at.put("target.txt", "t");
		symlinkSync(target, at.path("link.txt"));
		mkdirSync(at.path("folder"));
		const huge = at.path("huge.txt");
		const content = Buffer.alloc(50 * 1024 * 1024 + 1);
		const refuse = async (edit: Parameters<typeof at.machine.preview>[0][number], real: string, message: RegExp) =>
			assert.rejects(at.machine.apply([edit], new Map([[edit.path, real]])), message);
		await refuse(
			{ path: notebook, action: "update", content: bytes(""), base: await base(notebook) },
			notebook,
			/notebook.*Nothing was changed/,
		);
		await refuse({ path: at.path("link.txt"), action: "delete" }, target, /symbolic link/);
		await refuse({ path: at.path("folder"), action: "delete" }, at.path("folder"), /not a file/);
		await refuse({ path: huge, action: "create", content }, huge, /50 MB/);
		assert.equal(existsSync(huge), false);
	});

	it("through a link changes the file it leads to", async () => {
		const target = at.put("target.txt", "t\n");
		const path = at.path("link.txt");
		symlinkSync(target, path);
		await at.machine.apply([{ path, action: "update", content: bytes("u\n"), base: await base(path) }], new Map([[path, target]]));
		assert.equal(readFileSync(target, "utf8"), "u\n");
	});

	it("is refused when a path leads elsewhere than when it was judged", async () => {
		const path = at.put("sub/a.txt", "a\n");
		const version = await base(path);
		writeFileSync(join(at.outside, "a.txt"), "a\n");
		rmSync(at.path("sub"), { recursive: true });
		symlinkSync(at.outside, at.path("sub"));
		const update = at.machine.apply([{ path, action: "update", content: bytes("b\n"), base: version }], straight(path));
		await assert.rejects(update, (error: Error) => error instanceof FileConflict && /Nothing was changed/.test(error.message));
		const made = at.path("sub/new.txt");
		await assert.rejects(at.machine.apply([{ path: made, action: "create", content: bytes("") }], straight(made)), FileConflict);
		assert.deepEqual(readdirSync(at.outside), ["a.txt"]);
		assert.equal(readFileSync(join(at.outside, "a.txt"), "utf8"), "a\n");
	});
});
