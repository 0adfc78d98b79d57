// Bundles the webview tests and runs them under mocha in one browser.

// `npm run ui -- words of a title` runs the tests whose titles have all of these words; `--pictures [STATE…]` takes
// screenshots of states in every theme instead. `--built` takes them from the build of `npm test`; `--once` and `--repeat=5`
// are in scripts/testRun/suite.mjs.
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { root } from "./install.mjs";
import { buildTests, findWholeBuild, listTests, toBundlePath } from "./testRun/build.mjs";
import { runMocha } from "./testRun/mocha.mjs";
import { readSuiteOptions, runSuite, toPattern } from "./testRun/suite.mjs";

const PICTURES = "ui/pictures.test.ts";
const BROWSER = "ui/browser.ts";

const all = process.argv.slice(2);
const words = all.filter((argument) => !argument.startsWith("-"));
const pictures = all.includes("--pictures");
const tests = (await listTests("ui", /\.test\.ts$/)).filter((name) => (name === PICTURES) === pictures);
const failed = join(root, "out", "ui", "failed");

await rm(failed, { recursive: true, force: true });
const folder = all.includes("--built") ? await findWholeBuild() : await buildTests(pictures ? "ui-pictures" : "ui", [...tests, BROWSER]);
process.exitCode = await runSuite({
	name: "ui",
	...readSuiteOptions(all),
	run: ({ results, attempt, only }) =>
		runMocha({
			files: (only ? [only.file.slice("test/".length)] : tests).map((name) => toBundlePath(folder, name)),
			required: [join(root, "scripts", "unitEnd.mjs"), toBundlePath(folder, BROWSER)],
			pattern: only ? toPattern(only) : titles(),
			timeout: 300_000,
			environment: { TEST_RESULTS: results, TEST_ATTEMPT: attempt, UI_FAILED: failed },
		}),
});

/** Returns a pattern for titles with all words, or for pictures of one of the states. */
function titles() {
	if (words.length === 0) return undefined;
	const escaped = words.map((word) => word.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&"));
	return pictures ? `"(?:${escaped.join("|")})"` : `^${escaped.map((word) => `(?=.*${word})`).join("")}`;
}
