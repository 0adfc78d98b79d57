// Tests finding programs: the path, the flavor, and programs controlled by the workspace.
import assert from "node:assert/strict";
import { chmodSync, copyFileSync, linkSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { type Home, home } from "./support.ts";

describe("a program", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
	});
	afterEach(() => at.dispose());

	it("is the one that a shell would run: the first that is a file and can be run", async () => {
		at.put("a/tool", "no program\n");
		mkdirSync(join(at.path, "b", "tool"), { recursive: true });
		const folder = at.lay("c/tool");
		at.lay("d/tool");
		at.set({ PATH: ["a", "b", "c", "d"].map((name) => `${at.path}/${name}`).join(":") });
		assert.deepEqual(await at.programs().find("tool"), { path: `${folder}/tool`, real: `${folder}/tool`, flavor: "gnu" });
	});

	it("is not found by a path, or by nothing", async () => {
		at.lay("c/tool");
		at.set({ PATH: `${at.path}/c` });
		for (const name of ["", ".", "..", "/bin/sh", "./tool", "c/tool", "tool\0", "../c/tool", "no-such-tool"]) {
			assert.equal(await at.programs().find(name), undefined, JSON.stringify(name));
		}
	});

	it("that only the workspace has is told of with its file", async () => {
		at.lay("work/bin/tool");
		at.set({ PATH: `${at.work}/bin:/usr/bin:/bin` });
		const programs = at.programs();
		assert.deepEqual(await programs.find("tool"), {
			path: `${at.work}/bin/tool`,
			real: `${at.work}/bin/tool`,
			flavor: "gnu",
			inWorkspace: true,
		});
		assert.equal(await programs.findOutsideWorkspace("tool"), undefined);
	});

	it("of the workspace stands behind all others", async () => {
		at.lay("work/bin/sh");
		at.set({ PATH: `${at.work}/bin:/bin` });
		assert.equal((await at.programs().find("sh"))?.path, "/bin/sh");
	});

	it("that leads into the workspace is the workspace's, since that is what would run; our own are looked for further on", async () => {
		at.lay("work/evil");
		mkdirSync(join(at.path, "tools"));
		symlinkSync(join(at.work, "evil"), join(at.path, "tools", "sh"));
		at.set({ PATH: `${at.path}/tools:/bin` });
		const found = await at.programs().find("sh");
		assert.deepEqual(found, { path: `${at.path}/tools/sh`, real: `${at.work}/evil`, flavor: "gnu", inWorkspace: true });
		assert.equal(await at.programs().findOutsideWorkspace("sh"), "/bin/sh");
	});

	it("is of busybox where it leads there, by a link of either kind", async () => {
		mkdirSync(join(at.path, "box"));
		copyFileSync("/bin/true", join(at.path, "box", "busybox"));
		chmodSync(join(at.path, "box", "busybox"), 0o755);
		symlinkSync("busybox", join(at.path, "box", "ls"));
		linkSync(join(at.path, "box", "busybox"), join(at.path, "box", "cat"));
		copyFileSync("/bin/true", join(at.path, "box", "head"));
		at.set({ PATH: `${at.path}/box` });
		const flavors = await Promise.all(["busybox", "ls", "cat", "head"].map(async (name) => (await at.programs().find(name))?.flavor));
		assert.deepEqual(flavors, ["busybox", "busybox", "busybox", "gnu"]);
	});

	it("that is installed meanwhile is found, and one on another PATH at once", async () => {
		at.set({ PATH: `${at.path}/c` });
		const programs = at.programs();
		assert.equal(await programs.find("tool"), undefined);
		at.lay("c/tool");
		assert.equal((await programs.find("tool"))?.path, `${at.path}/c/tool`);
		at.lay("d/tool");
		at.set({ PATH: `${at.path}/d:${at.path}/c` });
		assert.equal((await programs.find("tool"))?.path, `${at.path}/d/tool`);
	});

	it("is found once: it is not looked for again while nothing has changed", async () => {
		at.lay("c/tool");
		at.set({ PATH: `${at.path}/c` });
		const programs = at.programs();
		const found = await programs.find("tool");
		rmSync(join(at.path, "c"), { recursive: true });
		assert.equal(await programs.find("tool"), found);
	});
});
