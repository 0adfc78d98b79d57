// Tests commands as child processes: environment, kept output, and that no process is left behind.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { RunResult } from "../../../src/core/ports/workspace/commands.ts";
import { how, type Place, place } from "./support.ts";

const LIMIT = 32 * 1024;

describe("a command", () => {
	let at: Place;
	beforeEach(() => {
		at = place({ promptIdleTime: 200 });
	});
	afterEach(() => at.dispose());

	const run = (command: string, more = {}) => at.machine.run(command, how(at.folder, more));

	it("returns both streams in order, the exit code and the folder it ran in", async () => {
		const result = await run("echo out; echo err >&2; pwd; exit 3");
		assert.deepEqual(
			{ ...result, id: "", duration: 0 },
			{ id: "", output: `out\nerr\n${at.folder}\n`, bytes: 9 + at.folder.length, exitCode: 3, duration: 0 },
		);
	});

	it("reaches bash word for word, in bash's own language", async () => {
		const { output } = await run("a='x y'; printf '%s|' \"$a\" \"$(( 6 * 7 ))\" <<< z; [[ $a == x* ]] && echo $'tab\\there'");
		assert.equal(output, "x y|42|tab\there\n");
	});

	it("finds its standard input closed", async () => {
		const { output, exitCode } = await run('read -r line; echo "status $?"');
		assert.deepEqual([output, exitCode], ["status 1\n", 0]);
	});

	it("that may only run in a sandbox does not run where there is none", async () => {
		const confine = { kind: "read", network: false, masked: [] } as const;
		await assert.rejects(run("touch made", { confine }), /no sandbox here.*Nothing ran/);
		assert.equal(existsSync(at.path("made")), false);
	});

	it("that cannot run says what to do", async () => {
		await assert.rejects(at.machine.run("true", how(at.path("missing"))), /does not exist.*cwd/);
		await assert.rejects(run(`true ${"x".repeat(3_000_000)}`), /script file/);
		assert.match((await run("if then")).output, /syntax error/);
	});

	it("sees none of the secrets of our own environment, and what the settings name", async () => {
		const secrets = [
			...["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "NPM_TOKEN"],
			...["VSCODE_IPC_HOOK", "ELECTRON_RUN_AS_NODE", "NODE_OPTIONS", "SSH_AUTH_SOCK", "BASH_ENV", "DATABASE_PASSWORD"],
		];
		const before = { ...process.env };
		const own = place({ extraVariables: () => ["MY_TOOL_HOME"] });
		try {
			for (const name of [...secrets, "MY_TOOL_HOME"]) process.env[name] = name === "NODE_OPTIONS" ? "--title=canary" : "canary";
			const { output } = await own.machine.run("env; cat /proc/self/environ | tr '\\0' '\\n'", how(own.folder));
			assert.deepEqual([...new Set(output.split("\n").filter((line) => line.includes("canary")))], ["MY_TOOL_HOME=canary"]);
			assert.match(output, /^PATH=/m);
			assert.match(output, /^GIT_TERMINAL_PROMPT=0$/m);
		} finally {
			for (const name of [...secrets, "MY_TOOL_HOME"]) delete process.env[name];
			Object.assign(process.env, before);
			await own.dispose();
		}
	});

	it("is kept whole, and bounded for the model around an exact count", async () => {
		const megabytes = process.env["TROUPE_TEST_GIGABYTE"] ? 1_024 : 64;
		const line = "0123456789abcde\n";
		const seen: string[] = [];
		const before = process.memoryUsage.rss();
		let highest = before;
		const watch = setInterval(() => {
			highest = Math.max(highest, process.memoryUsage.rss());
		}, 20);
		const result = await run(`yes 0123456789abcde | head -c ${megabytes * 1024 * 1024}`, { onOutput: (text: string) => seen.push(text) });
		clearInterval(watch);
		assert.equal(result.bytes, megabytes * 1024 * 1024);
		assert.ok(Buffer.byteLength(result.output) <= LIMIT);
		const [whole, count] = /\n\[(\d+) bytes omitted here.*?\]\n/.exec(result.output) ?? [];
		assert.ok(whole && count);
		assert.equal(Number(count) + Buffer.byteLength(result.output) - Buffer.byteLength(whole) + 1, result.bytes);
		assert.match(whole, new RegExp(`id "${result.id}"`));
		assert.ok(result.output.startsWith(line) && result.output.endsWith(line));
		assert.ok(Buffer.byteLength(seen.join("")) < result.bytes, "a flood must not reach the eye whole");
		if (process.env["TROUPE_TEST_GIGABYTE"]) console.log(`    1 GB: ${(highest - before) / 1_048_576} MB more, ${result.duration} ms`);
	}).timeout(120_000);

	it("is kept in a file that is ours alone", async () => {
		const { id } = await run("echo kept");
		const spill = join(at.folder, "..", "spill");
		const [folder] = readdirSync(spill);
		assert.ok(folder);
		const path = join(spill, folder, `${id}.out`);
		assert.equal(readFileSync(path, "utf8"), "kept\n");
		assert.deepEqual([statSync(path).mode & 0o777, statSync(join(spill, folder)).mode & 0o777], [0o600, 0o700]);
	});

	it("never has a code point split, in the summary or in its pages", async () => {
		const result = await run(`node -e 'process.stdout.write("a" + "😀é".repeat(30000))'`);
		assert.ok(!result.output.includes("\uFFFD"));
		let text = "";
		for (let next: number | undefined = 0; next !== undefined; ) {
			const page = await at.machine.output(result.id, next);
			assert.ok(Buffer.byteLength(page.text) <= LIMIT);
			text += page.text;
			next = page.next;
		}
		assert.equal(text, `a${"😀é".repeat(30_000)}`);
	});

	it("that prints bytes which are no text is told of, not shown", async () => {
		const { output, bytes } = await run("head -c 100000 /dev/urandom");
		assert.match(output, /^\[binary output, 100000 bytes/);
		assert.equal(bytes, 100_000);
	});

	it("has its escape sequences taken out for the model and left in for the eye", async () => {
		const seen: string[] = [];
		const { output } = await run("printf '\\033[31mred\\033[0m \\033]0;title\\007ok\\n10%%\\r100%%\\n'", {
			onOutput: (text: string) => seen.push(text),
		});
		assert.equal(output, "red ok\n100%\n");
		assert.ok(seen.join("").includes("\u001b[31mred"));
	});

	it("that asks something nobody can answer is ended", async () => {
		for (const question of ["Password: ", "Overwrite? [y/N] ", "lines 1-20 (END)"]) {
			const result = await run(`printf '%s' '${question}'; exec sleep 600`);
			assert.deepEqual([result.stopped, result.exitCode], ["prompt", undefined]);
			assert.equal(result.output, question);
		}
	});

	it("that is merely silent goes on", async () => {
		const { output, stopped } = await run("printf 'Building: '; sleep 0.6; echo done");
		assert.deepEqual([output, stopped], ["Building: done\n", undefined]);
	});

	it("is ended when its time is up, and keeps what it printed", async () => {
		const result = await run("echo begun; sleep 600", { timeout: 300 });
		assert.deepEqual([result.stopped, result.output, result.exitCode], ["timeout", "begun\n", undefined]);
	});

	it("is not started when it was cancelled before", async () => {
		const signal = AbortSignal.abort();
		assert.equal((await run("touch started", { signal })).stopped, "cancelled");
		assert.deepEqual(readdirSync(at.folder), []);
	});

	const detached = {
		"a grandchild": "bash -c 'sleep 600 & echo $!; wait' & wait",
		"a child that ignores being asked": "trap '' TERM; bash -c 'trap \"\" TERM; echo $$; while :; do sleep 1; done'",
		"a session of its own": "setsid -f bash -c 'echo $$; exec sleep 600'; sleep 600",
		nohup: "nohup sleep 600 >/dev/null 2>&1 & echo $!; sleep 600",
		"a double fork": "( ( setsid bash -c 'echo $$; exec sleep 600 >/dev/null 2>&1' & ) & ); sleep 600",
	};
	for (const [name, command] of Object.entries(detached)) {
		it(`leaves nothing when it is cancelled: ${name}`, async () => {
			const { cancel, pid, result } = await cancellable(command);
			assert.ok(alive(pid));
			cancel();
			assert.equal((await result).stopped, "cancelled");
			assert.equal(alive(pid), false);
		});
	}

	it("leaves nothing when it ends by itself, and says what it had left", async () => {
		// The shell ends once the other is in a session of its own, not before.
		const result = await run("read -r pid < <(setsid bash -c 'echo $$; exec sleep 600 >/dev/null 2>&1'); echo $pid");
		assert.match(result.output, /^(\d+)\n\n\[1 process it had left running was ended\..*background/);
		assert.equal(result.exitCode, 0);
		assert.equal(alive(Number.parseInt(result.output, 10)), false);
	});

	it("leaves nothing of what becomes another program just while it is looked for", async () => {
		for (let round = 0; round < 60; round += 1) {
			const { output } = await run("setsid sleep 600 >/dev/null 2>&1 & echo $!");
			assert.equal(alive(Number.parseInt(output, 10)), false, `round ${round}`);
		}
	});

	describe("in the background", () => {
		it("returns a handle, can be read while it runs, and ends with its signal", async () => {
			const controller = new AbortController();
			const pid = first(/(\d+)\n/);
			const started = await run("echo $$; exec sleep 600", { background: true, signal: controller.signal, onOutput: pid.take });
			assert.equal(started.running, true);
			const id = Number(await pid.found);
			const page = await at.machine.output(started.id, 0);
			assert.deepEqual(page, { text: `${id}\n`, bytes: page.bytes, running: true });
			controller.abort();
			await until(async () => !(await at.machine.output(started.id, 0)).running);
			assert.equal(alive(id), false);
		});

		it("reports at once what ended at once", async () => {
			const ended: (number | undefined)[] = [];
			await at.dispose();
			at = place({ backgroundGrace: 30_000 });
			const result = await run("echo quick; exit 2", { background: true, onEnd: (end: RunResult) => ended.push(end.exitCode) });
			assert.deepEqual([result.running, result.exitCode, result.output], [undefined, 2, "quick\n"]);
			assert.deepEqual(ended, [2]);
		});

		it("goes on after the time it is waited for, and ends by itself", async () => {
			let onEnd: (result: RunResult) => void = () => undefined;
			const ended = new Promise<RunResult>((resolve) => {
				onEnd = resolve;
			});
			const left = await run("echo begun; sleep 1; echo done; exit 3", { timeout: undefined, foregroundTimeout: 200, onEnd });
			assert.deepEqual([left.running, left.stopped, left.output], [true, undefined, "begun\n"]);
			assert.equal((await at.machine.output(left.id, 0)).running, true);
			assert.deepEqual([(await ended).exitCode, (await ended).output], [3, "begun\ndone\n"]);
		});

		it("does not go on after the limit it was given, nor after the person stops it", async () => {
			const at100 = new Promise<RunResult>((resolve) => void run("sleep 600", { timeout: 100, background: true, onEnd: resolve }));
			assert.equal((await at100).stopped, "timeout");
			const stop = new AbortController();
			const cancelled = new Promise<RunResult>((resolve) => {
				const left = run("sleep 600", { timeout: undefined, foregroundTimeout: 100, signal: stop.signal, onEnd: resolve });
				void left.then(() => stop.abort());
			});
			assert.equal((await cancelled).stopped, "cancelled");
		});

		it("is waited for the longer for what it waits for the person", async () => {
			const began = Date.now();
			const waited = () => Math.min(Date.now() - began, 400);
			const { exitCode, running } = await run("sleep 0.3", { timeout: undefined, foregroundTimeout: 100, waited });
			assert.deepEqual([exitCode, running], [0, undefined]);
		});

		it("ends with the machine", async () => {
			const pid = first(/(\d+)\n/);
			await run("setsid -f bash -c 'echo $$; exec sleep 600'; sleep 600", { background: true, onOutput: pid.take });
			const id = Number(await pid.found);
			await at.machine.dispose();
			assert.equal(alive(id), false);
			assert.deepEqual(readdirSync(join(at.folder, "..", "spill")), []);
			await assert.rejects(run("true"), /closing/);
		});
	});

	it("whose id is unknown has no pages, and the error says where ids come from", async () => {
		await assert.rejects(at.machine.output("../../etc/passwd", 0), /No output is kept.*execute_command/);
	});

	async function cancellable(command: string) {
		const controller = new AbortController();
		const pid = first(/(\d+)\n/);
		const result = at.machine.run(command, how(at.folder, { signal: controller.signal, onOutput: pid.take }));
		return { cancel: () => controller.abort(), pid: Number(await pid.found), result };
	}
});

/** Resolves with what the pattern's group matches in the output so far. */
function first(pattern: RegExp) {
	let text = "";
	let resolve: (found: string) => void = () => undefined;
	const found = new Promise<string>((settle) => {
		resolve = settle;
	});
	return {
		found,
		take(more: string) {
			text += more;
			const [, match] = pattern.exec(text) ?? [];
			if (match !== undefined) resolve(match);
		},
	};
}

function alive(pid: number): boolean {
	try {
		const status = readFileSync(`/proc/${pid}/stat`, "latin1");
		return status[status.lastIndexOf(")") + 2] !== "Z";
	} catch {
		return false;
	}
}

/** Asks again until it is so; mocha's timeout is the deadline. */
async function until(condition: () => Promise<boolean>): Promise<void> {
	while (!(await condition())) await setTimeout(10);
}
