// Questions to programs end: in time, in size, when cancelled, and with nothing of them left.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { rgPath } from "@vscode/ripgrep";
import type { ProgramLimits } from "../../../../src/core/ports/workspace/programs.ts";
import { canBeHardened } from "../../../../src/platform/programs/gitFilters.ts";
import { captureOutput } from "../../../../src/platform/programs/startProgram.ts";
import { type Home, home } from "./support.ts";

describe("a question to a program", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
	});
	afterEach(() => at.dispose());
	const sh = (script: string, limits: ProgramLimits = { time: 5_000 }) =>
		captureOutput({ file: "/bin/sh", args: ["-c", script], cwd: at.work, env: { PATH: "/usr/bin:/bin" } }, limits);

	it("has the output and the code, whatever it is", async () => {
		const said = await sh("printf 'a\\0b'; echo c >&2; exit 3");
		assert.deepEqual([said?.code, Buffer.from(said?.output ?? []).toString()], [3, "a\0b"]);
	});

	it("has no answer of what cannot be started", async () => {
		for (const file of [join(at.path, "missing"), at.work, at.put("text", "no program")]) {
			assert.equal(await captureOutput({ file, args: [], cwd: at.work, env: {} }), undefined);
		}
		assert.equal(await captureOutput({ file: "/bin/sh", args: ["-c", ""], cwd: join(at.path, "missing"), env: {} }), undefined);
		assert.equal(await captureOutput({ file: "/bin/sh", args: ["-c", "x".repeat(4_000_000)], cwd: at.work, env: {} }), undefined);
	});

	it("is over when its time is, with all of its group", async () => {
		assert.equal(await sh("sleep 600 & echo $! > child; wait", { time: 300 }), undefined);
		await gone(Number(readFileSync(join(at.work, "child"), "utf8")));
	});

	it("is over in time where what it started holds its output open", async () => {
		assert.equal(await sh("sleep 600 & echo $! > child", { time: 300 }), undefined);
		await gone(Number(readFileSync(join(at.work, "child"), "utf8")));
	});

	it("is over when it says too much, and takes no more than that", async () => {
		assert.equal(await sh("echo $$ > child; yes", { time: 60_000, bytes: 100_000 }), undefined);
		await gone(Number(readFileSync(join(at.work, "child"), "utf8")));
		assert.equal((await sh("head -c 100000 /dev/zero", { time: 60_000, bytes: 100_000 }))?.output.length, 100_000);
		assert.equal(await sh("head -c 100001 /dev/zero", { time: 60_000, bytes: 100_000 }), undefined);
	});

	it("is over when it is cancelled, before it began too", async () => {
		const stop = new AbortController();
		const said = sh("echo $$ > child; exec sleep 600", { time: 60_000, signal: stop.signal });
		while (!existsSync(join(at.work, "child"))) await setTimeout(5);
		stop.abort();
		assert.equal(await said, undefined);
		assert.equal(await sh("touch started", { signal: stop.signal }), undefined);
		assert.equal(existsSync(join(at.work, "started")), false);
	});
});

describe("git and ripgrep", () => {
	let at: Home;
	beforeEach(() => {
		at = home();
	});
	afterEach(() => at.dispose());
	const version = (says: string) => `git version ${says}`;

	it("answer with their code and output, or not at all", async () => {
		execFileSync("git", ["init", "-q"], { cwd: at.work });
		at.put("work/a.txt", "needle\n");
		const programs = at.programs(undefined, { findRipgrep: async () => rgPath });
		const text = (said: { output: Uint8Array } | undefined) => said && Buffer.from(said.output).toString();
		assert.equal(text(await programs.git(at.work, ["rev-parse", "--is-inside-work-tree"], { time: 5_000 })), "true\n");
		assert.equal((await programs.git(at.work, ["rev-parse", "--verify", "--quiet", "HEAD"], { time: 5_000 }))?.code, 1);
		assert.equal(text(await programs.ripgrep(at.work, ["--no-heading", "needle"], { time: 5_000 })), "a.txt:needle\n");
		assert.equal(await programs.git(at.work, ["help", "-a"], { time: 5_000, bytes: 100 }), undefined);
	});

	it("are not asked where only the workspace has them", async () => {
		at.lay("work/bin/git", "git version 2.50.0");
		at.lay("work/bin/rg");
		at.set({ PATH: `${at.work}/bin:${at.path}/none` });
		assert.equal(await at.programs().git(at.work, ["--version"]), undefined);
		assert.equal(await at.programs().ripgrep(at.work, ["--version"]), undefined);
	});

	it("a git that cannot be hardened is not asked, and the log says so once", async () => {
		for (const [says, fine] of [
			["2.30.9", false],
			["2.39.3 (Apple Git-146)", false],
			["2.44.0.windows.1", false],
			["2.39.5 (Apple Git-154)", true],
		] as const) {
			at.lay("c/git", version(says));
			at.set({ PATH: `${at.path}/c` });
			const log: string[] = [];
			const programs = at.programs([at.work], { log: (line) => log.push(line) });
			const said = [await programs.git(at.work, ["x"], { time: 5_000 }), await programs.git(at.work, ["y"], { time: 5_000 })];
			assert.deepEqual(said.map(Boolean), [fine, fine], says);
			assert.equal(log.length, fine ? 0 : 1);
			if (!fine) assert.match(log[0] ?? "", /2\.39\.4/);
		}
	});

	it("can be hardened from the first patch of each line on", () => {
		const old = ["2.30.9", "2.31.0", "2.38.5", "2.39.3", "2.40.1", "2.41.0", "2.42.1", "2.43.3", "2.44.0", "2.45.0", "1.9.1"];
		const fine = [
			"2.39.4",
			"2.39.5",
			"2.40.2",
			"2.41.1",
			"2.42.2",
			"2.43.4",
			"2.44.1",
			"2.45.1",
			"2.46.0",
			"2.51.0.windows.2",
			"2.53.0-rc1",
			"3.0.0",
		];
		assert.deepEqual(
			[...old, ...fine].filter((one) => canBeHardened(version(one))),
			fine,
		);
		for (const text of ["", "git version", "hub version 2.50.0", "git version two", "\ngit version 2.50.0"])
			assert.ok(!canBeHardened(text), text);
	});
});

async function gone(pid: number): Promise<void> {
	assert.ok(pid > 1);
	for (;;) {
		const status = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "latin1") : "";
		if (status === "" || status[status.lastIndexOf(")") + 2] === "Z") return;
		await setTimeout(10);
	}
}
