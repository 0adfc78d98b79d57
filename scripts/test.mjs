// `npm test`: everything, one part after the other. A part that fails makes the whole fail, the others run all the same.
// `--check` runs the quick half: types, lint and unit tests. What failed is said again at the end, where a log that was
// cut still has it; the last line is "N passed, N failed".

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { root } from "./install.mjs";
import { installPackages } from "./packages.mjs";

const bin = (...path) => join(root, "node_modules", ...path);
const script = (name) => join(root, "scripts", name);

/** `counts` reads how many tests passed and failed from what a part prints; without it the part is one test itself. */
const parts = [
	{ name: "Types", quick: true, command: [bin("typescript", "bin", "tsc")] },
	{ name: "Lint", quick: true, command: [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."] },
	{ name: "Dead code", quick: true, command: [bin("knip", "bin", "knip.js")] },
	{ name: "Unit tests", quick: true, command: [script("unit.mjs")], counts: true },
	{ name: "Compromised models", command: [script("attack.mjs")], counts: true },
	{ name: "Killed processes", command: [join(root, "test", "faults", "kills.mjs"), "30"], counts: true },
	{ name: "Failing model servers", command: [join(root, "test", "faults", "models.mjs")], counts: true },
	{ name: "Failing MCP servers", command: [join(root, "test", "faults", "mcp.mjs")], counts: true },
	{ name: "MCP conformance", command: [join(root, "test", "conformance", "run.mjs")], counts: true },
	{ name: "Build", command: [join(root, "esbuild.mjs")] },
	{ name: "Extension host tests", command: [script("host.mjs"), "--no-build"], counts: true },
	{
		name: "Oldest VS Code",
		command: [script("host.mjs"), "--no-build", "--oldest", "activation", "gate"],
		counts: true,
	},
	{ name: "Chat panel tests", command: [join(root, "test", "ui", "run.mjs")], counts: true },
	{ name: "End-to-end tests", command: [script("e2e.mjs"), "--no-build"], counts: true },
];

await installPackages();
const quickOnly = process.argv.includes("--check");
const chosen = parts.filter(({ quick, command }) => (quick || !quickOnly) && existsSync(command[0]));
const results = [];
for (const part of chosen) results.push(await runPart(part));

console.log("\nSummary");
for (const { name, passed, failed, seconds } of results)
	console.log(
		`  ${failed === 0 ? "ok    " : "FAILED"}  ${name.padEnd(22)} ${String(passed).padStart(5)} passed, ${failed} failed  ${seconds} s`,
	);
for (const { name, reasons } of results.filter(({ failed }) => failed > 0)) console.log(`\n${name}\n${reasons}`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`\n${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") === 0 ? 0 : 1;

async function runPart({ name, command, counts }) {
	console.log(`\n── ${name} ${"─".repeat(Math.max(0, 70 - name.length))}`);
	const began = Date.now();
	const { code, output } = await execute(command);
	const counted = counts ? countsIn(output) : { passed: code === 0 ? 1 : 0, failed: 0 };
	// A part that broke off has failed, whatever it had counted; and one that ran no test has shown nothing.
	const broken = counted.failed === 0 && (code !== 0 || counted.passed === 0);
	const failed = counted.failed + (broken ? 1 : 0);
	const result = { name, ...counted, failed, reasons: reasonsIn(output), seconds: Math.round((Date.now() - began) / 1_000) };
	console.log(`${name}: ${result.passed} passed, ${result.failed} failed (${result.seconds} s)`);
	return result;
}

function execute(command) {
	return new Promise((resolve) => {
		const child = spawn(process.execPath, command, { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		for (const [from, to] of [
			[child.stdout, process.stdout],
			[child.stderr, process.stderr],
		])
			from.on("data", (chunk) => {
				output += chunk;
				to.write(chunk);
			});
		child.on("close", (code) => resolve({ code: code ?? 1, output }));
	});
}

/** What mocha says of each failed test, without the stack; of anything else, its last lines. */
function reasonsIn(output) {
	const failures = [...output.matchAll(/^ {2}\d+ failing$/gm)].map(({ index }) => output.slice(index).split("\n").slice(1));
	const told = failures.flatMap((lines) => lines.filter((line) => line.trim() && !/^\s+at /.test(line)).slice(0, 15));
	return (told.length > 0 ? told : output.trimEnd().split("\n").slice(-10)).join("\n");
}

/** As mocha says it (a part may run mocha more than once), or as our own scripts do in a line of its own. */
function countsIn(output) {
	const said = [...output.matchAll(/^(\d+) passed, (\d+) failed$/gm)].at(-1);
	if (said) return { passed: Number(said[1]), failed: Number(said[2]) };
	const total = (word) =>
		[...output.matchAll(new RegExp(`^\\s*(\\d+) ${word}\\b`, "gm"))].reduce((sum, [, count]) => sum + Number(count), 0);
	return { passed: total("passing"), failed: total("failing") };
}
