// The parts of `npm run check`, `npm test` and `npm run nightly`, which covers what `npm test` skips.

import { join } from "node:path";
import { root } from "./install.mjs";

const bin = (...path) => join(root, "node_modules", ...path);
const script = (name) => join(root, "scripts", name);
const faults = (suite, ...kills) => [script("faults.mjs"), suite, ...kills, "--built"];

/** Works on a processor all the time, or mostly waits for processes that it starts. */
const WORKS = 1;
const WAITS = 1 / 4;
/** VS Code's window, its server and its extension host work at the same time: only what waits runs beside them. */
const DRIVES_WINDOWS = 3 / 2;

const build = { name: "Build", command: [script(join("testRun", "buildAll.mjs"))], weight: WORKS, job: "unit" };
/** What an earlier run found in files that have not changed since, and import none that have; it knows them by their content. */
const LAST_TYPES = join("out", "types.tsbuildinfo");
const checks = [
	{
		name: "Types",
		command: [bin("typescript", "bin", "tsc"), "--incremental", "--tsBuildInfoFile", LAST_TYPES],
		weight: WORKS,
		job: "unit",
	},
	{
		name: "Lint",
		command: [bin("@biomejs", "biome", "bin", "biome"), "check", "--error-on-warnings", "."],
		weight: WORKS,
		job: "unit",
	},
	{ name: "Dead code", command: [bin("knip", "bin", "knip.js")], weight: WORKS, job: "unit" },
];

/** After the build; `job`: of the four that CI of the repository runs side by side. */
const after = (job, weight, name, command) => ({ name, command, weight, job, counts: true, after: build.name });

/**
 * Parts begin in this order, side by side as far as their weights fit the processors. `counts`: parses the numbers of passed and failed
 * tests from the output; otherwise the part counts as one test. `after`: the part whose output this one needs.
 */
export const plans = {
	check: [
		{ name: "Unit tests", command: [script("unit.mjs"), "--quick", "--jobs=2"], counts: true, weight: WORKS, job: "unit" },
		...checks,
	],
	test: [
		build,
		after("e2e", DRIVES_WINDOWS, "End-to-end tests", [script("e2e.mjs"), "--no-build", "--built"]),
		after("host", WORKS, "Extension host tests", [script("host.mjs"), "--no-build"]),
		after("attack", WORKS, "Compromised models", [script("attack.mjs"), "--built", "--jobs=2"]),
		after("attack", WORKS, "Chat panel tests", [script("ui.mjs"), "--built"]),
		after("unit", WORKS, "Unit tests", [script("unit.mjs"), "--built", "--jobs=2"]),
		after("attack", WAITS, "Failing model servers", faults("models")),
		after("attack", WAITS, "Failing MCP servers", faults("mcp")),
		after("attack", WAITS, "Killed calls between agents", faults("messages")),
		after("attack", WAITS, "Killed background tasks", faults("tasks")),
		after("attack", WAITS, "Edits while changes are taken", faults("copies", "50")),
		after("attack", WAITS, "MCP conformance", [script("unit.mjs"), "--under=test/conformance", "--built", "conformance"]),
		...checks,
	],
	nightly: [
		build,
		after("e2e", DRIVES_WINDOWS, "Pictures in all themes", [script("e2e.mjs"), "--no-build", "--built", "--themes"]),
		after("e2e", DRIVES_WINDOWS, "Killed extension hosts", [
			script("e2e.mjs"),
			"--no-build",
			"--built",
			"--under=test/faults",
			"hostKills",
		]),
		after("host", WORKS, "Oldest VS Code", [script("host.mjs"), "--no-build", "--oldest", "activation", "gate"]),
		after("attack", WORKS, "Themes and widths", [script("ui.mjs"), "--built", "--pictures"]),
		after("attack", WAITS, "Killed processes", faults("kills")),
		after("attack", WAITS, "Killed calls between agents, 500 times", faults("messages", "500")),
		after("attack", WAITS, "Killed background tasks, 500 times", faults("tasks", "500")),
		after("attack", WAITS, "Edits while changes are taken, 1,000 times", faults("copies", "1000")),
		after("unit", WORKS, "Cut power", [
			...[script("unit.mjs"), "--built", "storage/powerLoss", "--env=POWER_CUTS=300", "--timeout=900000"],
		]),
	],
};

/** The jobs in which CI of the repository runs `npm test` side by side, by `--part`. */
export const JOBS = ["unit", "attack", "host", "e2e"];

/** The parts of a plan for one job, with the build that they need. */
export function listParts(plan, job) {
	const chosen = plans[plan].filter((part) => job === undefined || part.job === job);
	return chosen.some(({ after }) => after === build.name) && !chosen.includes(build) ? [build, ...chosen] : chosen;
}
