// Tests the disk workspace and the virtual one with the shared tests, and their differences.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGate } from "../../../src/gate/gate.ts";
import { createOutputStore } from "../../../src/platform/processes/outputStore.ts";
import { createCombinedWorkspace, createVirtualWorkspace, type VirtualWorkspace } from "../../../src/platform/virtual/workspace.ts";
import { MemoryFiles } from "../../fakes/memoryFileSystem.ts";
import { virtualMemory } from "../../fakes/virtualMemory.ts";
import { bytes, memoryBlobs, type Place, place, straight } from "./support.ts";
import { workspaceContract } from "./workspaceContract.ts";

const HOME = "/vscode-virtual/memory/-/home";

workspaceContract("on a disk", async () => {
	const at = place();
	return {
		workspace: at.machine,
		path: at.path,
		put: async (name, content) => at.put(name, content),
		text: async (name) => {
			try {
				return readFileSync(at.path(name), "utf8");
			} catch {
				return undefined;
			}
		},
		dispose: at.dispose,
	};
});

/** A virtual folder, and a machine that lends it ripgrep. */
function virtualPlace(most?: number) {
	const memory = new MemoryFiles();
	memory.folders.add("/home");
	const machine = place();
	const scratch = mkdtempSync(join(tmpdir(), "virtual-"));
	const workspace = createVirtualWorkspace({
		fs: virtualMemory(memory, (path) => path.replace("/vscode-virtual/memory/-", "")),
		folders: () => [{ name: "home", path: HOME }],
		identity: () => HOME,
		blobs: memoryBlobs(),
		outputStore: createOutputStore(scratch),
		programs: machine.machine.programs,
		...(most !== undefined && { maxFiles: most }),
	});
	return {
		memory,
		machine,
		workspace,
		scratch,
		async dispose() {
			await machine.dispose();
			rmSync(scratch, { recursive: true, force: true });
		},
	};
}

workspaceContract("that is virtual", async () => {
	const at = virtualPlace();
	return {
		workspace: at.workspace,
		path: (name) => join(HOME, name),
		async put(name, content) {
			at.memory.put(join("/home", name), content);
			return join(HOME, name);
		},
		text: async (name) => at.memory.text(join("/home", name)),
		dispose: at.dispose,
	};
});

describe("a virtual workspace", () => {
	let at: ReturnType<typeof virtualPlace>;
	beforeEach(() => {
		at = virtualPlace(3);
	});
	afterEach(() => at.dispose());
	const { signal } = new AbortController();

	it("looks at no more files than its bound, says so, and leaves nothing of them on the disk", async () => {
		for (const name of ["a", "b", "c", "d"]) at.memory.put(`/home/src/${name}.ts`, "needle\n");
		const { matches, bounded } = await at.workspace.search({ pattern: "needle", limit: 100 }, signal);
		assert.deepEqual([matches.length, bounded], [3, 3]);
		const found = await at.workspace.find("*.ts", { limit: 100, signal });
		assert.deepEqual([found.paths.length, found.bounded], [3, 3]);
		const narrow = await at.workspace.search({ pattern: "needle", glob: "d.ts", limit: 100 }, signal);
		assert.deepEqual([narrow.matches.map(({ path }) => path), narrow.bounded], [[`${HOME}/src/d.ts`], undefined]);
		const [run = ""] = readdirSync(at.scratch);
		assert.deepEqual(readdirSync(join(at.scratch, run)), []);
	});

	it("never goes through a link, nor by a name that leads elsewhere", async () => {
		at.memory.put("/home/src/a.ts", "needle\n");
		at.memory.put("/home/linked/b.ts", "needle\n");
		at.memory.links.add("/home/linked");
		await assert.rejects(at.workspace.realpath(`${HOME}/linked/b.ts`), /symbolic link/);
		await assert.rejects(at.workspace.lstat(`${HOME}/linked`), /symbolic link/);
		const { matches } = await at.workspace.search({ pattern: "needle", limit: 100 }, signal);
		assert.deepEqual(
			matches.map(({ path }) => path),
			[`${HOME}/src/a.ts`],
		);
		const hostile = createVirtualWorkspace({
			fs: {
				...virtualMemory(at.memory, (path) => path.replace("/vscode-virtual/memory/-", "")),
				readDirectory: async () => [
					{ name: "../../evil.txt", type: "file", link: false },
					{ name: "..", type: "directory", link: false },
				],
				readFile: async () => bytes("needle"),
				stat: async (path) => ({ type: path === HOME ? "directory" : "file", size: 6, mtime: 1, link: false }),
			},
			folders: () => [{ name: "home", path: HOME }],
			identity: () => HOME,
			blobs: memoryBlobs(),
			outputStore: createOutputStore(at.scratch),
			programs: at.machine.machine.programs,
		});
		assert.deepEqual(await hostile.list(HOME), []);
		assert.deepEqual((await hostile.search({ pattern: "needle", limit: 100 }, signal)).matches, []);
		assert.ok(!readdirSync(at.scratch).some((name) => name.includes("evil")));
	});

	it("takes back what was written where a later step fails", async () => {
		at.memory.put("/home/a.txt", "a\n");
		const fs = virtualMemory(at.memory, (path) => path.replace("/vscode-virtual/memory/-", ""));
		const failing = createVirtualWorkspace({
			fs: {
				...fs,
				writeFile: async (path, content) => {
					if (path.endsWith("b.txt")) throw Object.assign(new Error("no"), { code: "EACCES" });
					return fs.writeFile(path, content);
				},
			},
			folders: () => [{ name: "home", path: HOME }],
			identity: () => HOME,
			blobs: memoryBlobs(),
			outputStore: createOutputStore(at.scratch),
			programs: at.machine.machine.programs,
		});
		const [a, b] = [`${HOME}/a.txt`, `${HOME}/new/b.txt`];
		const version = (await failing.version(a)) ?? assert.fail();
		const change = failing.apply(
			[
				{ path: a, action: "update", content: bytes("changed\n"), base: version },
				{ path: b, action: "create", content: bytes("b\n") },
			],
			straight(a, b),
		);
		await assert.rejects(change, /new\/b\.txt could not be written: the operating system does not allow it.*Nothing was changed/);
		assert.equal(at.memory.text("/home/a.txt"), "a\n");
		assert.equal(at.memory.has("/home/new"), false);
	});

	it("runs no command, and says why", async () => {
		const how = { cwd: HOME, signal };
		await assert.rejects(at.workspace.run("ls", how), /on no disk, so no command can run/);
		assert.match(at.workspace.commands?.() ?? "", /^The workspace is virtual/);
	});
});

