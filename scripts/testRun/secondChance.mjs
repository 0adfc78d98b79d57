// Decides which failed cases are run again. What was flaky is kept in out/flaky.jsonl.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { root } from "../install.mjs";
import { findChangedFiles } from "./change.mjs";

/** Cases that are run again in one run of all suites. */
const MOST_CHANCES = 3;
export const FLAKY = join(root, "out", "flaky.jsonl");
/** A line for each case that was run again in this run, so that suites that run side by side count each other's. */
export const CHANCES = join(root, "out", "chances.jsonl");
const EXPLAINED = join(root, "test", "flaky.md");

/** What this run is judged by. */
export async function readRules({ once }) {
	return {
		once,
		changed: findChangedFiles(),
		named: readNamedCases(await readFile(EXPLAINED, "utf8").catch(() => "")),
		async takeChance(title) {
			await writeLine(CHANCES, { title });
			return (await readLines(CHANCES)).length <= MOST_CHANCES;
		},
	};
}

/** Says for a failed case why it is not run again; undefined for one that is. */
export function createJudge({ once, changed, named, takeChance }) {
	return async ({ title, file, state, hook, problems = [] }) => {
		if (once) return "second chances are off";
		if (hook) return "a hook keeps other cases from running";
		if (state === "unrun") return "it has not run a first time";
		if (changed === undefined) return "git can't say whether this change touches it";
		if (changed.has(file)) return `this change touches ${file}`;
		if (problems.length > 0) return `something else went wrong: ${problems[0]}`;
		if (named.has(title)) return "test/flaky.md names it";
		return (await takeChance(title)) ? undefined : `${MOST_CHANCES} others had their second chance`;
	};
}

/** The titles of cases in test/flaky.md, which are headings. */
export function readNamedCases(markdown) {
	return new Set([...markdown.matchAll(/^### (.+)$/gm)].map(([, title]) => title.trim()));
}

export async function writeLine(file, entry) {
	await mkdir(dirname(file), { recursive: true });
	await appendFile(file, `${JSON.stringify(entry)}\n`);
}

export async function readLines(file) {
	const text = await readFile(file, "utf8").catch(() => "");
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));
}
