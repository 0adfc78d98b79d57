// The PATH that programs get: absolute folders, and none that a workspace decides.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { entriesOf, type Home, home } from "./support.ts";

describe("a PATH", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
	});
	afterEach(() => at.dispose());

	it("loses what is relative or empty, and the folders of each process's own", async () => {
		at.set({ PATH: "::.:bin:./x:../y:~/bin:/usr/bin:/proc/self/cwd/bin:/dev/fd/3:/usr/../proc/self/cwd:/usr/bin:/bin:" });
		assert.deepEqual(await entriesOf(at.programs()), ["/usr/bin", "/bin"]);
		assert.deepEqual(await entriesOf(at.programs(), "approved"), ["/usr/bin", "/bin"]);
	});

	it("that has nothing left is the system's, never the current folder", async () => {
		for (const PATH of [undefined, "", ".", ":::", "bin:.", at.work]) {
			at.set({ PATH });
			assert.deepEqual(await entriesOf(at.programs()), ["/usr/bin", "/bin"], PATH);
		}
		at.set({ PATH: "/usr/bin" });
		assert.deepEqual(await entriesOf(at.programs(["/usr", "/bin"])), ["/nowhere"]);
	});

	it("has the workspace's entries last, and only for what was approved", async () => {
		at.set({ PATH: `${at.work}/node_modules/.bin:/usr/bin:${at.work}:/bin:${at.path}/elsewhere` });
		const clean = ["/usr/bin", "/bin", `${at.path}/elsewhere`];
		assert.deepEqual(await entriesOf(at.programs(), "approved"), [...clean, `${at.work}/node_modules/.bin`, at.work]);
		for (const kind of ["reading", "server", "own"] as const) assert.deepEqual(await entriesOf(at.programs(), kind), clean, kind);
	});

	it("has no entry that a link leads into the workspace, or out of it", async () => {
		mkdirSync(join(at.work, "bin"));
		mkdirSync(join(at.path, "tools"));
		symlinkSync(join(at.work, "bin"), join(at.path, "tools", "in"));
		symlinkSync(at.work, join(at.path, "tools", "whole"));
		symlinkSync("/usr/bin", join(at.work, "out"));
		const bad = [
			`${at.path}/tools/in`,
			`${at.path}/tools/whole/bin`,
			`${at.path}/tools/whole/new`,
			`${at.path}/tools/../work/bin`,
			`${at.work}/out`,
		];
		at.set({ PATH: [...bad, "/bin"].join(":") });
		assert.deepEqual(await entriesOf(at.programs()), ["/bin"]);
	});

	it("counts a workspace folder by where a link to it leads, too", async () => {
		symlinkSync(at.work, join(at.path, "alias"));
		at.set({ PATH: `${at.work}/bin:${at.path}/alias/bin:/bin` });
		assert.deepEqual(await entriesOf(at.programs([join(at.path, "alias")])), ["/bin"]);
	});

	it("follows the workspace's folders and the variable, without a reload", async () => {
		const folders: string[] = [];
		const programs = at.programs([], { folders: () => folders.map((path) => ({ name: path, path })) });
		at.set({ PATH: `${at.work}/bin:/bin` });
		assert.deepEqual(await entriesOf(programs), [`${at.work}/bin`, "/bin"]);
		folders.push(at.work);
		assert.deepEqual(await entriesOf(programs), ["/bin"]);
		at.set({ PATH: `${at.work}/bin:/usr/bin` });
		assert.deepEqual(await entriesOf(programs), ["/usr/bin"]);
	});

	it("of 500 entries stays in order", async () => {
		const entries = Array.from({ length: 500 }, (_, index) => (index % 2 ? `${at.work}/e${index}` : `${at.path}/e${index}`));
		at.set({ PATH: [...entries, "/usr/bin", "/bin"].join(":") });
		const programs = at.programs();
		assert.deepEqual(await entriesOf(programs), [...entries.filter((entry) => !entry.startsWith(at.work)), "/usr/bin", "/bin"]);
		assert.match((await programs.find("sh"))?.path ?? "", /^\/usr\/bin\/sh$/);
	});

	describe("where the home folder or one above it is open", () => {
		const own = (path: string): string[] =>
			["bin", ".local/bin", ".nvm/versions/v20/bin", "Library/x", "AppData/y"].map((name) => `${path}/${name}`);
		const written = (path: string): string[] => ["go/bin", "miniconda/bin", "work/bin", ".", "binaries"].map((name) => join(path, name));

		it("keeps the person's protected folders and the system's", async () => {
			at.set({ PATH: [...own(at.path), ...written(at.path), "/usr/local/bin", "/bin"].join(":") });
			for (const folder of [at.path, join(at.path, ".."), "/"]) {
				const programs = at.programs([folder]);
				assert.deepEqual(await entriesOf(programs), [...own(at.path), "/usr/local/bin", "/bin"], folder);
				assert.deepEqual((await entriesOf(programs, "approved")).slice(-5), written(at.path), folder);
			}
		});

		it("keeps nothing of a narrower folder that is open, too", async () => {
			at.set({ PATH: `${at.path}/.local/bin:${at.path}/.cargo/bin:/bin` });
			assert.deepEqual(await entriesOf(at.programs([at.path, join(at.path, ".local")])), [`${at.path}/.cargo/bin`, "/bin"]);
		});

		it("loses what a repository of the home folder tracks, by name or by a link on the way", async () => {
			const git = (...words: string[]) => execFileSync("git", words, { cwd: at.path });
			at.put(".local/bin/tool", "#!/bin/sh\n");
			at.put(".cargo/bin/tool", "#!/bin/sh\n");
			at.put("dots/later/tool", "#!/bin/sh\n");
			at.put(".real/bin/tool", "#!/bin/sh\n");
			symlinkSync("dots/later", join(at.path, ".later"));
			symlinkSync(".real", join(at.path, ".link"));
			git("init", "-q");
			git("add", ".local", ".later", ".link");
			at.set({
				PATH: [".local/bin", ".later", ".link/bin", ".cargo/bin"]
					.map((name) => `${at.path}/${name}`)
					.join(":")
					.concat(":/usr/bin:/bin"),
			});
			assert.deepEqual(await entriesOf(at.programs([at.path])), [`${at.path}/.cargo/bin`, "/usr/bin", "/bin"]);
		});

		it("loses all of the home folder where its repository cannot be asked", async () => {
			at.put(".git", "half writ");
			at.set({ PATH: `${at.path}/.local/bin:/usr/bin:/bin` });
			assert.deepEqual(await entriesOf(at.programs([at.path])), ["/usr/bin", "/bin"]);
			at.set({ PATH: `${at.path}/.local/bin` });
			assert.deepEqual(await entriesOf(at.programs([at.path])), ["/usr/bin", "/bin"]);
		});
	});
});
