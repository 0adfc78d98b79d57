// execute_command and read_command_output, with real processes.
import assert from "node:assert/strict";
import { mkdir, realpath, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { RunOptions, RunResult } from "../../../src/core/ports/workspace/commands.ts";
import { type Bench, bench, problemOf, toolNamed } from "./support.ts";

const SILENT: RunResult = { id: "out-9", output: "", bytes: 0, duration: 10 };

let here: Bench;
beforeEach(async () => {
	here = await bench();
});
afterEach(() => rm(here.root, { recursive: true }));

describe("execute_command", () => {
	it("tells the exit code first, then the output, then the files it changed", async () => {
		const { output, view, status } = await here.call("execute_command", { command: "echo hello; echo x > made.txt; exit 3" });
		assert.equal(output, "exit code: 3\nhello\nchanged files: made.txt (create)");
		assert.equal(status, "ok");
		assert.ok(view?.kind === "command");
		const { command, cwd, exitCode, changed, figure } = view;
		assert.deepEqual(
			{ command, cwd, exitCode, figure },
			{ command: "echo hello; echo x > made.txt; exit 3", cwd: ".", exitCode: 3, figure: "exit code 3" },
		);
		assert.deepEqual(
			changed.map(({ path, action }) => ({ path, action })),
			[{ path: join(here.root, "made.txt"), action: "create" }],
		);
		assert.deepEqual(here.progress, ["hello\n"]);
	});

	it("runs in the first folder, or where it is told to", async () => {
		await mkdir(join(here.root, "src"));
		const root = await realpath(here.root);
		assert.equal((await here.call("execute_command", { command: "pwd" })).output, `exit code: 0\n${root}`);
		assert.equal((await here.call("execute_command", { command: "pwd", cwd: "src" })).output, `exit code: 0\n${root}/src`);
	});

	it("says that the time was up, and what to do", async () => {
		const { output, status } = await here.call("execute_command", { command: "exec sleep 600", timeout: 1 });
		assert.match(output, /^exit code: none, stopped after 1 s\. Give a longer timeout/);
		assert.equal(status, "error");
	});

	it("without a limit of its own goes on in the background after two minutes, and says so", async () => {
		const asked: RunOptions[] = [];
		const run = async (_: string, options: RunOptions) => {
			asked.push(options);
			return { ...SILENT, running: true, duration: 120_000 };
		};
		const workspace = { ...here.workspace, run };
		const { output, view, status } = await here.call("execute_command", { command: "make" }, { workspace });
		assert.deepEqual([asked[0]?.timeout, asked[0]?.foregroundTimeout], [undefined, 120_000]);
		assert.equal(
			output,
			"not ended after 120 s: it goes on in the background until it ends or is stopped; read_command_output with id=out-9 shows its output",
		);
		assert.ok(view?.kind === "command" && view.background);
		assert.equal(status, "ok");
		await here.call("execute_command", { command: "make", timeout: 600, background: true }, { workspace });
		assert.deepEqual([asked[1]?.timeout, asked[1]?.foregroundTimeout, asked[1]?.background], [600_000, undefined, true]);
	});

	it("says that a command was cancelled", async () => {
		const stop = new AbortController();
		const running = here.call(
			"execute_command",
			{ command: "echo ready; exec sleep 600" },
			{ signal: stop.signal, progress: () => stop.abort() },
		);
		assert.match((await running).output, /^exit code: none, cancelled\nready$/);
	});

	it("hands on why a command could not be started", async () => {
		const failure = Object.assign(new Error("spawn /bin/bash EACCES"), { code: "EACCES" });
		const workspace = { ...here.workspace, run: () => Promise.reject(failure) };
		const problem = await problemOf(here.call("execute_command", { command: "ls" }, { workspace }));
		assert.deepEqual([problem.message, problem.brief], ["spawn /bin/bash EACCES", "The command could not be started."]);
	});

	it("hands on what the machine kept of a long output, and how long it took", async () => {
		const kept = 'head\n[4,999,000 bytes omitted here: read_command_output with id "out-7" and offset 500 shows them]\ntail';
		const result = { id: "out-7", exitCode: 0, output: kept, bytes: 5_000_000, duration: 2_500 };
		const { output, view } = await here.call(
			"execute_command",
			{ command: "ls" },
			{ workspace: { ...here.workspace, run: async () => result } },
		);
		assert.equal(output, `exit code: 0\n${kept}`);
		assert.equal(view?.figure, "2.5 s");
	});

	describe("that was kept in", () => {
		const confined = { kind: "read", network: false, touched: [] } as const;
		const ended = (result: Partial<RunResult>) =>
			here.call("execute_command", { command: "x" }, { workspace: { ...here.workspace, run: async () => ({ ...SILENT, ...result }) } });

		it("says nothing of it where it went well, or failed for reasons of its own", async () => {
			for (const result of [{ exitCode: 0, output: "Permission denied" }, { exitCode: 1 }, { exitCode: 1, output: "2 tests failed" }]) {
				const { output, view } = await ended({ ...result, confined });
				assert.doesNotMatch(output, /sandbox/);
				assert.ok(view?.kind === "command");
				assert.deepEqual(view.sandbox, { kind: "read" });
			}
			const { view } = await ended({ exitCode: 1, output: "Permission denied" });
			assert.ok(view?.kind === "command" && view.sandbox === undefined);
		});

		it("says where the sandbox may be why it failed, and how to ask for more", async () => {
			const refusals = [
				"touch: cannot touch 'x': Read-only file system",
				"Error: EROFS: read-only file system, open 'x'",
				"curl: (6) Could not resolve host: example.com",
				"npm error code EAI_AGAIN",
				"error: could not write config file .git/config: Device or resource busy",
				"bwrap: Can't find source path",
			];
			for (const output of refusals) {
				const told = await ended({ exitCode: 1, output, confined });
				assert.match(told.output, /\nIt ran in a sandbox that cannot write and has no network: .* call again with outsideSandbox: true\.$/);
				assert.ok(told.view?.kind === "command");
				assert.deepEqual(told.view.sandbox, { kind: "read", hindered: true });
			}
			const connected = { kind: "workspace", network: true, touched: [] } as const;
			const { output } = await ended({ exitCode: 1, output: "Permission denied", confined: connected });
			assert.match(output, /\nIt ran in a sandbox that writes in the workspace only, protected files excepted: that may/);
		});

		it("names the protected files that it made", async () => {
			const touched = [".vscode", ...Array.from({ length: 11 }, (_, index) => `sub${index}/.env`)].map((name) => join(here.root, name));
			const { output, view } = await ended({ exitCode: 0, confined: { ...confined, kind: "workspace", touched } });
			assert.match(
				output,
				/It made or replaced protected files, which only the person may allow: \.vscode, sub0\/\.env, .*, 2 more\. Tell them\.$/,
			);
			assert.ok(view?.kind === "command");
			assert.equal(view.sandbox?.touched?.length, 12);
		});

		it("is asked to run outside by a flag of its own, which its line carries to the gate", () => {
			const { command, summary } = toolNamed("execute_command");
			assert.deepEqual(command?.({ command: "x", outsideSandbox: true }), { command: "x", cwd: undefined, outside: true });
			assert.deepEqual(command?.({ command: "x" }), { command: "x", cwd: undefined });
			assert.equal(summary({ command: "make", outsideSandbox: true }), "Run outside the sandbox: make");
		});
	});

	it("says that a command waited for an answer nobody can give", async () => {
		const result = { id: "out-8", stopped: "prompt" as const, output: "Password:", bytes: 9, duration: 10 };
		const { output } = await here.call("execute_command", { command: "su" }, { workspace: { ...here.workspace, run: async () => result } });
		assert.match(output, /^exit code: none, stopped because it waited for an answer/);
	});

	it("takes at most an hour", () => {
		const { input } = toolNamed("execute_command");
		assert.equal(input.safeParse({ command: "ls", timeout: 3_601 }).success, false);
		assert.equal(input.safeParse({ command: "ls", timeout: 3_600 }).success, true);
	});
});

describe("read_command_output", () => {
	it("follows a command in the background to its end", async () => {
		const { output, view } = await here.call("execute_command", {
			command: "echo one; read -r < gate; echo two; exit 4",
			background: true,
		});
		assert.match(output, /^running in the background; read_command_output with id=\S+ shows its output$/);
		assert.ok(view?.kind === "command" && view.background);
		const id = view.output;
		// It ends soon: there is no file to read from.
		let page = await here.call("read_command_output", { id });
		while (page.output.startsWith("still running")) {
			await setImmediate();
			page = await here.call("read_command_output", { id });
		}
		assert.match(page.output, /^exit code: 4\n(.*\n)*one/);
		assert.match((await here.call("read_command_output", { id, offset: 4 })).output, /^exit code: 4\n(?!one)/);
	});

	it("says how a page goes on", async () => {
		const page = { text: "part", bytes: 100, next: 24, running: true };
		const { output } = await here.call(
			"read_command_output",
			{ id: "x", offset: 20 },
			{ workspace: { ...here.workspace, output: async () => page } },
		);
		assert.equal(output, "still running\npart\n[bytes 20-24 of 100; go on with offset=24]");
	});

	it("hands on that there is no such output", async () => {
		assert.match((await problemOf(here.call("read_command_output", { id: "nope" }))).message, /There is no output nope/);
	});
});
