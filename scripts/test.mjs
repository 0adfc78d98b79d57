// Runs all test parts, as many at a time as the processors take (`npm test`).

// `--check` runs the quick parts, `--nightly` those that take too long for every change, `--part=host` those of one job of
// CI. A failing part fails the run, but the others still run. Failures are repeated at the end so that a truncated log still
// shows them; the last line is "N passed, N failed". Where the seconds went is in out/times.json, what was flaky in
// out/flaky.jsonl.

import { spawn } from "node:child_process";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { root } from "./install.mjs";
import { installPackages } from "./packages.mjs";
import { listParts, plans } from "./parts.mjs";
import { createSampler } from "./testRun/processorTime.mjs";
import { runByWeight } from "./testRun/schedule.mjs";
import { CHANCES, FLAKY, readLines } from "./testRun/secondChance.mjs";
import { writeTimes } from "./testRun/times.mjs";

await installPackages();
const chosen = Object.keys(plans).find((plan) => process.argv.includes(`--${plan}`)) ?? "test";
const job = process.argv.find((word) => word.startsWith("--part="))?.slice("--part=".length);
const parts = listParts(chosen, job);
const outputs = join(root, "out", "parts", chosen);
if (parts.length === 0) throw new Error(`No part of ${chosen} is in the job ${job}.`);
await rm(outputs, { recursive: true, force: true });
await mkdir(outputs, { recursive: true });
if (chosen !== "check") for (const file of [FLAKY, CHANCES]) await rm(file, { force: true });
const sampler = createSampler();
const results = await runByWeight(parts, Math.max(2, availableParallelism()), runPart);
sampler.stop();

console.log("\nSummary");
for (const { name, passed, failed, began, ended } of results)
	console.log(
		`  ${failed === 0 ? "ok    " : "FAILED"}  ${name.padEnd(42)} ${String(passed).padStart(5)} passed, ${failed} failed  ${seconds(began, ended)} s`,
	);
await writeTimes(chosen, results, sampler);
const flaky = chosen === "check" ? [] : await readLines(FLAKY);
if (flaky.length > 0) console.log(`\nFlaky: failed, and passed alone (out/flaky.jsonl). The next change enters them in test/flaky.md.`);
for (const { suite, first } of flaky) console.log(`  ${suite}: ${first.title}`);
for (const { name, reasons } of results.filter(({ failed }) => failed > 0)) console.log(`\n${name}\n${reasons}`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") === 0 ? 0 : 1;

/** Prints a part's output when it has finished, since several at once would mix. */
async function runPart({ name, command, counts }) {
	console.log(`${name} …`);
	const file = join(outputs, name.replaceAll(/\W+/g, "-"));
	const began = Date.now();
	const { code, output } = await execute(name, command, `${file}.jsonl`);
	const ended = Date.now();
	await writeFile(`${file}.log`, output);
	const counted = counts ? countsIn(output) : { passed: code === 0 ? 1 : 0, failed: 0 };
	// An aborted part has failed regardless of its counts, and a part without tests proves nothing.
	const broken = counted.failed === 0 && (code !== 0 || counted.passed === 0);
	const failed = counted.failed + (broken ? 1 : 0);
	const reasons = broken
		? `It could not run to its end: it ended with ${code} after ${seconds(began, ended)} s and ${counted.passed} passed cases. Its last lines (all in ${file}.log):\n${lastLines(output)}`
		: reasonsIn(output);
	console.log(`\n── ${name} ${"─".repeat(Math.max(0, 70 - name.length))}\n${output.trimEnd()}`);
	console.log(`${name}: ${counted.passed} passed, ${failed} failed (${seconds(began, ended)} s)\n`);
	return { name, passed: counted.passed, failed, reasons, began, ended, resultsFile: `${file}.jsonl` };
}

function execute(name, command, results) {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, command, {
			cwd: root,
			env: { ...process.env, PART_RESULTS: results, TEST_RESULTS: results },
			stdio: ["ignore", "pipe", "pipe"],
		});
		sampler.follow(name, child.pid);
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk) => {
				output += chunk;
			});
		child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
	});
}

function seconds(began, ended) {
	return Math.round((ended - began) / 1_000);
}

/** Returns mocha's messages for failed tests, without stacks; for other output, its last lines. */
function reasonsIn(output) {
	const failures = [...output.matchAll(/^ {2}\d+ failing$/gm)].map(({ index }) => output.slice(index).split("\n").slice(1));
	const told = failures.flatMap((lines) => lines.filter((line) => line.trim() && !/^\s+at /.test(line)).slice(0, 15));
	return told.length > 0 ? told.join("\n") : lastLines(output);
}

function lastLines(output) {
	return output.trimEnd().split("\n").slice(-20).join("\n");
}

/** Parses mocha's counts, summed over several runs, or a summary line of our own scripts. */
function countsIn(output) {
	const said = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
	if (said) return { passed: Number(said[1]), failed: Number(said[2]) };
	const total = (word) =>
		[...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))].reduce((sum, [, count]) => sum + Number(count), 0);
	return { passed: total("passing"), failed: total("failing") };
}
