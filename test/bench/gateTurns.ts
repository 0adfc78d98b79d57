// Decisions of a gate in turns of one run: the gate of this tree, or of another one, whose sources are bundled in place of these.
// Prints one line of JSON; all times in milliseconds.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { defaultAgent } from "../../src/agents/builtinAgents.ts";
import { builtinRoles } from "../../src/agents/roles.ts";
import type { GateRequest } from "../../src/core/gate.ts";
import { createGate } from "../../src/gate/gate.ts";
import { createMachine } from "../../src/machine/machine.ts";

const [parser, count] = process.argv.slice(2);
if (parser === undefined) throw new Error("usage: gateTurns.mjs FOLDER-OF-THE-PARSER ROUNDS");
const rounds = Number(count ?? 300);

const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-turns-")));
const folder = join(home, "workspace");
const FILES = 5_000;

/** None of them walks, and none prints what git has to be asked about before. */
const COMMANDS = [
	"npm test",
	"git status --short",
	"git log --oneline -3 README.md",
	"ls -la packages/part1/src",
	"cat package.json | head -20",
	"npm run build && npm test",
	"wc -l packages/part3/src/file1.ts packages/part3/src/file2.ts",
	"node --version",
	"sed -n '1,80p' README.md",
	"echo done > /dev/null 2>&1",
	"cd packages && ls -la",
	"mkdir -p packages/part1/new",
];

function put(name: string, content: string): void {
	mkdirSync(dirname(join(folder, name)), { recursive: true });
	writeFileSync(join(folder, name), content);
}

function buildWorkspace(): void {
	for (let part = 0; part < 16; part += 1) for (let file = 0; file < 20; file += 1) put(`packages/part${part}/src/file${file}.ts`, "x\n");
	for (let file = 0; file < FILES; file += 1) put(`many/f${file % 50}/g${file % 10}/n${file}.ts`, "x\n");
	put("package.json", JSON.stringify({ name: "bench", scripts: { test: "node --test", build: "tsc" } }));
	put("README.md", "# Bench\n");
	const git = (...words: string[]) => execFileSync("git", words, { cwd: folder, stdio: "ignore" });
	git("init", "-q");
	git("add", "README.md", "package.json");
	git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "one");
}

try {
	buildWorkspace();
	const folders = () => [{ name: "workspace", path: folder }];
	const blobs = { put: async () => ({ blob: "", size: 0 }), get: async () => new Uint8Array() };
	const machine = createMachine({
		folders,
		identity: () => folder,
		spill: join(home, "spill"),
		blobs: blobs as never,
		ripgrep: async () => undefined,
		environment: () => [],
	});
	const host = "programs" in machine ? { host: machine.programs } : {};
	const gate = createGate({ disk: machine, folders, storage: [join(home, "storage")], parser, ...host });
	const role = builtinRoles.find(({ id }) => id === "actor");
	if (!role) throw new Error("there is no actor");
	const rest = { agent: defaultAgent, role, grants: [], workspace: "bench", mode: "plan", planRuns: false, canAsk: true } as const;
	const rules = { deny: ["execute_command(curl *)"], ask: ["execute_command(git push *)"], allow: ["execute_command(npm test *)"] };
	const commandTool = { name: "execute_command", plugin: "terminal", permissions: ["ExecuteCommands"], capabilities: [] } as const;
	const fileTool = { name: "update_file", plugin: "files", permissions: ["ReadFiles"], capabilities: [] } as const;
	/** As a session does: what was learned in a turn is kept for it. */
	let memo = new Map<string, unknown>();
	const onCommand = async (text: string) => {
		const command = await (gate.command as (text: string, cwd?: string, memo?: Map<string, unknown>) => ReturnType<typeof gate.command>)(
			text,
			undefined,
			memo,
		);
		gate.authorize({ ...rest, rules, tool: commandTool, paths: [], command } as unknown as GateRequest);
	};
	const onPath = async (given: string, use: "read" | "write") =>
		void gate.authorize({ ...rest, rules, tool: fileTool, paths: [await gate.path(given, use)] } as unknown as GateRequest);
	const timed = async (work: () => Promise<void>) => {
		const began = performance.now();
		await work();
		return performance.now() - began;
	};
	const commands: Record<string, number[]> = Object.fromEntries(COMMANDS.map((text) => [text, []]));
	const [paths, near, far]: [number[], number[], number[]] = [[], [], []];
	for (let round = 0; round < rounds; round += 1) {
		for (const text of COMMANDS) commands[text]?.push(await timed(() => onCommand(text)));
		paths.push(await timed(() => onPath(`packages/part${round % 16}/src/file${round % 20}.ts`, round % 2 === 0 ? "read" : "write")));
	}
	for (let round = 0; round < Math.max(10, rounds / 10); round += 1) {
		memo = new Map();
		near.push(await timed(() => onCommand("grep -rn x packages/part1/src/file1.ts")));
		memo = new Map();
		far.push(await timed(() => onCommand("grep -rn x many")));
	}
	const settled = (samples: readonly number[]) => samples.slice(Math.floor(samples.length / 4));
	console.log(
		JSON.stringify({
			commands: Object.fromEntries(Object.entries(commands).map(([text, samples]) => [text, settled(samples)])),
			paths: settled(paths),
			near: settled(near),
			far: settled(far),
		}),
	);
	await machine.dispose();
} finally {
	rmSync(home, { recursive: true, force: true });
}
process.exit(0);
