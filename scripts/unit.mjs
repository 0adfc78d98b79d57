// Bundles the tests that need no VS Code and runs them with mocha.

// `npm run unit -- gate storage` runs only the named folders; `--watch` reruns them when one of their sources changes;
// `--under=test/attack` runs the tests of another folder, `--not=vectors` skips a folder, `--quick` skips those in
// scripts/thorough.mjs and keeps many temporary files in memory; `--jobs=1` sets how many files run in parallel,
// `--env=NAME=VALUE` sets an environment variable for the tests; `--built` takes them from the build of `npm test`. Files
// named `*.program.ts` are bundled next to the tests that start them.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { relative } from "node:path";
import { context } from "esbuild";
import { ensureBubblewrap } from "./bubblewrap.mjs";
import { buildTests, findWholeBuild, listTests, prepareBuild, toBundlePath } from "./testRun/build.mjs";
import { makeMemoryFolder } from "./testRun/memoryFolder.mjs";
import { THOROUGH } from "./thorough.mjs";

const given = process.argv.slice(2);
const valuesOf = (name) => given.filter((word) => word.startsWith(`--${name}=`)).map((word) => word.slice(name.length + 3));
const OWN = /^--(under|not|jobs|env)=|^--(quick|watch|built)$/;
const rooms = given.filter((word) => !word.startsWith("-"));
const passed = given.filter((word) => word.startsWith("-") && !OWN.test(word));
const suite = (valuesOf("under")[0] ?? "test/unit").replace(/^test\//, "");
const left = [...valuesOf("not"), ...(given.includes("--quick") ? THOROUGH : [])];
const label = [suite, ...rooms].join("-");

const inSuite = (name) => name.slice(suite.length + 1);
const chosen = (await listTests(suite, /\.test\.tsx?$/))
	.filter((name) => rooms.length === 0 || rooms.some((room) => inSuite(name).startsWith(room)))
	.filter((name) => !left.some((room) => inSuite(name).startsWith(room)));

for (const assignment of valuesOf("env")) {
	const at = assignment.indexOf("=");
	process.env[assignment.slice(0, at)] = assignment.slice(at + 1);
}
await ensureBubblewrap();
if (given.includes("--watch")) await watch();
else {
	const folder = given.includes("--built") ? await findWholeBuild() : await buildTests(label, await sources());
	const all = rooms.length === 0;
	// Command lines on Windows are too short for every file.
	const isPattern = all && (left.length === 0 || !given.includes("--built"));
	const files = isPattern ? [`${fromHere(folder)}/${suite}/**/*.test.mjs`] : filesIn(folder);
	process.exitCode = await ended(startMocha(files, { sideBySide: all }));
}

async function sources() {
	return [...chosen, ...(await listTests(suite, /\.program\.ts$/))];
}

/** As mocha takes them. */
function filesIn(folder) {
	return chosen.map((name) => fromHere(toBundlePath(folder, name)));
}

function fromHere(path) {
	return relative(process.cwd(), path).replaceAll("\\", "/");
}

/** Watches sources, and after each build runs the test files whose output changed. */
async function watch() {
	const seen = new Map();
	let running;
	const options = await prepareBuild(label, await sources());
	const again = {
		name: "again",
		setup(watched) {
			watched.onEnd(async ({ errors }) => {
				if (errors.length > 0) return;
				const changed = [];
				for (const file of filesIn(options.outdir)) {
					const hash = createHash("sha256")
						.update(await readFile(file))
						.digest("hex");
					if (seen.get(file) !== hash) changed.push(file);
					seen.set(file, hash);
				}
				if (changed.length === 0) return;
				running?.kill();
				running = startMocha(changed, { sideBySide: changed.length > 1 });
			});
		},
	};
	const watching = await context({ ...options, plugins: [...options.plugins, again] });
	await watching.watch();
}

function startMocha(files, { sideBySide }) {
	const jobs = valuesOf("jobs")[0] ?? String(availableParallelism() + 1);
	// `npm test` runs all of them on a disk.
	const memory = given.includes("--quick") ? makeMemoryFolder() : undefined;
	return spawn(
		process.execPath,
		[
			"--enable-source-maps",
			"node_modules/mocha/bin/mocha.js",
			"--timeout",
			"60000",
			...["--reporter", "./scripts/testRun/reporter.cjs", "--reporter-option", "dots"],
			// Tests mostly wait for files and child processes. Named folders run in order, where `.only` works, and in one
			// process, which must also end by itself; workers are terminated.
			...(memory === undefined ? [] : ["--require", "./scripts/testRun/memoryHook.mjs"]),
			...(sideBySide ? ["--parallel", "--jobs", jobs] : ["--require", "./scripts/unitEnd.mjs"]),
			...passed,
			...files,
		],
		{ stdio: "inherit", env: { ...process.env, ...(memory !== undefined && { TEST_MEMORY: memory }) } },
	);
}

function ended(child) {
	return new Promise((resolve) => child.on("exit", (code) => resolve(code ?? 1)));
}
