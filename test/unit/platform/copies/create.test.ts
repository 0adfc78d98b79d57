// Tests what is in a copy of the workspace, and that the person's repository is left alone.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	chmodSync,
	existsSync,
	linkSync,
	lstatSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { editor } from "../support.ts";
import { type CopyPlace, commitAll, copyPlace, gitIn, namesIn, only, options, treeOf, write } from "./support.ts";

describe("a copy of the workspace", () => {
	let at: CopyPlace;
	beforeEach(() => {
		at = copyPlace();
	});
	afterEach(() => at.dispose());

	it("has the files as they are now: changed, staged, untracked and without the deleted; its repository has the commit and no remote", async () => {
		at.put("a.txt", "one\n");
		at.put("gone.txt", "gone\n");
		at.put("run.sh", "#!/bin/sh\n");
		chmodSync(at.path("run.sh"), 0o755);
		commitAll(at.folder);
		at.git("tag", "v1");
		at.git("branch", "other");
		at.git("remote", "add", "origin", "https://example.com/a.git");
		at.git("config", "user.email", "ada@example.com");
		at.put("a.txt", "two\n");
		at.put("staged.txt", "staged\n");
		at.git("add", "staged.txt");
		at.put("src/new.txt", "new\n");
		rmSync(at.path("gone.txt"));
		const copy = await at.copies.create("task-1", options());
		const folder = only(copy);
		assert.deepEqual(namesIn(folder), ["a.txt", "run.sh", "src/new.txt", "staged.txt"]);
		assert.equal(readFileSync(join(folder, "a.txt"), "utf8"), "two\n");
		assert.equal(statSync(join(folder, "run.sh")).mode & 0o111, 0o111);
		assert.ok(Math.abs(statSync(join(folder, "a.txt")).mtimeMs - statSync(at.path("a.txt")).mtimeMs) < 0.01);
		assert.equal(gitIn(folder, "rev-parse", "HEAD", "v1", "other"), at.git("rev-parse", "HEAD", "v1", "other"));
		assert.equal(gitIn(folder, "symbolic-ref", "HEAD"), "refs/heads/main\n");
		assert.equal(gitIn(folder, "remote"), "");
		assert.equal(gitIn(folder, "config", "user.email"), "ada@example.com\n");
		assert.equal(gitIn(folder, "status", "--porcelain"), " M a.txt\n D gone.txt\n?? src/\n?? staged.txt\n");
		assert.equal(gitIn(folder, "fsck", "--no-dangling"), "");
		assert.deepEqual(copy.notes, []);
		assert.deepEqual(copy.folders, [{ name: "workspace", path: folder, original: at.folder }]);
		assert.deepEqual(await at.copies.find("task-1"), copy);
		assert.deepEqual(await at.copies.list(), [{ id: "task-1", createdAt: copy.createdAt }]);
		assert.equal(statSync(at.root).mode & 0o777, 0o700);
		assert.equal(statSync(join(at.root, "task-1")).mode & 0o777, 0o700);
	});

	it("leaves the repository as it is, whatever git does in the copy, and shares no file with it", async () => {
		at.put("a.txt", "one\n");
		commitAll(at.folder);
		at.put("a.txt", "two\n");
		at.git("stash");
		at.put("a.txt", "three\n");
		writeFileSync(at.path(".git/hooks/post-checkout"), "#!/bin/sh\ntouch ../ran\n", { mode: 0o755 });
		at.git("config", "core.fsmonitor", `touch ${join(at.outside, "ran")}`);
		at.git("config", "filter.bad.clean", `touch ${join(at.outside, "ran")}`);
		at.put(".gitattributes", "*.txt filter=bad\n");
		const before = treeOf(at.folder);
		const folder = only(await at.copies.create("task-1", options()));
		assert.deepEqual(treeOf(at.folder), before);
		for (const line of [
			"add -A",
			"commit -q -m second",
			"stash",
			"checkout -q -b more",
			"tag t",
			"gc --prune=now",
			"repack -a -d",
			"reset --hard HEAD",
		])
			gitIn(folder, ...line.split(" "));
		gitIn(folder, "worktree", "add", "-q", join(at.outside, "tree"));
		assert.deepEqual(treeOf(at.folder), before);
		assert.deepEqual(readdirSync(at.outside), ["tree"]);
		assert.equal(existsSync(join(folder, ".git", "hooks")), false);
		const inodes = new Set([...treeOf(at.folder).keys()].map((name) => lstatSync(at.path(name)).ino));
		for (const name of treeOf(folder).keys()) assert.ok(!inodes.has(lstatSync(join(folder, name)).ino), name);
	});

	it("has unsaved text, and nothing that is protected from reading", async () => {
		const { buffers, unsaved } = editor();
		await at.dispose();
		at = copyPlace({ buffers });
		at.put("a.txt", "saved\n");
		at.put(".env", "KEY=1\n");
		unsaved.set(at.path("a.txt"), Buffer.from("unsaved\n"));
		commitAll(at.folder);
		const copy = await at.copies.create("task-1", options({ isReadable: async (path) => !path.endsWith(".env") }));
		assert.deepEqual(namesIn(only(copy)), ["a.txt"]);
		assert.equal(readFileSync(join(only(copy), "a.txt"), "utf8"), "unsaved\n");
		assert.deepEqual(copy.notes, ["Left out, because they are protected from reading: .env"]);
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
		assert.equal(gitIn(only(copy), "status", "--porcelain").trim(), "M a.txt");
	});

	it("has unsaved text also where the workspace was opened through a link", async () => {
		const { buffers, unsaved } = editor();
		const link = join(at.outside, "link");
		symlinkSync(at.folder, link);
		at.put("a.txt", "saved\n");
		unsaved.set(join(link, "a.txt"), Buffer.from("unsaved\n"));
		const linked = copyPlace({ buffers, folders: () => [{ name: "w", path: link }], root: at.root });
		const copy = await linked.copies.create("task-1", options());
		assert.equal(readFileSync(join(only(copy), "a.txt"), "utf8"), "unsaved\n");
		assert.deepEqual((await linked.copies.changes(copy)).changes, []);
		await linked.dispose();
	});

	it("has the ignored files that are named, and no others", async () => {
		at.put(".gitignore", "node_modules\ndist\n*.log\ncache\n");
		at.put("node_modules/x/index.js", "x\n");
		at.put("packages/a/node_modules/y/index.js", "y\n");
		at.put("cache/deep/node_modules/z/index.js", "z\n");
		at.put("cache/deep/other.txt", "other\n");
		at.put("dist/out.js", "out\n");
		at.put("a.log", "log\n");
		commitAll(at.folder);
		const names = async (id: string, copyIgnored: string[]) => namesIn(only(await at.copies.create(id, options({ copyIgnored }))));
		const modules = ["cache/deep/node_modules/z/index.js", "node_modules/x/index.js", "packages/a/node_modules/y/index.js"];
		assert.deepEqual(await names("none", []), [".gitignore"]);
		assert.deepEqual(await names("modules", ["**/node_modules"]), [".gitignore", ...modules]);
		assert.deepEqual(await names("more", ["*.log", "dist/**", "node_modules/x"]), [
			".gitignore",
			"a.log",
			"dist/out.js",
			"node_modules/x/index.js",
		]);
	});

	it("keeps links inside, and leaves out those that lead outside, also through another link", async () => {
		at.put("dir/a.txt", "a\n");
		writeFileSync(join(at.outside, "secret.txt"), "secret\n");
		symlinkSync("dir/a.txt", at.path("inside"));
		symlinkSync("../dir", at.path("dir/self"));
		symlinkSync("not/yet", at.path("dangling"));
		symlinkSync("../outside/secret.txt", at.path("outside"));
		symlinkSync(join(at.folder, "dir/a.txt"), at.path("absolute"));
		symlinkSync("..", at.path("dir/up"));
		symlinkSync("dir/up/../outside/new.txt", at.path("through"));
		commitAll(at.folder);
		const copy = await at.copies.create("task-1", options());
		assert.deepEqual(namesIn(only(copy)), ["dangling", "dir/a.txt", "dir/self", "dir/up", "inside"]);
		assert.deepEqual(copy.notes, ["Left out, because they lead outside the workspace: absolute, outside, through"]);
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
	});

	it("copies hard links as files of their own, and leaves out pipes and sockets", async () => {
		at.put("a.txt", "a\n");
		at.put("piped.txt", "was a file\n");
		linkSync(at.path("a.txt"), at.path("b.txt"));
		commitAll(at.folder);
		rmSync(at.path("piped.txt"));
		execFileSync("mkfifo", [at.path("piped.txt")]);
		const server = createServer();
		await new Promise<void>((resolve) => server.listen(at.path("socket"), resolve));
		const copy = await at.copies.create("task-1", options());
		await new Promise((resolve) => server.close(resolve));
		assert.deepEqual(namesIn(only(copy)), ["a.txt", "b.txt"]);
		assert.equal(statSync(join(only(copy), "a.txt")).nlink, 1);
		assert.deepEqual(copy.notes, ["Left out, because they are neither files nor links: piped.txt"]);
	});

	it("has files alone without git, without a commit, and below the root of a repository", async () => {
		at.put("a/b.txt", "b\n");
		at.put("node_modules/x.js", "x\n");
		const create = async (id: string) => {
			const copy = await at.copies.create(id, options());
			assert.deepEqual(namesIn(only(copy)), ["a/b.txt", "node_modules/x.js"]);
			assert.equal(existsSync(join(only(copy), ".git")), false);
			return copy.notes;
		};
		assert.deepEqual(await create("plain"), []);
		at.git("init", "-q");
		writeFileSync(at.path(".git/info/exclude"), "node_modules\n");
		assert.deepEqual(await create("empty"), ["The repository of workspace has no commit yet, so only its files were copied."]);
		at.git("commit", "-q", "--allow-empty", "-m", "first");
		const below = copyPlace({ folders: () => [{ name: "a", path: at.path("a") }] });
		const copy = await below.copies.create("below", options());
		assert.deepEqual(namesIn(only(copy)), ["b.txt"]);
		assert.equal(existsSync(join(only(copy), ".git")), false);
		assert.deepEqual(copy.notes, ["a is not the root of its repository, so only its files were copied."]);
		await below.dispose();
	});

	it("has files alone where git is missing", async () => {
		at.put("a.txt", "a\n");
		commitAll(at.folder);
		const without = copyPlace({ programs: { gitOutput: async () => undefined }, folders: () => [{ name: "w", path: at.folder }] });
		const copy = await without.copies.create("task-1", options());
		assert.deepEqual([namesIn(only(copy)), existsSync(join(only(copy), ".git"))], [["a.txt"], false]);
		assert.deepEqual(copy.notes, ["Git can't read the repository of w, so only its files were copied."]);
		await without.dispose();
	});

	it("has the files of submodules and of repositories inside, and says so; also that LFS files are as they are on the disk", async () => {
		const library = join(at.outside, "library");
		mkdirSync(library);
		write(library, "lib.txt", "lib\n");
		commitAll(library);
		at.put(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs\n");
		at.put("pointer.bin", "version https://git-lfs.github.com/spec/v1\n");
		commitAll(at.folder);
		at.git("submodule", "--quiet", "add", library, "sub");
		at.git("commit", "-q", "-m", "second");
		write(at.path("inner"), "in.txt", "in\n");
		commitAll(at.path("inner"));
		const copy = await at.copies.create("task-1", options());
		assert.deepEqual(namesIn(only(copy)), [".gitattributes", ".gitmodules", "inner/in.txt", "pointer.bin", "sub/lib.txt"]);
		assert.equal(existsSync(join(only(copy), "sub", ".git")), false);
		assert.deepEqual(copy.notes, [
			"Repositories inside the workspace, of which only the files were copied: inner/, sub/",
			"Files of Git LFS were copied as they are on this disk: .gitattributes",
		]);
		assert.deepEqual((await at.copies.changes(copy)).changes, []);
		write(only(copy), "sub/more.txt", "more\n");
		assert.deepEqual(
			(await at.copies.changes(copy)).changes.map(({ path, action, ignored }) => [path, action, ignored]),
			[["sub/more.txt", "create", undefined]],
		);
	});

	it("works from a linked work tree, a shallow clone, a detached commit and a repository with SHA-256", async () => {
		at.put("a.txt", "a\n");
		commitAll(at.folder);
		at.git("commit", "-q", "--allow-empty", "-m", "second");
		at.git("worktree", "add", "-q", "--detach", join(at.outside, "tree"));
		gitIn(at.outside, "clone", "-q", "--depth=1", `file://${at.folder}`, "shallow");
		mkdirSync(join(at.outside, "sha"));
		gitIn(join(at.outside, "sha"), "init", "-q", "--object-format=sha256");
		write(join(at.outside, "sha"), "a.txt", "a\n");
		commitAll(join(at.outside, "sha"));
		for (const name of ["tree", "shallow", "sha"]) {
			const folder = join(at.outside, name);
			const one = copyPlace({ folders: () => [{ name, path: folder }] });
			const copy = await one.copies.create("task-1", options());
			assert.deepEqual(copy.notes, [], name);
			assert.equal(gitIn(only(copy), "rev-parse", "HEAD"), gitIn(folder, "rev-parse", "HEAD"));
			assert.equal(gitIn(only(copy), "log", "--format=%s"), gitIn(folder, "log", "--format=%s"));
			assert.equal(gitIn(only(copy), "status", "--porcelain"), "");
			await one.dispose();
		}
	});

	it("has each folder of the workspace, also two of the same name", async () => {
		const folders = ["one", "two"].map((name) => ({ name, path: join(at.outside, name, "app") }));
		for (const { name, path } of folders) write(path, "name.txt", name);
		const both = copyPlace({ folders: () => folders });
		const copy = await both.copies.create("task-1", options());
		assert.deepEqual(
			copy.folders.map(({ name, path, original }) => [name, readFileSync(join(path, "name.txt"), "utf8"), original]),
			folders.map(({ name, path }) => [name, name, path]),
		);
		await both.dispose();
	});

	it("can be made four times at once", async () => {
		for (let index = 0; index < 50; index += 1) at.put(`src/${index}.txt`, `${index}\n`);
		commitAll(at.folder);
		const before = treeOf(at.folder);
		const copies = await Promise.all(["1", "2", "3", "4"].map((id) => at.copies.create(id, options())));
		for (const copy of copies) {
			assert.equal(namesIn(only(copy)).length, 50);
			assert.equal(gitIn(only(copy), "status", "--porcelain"), "");
		}
		assert.equal(new Set(copies.map(only)).size, 4);
		assert.deepEqual(treeOf(at.folder), before);
	});
});
