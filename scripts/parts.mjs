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

/** What drives a real VS Code runs beside short parts only: beside the long ones, it would act on what is not drawn yet. */
const END_TO_END = "End-to-end tests";

/**
 * In this order, in two lanes. `counts`: parses the numbers of passed and failed tests from the output; otherwise the part counts as
 * one test. `after`: the part whose output this one needs, or beside which it would be too much.
 */
export const plans = {
	check: [{ name: "Unit tests", command: [script("unit.mjs"), "--quick", "--jobs=2"], counts: true }, ...checks],
	test: [
		build,
		{ name: END_TO_END, command: [script("e2e.mjs"), "--no-build"], counts: true, after: "Build" },
		{ name: "Extension host tests", command: [script("host.mjs"), "--no-build"], counts: true, after: "Build" },
		{ name: "Failing model servers", command: faults("models"), counts: true },
		{ name: "Failing MCP servers", command: faults("mcp"), counts: true },
		{ name: "Killed calls between agents", command: faults("messages"), counts: true },
		{ name: "Killed background tasks", command: faults("tasks"), counts: true },
		{ name: "Edits while changes are taken", command: [script("faults.mjs"), "copies", "50"], counts: true },
		{ name: "MCP conformance", command: [script("unit.mjs"), "--under=test/conformance", "conformance"], counts: true },
		...checks,
		{ name: "Chat panel tests", command: [script("ui.mjs")], counts: true, after: END_TO_END },
		{ name: "Compromised models", command: [script("attack.mjs"), "--jobs=2"], counts: true, after: END_TO_END },
		{ name: "Unit tests", command: [script("unit.mjs"), "--jobs=2"], counts: true, after: END_TO_END },
	],
	nightly: [
		build,
		{ name: "Killed processes", command: faults("kills"), counts: true },
		{ name: "Killed calls between agents, 500 times", command: [script("faults.mjs"), "messages", "500"], counts: true },
		{ name: "Killed background tasks, 500 times", command: [script("faults.mjs"), "tasks", "500"], counts: true },
		{ name: "Edits while changes are taken, 1,000 times", command: [script("faults.mjs"), "copies", "1000"], counts: true },
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
