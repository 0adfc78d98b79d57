// Tests the sandbox after commands that planted links, pipes and sockets in its way.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { coverPaths } from "../../../src/platform/sandbox/protectedPlaces.ts";
import { openWritableRepository } from "../../../src/platform/sandbox/writableRepository.ts";
import { commitAll, describeKeptIn, type Yard, yard } from "./sandboxSupport.ts";

describeKeptIn("a sandbox after a command that prepared the way", () => {
	let at: Yard;
	const opened = (options: Parameters<typeof yard>[0]): Yard => {
		at = yard(options);
		return at;
	};
	afterEach(() => at.dispose());

	for (const [name, words] of [
		["itself", "mv pkgs/sub was && ln -s ../../home/victim pkgs/sub"],
		["on the way to it", "mv pkgs was && ln -s ../home pkgs"],
		["by its whole name", 'mv pkgs/sub was && ln -s "$HOME/victim" pkgs/sub'],
	] as const) {
		it(`does not write where a folder of the workspace leads by a link in another of them (${name})`, async () => {
			const { folder, home, put, work, machine } = opened({ further: ["workspace/pkgs/sub"] });
			const victim = name === "on the way to it" ? "sub" : "victim";
			put(`home/${victim}/a`, "mine");
			await work(words);
			await work(`echo x > ${join(home, victim, "out")}; echo x > pkgs/sub/out; echo x > plain`);
			assert.equal(existsSync(join(home, victim, "out")), false);
			assert.equal(existsSync(join(folder, "plain")), true);
			assert.deepEqual(
				(await later(() => machine.folders().length < 2)) && machine.folders().map(({ path }) => path),
				[folder],
				"the gate takes the folder that it leads to for the workspace's",
			);
		});
	}

	it("does not write a cache that a command led elsewhere", async () => {
		const { folder, home, put, work } = opened({ writableCaches: () => [join(at.folder, "cache")] });
		put("home/victim/a", "mine");
		symlinkSync(join(home, "victim"), join(folder, "cache"));
		await work(`echo x > ${join(home, "victim/out")}; echo x > cache/out`);
		assert.equal(existsSync(join(home, "victim/out")), false);
	});

	for (const place of ["/proc/sys", "/sys/kernel", "/dev"]) {
		it(`does not write the kernel's settings where ${place} is in the workspace`, async function () {
			if (process.getuid?.() !== 0 || !existsSync("/sys/kernel/mm/transparent_hugepage/enabled")) return this.skip();
			const { work } = opened({ writableCaches: () => [place] });
			// Opened for writing only, and nothing written.
			const files = ["/proc/sys/kernel/core_pattern", "/sys/kernel/mm/transparent_hugepage/enabled", "/dev/shm/troupe-out"];
			const { output } = await work(files.map((file) => `(: >> ${file}) 2>/dev/null && echo OUT ${file}`).join("; "));
			assert.equal(output.replace("OUT /dev/shm/troupe-out\n", ""), "");
			assert.equal(existsSync("/dev/shm/troupe-out"), false);
		});
	}

	it("keeps protected places from being written, however many others a command made", async () => {
		const { folder, put, work } = opened({});
		put("workspace/deep/in/it/.vscode/settings.json", "mine");
		put("workspace/deep/in/a", "a");
		await work("for n in {1..250}; do mkdir -p n$n; : > n$n/.env; done");
		const { output } = await work("for f in deep/in/it/.vscode/settings.json n*/.env; do echo evil > $f && echo OUT $f; done 2>/dev/null");
		assert.equal(output, "");
		assert.equal(readFileSync(join(folder, "deep/in/it/.vscode/settings.json"), "utf8"), "mine");
	});

	it("covers the folders that hold the deepest of them where they are many, and leaves the others as they are", () => {
		const many = Array.from({ length: 300 }, (_, n) => `/w/vendor/${n}/x/.env`);
		assert.deepEqual(coverPaths(["/w/.vscode", "/w/.env", ...many], ["/w"]), ["/w/.vscode", "/w/.env", "/w/vendor"]);
		assert.deepEqual(coverPaths(["/w/.vscode", "/w/.env"], ["/w"]), ["/w/.vscode", "/w/.env"]);
		assert.deepEqual(coverPaths([...many.map((path) => path.replace("/w/vendor", "/w/sub"))], ["/w", "/w/sub"]), ["/w/sub"]);
	});

	it("tells of what was made where a protected link has led to nothing", async () => {
		const { folder, work } = opened({});
		symlinkSync("build/editor", join(folder, ".vscode"));
		const { confined } = await work("mkdir -p build/editor; echo evil > build/editor/tasks.json");
		assert.deepEqual(confined?.touched, [join(folder, ".vscode")]);
		assert.deepEqual((await work("echo plain > plain")).confined?.touched, []);
	});

	it("waits for no pipe in the place of a repository's files", () => {
		const { folder } = opened({});
		commitAll(folder);
		for (const name of [".git/commondir", ".git"]) {
			const path = join(folder, name);
			rmSync(path, { force: true, recursive: true });
			execFileSync("mkfifo", [path]);
			// Ends the wait of one that waits: it would never get to a time limit of its own.
			const writer = spawn("bash", ["-c", `sleep 3; exec 3<>'${path}'; sleep 3`], { stdio: "ignore" });
			try {
				const begun = performance.now();
				assert.equal(openWritableRepository(folder), undefined);
				assert.ok(performance.now() - begun < 2_500, `${name}: it waited`);
			} finally {
				writer.kill("SIGKILL");
			}
		}
	});

	describe("reaches no socket", () => {
		let server: Server;
		let reached = 0;
		beforeEach(() => {
			reached = 0;
			server = createServer((socket) => socket.end());
			server.on("connection", () => (reached += 1));
		});
		afterEach(() => server.close());
		const listen = (path: string) => new Promise<void>((resolve) => server.listen(path, resolve));
		const call = (path: string) =>
			`${JSON.stringify(process.execPath)} -e 'require("net").connect(${JSON.stringify(path).replace("\\u0000", "\\0")}).on("error", (e) => console.log(e.code)).on("connect", () => { console.log("reached"); process.exit() })'`;

		it("that was bound under another name, as ssh does for connections that it shares", async () => {
			const { home, work } = opened({});
			for (const folder of [".ssh", "shared"]) mkdirSync(join(home, folder));
			await listen(join(home, "shared/socket.random"));
			for (const name of [".ssh/socket", "shared/socket"]) linkSync(join(home, "shared/socket.random"), join(home, name));
			unlinkSync(join(home, "shared/socket.random"));
			for (const name of [".ssh/socket", "shared/socket"]) {
				for (const network of [true, false]) assert.match((await work(call(join(home, name)), { network })).output, /^E\w+\n$/, name);
			}
			assert.equal(reached, 0);
		});

		it("without a file, which belongs to the network of the machine", async () => {
			const { work } = opened({});
			const name = `\0troupe-${process.pid}`;
			await listen(name);
			for (const network of [true, false]) assert.match((await work(call(name), { network })).output, /^E\w+\n$/);
			assert.equal(reached, 0);
		});
	});
});

/** What is believed for a moment is looked at again. */
async function later(holds: () => boolean): Promise<boolean> {
	for (const until = performance.now() + 5_000; !holds() && performance.now() < until; )
		await new Promise((resolve) => setTimeout(resolve, 50));
	return holds();
}
