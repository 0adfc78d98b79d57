// Tests workspaces that are or contain the home folder, or lie beside the editor's data, on a real disk.

import assert from "node:assert/strict";
import { mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ToolDeclaration } from "../../../src/core/ports/gate.ts";
import type { PathUse } from "../../../src/core/ports/tool.ts";
import { createHostProtection } from "../../../src/gate/hostProtection.ts";
import { command, makeWorld, paths, rules, tools, type World, type WorldOptions } from "./world.ts";

const FILES = {
	"home/u/.bashrc": "x",
	"home/u/.config/gh/hosts.yml": "x",
	"home/u/.cache/x": "x",
	"home/u/bin/tool": "x",
	"home/u/Library/Keychains/a": "x",
	"home/u/AppData/Roaming/a": "x",
	"home/u/project/src/a.ts": "x",
	"home/u/project/.eslintignore": "x",
	"home/u/project/bin/cli.js": "x",
	"home/u/tools/run": "x",
	"home/u/dotfiles/.vimfiles/a": "x",
	"home/v/.bashrc": "x",
	"home/v/notes.txt": "x",
	"server/data/User/settings.json": "x",
	"server/extensions/a/main.js": "x",
	"srv/app/a.ts": "x",
	"ws/a.ts": "x",
};
const HOST: WorldOptions = {
	homes: ["home/u"],
	hostFolders: [
		{ path: "server", kind: "data" },
		{ path: "home/u/vsc/extensions", kind: "programs" },
		{ path: "home/u/tools", kind: "search path" },
		{ path: "home/u/project/node_modules/.bin", kind: "search path" },
	],
};
const uses: Record<string, { tool: ToolDeclaration; use: PathUse }> = {
	read: { tool: tools.read, use: "read" },
	write: { tool: tools.update, use: "write" },
	create: { tool: tools.create, use: "create" },
};
const worlds: World[] = [];

async function opened(folder: string, ...more: string[]): Promise<World> {
	const world = await makeWorld(FILES, { ...HOST, folders: [folder, ...more].map((path) => ({ name: path.replaceAll("/", "-"), path })) });
	worlds.push(world);
	return world;
}

/** Which of the places ask, though every rule and mode lets them pass. */
async function asking(world: World, what: keyof typeof uses, ...given: string[]): Promise<string[]> {
	const found: string[] = [];
	for (const path of given) {
		const { tool, use } = uses[what] as (typeof uses)[string];
		const asked = { mode: "auto" as const, rules: rules({ allow: ["*"] }) };
		const { decision } = await paths(world, tool, [[join(world.root, path), use]], asked);
		if (decision !== "allow") found.push(path);
	}
	return found;
}

