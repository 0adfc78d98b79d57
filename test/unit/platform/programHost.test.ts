// The port that starts programs without a shell: words stay words, nothing is inherited, and the whole tree ends.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunningProgram } from "../../../src/core/ports/programs.ts";
import { createProgramHost } from "../../../src/platform/processes/programHost.ts";

describe("a program that is started without a shell", () => {
	const host = createProgramHost({ environment: async (_, own = {}) => ({ ...own }), findOutsideWorkspace: async () => undefined });
	let folder = "";
	beforeEach(() => {
		folder = mkdtempSync(join(tmpdir(), "troupe-program-"));
	});
	afterEach(() => rmSync(folder, { recursive: true, force: true }));

	interface Ended {
		status: { code: number | null; signal: string | null };
		output: string;
	}

	function begin(code: string, words: string[] = [], env: Record<string, string> = {}): { program: RunningProgram; ended: Promise<Ended> } {
		let output = "";
		let status: Ended["status"] = { code: null, signal: null };
		let program: RunningProgram | undefined;
		const ended = new Promise<Ended>((resolve, reject) => {
			program = host.start(
				{ file: process.execPath, args: ["-e", code, ...words], cwd: folder, env },
				{
					failed: reject,
					output: (bytes) => {
						output += Buffer.from(bytes).toString();
					},
					exited: (how) => {
						status = how;
					},
					closed: () => resolve({ status, output }),
				},
			);
		});
		return { program: program as RunningProgram, ended };
	}

	it("gets its words as they are, whatever a shell would make of them", async () => {
		const words = ["$(touch made)", "; touch made", "a b", "", "`touch made`", "*"];
		const { output, status } = await begin("console.log(JSON.stringify(process.argv.slice(1)))", words).ended;
		assert.deepEqual([JSON.parse(output), status.code, existsSync(join(folder, "made"))], [words, 0, false]);
	});

	it("knows of the editor's environment what it was given, and its mark", async () => {
		process.env["TROUPE_TEST_KEY"] = "secret";
		try {
			const { output } = await begin("console.log(Object.keys(process.env).sort().join())", [], { GIVEN: "1" }).ended;
			assert.equal(output.includes("TROUPE_TEST_KEY"), false);
			assert.match(output, /^GIVEN,.*TROUPE_RUN/);
		} finally {
			delete process.env["TROUPE_TEST_KEY"];
		}
	});

	it("reads what is written to it, and ends when its input is closed", async () => {
		const { program, ended } = begin("process.stdin.pipe(process.stdout)");
		program.write("one\n");
		program.write("two\n");
		program.closeInput();
		assert.equal((await ended).output, "one\ntwo\n");
	});

	it("ends with all it has started, also what has left its group", async () => {
		const code = `
			const { spawn } = require("node:child_process");
			const child = spawn(process.execPath, ["-e", "setInterval(() => 0, 1000)"], { detached: true, stdio: "ignore" });
			child.unref();
			require("node:fs").writeFileSync("pid", String(child.pid));
			console.log("ready");
			setInterval(() => 0, 1000);`;
		let ready: () => void = () => undefined;
		const started = new Promise<void>((resolve) => {
			ready = resolve;
		});
		const program = host.start(
			{ file: process.execPath, args: ["-e", code], cwd: folder, env: {} },
			{ failed: () => ready(), output: () => ready(), exited: () => undefined, closed: () => undefined },
		);
		await started;
		const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
		assert.equal(isAlive(pid), true);
		await program.end();
		assert.equal(isAlive(pid), false);
	});

	it("is refused by a name alone: no PATH decides what runs", () => {
		const listener = { failed: () => undefined, output: () => undefined, exited: () => undefined, closed: () => undefined };
		assert.throws(() => host.start({ file: "node", args: [], cwd: folder, env: {} }, listener), TypeError);
	});

	it("says so when there is no such program", async () => {
		const error = await new Promise<Error>((resolve) => {
			const listener = { failed: resolve, output: () => undefined, exited: () => undefined, closed: () => undefined };
			host.start({ file: join(folder, "none"), args: [], cwd: folder, env: {} }, listener);
		});
		assert.match(error.message, /ENOENT/);
	});
});

/** What has ended and was not collected yet runs no more. */
function isAlive(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return process.platform !== "linux" || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
	} catch {
		return false;
	}
}
