// Tests copies where the disk, the repository, or other processes get in the way.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
	appendFileSync,
	chmodSync,
	existsSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	truncateSync,
	writeFileSync,
} from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { takeTreeSnapshot } from "../../../../src/platform/files/workspaceDiff.ts";
import { type CopyPlace, commitAll, copyPlace, namesIn, only, options, write } from "./support.ts";

describe("a copy of the workspace, where something gets in the way,", () => {
	let at: CopyPlace;
	beforeEach(() => {
		at = copyPlace();
	});
	afterEach(() => at.dispose());
	const left = () => (existsSync(at.root) ? readdirSync(at.root) : []);

	it("is not made if the disk has no space for it, says so, and leaves nothing", async () => {
		at.put("large.bin", "");
		truncateSync(at.path("large.bin"), 2 ** 43);
		await assert.rejects(at.copies.create("task-1", options()), {
			message: "There isn't enough space on the disk to copy the workspace. Nothing was kept. Free some space and try again.",
		});
		assert.deepEqual(left(), []);
	});

	it("needs space for ignored files that are copied too, up to 500 MB, and twice for those that are kept for merging", async () => {
		const sizes = { "base.bin": 5 * 1024 * 1024, "large.bin": 30_000_000, "node_modules/a.bin": 40_000_000, "node_modules/b.bin": 2 ** 43 };
		for (const [name, size] of Object.entries(sizes)) truncateSync(at.put(name, ""), size);
		const spare = 200_000_000;
		const copyWith = async (free: number, copyIgnored: string[]) => {
			const own = copyPlace({ folders: () => [{ name: "w", path: at.folder }], freeBytes: async () => spare + free });
			try {
				return only(await own.copies.create("task-1", options({ copyIgnored })));
			} finally {
				await own.dispose();
			}
		};
		const project = 2 * sizes["base.bin"] + sizes["large.bin"];
		const ignored = sizes["node_modules/a.bin"];
		const noSpace = /^UserError: There isn't enough space on the disk to copy the workspace\./;
		await assert.rejects(copyWith(project - 1, []), noSpace);
		await copyWith(project, []);
		await assert.rejects(copyWith(project + ignored - 1, ["**/a.bin"]), noSpace);
		await copyWith(project + ignored, ["**/a.bin"]);
		await assert.rejects(copyWith(project + 500_000_000 - 1, ["**/b.bin"]), noSpace);
		await copyWith(project + 500_000_000, ["**/b.bin"]);
	});

	it("is not made if the disk fails in the middle, and leaves nothing", async () => {
		at.put("a.txt", "a\n");
		const failing = copyPlace({
			folders: () => [{ name: "w", path: at.folder }],
			root: join(at.outside, "copies"),
			buffers: {
				dirty() {
					throw Object.assign(new Error("full"), { code: "ENOSPC" });
				},
				refusal: () => undefined,
				setText: async () => undefined,
				save: async () => undefined,
			},
		});
		await assert.rejects(
			failing.copies.create("task-1", options()),
			/^UserError: There isn't enough space on the disk to copy the workspace\./,
		);
		assert.deepEqual(readdirSync(join(at.outside, "copies")), []);
		await failing.dispose();
	});

	it("has nothing that a repository's link leads to", async () => {
		at.put("a.txt", "a\n");
		commitAll(at.folder);
		writeFileSync(join(at.outside, "secret"), "secret\n");
		rmSync(at.path(".git/info/exclude"), { force: true });
		mkdirSync(at.path(".git/info"), { recursive: true });
		symlinkSync(join(at.outside, "secret"), at.path(".git/info/exclude"));
		const linked = await at.copies.create("task-1", options());
		assert.equal(existsSync(join(only(linked), ".git", "info", "exclude")), false);
	});

	it("is not made while git can't list a repository's files, of which all ignored ones would be copied, and says so", async function () {
		if (process.platform === "win32") this.skip();
		at.put(".gitignore", "dist\n");
		at.put("dist/out.js", "out\n");
		commitAll(at.folder);
		await at.copies.create("before", options());
		// Git waits for each of them.
		for (const name of ["info/exclude", "HEAD", "index"]) {
			const own = copyPlace({ gitTimeout: 100, root: at.root, folders: () => [{ name: "w", path: at.folder }] });
			const path = at.path(`.git/${name}`);
			const content = existsSync(path) ? readFileSync(path) : "";
			rmSync(path, { force: true });
			mkdirSync(dirname(path), { recursive: true });
			execFileSync("mkfifo", [path]);
			await assert.rejects(
				own.copies.create("task-1", options()),
				{
					message: `Git couldn't list the files of ${at.folder}, so the workspace wasn't copied. Nothing was kept. See whether “git status” works there, and try again in a minute.`,
				},
				name,
			);
			assert.deepEqual(left(), ["before"], name);
			rmSync(path);
			writeFileSync(path, content);
			await own.dispose();
		}
	});

	it("waits longer for git's list of files than for its other answers", async function () {
		if (process.platform === "win32") this.skip();
		await at.dispose();
		let begin: () => void = () => undefined;
		const listing = new Promise<void>((resolve) => {
			begin = resolve;
		});
		at = copyPlace({
			gitTimeout: 500,
			programs: {
				gitOutput(folder, words, ...rest) {
					if (words[0] === "ls-files") begin();
					return at.machine.programs.gitOutput(folder, words, ...rest);
				},
			},
		});
		at.put(".gitignore", "dist\n");
		at.put("dist/out.js", "out\n");
		commitAll(at.folder);
		commitAll(at.outside);
		const pipes = [at.folder, at.outside].map((folder) => {
			mkdirSync(join(folder, ".git", "info"), { recursive: true });
			const pipe = join(folder, ".git", "info", "exclude");
			rmSync(pipe, { force: true });
			execFileSync("mkfifo", [pipe]);
			return pipe;
		});
		const made = at.copies.create("task-1", options());
		await listing;
		// It begins later, and its time is over first.
		assert.equal(await at.machine.programs.gitOutput(at.outside, ["ls-files", "--others", "--exclude-standard"]), undefined);
		const [pipe = ""] = pipes;
		const writer = await open(pipe, "r+");
		rmSync(pipe);
		await writer.close();
		assert.deepEqual(namesIn(only(await made)), [".gitignore"]);
	});

	it("is not made twice under one id, nor outside of its folder, nor of no folder", async () => {
		at.put("a.txt", "a\n");
		const copy = await at.copies.create("task-1", options());
		await assert.rejects(at.copies.create("task-1", options()), /^UserError: There is a copy task-1 already\.$/);
		assert.deepEqual(await at.copies.find("task-1"), copy);
		for (const id of ["..", "../x", ".x", "a/b", ""]) {
			await assert.rejects(at.copies.create(id, options()), TypeError);
			assert.equal(await at.copies.find(id), undefined);
			await at.copies.remove(id);
		}
		const none = copyPlace({ folders: () => [] });
		await assert.rejects(none.copies.create("task-1", options()), /nothing to copy/);
		await none.dispose();
	});

	it("ends with the signal, and leaves nothing", async () => {
		for (let index = 0; index < 200; index += 1) at.put(`${index}.txt`, `${index}\n`);
		const stop = new AbortController();
		const isReadable = async (path: string) => {
			if (path.endsWith("/99.txt")) stop.abort(new Error("stopped"));
			return true;
		};
		await assert.rejects(at.copies.create("task-1", options({ signal: stop.signal, isReadable })), /^Error: stopped$/);
		assert.deepEqual(left(), []);
	});

	it("has no file that disappears meanwhile, and names one that changes all the time", async function () {
		if (process.platform === "win32") this.skip();
		at.put("gone.txt", "gone\n");
		at.put("log.txt", Buffer.alloc(40_000_000, "line\n"));
		// Several, so that one of them writes during every read, however busy the machine is.
		const writers = Array.from({ length: 8 }, () =>
			spawn("bash", ["-c", "echo started; while :; do echo x >> log.txt; done"], { cwd: at.folder }),
		);
		await Promise.all(writers.map(({ stdout }) => once(stdout, "data")));
		const closed = Promise.all(writers.map((writer) => once(writer, "close")));
		const isReadable = async (path: string) => {
			if (path.endsWith("gone.txt")) rmSync(path);
			return true;
		};
		const copy = await at.copies.create("task-1", options({ isReadable })).finally(() => {
			for (const writer of writers) writer.kill("SIGKILL");
		});
		await closed;
		assert.deepEqual(namesIn(only(copy)), ["log.txt"]);
		assert.deepEqual(copy.notes, ["Changed while they were copied: log.txt"]);
		appendFileSync(join(only(copy), "log.txt"), "from the copy\n");
		const [change] = (await at.copies.changes(copy)).changes;
		assert.deepEqual([change?.path, change?.changedMeanwhile], ["log.txt", true]);
		assert.equal(await at.take(copy, change ?? assert.fail()), "conflict");
	});

	it("has nothing from behind a folder that is replaced by a link meanwhile", async () => {
		at.put("dir/key.txt", "mine\n");
		write(at.outside, "key.txt", "secret\n");
		const isReadable = async (path: string) => {
			if (path.endsWith("key.txt")) {
				rmSync(dirname(path), { recursive: true });
				symlinkSync(at.outside, dirname(path));
			}
			return true;
		};
		const copy = await at.copies.create("task-1", options({ isReadable }));
		assert.deepEqual(namesIn(only(copy)), []);
		assert.deepEqual(copy.notes, ["Left out, because they lead outside the workspace: dir/key.txt"]);
	});

	it("has no files that can't be read, and says so", async function () {
		if (process.getuid?.() === 0) this.skip();
		at.put("a.txt", "a\n");
		at.put("closed.txt", "closed\n");
		chmodSync(at.path("closed.txt"), 0);
		const copy = await at.copies.create("task-1", options());
		assert.deepEqual(namesIn(only(copy)), ["a.txt"]);
		assert.deepEqual(copy.notes, ["Left out, because the operating system refuses to read them: closed.txt"]);
	});

	it("is not found if its creation was killed, and the next sweep removes what is left, but nothing of a process that lives", async () => {
		for (let index = 0; index < 200; index += 1) at.put(`${index}.txt`, `${index}\n`);
		const program = join(dirname(fileURLToPath(import.meta.url)), "killedCreation.program.mjs");
		const child = spawn(process.execPath, [program, at.root, at.folder], { stdio: ["ignore", "pipe", "inherit"] });
		await once(child.stdout, "data");
		assert.equal(left().length, 1);
		await at.copies.sweep();
		assert.equal(left().length, 1);
		child.kill("SIGKILL");
		await once(child, "close");
		assert.deepEqual([await at.copies.find("task-1"), await at.copies.list()], [undefined, []]);
		const copy = await at.copies.create("task-2", options());
		await at.copies.sweep();
		assert.deepEqual(left(), ["task-2"]);
		assert.deepEqual(await at.copies.find("task-2"), copy);
	});

	it("is gone without a rest after it was removed, also if folders in it became read-only", async () => {
		at.put("dir/a.txt", "a\n");
		write(at.outside, "kept.txt", "kept\n");
		const copy = await at.copies.create("task-1", options());
		symlinkSync(at.outside, join(only(copy), "link"));
		chmodSync(join(only(copy), "dir"), 0o500);
		await at.copies.remove("task-1");
		await at.copies.remove("task-1");
		assert.deepEqual([left(), await at.copies.find("task-1"), readdirSync(at.outside)], [[], undefined, ["kept.txt"]]);
		await assert.rejects(at.copies.changes(copy), /The copy is damaged or was removed.*Your files were left alone\.$/);
	});

	it("is not found if it is damaged", async () => {
		at.put("a.txt", "a\n");
		const damages: ((home: string) => void)[] = [
			(home) => rmSync(join(home, "copy.json")),
			(home) => writeFileSync(join(home, "copy.json"), '{"folders":[{}]}'),
			(home) => appendFileSync(join(home, "base"), "more"),
			(home) => rmSync(join(home, "files.json")),
			(home) => rmSync(join(home, "0"), { recursive: true }),
		];
		for (const [index, damage] of damages.entries()) {
			await at.copies.create(`task-${index}`, options());
			damage(join(at.root, `task-${index}`));
			assert.equal(await at.copies.find(`task-${index}`), undefined, String(damage));
		}
		const copy = await at.copies.create("hash", options());
		writeFileSync(join(at.root, "hash", "files.json"), "[]");
		await assert.rejects(at.copies.changes(copy), /damaged/);
	});

	it("names what in it can't be read or has a name that isn't text, and leaves such files of the workspace out with a note", async function () {
		if (process.platform !== "linux") this.skip();
		const misnamed = (folder: string) => Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.from([0xff])]);
		at.put("a.txt", "a\n");
		writeFileSync(misnamed(at.folder), "theirs");
		const copy = await at.copies.create("task-1", options());
		assert.deepEqual(namesIn(only(copy)), ["a.txt"]);
		assert.deepEqual(copy.notes, ["Left out, because the operating system refuses to read them: bad\ufffd"]);
		assert.deepEqual(await at.copies.changes(copy), { changes: [], notes: [] });
		writeFileSync(misnamed(only(copy)), "work");
		mkdirSync(Buffer.concat([misnamed(only(copy)), Buffer.from("folder")]));
		const { changes, notes } = await at.copies.changes(copy);
		assert.deepEqual(changes, []);
		assert.deepEqual(notes, ["Can't be read, or have a name that isn't valid text, so they can't be taken: bad\ufffd, bad\ufffdfolder"]);
	});

	it("is compared without ignored files if there are too many, in whatever order they are found", async () => {
		const folder = join(at.outside, "many");
		for (let index = 0; index < 12; index += 1) write(folder, `ignored/${index}.txt`, "");
		write(folder, "z/project.txt", "");
		mkdirSync(join(folder, "empty"));
		const isIgnored = (path: string) => path.startsWith("ignored/");
		const [few, all] = [await takeTreeSnapshot(folder, isIgnored, 11), await takeTreeSnapshot(folder, isIgnored, 12)];
		assert.deepEqual([[...few.files.keys()], few.ignoredSkipped], [["z/project.txt"], true]);
		assert.deepEqual([all.files.size, all.ignoredSkipped], [13, false]);
	});
});
