// The parts of `npm run check`, `npm test` and `npm run nightly`, which covers what `npm test` skips.

import { join } from "node:path";
import { root } from "./install.mjs";

const bin = (...path) => join(root, "node_modules", ...path);
const script = (name) => join(root, "scripts", name);
const faults = (file) => [script("unit.mjs"), "--under=test/faults", file];

const build = { name: "Build", command: [join(root, "esbuild.mjs")] };
const checks = [
	{ name: "Types", command: [bin("typescript", "bin", "tsc")] },
	{ name: "Lint", command: [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."] },
	{ name: "Dead code", command: [bin("knip", "bin", "knip.js")] },
];

/**
 * Longest first, so that both lanes finish at about the same time. `counts`: parses the numbers of passed and failed tests from
 * the output; otherwise the part counts as one test. `after`: the part whose output this one needs.
 */
export const plans = {
	check: [{ name: "Unit tests", command: [script("unit.mjs"), "--quick", "--jobs=2"], counts: true }, ...checks],
	test: [
		build,
		{ name: "End-to-end tests", command: [script("e2e.mjs"), "--no-build"], counts: true, after: "Build" },
		{ name: "Chat panel tests", command: [script("ui.mjs")], counts: true },
		{ name: "Compromised models", command: [script("attack.mjs"), "--jobs=2"], counts: true },
		{ name: "Unit tests", command: [script("unit.mjs"), "--jobs=2"], counts: true },
		{ name: "Extension host tests", command: [script("host.mjs"), "--no-build"], counts: true, after: "Build" },
		{ name: "Failing model servers", command: faults("models"), counts: true },
		{ name: "Failing MCP servers", command: faults("mcp"), counts: true },
		{ name: "MCP conformance", command: [script("unit.mjs"), "--under=test/conformance", "conformance"], counts: true },
		...checks,
	],
	nightly: [
		build,
		{ name: "Killed processes", command: faults("kills"), counts: true },
		{
			name: "Killed extension hosts",
			command: [script("e2e.mjs"), "--no-build", "--under=test/faults", "hostKills"],
			counts: true,
			after: "Build",
		},
		{ name: "Themes and widths", command: [script("ui.mjs"), "--pictures"], counts: true },
		{ name: "Cut power", command: [script("unit.mjs"), "storage/powerLoss", "--env=POWER_CUTS=300", "--timeout=900000"], counts: true },
		{
			name: "Oldest VS Code",
			command: [script("host.mjs"), "--no-build", "--oldest", "activation", "gate"],
			counts: true,
			after: "Build",
		},
	],
};
