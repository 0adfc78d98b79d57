// The conformance suite of the protocol against our MCP room. `node test/conformance/run.mjs [suite|scenario …]`; core where
// none is named. Exits with 1 when a scenario does not pass that is not on the list of those we leave out.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { bundled } from "../bundle.mjs";

const suite = process.argv[2] ?? "core";
mkdirSync("out/conformance", { recursive: true });
const client = await bundled("test/conformance/client.ts", "conformance");

/** What does not pass, and why that is so. */
const leftOut = new Map([]);

const command = ["client", "--command", `${process.execPath} ${client}`];
const whole = await run([...command, "--suite", suite]);
const scenarios = [...whole.output.matchAll(/^([✓✗]) (\S+): \d+ passed, \d+ failed/gm)];
let [passed, failed] = [0, 0];
for (const [, mark, name] of scenarios) {
	// All of them run at once, and some rest on the clock: one that did not pass gets a second try of its own.
	const passes = mark === "✓" || (await run([...command, "--scenario", name])).code === 0;
	const reason = leftOut.get(name);
	if (passes && reason === undefined) passed += 1;
	else if (!passes && reason !== undefined) console.log(`${name} is left out: ${reason}`);
	else {
		failed += 1;
		console.log(passes ? `${name} passes now: take it off the list` : `${name} does not pass`);
	}
}
if (failed > 0 || scenarios.length === 0) {
	writeFileSync("out/conformance/output.txt", whole.output);
	console.log(`What the suite said is in out/conformance/output.txt (it ended with ${whole.code}).`);
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;

function run(words) {
	return new Promise((done) => {
		const suiteMain = resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js");
		const child = spawn(process.execPath, ["--import", resolve("test/conformance/olderNode.mjs"), suiteMain, ...words], {
			cwd: "out/conformance",
			stdio: ["ignore", "pipe", "pipe"],
		});
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk) => {
				output += chunk;
			});
		child.on("close", (code) => done({ output, code }));
	});
}
