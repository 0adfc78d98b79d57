// Runs a suite whose cases drive a browser or VS Code, and gives a failed case its second chance.

// Options of such a suite: `--once` runs nothing again, `--repeat=5` runs everything five times. Its last line is "N passed,
// N failed".
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "../install.mjs";
import { createJudge, keepFlaky, readLines, readRules } from "./secondChance.mjs";

/** What a suite's script takes from its options; the others are its own. */
export function readSuiteOptions(options) {
	const repeat = Number(options.find((option) => option.startsWith("--repeat="))?.slice("--repeat=".length) ?? 1);
	return { once: options.includes("--once") || repeat > 1, repeat };
}

/**
 * `run({ results, only })` runs all cases, or those of one `{ title, file }`, writes them to the file `results`, prints, and resolves
 * with its exit code. Returns the suite's.
 */
export async function runSuite({ name, once, repeat, run, print = console.log }) {
	const kept = process.env.PART_RESULTS ?? join(root, "out", "results", `${name}.jsonl`);
	await mkdir(dirname(kept), { recursive: true });
	await rm(kept, { force: true });
	let broken = 0;
	for (let time = 1; time <= repeat; time += 1) {
		if (repeat > 1) print(`\nRun ${time} of ${repeat}`);
		const before = (await readLines(kept)).filter(isFailed).length;
		const code = await run({ results: kept });
		const failed = (await readLines(kept)).filter(isFailed).length - before;
		if (code !== 0 && failed === 0) {
			broken += 1;
			print(`The run ended with ${code}, though no case had failed.`);
		}
	}
	const cases = await readLines(kept);
	const failed = cases.filter(isFailed);
	const flaky = await tryAgain({ name, failed, run, print, judge: createJudge(await readRules({ once })) });
	const passed = cases.filter(({ state }) => state === "passed").length + flaky.length;
	const red = failed.length - flaky.length + broken;
	if (flaky.length > 0) print(`\nFlaky\n${flaky.map(({ title, file }) => `  ${title} (${file})`).join("\n")}`);
	print(`\n${passed} passed, ${red} failed`);
	return red === 0 && passed > 0 ? 0 : 1;
}

async function tryAgain({ name, failed, run, print, judge }) {
	const flaky = [];
	for (const [index, one] of failed.entries()) {
		const reason = judge(one);
		if (reason !== undefined) {
			print(`\nNot run again: ${one.title}: ${reason}.`);
			continue;
		}
		print(`\nRun again, alone: ${one.title}`);
		const results = join(root, "out", "results", `${name}.again${index}.jsonl`);
		await rm(results, { force: true });
		const code = await run({ results, only: one });
		const again = await readLines(results);
		if (code !== 0 || again.length === 0 || again.some(isFailed)) continue;
		flaky.push(one);
		await keepFlaky({ suite: name, at: new Date().toISOString(), first: one, second: again });
	}
	return flaky;
}

const isFailed = ({ state }) => state === "failed";

/** A pattern for mocha's `--grep` that matches one case, or the cases of a suite whose hook failed. */
export function patternOf({ title, whole }) {
	const exact = title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	return whole ? `^${exact} ` : `^${exact}$`;
}
