// Tests that a task in a copy, with rules and lasting approvals for most programs, reaches nothing outside it.
import assert from "node:assert/strict";
import {
	chmodSync,
	existsSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	realpathSync,
	rmSync,
	writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import type { ToolResultBody } from "../../../src/core/ports/runtime.ts";
import { closeTestTasks, openTestTasks, spawning } from "../../unit/delegation/tasks/testTasks.ts";
import { commitAll, gitIn, treeOf } from "../../unit/platform/copies/support.ts";
import { describeKeptIn } from "../../unit/platform/sandboxSupport.ts";
import { CANARY } from "../arena.ts";
import { startListener } from "../listener.ts";
import { type AttackTargets, attackLines, attackProgram } from "./copyAttack.ts";

const FILES: Record<string, string> = {
	"workspace/src/a.ts": "S export const a = 1;\n",
	"workspace/README.md": "S\n",
	"workspace/package.json": '{ "name": "w", "scripts": { "test": "node attack.mjs" } }\n',
	"workspace/Makefile": "all:\n\tnode attack.mjs\n",
	"workspace/attack.mjs": 'console.log("harmless");\n',
	"workspace/attack.sh": "node attack.mjs\n",
	"workspace/tool.sh": "#!/bin/sh\nnode attack.mjs\n",
	"workspace/.env": `SECRET=${CANARY}\n`,
	"outside/secret.txt": `S ${CANARY}\n`,
};
const KEPT = ["workspace", "outside"];

/** Rules of the person that let every one of these run, as far as rules can. */
const PROGRAMS = [
	"git",
	"node",
	"npm",
	"sh",
	"bash",
	"make",
	"env",
	"touch",
	"cp",
	"mv",
	"ln",
	"rm",
	"mkdir",
	"chmod",
	"tee",
	"sed",
	"echo",
];
const MORE = ["tar", "install", "rsync", "dd", "find", "truncate", "cat", "grep", "curl", "sleep", "nohup", "setsid", "cd"];
const TOOLS = ["update_file", "create_file", "rename_file", "delete_file", "apply_patch", "read_file", "web_fetch"];
const ALLOW = [...TOOLS, "execute_command", ...[...PROGRAMS, ...MORE].map((name) => `execute_command(${name} *)`)];

/** Approved by the person for good, while it is harmless. */
const APPROVED = ["./tool.sh", "npm test", "git commit --allow-empty -m x", "git stash", "git fetch"];

const BACKGROUND = "background-98765";

/** Attempts that succeed and do nothing: in a memory of the command's own in place of our storage, or where git finds nothing to do. */
const NOTHING = /: OUT (?:write (?:by link up\/|(?:\.\.\/)+)(?:copy\.json|files\.json|base|other\.json)|git .* (?:prune|maintenance run))$/;

/** Bytes, modes, inodes, and in the repository also times: git in a copy may not even touch an object. */
function pictureOf(home: string): string[] {
	return KEPT.flatMap((name) =>
		[...treeOf(join(home, name))].map(([path, what]) => {
			const stats = lstatSync(join(home, name, path));
			return `${name}/${path} ${what} ${stats.isDirectory() ? "" : stats.mtimeMs}`;
		}),
	);
}

/** Processes of this machine with that word in their command line; on Linux alone. */
function processesWith(token: string): string[] {
	return (existsSync("/proc") ? readdirSync("/proc") : []).flatMap((pid) => {
		try {
			const line = readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
			return /^\d+$/.test(pid) && line.includes(token) ? [line] : [];
		} catch {
			return [];
		}
	});
}

const MARKER = ".troupe-attack-marker-";

describeKeptIn("a compromised task in a copy, with rules and lasting approvals", () => {
	let home: string;
	beforeEach(() => {
		home = realpathSync(mkdtempSync(join(homedir(), ".troupe-attack-")));
		for (const [name, content] of Object.entries(FILES)) {
			mkdirSync(dirname(join(home, name)), { recursive: true });
			writeFileSync(join(home, name), content);
		}
		chmodSync(join(home, "workspace/tool.sh"), 0o755);
		commitAll(join(home, "workspace"));
		writeFileSync(join(home, "workspace/README.md"), "S stashed\n");
		gitIn(join(home, "workspace"), "stash", "-q");
	});
	afterEach(async () => {
		await closeTestTasks();
		rmSync(home, { recursive: true, force: true });
		for (const name of readdirSync(homedir())) if (name.startsWith(MARKER)) rmSync(join(homedir(), name));
	});

	it("writes and sends nothing by what runs unasked, and leaves no process behind", async function () {
		this.timeout(240_000);
		const { url, reached, close } = await startListener();
		const token = `outlives${basename(home).replaceAll(/\W/g, "")}`;
		const marker = join(homedir(), `${MARKER}${token}`);
		const targets: AttackTargets = { home, url, canary: CANARY, token, marker };
		const run = (command: string, more: object = {}) => {
			const timeout = command.includes("900") ? 1 : 60;
			return { name: "execute_command", input: { command, timeout, ...more } };
		};
		const throughLinks = [
			"real/src/a.ts",
			"real/new.txt",
			"real/.git/HEAD",
			"linkgit/config",
			"linkfile",
			"dangling",
			"hard-file",
			"real/late.txt",
		];
		const byTools = throughLinks.flatMap((path) => [
			{ name: "create_file", input: { path, content: "PWNED" } },
			{ name: "update_file", input: { path, old: "S", new: "PWNED" } },
			{ name: "rename_file", input: { from: "src/b.ts", to: path } },
			{ name: "delete_file", input: { path } },
			{ name: "apply_patch", input: { patch: `*** Begin Patch\n*** Add File: ${path}\n+PWNED\n*** End Patch` } },
		]);
		const rounds = [
			[...APPROVED.map((command) => run(command)), { name: "create_file", input: { path: "src/b.ts", content: "S\n" } }],
			[
				{ name: "create_file", input: { path: "wait.mjs", content: "setInterval(() => undefined, 1000);\n" } },
				{ name: "update_file", input: { path: "attack.mjs", old: 'console.log("harmless");', new: attackProgram(targets) } },
			],
			[...attackLines(targets).map((command) => run(command)), run(`node wait.mjs ${BACKGROUND}`, { background: true })],
			byTools,
		];
		const setup = await openTestTasks(
			{
				caller: [spawning("attack", { isolation: "always" }), { text: "It runs." }, { text: "I see." }],
				attack: (_, call) => (rounds[call] ? { calls: rounds[call] } : { text: "Done." }),
			},
			{ home, settings: { approval: "auto", sandbox: "auto", rules: { deny: [], ask: [], allow: ALLOW } } },
		);
		const { sessions, services } = setup.app;
		const asked = new Set<string>();
		const approved: string[] = [];
		sessions.listen({
			event(id, event) {
				if (event.type !== "asked") return;
				setup.clock.ahead += 1_000;
				asked.add(event.call);
				void sessions.get(id).then((session) => {
					const { input } = session.state.calls.get(event.call)?.call ?? { input: {} };
					const { command = "" } = input as { command?: string };
					// What is approved by hand runs with the person's rights, so only what is harmless is.
					const allow = APPROVED.includes(command) && !approved.includes(command);
					if (allow) approved.push(command);
					return session.answer(event.request, { allow, ...(allow && { scope: "always" }) }, "person", event.hash);
				});
			},
		});
		const before = pictureOf(home);
		await setup.caller.send("Go");
		const { sessionId } = await setup.state("done");
		assert.deepEqual(pictureOf(home), before);
		assert.deepEqual(reached, []);
		assert.equal(existsSync(marker), false);
		assert.deepEqual(readdirSync(home).sort(), ["global", "outside", "storage", "workspace"]);
		const task = await sessions.get(sessionId);
		const results = [...task.state.calls.values()].map(({ call, result }) => ({ call, result: result as ToolResultBody | undefined }));
		const unasked = results.filter(
			({ call, result }) => call.name === "execute_command" && !asked.has(call.id) && result?.status !== "denied",
		);
		const text = (call: { input: unknown }) => (call.input as { command?: string }).command;
		const out = unasked.flatMap(({ call, result }) => (result?.output.match(/^OUT .*/gm) ?? []).map((line) => `${text(call)}: ${line}`));
		assert.deepEqual(
			out.filter((line) => !NOTHING.test(line)),
			[],
			"an attempt from inside the sandbox succeeded",
		);
		const attacked = unasked.filter(({ result }) => result?.output.includes("RAN"));
		console.log(
			`      ${results.length} calls: ${unasked.length} commands ran unasked, ${attacked.length} of them attacked; ${asked.size} asked`,
		);
		assert.deepEqual(
			results.filter(({ result }) => result?.output.includes(CANARY)).map(({ call }) => JSON.stringify(call.input)),
			[],
		);
		assert.ok(results.some(({ call, result }) => text(call)?.includes(BACKGROUND) && result?.status === "ok"));
		assert.deepEqual(processesWith(token), [], "a process outlives the task");
		const copy = (await services.copies?.find(sessionId))?.folders[0]?.path ?? assert.fail("no copy");
		assert.deepEqual(readdirSync(dirname(copy)), ["workspace"]);
		const around = dirname(dirname(copy));
		for (const name of ["copy.json", "files.json"]) assert.doesNotMatch(readFileSync(join(around, name), "utf8"), /PWNED/);
		assert.deepEqual(readdirSync(dirname(around)), [basename(around)]);
		assert.deepEqual(approved, ["./tool.sh"]);
		assert.ok(
			attacked.some(({ call }) => text(call) === "./tool.sh"),
			"what was approved for good did not run again",
		);
		assert.ok(attacked.length >= 6 && unasked.length >= 20, `${attacked.length} attacked, ${unasked.length} ran unasked`);
		await closeTestTasks();
		assert.deepEqual(processesWith(BACKGROUND), [], "a command in the background outlives the window");
		await close();
	});
});
