// Measures gate decisions over real files in plain Node, warm and cold.

// Usage: `gate.mjs warm|cold|cold-floor PARSER_FOLDER`. Prints one line of JSON; all times are in milliseconds.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { readFile, realpath, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { builtinRoles, defaultAgent } from "../../src/agents/builtinRoles.ts";
import type { CommandFacts, Gate, GateRequest } from "../../src/core/ports/gate.ts";
import type { PathFacts, PathUse } from "../../src/core/ports/tool.ts";
import { createGate } from "../../src/gate/gate.ts";
import { createWorkspaceFiles } from "../../src/platform/files/files.ts";

const [kind, parser] = process.argv.slice(2);
if (parser === undefined) throw new Error("usage: gate.mjs warm|cold|cold-floor FOLDER-OF-THE-PARSER");

const home = realpathSync(mkdtempSync(join(tmpdir(), "troupe-bench-gate-")));
const folder = join(home, "workspace");
/** Sixteen folders of twenty files, some links, a repository and scripts. */
function buildWorkspace(): void {
	const put = (name: string, content: string): void => {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	};
	for (let one = 0; one < 16; one += 1)
		for (let two = 0; two < 20; two += 1) put(`packages/part${one}/src/lib/file${two}.ts`, `export const value = ${two};\n`);
	put("package.json", JSON.stringify({ name: "bench", scripts: { test: "node --test", build: "tsc" } }));
	put(".git/HEAD", "ref: refs/heads/main\n");
	put(".git/config", "[core]\n\trepositoryformatversion = 0\n");
	put("README.md", "# Bench\n");
	symlinkSync(join(folder, "packages", "part0"), join(folder, "linked"));
}

function paths(): { given: string; use: PathUse }[] {
	const uses: PathUse[] = ["read", "read", "write", "read", "create", "write"];
	const found: { given: string; use: PathUse }[] = [{ given: "linked/src/lib/file3.ts", use: "read" }];
	for (let one = 0; one < 16; one += 1)
		for (let two = 0; two < 20; two += 1) {
			const use = uses[(one * 20 + two) % uses.length] as PathUse;
			const name = use === "create" ? `new${two}.ts` : `file${two}.ts`;
			found.push({ given: `packages/part${one}/src/lib/${name}`, use });
		}
	return found;
}

const commands = [
	"npm test",
	"git status --short",
	"git log --oneline -3 README.md",
	"ls -la packages/part1/src",
	"cat package.json | head -20",
	"npm run build && npm test",
	"grep -rn value packages/part2/src/lib/file1.ts",
	"wc -l packages/part3/src/lib/file1.ts packages/part3/src/lib/file2.ts",
	"node --version",
	"git diff packages/part4/src/lib/file7.ts",
	"rm -rf packages/part5",
	"echo done > /dev/null 2>&1",
];

function gateOf(parserFolder: string): Gate {
	const folders = () => [{ name: "workspace", path: folder }];
	return createGate({ disk: createWorkspaceFiles(folders), folders, storage: [join(home, "storage")], parser: parserFolder });
}

function requestOf(tool: GateRequest["tool"], facts: { paths: PathFacts[]; command?: CommandFacts }): GateRequest {
	const actor = builtinRoles.find(({ id }) => id === "actor");
	if (!actor) throw new Error("there is no actor");
	return {
		agent: defaultAgent,
		role: actor,
		tool,
		access: { pluginsOff: [] },
		...facts,
		rules: {
			deny: ["read_file(secrets/**)", "execute_command(curl *)", "update_file(packages/part15/**)"],
			ask: ["execute_command(git push *)", "update_file(**/*.lock)"],
			allow: ["execute_command(git log *)", "execute_command(ls *)", "read_file(**/*.md)"],
		},
		grants: ["npm test", "npm run", "node"].map((name) => ({
			agent: "default",
			tool: "execute_command",
			class: name,
			workspace: "bench",
			at: "2026-01-01T00:00:00.000Z",
		})),
		workspace: "bench",
		mode: "plan",
		planRuns: true,
		canAsk: true,
	};
}