describe("a workspace of both kinds", () => {
	let disk: Place;
	let virtual: ReturnType<typeof virtualPlace>;
	beforeEach(() => {
		disk = place({ allFolders: () => folders() });
		virtual = virtualPlace();
	});
	afterEach(() => Promise.all([disk.dispose(), virtual.dispose()]));
	const { signal } = new AbortController();
	const folders = () => [
		{ name: "home", path: HOME },
		{ name: "workspace", path: disk.folder },
	];
	const joined = () => {
		const named = createVirtualWorkspace({
			fs: virtualMemory(virtual.memory, (path) => path.replace("/vscode-virtual/memory/-", "")),
			folders: () => [{ name: "home", path: HOME }],
			allFolders: folders,
			identity: () => HOME,
			blobs: memoryBlobs(),
			outputStore: createOutputStore(virtual.scratch),
			programs: disk.machine.programs,
		}) satisfies VirtualWorkspace;
		return createCombinedWorkspace(disk.machine, named, folders);
	};

	it("finds and searches in both, and names files by their folder", async () => {
		disk.put("src/a.ts", "needle\n");
		virtual.memory.put("/home/src/b.ts", "needle\n");
		const both = joined();
		assert.deepEqual((await both.find("*.ts", { limit: 9, signal })).paths, ["home/src/b.ts", "workspace/src/a.ts"]);
		assert.deepEqual((await both.find("home/**/*.ts", { limit: 9, signal })).paths, ["home/src/b.ts"]);
		const { matches } = await both.search({ pattern: "needle", limit: 9 }, signal);
		assert.deepEqual(
			matches.map(({ path }) => path),
			[disk.path("src/a.ts"), `${HOME}/src/b.ts`],
		);
	});

	it("is one to the gate: its folders, what is protected in them, and links that cannot be followed", async () => {
		virtual.memory.put("/home/src/b.ts", "b\n");
		virtual.memory.put("/home/.env", "KEY=1\n");
		virtual.memory.put("/home/linked/c.ts", "c\n");
		virtual.memory.links.add("/home/linked");
		disk.put("src/a.ts", "a\n");
		const gate = createGate({ disk: joined(), folders, storage: [], parser: "" });
		const facts = await Promise.all(["home/src/b.ts", "home/new.ts", "workspace/src/a.ts"].map((given) => gate.path(given, "write")));
		assert.deepEqual(
			facts.map(({ literal, real, realInside, exists, refused }) => ({ same: literal === real, realInside, exists, refused })),
			[
				{ same: true, realInside: "src/b.ts", exists: true, refused: undefined },
				{ same: true, realInside: "new.ts", exists: false, refused: undefined },
				{ same: true, realInside: "src/a.ts", exists: true, refused: undefined },
			],
		);
		assert.match((await gate.path("home/linked/c.ts", "read")).refused ?? "", /symbolic link/);
		const shown = await Promise.all(["src/b.ts", ".env", "linked/c.ts"].map((name) => gate.visible(`${HOME}/${name}`)));
		assert.deepEqual(shown, [true, false, false]);
	});

	it("tells them apart by path, runs commands on the disk alone, and changes one kind at a time", async () => {
		const a = disk.put("a.txt", "a\n");
		virtual.memory.put("/home/b.txt", "b\n");
		const b = `${HOME}/b.txt`;
		const both = joined();
		assert.deepEqual(
			[await both.read(a), await both.read(b)].map((read) => Buffer.from(read).toString()),
			["a\n", "b\n"],
		);
		assert.equal(both.commands?.(), undefined);
		await assert.rejects(both.run("ls", { cwd: HOME, signal }), /no command can run.*as cwd: workspace\.$/);
		assert.equal((await both.run("cat a.txt", { cwd: disk.folder, signal })).output, "a\n");
		await assert.rejects(both.apply([{ path: a, action: "rename", to: `${HOME}/a.txt` }], straight(a, `${HOME}/a.txt`)), /Make it in two/);
		const [change] = await both.apply([{ path: b, action: "delete" }], straight(b));
		assert.equal(virtual.memory.has("/home/b.txt"), false);
		await both.undo(change ?? assert.fail());
		assert.equal(virtual.memory.text("/home/b.txt"), "b\n");
	});
});
