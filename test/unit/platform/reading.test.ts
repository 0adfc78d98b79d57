// A command that goes ahead unasked because it only reads: hardened, with a clean PATH, and bounded.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RunResult } from "../../../src/core/ports/workspace/commands.ts";
import { how, type Place, place } from "./support.ts";

describe("a command that only reads", () => {
	let at: Place;
	let path: string | undefined;
	beforeEach(() => {
		path = process.env["PATH"];
		at = place({ readOnlyTimeout: 400 });
	});
	afterEach(async () => {
		process.env["PATH"] = path;
		await at.dispose();
	});
	const read = (command: string, more = {}) => at.machine.run(command, how(at.folder, { reads: true, ...more }));
	const run = (command: string) => at.machine.run(command, how(at.folder));

	it("has its time, in the background too, whatever it asked for", async () => {
		assert.equal((await read("sleep 60", { timeout: 60_000 })).stopped, "timeout");
		const ended = new Promise<RunResult>((resolve) => {
			void read("echo begun; sleep 60", { background: true, onEnd: resolve });
		});
		assert.deepEqual([(await ended).stopped, (await ended).output], ["timeout", "begun\n"]);
		assert.equal((await read("sleep 60", { timeout: 100 })).stopped, "timeout");
	});

	it("has 2 GB to write to, and maps and reserves what it likes", async () => {
		const own = place();
		// It is not touched, so that the test itself costs no memory.
		const hold = (gigabytes: number) =>
			own.machine.run(`node -e 'Buffer.allocUnsafeSlow(${gigabytes} * 2 ** 30)'; echo $?`, how(own.folder, { reads: true }));
		assert.match((await hold(2.5)).output, /allocation failed[\s\S]*\n1\n$/);
		assert.equal((await hold(1)).output, "0\n");
		assert.match(
			(await own.machine.run("node --version; ulimit -c; ulimit -Hd", how(own.folder, { reads: true }))).output,
			/^v\d+\S*\n0\n2097152\n$/,
		);
		await own.dispose();
	}).timeout(60_000);

	it("keeps a lower limit that the editor itself has", async () => {
		const own = place();
		const { output } = await own.machine.run("ulimit -Sd 1000000; bash -c 'echo $(ulimit -d)'", how(own.folder, { reads: true }));
		assert.equal(output, "1000000\n");
		await own.dispose();
	});

	it("finds no program of the workspace, which an approved one finds last", async () => {
		for (const name of ["ls", "only-here"]) {
			writeFileSync(at.path(name), "#!/bin/sh\necho hostile\n");
			chmodSync(at.path(name), 0o755);
		}
		process.env["PATH"] = `${at.folder}:.:${path}`;
		const command = "ls -d . ; only-here";
		assert.match((await read(command)).output, /^\.\n.*only-here: command not found/);
		assert.equal((await run(command)).output, ".\nhostile\n");
	});

	it("has git hardened, and an approved one has the person's own", async () => {
		execFileSync("git", ["init", "-q"], { cwd: at.folder });
		const mark = join(at.outside, "mark");
		execFileSync("git", ["config", "core.fsmonitor", `touch ${mark}; false`], { cwd: at.folder });
		assert.match((await read("git status")).output, /No commits yet/);
		assert.equal(existsSync(mark), false);
		await run("git status");
		assert.equal(existsSync(mark), true);
	});

	it("has text in UTF-8 where the editor is not", async () => {
		const before = { ...process.env };
		try {
			process.env["LC_ALL"] = "C";
			assert.equal((await read("x=ü; echo ${#x}; locale charmap")).output, "1\nUTF-8\n");
		} finally {
			delete process.env["LC_ALL"];
			Object.assign(process.env, before);
		}
	});
});