describe("what the host knows of places", () => {
	afterEach(async () => {
		for (const world of worlds.splice(0)) await world.dispose();
	});

	it("protects the home folder's own things where a workspace is it", async () => {
		const world = await opened("home/u");
		const secret = [
			"home/u/.bashrc",
			"home/u/.config/gh/hosts.yml",
			"home/u/.cache/x",
			"home/u/Library/Keychains/a",
			"home/u/AppData/Roaming/a",
		];
		const free = ["home/u/project/src/a.ts", "home/u/project/.eslintignore", "home/u/project/bin/cli.js", "home/u/dotfiles/.vimfiles/a"];
		const written = ["home/u/bin/tool", "home/u/tools/run"];
		assert.deepEqual(await asking(world, "read", ...secret, ...free, ...written), secret);
		assert.deepEqual(await asking(world, "write", ...secret, ...free, ...written), [...secret, ...written]);
		assert.deepEqual(
			await asking(world, "create", "home/u/.new", "home/u/LIBRARY/x", "home/u/Bin/x", "home/u/vsc/extensions/b/x.js", "home/u/new"),
			[...["home/u/.new", "home/u/LIBRARY/x", "home/u/Bin/x", "home/u/vsc/extensions/b/x.js"]],
		);
	});

	it("protects other people's, too, where a workspace holds all homes, and nothing where it lies in one", async () => {
		assert.deepEqual(await asking(await opened("home"), "read", "home/v/.bashrc", "home/v/notes.txt", "home/u/.cache/x"), [
			...["home/v/.bashrc", "home/u/.cache/x"],
		]);
		const project = await opened("home/u/project");
		assert.deepEqual(await asking(project, "write", "home/u/project/.eslintignore", "home/u/project/bin/cli.js"), []);
	});

	it("takes a folder that was opened by itself for that", async () => {
		const world = await opened("home/u", "home/u/.cache");
		assert.deepEqual(await asking(world, "read", "home/u/.cache/x", "home/u/.config/gh/hosts.yml"), ["home/u/.config/gh/hosts.yml"]);
	});

	it("protects what belongs to the editor wherever it lies, and what holds it", async () => {
		const world = await opened("");
		const settings = "server/data/User/settings.json";
		const names = [settings, "server/new", "SERVER/data/x", "srv/app/a.ts", "server2/a.ts"];
		assert.deepEqual(await asking(world, "read", ...names), [settings, "server/new", "SERVER/data/x"]);
		assert.deepEqual(await asking(world, "write", ...names), [settings, "server/new", "SERVER/data/x"]);
		assert.deepEqual(await asking(world, "read", "home/u/vsc/extensions/a"), []);
		await mkdir(join(world.root, "home/u/vsc/extensions"), { recursive: true });
		assert.deepEqual(await asking(world, "write", "home/u/vsc", "home/u/project/src"), ["home/u/vsc"]);
	});

	it("is not fooled by links, not by those to it and not by a home that is one", async () => {
		const world = await opened("ws");
		await symlink("../server", join(world.root, "ws/link"));
		assert.deepEqual(await asking(world, "read", "ws/link/data/User/settings.json"), ["ws/link/data/User/settings.json"]);
		const other = await opened("");
		await rename(join(other.root, "home/u"), join(other.root, "home/real"));
		await symlink("real", join(other.root, "home/u"));
		await symlink("home/real/.cache", join(other.root, "plain"));
		const names = ["home/real/.cache/x", "home/u/.cache/x", "plain/x", "home/real/project/src/a.ts"];
		assert.deepEqual(await asking(other, "read", ...names), names.slice(0, 3));
	});

	it("leaves it out of listings, and asks where a command reads a whole folder that holds it", async () => {
		const world = await opened("home/u");
		assert.equal(await world.gate.visible(join(world.root, "home/u/.cache")), false);
		assert.equal(await world.gate.visible(join(world.root, "home/u/project")), true);
		const decision = async (text: string) => (await command(world, text)).decision;
		assert.equal(await decision("grep -rn x project"), "allow");
		await rm(join(world.root, "home/u"), { recursive: true });
		await mkdir(join(world.root, "home/u/Library"), { recursive: true });
		await writeFile(join(world.root, "home/u/Library/a"), "x");
		assert.equal(await decision("grep -rn x ."), "ask");
	});

	it("knows the system's own folders where the root of the file system is the workspace", async () => {
		const asked = async (root: string, home: string, path: string) => {
			const places = createHostProtection({ homes: [home] }, async (names) => names.map((name) => ({ literal: name, real: name })));
			const known = await places([{ literal: root, real: root }]);
			return [known(path, "read") !== undefined, known(path, "write") !== undefined];
		};
		for (const path of ["/proc/self/environ", "/etc/shadow", "/dev/sda", "/root/.ssh/x", "/run/x"]) {
			assert.deepEqual(await asked("/", "/root", path), [true, true], path);
		}
		for (const path of ["/usr/bin/git", "/opt/x", "/root/bin/x"]) assert.deepEqual(await asked("/", "/root", path), [false, true], path);
		for (const path of ["/workspaces/a/x.ts", "/tmp/x", "/root/project/x.ts"]) {
			assert.deepEqual(await asked("/", "/root", path), [false, false], path);
		}
		assert.deepEqual(await asked("/", "/", "/etc/shadow"), [true, true]);
		for (const path of ["/.vol/1/2", "/System/Volumes/Data/Users/u/Library/x"])
			assert.deepEqual(await asked("/", "/Users/u", path), [true, true], path);
		assert.deepEqual(await asked("/etc/app", "/root", "/etc/app/x"), [false, false]);
		assert.deepEqual(await asked("C:/", "C:/Users/u", "C:/Windows/x.dll"), [false, true]);
		assert.deepEqual(await asked("C:/", "C:/Users/u", "c:/users/U/AppData/x"), [true, true]);
		assert.deepEqual(await asked("C:/Users", "C:/Users/u", "C:/Users/v/AppData/x"), [true, true]);
		// Whoever a container runs as, and a Windows under this Linux.
		assert.deepEqual(await asked("/home", "/root", "/home/v/.bashrc"), [true, true]);
		assert.deepEqual(await asked("/home/app", "/root", "/home/app/.eslintrc"), [false, false]);
		assert.deepEqual(await asked("/mnt/c/Users/v", "/home/u", "/mnt/c/Users/v/AppData/x"), [true, true]);
		assert.deepEqual(await asked("/mnt/c/Users/v/app", "/home/u", "/mnt/c/Users/v/app/.eslintrc"), [false, false]);
	});
});
