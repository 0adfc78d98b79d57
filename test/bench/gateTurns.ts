// Measures gate decisions in rounds of one run, for this source tree or another commit's.

// Usage: `turns.mjs PARSER_FOLDER ROUNDS`. To measure another commit, its sources are bundled in place of these.
// Prints one line of JSON; all times are in milliseconds.
import { askingOver } from "./gateWorkspace.ts";

const [parser, count] = process.argv.slice(2);
if (parser === undefined) throw new Error("usage: turns.mjs FOLDER-OF-THE-PARSER ROUNDS");
const rounds = Number(count ?? 300);

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

const asking = askingOver(parser);
try {
	const commands: Record<string, number[]> = Object.fromEntries(COMMANDS.map((text) => [text, []]));
	const [paths, near, far]: [number[], number[], number[]] = [[], [], []];
	const memo = new Map<string, unknown>();
	for (let round = 0; round < rounds; round += 1) {
		for (const text of COMMANDS) commands[text]?.push(await timed(() => asking.command(text, memo)));
		const use = round % 2 === 0 ? "read" : "write";
		paths.push(await timed(() => asking.path(`packages/part${round % 16}/src/file${round % 20}.ts`, use)));
	}
	for (let round = 0; round < Math.max(10, rounds / 10); round += 1) {
		near.push(await timed(() => asking.command("grep -rn x packages/part1/src/file1.ts", new Map())));
		far.push(await timed(() => asking.command("grep -rn x many", new Map())));
	}
	const settled = (samples: readonly number[]) => samples.slice(Math.floor(samples.length / 4));
	const measured = { commands: Object.fromEntries(Object.entries(commands).map(([text, samples]) => [text, settled(samples)])) };
	console.log(JSON.stringify({ ...measured, paths: settled(paths), near: settled(near), far: settled(far) }));
} finally {
	await asking.close();
}
process.exit(0);

async function timed(work: () => Promise<void>): Promise<number> {
	const began = performance.now();
	await work();
	return performance.now() - began;
}
