// `node test/bench/gateBefore.mjs`: decisions of today's gate beside those of an earlier commit, in turns of one run.
// Takes that commit's sources from the history of this repository; needs a clone that has it.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/install.mjs";
import { median, table } from "./figures.mjs";
import { gateTurns } from "./gateTurns.mjs";

/** The last one before commands were judged by tables. */
const BEFORE = "89c2f84";
const TURNS = 5;
const ROUNDS = 200;

const before = mkdtempSync(join(tmpdir(), "troupe-before-"));
try {
	const archive = execFileSync("git", ["archive", process.argv[2] ?? BEFORE, "src", "package.json"], { cwd: root, maxBuffer: 1 << 28 });
	execFileSync("tar", ["-x", "-C", before], { input: archive });
	const measures = { earlier: await gateTurns("gate-before", join(before, "src")), now: await gateTurns("gate-now") };
	const seen = { earlier: [], now: [] };
	for (let turn = 0; turn < TURNS; turn += 1) for (const name of ["earlier", "now"]) seen[name].push(await measures[name](ROUNDS));
	const all = (name, pick) => median(seen[name].flatMap(pick));
	const row = (name, pick, reach) => ({ name, unit: "ms", value: all("now", pick), floor: all("earlier", pick), ...(reach && { reach }) });
	const texts = Object.keys(seen.now[0].commands);
	const whole = { value: sumOf("now"), floor: sumOf("earlier") };
	function sumOf(name) {
		return texts.reduce((sum, text) => sum + all(name, ({ commands }) => commands[text]), 0) / texts.length;
	}
	console.log(
		table([
			{ name: "a decision on a command, mean of these medians", unit: "ms", ...whole, reach: { ratio: 1.5 } },
			...texts.map((text) => row(text, ({ commands }) => commands[text])),
			row("a decision on a path", ({ paths }) => paths, { ratio: 1 }),
			row("a command that walks over 5,000 files", ({ far }) => far),
			{ ...row("a walk over 5,000 files", ({ far }) => far), floor: all("now", ({ near }) => near), reach: { over: 15 } },
		]),
	);
} finally {
	rmSync(before, { recursive: true, force: true });
}
