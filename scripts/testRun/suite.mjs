// Runs a suite whose cases drive a browser or VS Code, and gives a failed case its second chance.

// Options of such a suite: `--once` runs nothing again, `--repeat=5` runs everything five times. Its last line is "N passed,
// N failed".
import { mkdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "../install.mjs";
import { CHANCES, createJudge, FLAKY, readLines, readRules, writeLine } from "./secondChance.mjs";

/** What a suite's script takes from its options; the others are its own. */
export function readSuiteOptions(options) {
	const repeat = Number(options.find((option) => option.startsWith("--repeat="))?.slice("--repeat=".length) ?? 1);
	return { once: options.includes("--once") || repeat > 1, repeat };
}

/**
 * `run({ results, attempt, only })` runs all cases, or the one `only`, writes a line for each to the file `results`, prints, and
 * resolves with its exit code. `attempt` tells its evidence from that of other runs. Returns the suite's exit code.
 */
export async function runSuite({ name, once, repeat, run, print = console.log, rules, flakyFile = FLAKY }) {
	const results = process.env.PART_RESULTS ?? join(root, "out", "results", `${name}.jsonl`);
	await mkdir(dirname(results), { recursive: true });
	await rm(results, { force: true });
	// A run of one suite has its own chances; `npm test` counts those of all suites.
	if (process.env.PART_RESULTS === undefined) await rm(CHANCES, { force: true });
	let broken = 0;
	for (let time = 1; time <= repeat; time += 1) {
		if (repeat > 1) print(`\nRun ${time} of ${repeat}`);
		const before = await readLines(results);
		const code = await run({ results, attempt: repeat > 1 ? String(time) : "" });
		const after = (await readLines(results)).slice(before.length);
		if (after.some(({ end }) => end) && (code === 0 || after.some(isRed))) continue;
		broken += 1;
		print(`The run ended with ${code} before its end, or though no case had failed.`);
	}
	const lines = await readLines(results);
	const problems = lines.flatMap(({ title, problems = [] }) => (title === undefined ? problems : []));
	const red = lines.filter(isRed);
	const flaky = [];
	const judge = createJudge(rules ?? (await readRules({ once })));
	for (const [index, failed] of red.entries()) {
		const isPassed = await tryAgain({ name, failed: withProblems(failed, problems), index, results, run, print, judge, flakyFile });
		if (isPassed) flaky.push(failed);
	}
	const passed = lines.filter(({ state }) => state === "passed").length + flaky.length;
	const failed = red.length - flaky.length + broken;
	if (flaky.length > 0) print(`\nFlaky\n${flaky.map(({ title, file }) => `  ${title} (${file})`).join("\n")}`);
	print(`\n${passed} passed, ${failed} failed`);
	return failed === 0 && passed > 0 ? 0 : 1;
}

async function tryAgain({ name, failed, index, results, run, print, judge, flakyFile }) {
	const reason = await judge(failed);
	if (reason !== undefined) {
		print(`\nNot run again: ${failed.title}: ${reason}.`);
		return false;
	}
	print(`\nRun again, alone: ${failed.title}`);
	const file = results.replace(/(\.jsonl)?$/, `.again${index}.jsonl`);
	await rm(file, { force: true });
	const code = await run({ results: file, attempt: "again", only: failed });
	const second = await readLines(file);
	if (code !== 0 || second.some(isRed) || !second.some(({ title, state }) => title === failed.title && state === "passed")) return false;
	await writeLine(flakyFile, { suite: name, at: new Date().toISOString(), first: failed, second });
	return true;
}

/** Errors of a whole run count for each case that failed in it. */
function withProblems(failed, problems) {
	return problems.length === 0 ? failed : { ...failed, problems: [...(failed.problems ?? []), ...problems] };
}

function isRed({ state }) {
	return state === "failed" || state === "unrun";
}

/** A pattern for mocha's `--grep` that matches one case. */
export function toPattern({ title }) {
	return `^${title.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&")}$`;
}
