// Decides which failed cases are run again, and keeps what was flaky in out/flaky.jsonl.
import { appendFile, mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../install.mjs";
import { findChangedFiles } from "./change.mjs";

/** Cases that may fail and pass in one run of all suites. */
const MOST = 3;
export const FLAKY = join(root, "out", "flaky.jsonl");
const NAMED = join(root, "test", "flaky.md");

/** What this run is judged by. */
export async function readRules({ once }) {
	return {
		once,
		changed: findChangedFiles(),
		named: readNamedCases(await readFile(NAMED, "utf8").catch(() => "")),
		left: MOST - (await readFlaky()).length,
	};
}

/** Says for each failed case why it is not run again; undefined for those that are. */
export function createJudge({ once, changed, named, left }) {
	let rest = left;
	return ({ title, file, problems = [] }) => {
		if (once) return "second chances are off";
		if (changed === undefined) return "git can't say whether this change touches it";
		if (changed.has(file)) return `this change touches ${file}`;
		if (problems.length > 0) return `something else went wrong: ${problems[0]}`;
		if (named.has(title)) return "test/flaky.md names it";
		rest -= 1;
		return rest < 0 ? `${MOST} others had their second chance` : undefined;
	};
}

/** The titles of cases in test/flaky.md, which are headings. */
export function readNamedCases(markdown) {
	return new Set([...markdown.matchAll(/^### (.+)$/gm)].map(([, title]) => title.trim()));
}

export async function keepFlaky(entry) {
	await mkdir(join(root, "out"), { recursive: true });
	await appendFile(FLAKY, `${JSON.stringify(entry)}\n`);
}

export async function readFlaky() {
	return readLines(FLAKY);
}

export async function readLines(file) {
	const text = await readFile(file, "utf8").catch(() => "");
	return text
		.split("\n")
		.filter((line) => line !== "")
		.map((line) => JSON.parse(line));
}
