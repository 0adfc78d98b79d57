// Runs all test parts, two at a time (`npm test`).

// `--check` runs the quick parts, `--nightly` those that take too long for every change. A failing part fails the run,
// but the others still run. Failures are repeated at the end so that a truncated log still shows them; the last line
// is "N passed, N failed".

import { spawn } from "node:child_process";
import { root } from "./install.mjs";
import { installPackages } from "./packages.mjs";
import { plans } from "./parts.mjs";

await installPackages();
const chosen = Object.keys(plans).find((plan) => process.argv.includes(`--${plan}`)) ?? "test";
const results = await inLanes(plans[chosen], 2);

console.log("\nSummary");
for (const { name, passed, failed, seconds } of results)
	console.log(
		`  ${failed === 0 ? "ok    " : "FAILED"}  ${name.padEnd(22)} ${String(passed).padStart(5)} passed, ${failed} failed  ${seconds} s`,
	);
for (const { name, reasons } of results.filter(({ failed }) => failed > 0)) console.log(`\n${name}\n${reasons}`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") === 0 ? 0 : 1;

/** Each lane runs the next part whose `after` has finished, until none is left. */
async function inLanes(parts, count) {
	const waiting = [...parts];
	const results = new Map();
	const wake = [];
	const lane = async () => {
		while (waiting.length > 0) {
			const next = waiting.findIndex(({ after }) => after === undefined || results.has(after));
			if (next < 0) {
				await new Promise((resolve) => wake.push(resolve));
				continue;
			}
			const [part] = waiting.splice(next, 1);
			results.set(part.name, await runPart(part));
			for (const resolve of wake.splice(0)) resolve();
		}
	};
	await Promise.all(Array.from({ length: count }, lane));
	return parts.map(({ name }) => results.get(name));
}

/** Prints a part's output when it has finished, since two at once would mix. */
async function runPart({ name, command, counts }) {
	console.log(`${name} …`);
	const began = Date.now();
	const { code, output } = await execute(command);
	const counted = counts ? countsIn(output) : { passed: code === 0 ? 1 : 0, failed: 0 };
	// An aborted part has failed regardless of its counts, and a part without tests proves nothing.
	const broken = counted.failed === 0 && (code !== 0 || counted.passed === 0);
	const failed = counted.failed + (broken ? 1 : 0);
	const result = { name, ...counted, failed, reasons: reasonsIn(output), seconds: Math.round((Date.now() - began) / 1_000) };
	console.log(`\n── ${name} ${"─".repeat(Math.max(0, 70 - name.length))}\n${output.trimEnd()}`);
	console.log(`${name}: ${result.passed} passed, ${result.failed} failed (${result.seconds} s)\n`);
	return result;
}
function execute(command) {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk) => {
				output += chunk;
			});
		child.on("close", (code) => resolve({ code: code ?? 1, output }));
	});
}

/** Returns mocha's messages for failed tests, without stacks; for other output, its last lines. */
function reasonsIn(output) {
	const failures = [...output.matchAll(/^ {2}\d+ failing$/gm)].map(({ index }) => output.slice(index).split("\n").slice(1));
	const told = failures.flatMap((lines) => lines.filter((line) => line.trim() && !/^\s+at /.test(line)).slice(0, 15));
	return (told.length > 0 ? told : output.trimEnd().split("\n").slice(-10)).join("\n");
}

/** Parses mocha's counts, summed over several runs, or a summary line of our own scripts. */
function countsIn(output) {
	const said = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
	if (said) return { passed: Number(said[1]), failed: Number(said[2]) };
	const total = (word) =>
		[...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))].reduce((sum, [, count]) => sum + Number(count), 0);
	return { passed: total("passing"), failed: total("failing") };
}
