// The client scenarios of the protocol's conformance suite, run against our MCP client.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = "out/conformance-results";
const here = dirname(fileURLToPath(import.meta.url));
const suite = [
	"--import",
	pathToFileURL(join(here, "olderNode.program.mjs")).href,
	resolve("node_modules/@modelcontextprotocol/conformance/dist/index.js"),
];
const client = join(here, "client.program.mjs");
mkdirSync(folder, { recursive: true });

/** The core ones: no drafts, no extensions, and nothing for the protocol's first version alone. */
const scenarios = [
	...execFileSync(process.execPath, [...suite, "list", "--client"], { cwd: folder, encoding: "utf8" }).matchAll(/^\s*- (\S+) \[(.+)\]$/gm),
].flatMap(([, name = "", versions = ""]) => (/draft|extension|^2025-03-26$/.test(versions) ? [] : [name]));

function run(scenario: string): Promise<{ code: number | null; output: string }> {
	return new Promise((done) => {
		const words = [...suite, "client", "--command", `${process.execPath} ${client}`, "--scenario", scenario];
		const child = spawn(process.execPath, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
		let output = "";
		for (const stream of [child.stdout, child.stderr])
			stream.on("data", (chunk) => {
				output += chunk;
			});
		child.on("close", (code) => done({ code, output }));
	});
}

describe("our MCP client", () => {
	it("is asked about every core scenario of the conformance suite", () => assert.ok(scenarios.length >= 18, scenarios.join()));

	for (const scenario of scenarios)
		it(`conforms in the scenario ${scenario}`, async () => {
			const { code, output } = await run(scenario);
			assert.equal(code, 0, output);
		});
});
