// Tests from inside the sandbox that every escape fails, with all the user's rights, also as root.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, renameSync, symlinkSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import type { SandboxRestrictions } from "../../src/core/ports/workspace/commands.ts";
import { startProgram } from "../../src/platform/programs/startProgram.ts";
import { commitAll, describeKeptIn, SECRET, type Yard, yard } from "../unit/platform/sandboxSupport.ts";
import { type Way, ways } from "./sandboxWays.ts";

describeKeptIn("the sandbox", () => {
	let at: Yard;
	let env: Record<string, string>;
	beforeEach(() => {
		at = yard();
		env = { HOME: at.home, OUTSIDE: at.put("home/victim", "untouched"), SECRET_FILE: at.put("home/.ssh/id", SECRET) };
	});
	afterEach(() => at.dispose());

	/** Tries each in a shell of its own; the names of those that got through, with what they said. */
	async function throughAmong(tried: readonly Way[], confine: SandboxRestrictions | undefined): Promise<string[]> {
		const script = tried.map((way, index) => `echo "${MARK}${index}"; timeout 10 bash -c ${quoted(way.script)} 2>&1`).join("\n");
		const how = { cwd: at.folder, signal: new AbortController().signal, timeout: 50_000, env, ...(confine && { confine }) };
		const { id, bytes, exitCode } = await at.machine.run(script, how);
		assert.notEqual(exitCode, undefined, "it was stopped");
		const parts = (await whole(at, id, bytes)).split(new RegExp(`^${MARK}(\\d+)\\n`, "m")).slice(1);
		assert.equal(parts.length, tried.length * 2, "not all were tried");
		return tried.flatMap(({ name }, index) => {
			const said = parts[index * 2 + 1] ?? "";
			return /^OUT/m.test(said) || said.includes(SECRET) ? [`${name}: ${said.trim()}`] : [];
		});
	}

	for (const confine of [
		{ kind: "read", network: false, masked: [] },
		{ kind: "workspace", network: false, masked: [] },
		{ kind: "workspace", network: true, masked: [] },
	] satisfies SandboxRestrictions[]) {
		const kind = `${confine.kind}${confine.network ? ", with network" : ""}`;
		it(`has no way out (${kind})`, async () => {
			// What is only hidden from reading is no secret from what works in the workspace.
			const tried = ways.filter(({ script }) => confine.kind === "read" || !script.includes("SECRET_FILE"));
			const open = await throughAmong(tried, confine);
			assert.deepEqual(open, []);
			assert.equal(readFileSync(env["OUTSIDE"] as string, "utf8"), "untouched");
			assert.equal(existsSync("/etc/troupe-out"), false);
		});

		it(`has no capability, no way to more, a filter and a session of its own (${kind})`, async () => {
			const { output } = await at.run("cat /proc/self/status; ps -o sid= -p $$ 2>/dev/null || cut -d' ' -f6 /proc/self/stat", confine);
			for (const set of ["Inh", "Prm", "Eff", "Bnd", "Amb"]) assert.match(output, new RegExp(`^Cap${set}:\\t0{16}$`, "m"));
			assert.match(output, /^NoNewPrivs:\t1$/m);
			assert.match(output, /^Seccomp:\t2$/m);
			// Without the filter the kernel would say that this is no terminal.
			const typing = await at.run(`perl -e 'my $c = "x"; ioctl(STDIN, 0x5412, $c); print $!'`, confine);
			assert.equal(typing.output, "Operation not permitted");
		});
	}

	it("has ways that would get out without it: the test sees what it looks for", async () => {
		const harmless = /^(unshare|userfaultfd|keyctl\(0|io_uring|a link|a hard link|a secret|process_vm)/;
		const through = await throughAmong(
			ways.filter(({ name }) => harmless.test(name)),
			undefined,
		);
		assert.ok(through.length >= 4, `got through: ${through.join(", ")}`);
	});

	it("closes what was open around it", async () => {
		await at.sandbox.isAvailable();
		const start = await at.sandbox.confine(
			{
				file: "/bin/sh",
				args: ["-c", 'for n in 3 4 5 12; do (: <&$n) 2>/dev/null && echo "OUT $n"; done; ls -l /proc/self/fd'],
				env: { PATH: "/usr/bin:/bin" },
				cwd: at.folder,
			},
			{ kind: "workspace", network: false, masked: [] },
		);
		const file = openSync(env["OUTSIDE"] as string, "a+");
		try {
			const given = Array.from({ length: 10 }, () => file);
			const child = spawn(start.file, start.args, { env: start.env, cwd: start.cwd, stdio: ["ignore", "pipe", "pipe", "pipe", ...given] });
			const [filter] = start.extraDescriptors ?? [];
			assert.ok(filter instanceof Uint8Array);
			(child.stdio[3] as NodeJS.WritableStream).end(filter);
			let output = "";
			child.stdout?.on("data", (chunk: Buffer) => (output += chunk));
			await new Promise((resolve) => child.on("close", resolve));
			assert.doesNotMatch(output, /OUT|victim/);
			assert.match(output, /->/);
		} finally {
			closeSync(file);
			await start.afterExit?.();
		}
	});

	it("lets nothing of another processor's calls through", async function () {
		if (process.arch !== "x64") return this.skip();
		const program = join(at.folder, "small");
		const put = `node -e 'require("fs").writeFileSync(process.argv[1], Buffer.from("${ELF32}", "hex"), { mode: 0o755 })' ${program}`;
		const { output } = await at.machine.run(`${put.replace("node", JSON.stringify(process.execPath))}; ${program}; echo "code $?"`, {
			cwd: at.folder,
			signal: new AbortController().signal,
			timeout: 10_000,
		});
		if (!output.includes("code 42")) return this.skip();
		const { output: inside } = await at.run(`${program}; echo "code $?"`);
		assert.doesNotMatch(inside, /code 42/);
		assert.match(inside, /code \d+/);
	});

	it("keeps git's hooks and configuration from what writes the repository", async () => {
		at.put("workspace/a", "a");
		commitAll(at.folder);
		const tries = [
			"echo '[core] fsmonitor = touch /tmp/x' >> .git/config",
			"cp .git/config c && echo x >> c && mv c .git/config",
			"mv .git .git2 && cp -r .git2 .git && echo x >> .git/config",
			"rm -rf .git/hooks && mkdir .git/hooks",
			"mv .git/hooks h",
			"echo x > .git/hooks/pre-commit",
			"echo ../evil > .git/commondir",
			"rm -f .git/commondir && echo ../evil > .git/commondir",
			"echo x > .git/info/attributes",
			"git config core.fsmonitor evil",
			"git config --worktree core.fsmonitor evil",
			"echo x > .git/config.worktree",
			"rm -f .git/config.worktree && echo x > .git/config.worktree",
			"mkdir -p w && mv .git w/",
			"ln -sfnT /tmp .git",
		];
		for (const attempt of tries) {
			const { output } = await at.work(`(${attempt}) && echo OUT`, { repository: true });
			assert.doesNotMatch(output, /^OUT$/m, attempt);
		}
		const config = readFileSync(join(at.folder, ".git/config"), "utf8");
		assert.doesNotMatch(config, /fsmonitor|^x$/m);
		for (const name of ["commondir", "config.worktree"]) assert.equal(existsSync(join(at.folder, ".git", name)), false, name);
	});

	it("opens the repository that was looked at and no other, whatever takes its place meanwhile", async () => {
		const inside = join(at.folder, "new");
		mkdirSync(inside);
		commitAll(inside);
		const outside = join(at.home, "outside");
		mkdirSync(outside);
		const start = await at.sandbox.confine(
			{ file: "/bin/bash", args: ["-c", `touch ${outside}/OUT; touch .git/OUT; echo ran`], env: { PATH: "/usr/bin:/bin" }, cwd: inside },
			{ kind: "workspace", network: false, masked: [], repository: true },
		);
		renameSync(join(inside, ".git"), join(inside, "was"));
		symlinkSync("../../home/outside", join(inside, ".git"));
		const child = startProgram(start, "output");
		let output = "";
		child.stdout?.on("data", (chunk: Buffer) => (output += chunk));
		await new Promise((resolve) => child.on("close", resolve));
		await start.afterExit?.();
		assert.equal(existsSync(join(outside, "OUT")), false, output);
	});

	it("keeps what the configuration names from what works in the workspace: hooks, attributes, further configuration", async () => {
		for (const name of ["githooks/pre-commit", "more.gitconfig", "attributes"]) at.put(`workspace/${name}`, "");
		commitAll(at.folder);
		for (const words of ["core.hooksPath githooks", "include.path ../more.gitconfig", "core.attributesFile attributes"]) {
			execFileSync("git", ["config", ...words.split(" ")], { cwd: at.folder });
		}
		const { output } = await at.work(
			"for f in githooks/pre-commit more.gitconfig attributes; do echo x >> $f && echo OUT $f; done; mv githooks g && echo OUT",
		);
		assert.doesNotMatch(output, /OUT/);
	});

	it("does not let what was already connected be reached in the network of the machine", async () => {
		const server = createServer((socket) => socket.destroy());
		let reached = 0;
		server.on("connection", () => (reached += 1));
		await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
		const address = server.address();
		const port = typeof address === "object" ? address?.port : 0;
		try {
			await at.work(`exec 3<>/dev/tcp/127.0.0.1/${port}; exec 3<>/dev/tcp/::1/${port}; exec 3<>/dev/udp/127.0.0.1/53 && echo x >&3`);
			assert.equal(reached, 0);
			await at.work(`exec 3<>/dev/tcp/127.0.0.1/${port}`, { network: true });
			assert.equal(reached, 1);
		} finally {
			server.close();
		}
	});
});

const MARK = "== way ";

function quoted(text: string): string {
	return `'${text.replaceAll("'", "'\\''")}'`;
}

async function whole(at: Yard, id: string, bytes: number): Promise<string> {
	let text = "";
	for (let offset: number | undefined = 0; offset !== undefined && offset < bytes; ) {
		const page = await at.machine.output(id, offset);
		text += page.text;
		offset = page.next;
	}
	return text;
}

/** A program of 84 bytes for 32 bits that ends with 42. */
const ELF32 =
	"7f454c46010101000000000000000000020003000100000054800408340000000000000000000000340020000100000000000000" +
	"0100000000000000008004080080040860000000600000000500000000100000" +
	"b801000000bb2a000000cd80";