const fileTool = { name: "update_file", plugin: "files", permissions: ["ReadFiles"], capabilities: ["files.write"] } as const;
const commandTool = {
	name: "execute_command",
	plugin: "terminal",
	permissions: ["ExecuteCommands"],
	capabilities: ["terminal.run"],
} as const;

async function warm(parserFolder: string) {
	const gate = gateOf(parserFolder);
	const pathRequests: GateRequest[] = [];
	for (const { given, use } of paths()) pathRequests.push(requestOf(fileTool, { paths: [await gate.path(given, use)] }));
	const commandRequests: GateRequest[] = [];
	for (const text of commands) commandRequests.push(requestOf(commandTool, { paths: [], command: await gate.command(text) }));
	const decisions: Record<string, number> = {};
	for (const request of [...pathRequests, ...commandRequests]) {
		const { decision, layer } = gate.authorize(request);
		decisions[`${decision} by ${layer}`] = (decisions[`${decision} by ${layer}`] ?? 0) + 1;
	}
	return {
		decisions,
		path: each(pathRequests, (request) => gate.authorize(request)),
		command: each(commandRequests, (request) => gate.authorize(request)),
		wholePath: await eachAwaited(paths(), 4_000, async ({ given, use }) => {
			gate.authorize(requestOf(fileTool, { paths: [await gate.path(given, use)] }));
		}),
		wholePathFloor: await eachAwaited(paths(), 4_000, async ({ given }) => {
			const path = join(folder, given);
			await realpath(path).then(stat, () => undefined);
		}),
		wholeCommand: await eachAwaited(commands, 2_004, async (text) => {
			gate.authorize(requestOf(commandTool, { paths: [], command: await gate.command(text) }));
		}),
		commands,
	};
}

/** Milliseconds for one call, a sample a round; what came first is left out. */
function each<Input>(inputs: readonly Input[], act: (input: Input) => unknown): number[] {
	const samples: number[] = [];
	const calls = Math.ceil(2_000 / inputs.length) * inputs.length;
	for (let round = 0; round < 40; round += 1) {
		const began = performance.now();
		for (let call = 0; call < calls; call += 1) act(inputs[call % inputs.length] as Input);
		samples.push((performance.now() - began) / calls);
	}
	return samples.slice(10);
}

async function eachAwaited<Input>(inputs: readonly Input[], count: number, act: (input: Input) => Promise<unknown>): Promise<number[]> {
	const samples: number[] = [];
	for (let call = 0; call < count; call += 1) {
		const began = performance.now();
		await act(inputs[call % inputs.length] as Input);
		samples.push(performance.now() - began);
	}
	return samples.slice(Math.floor(count / inputs.length / 4) * inputs.length);
}

/** From a gate that has seen no command to its first verdict on one. */
async function cold(parserFolder: string) {
	const gate = gateOf(parserFolder);
	await gate.path("README.md", "read");
	const began = performance.now();
	const { decision } = gate.authorize(requestOf(commandTool, { paths: [], command: await gate.command("npm test") }));
	return { milliseconds: performance.now() - began, decision };
}

/** The parser alone: its code, its WebAssembly, the grammar, one line parsed. */
async function coldFloor(parserFolder: string) {
	const began = performance.now();
	const { Parser, Language } = await import("web-tree-sitter");
	await Parser.init({ locateFile: () => join(parserFolder, "web-tree-sitter.wasm") });
	const parser = new Parser();
	parser.setLanguage(await Language.load(await readFile(join(parserFolder, "tree-sitter-bash.wasm"))));
	const tree = parser.parse("npm test");
	return { milliseconds: performance.now() - began, decision: tree?.rootNode.type };
}

// An extension host always waits for something. A Node that waits for nothing first ends the compiler's work in the
// background, and that would be measured instead.
const alive = setInterval(() => undefined, 60_000);
try {
	buildWorkspace();
	const measure = { warm, cold, "cold-floor": coldFloor }[kind ?? ""];
	if (!measure) throw new Error(`no measurement is called ${kind}`);
	console.log(JSON.stringify(await measure(parser)));
} finally {
	clearInterval(alive);
	rmSync(home, { recursive: true, force: true });
}
