// Switches off the programs that git would run over files because of their attributes.

import { lstat } from "node:fs/promises";
import { delimiter, dirname, join, relative } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { ProgramOutput } from "../../core/ports/workspace.ts";
import { createChildEnvironment } from "./environment.ts";
import { lookUpOutsideWorkspace, parseAbsoluteEntries, resolveNearestRealPath, type WorkspaceBounds } from "./lookup.ts";
import { captureOutput } from "./startProgram.ts";

/** Whether it may compare a work tree's files with what is committed. Only what is known not to counts as such. */
export function readsWorkTree(words: readonly string[]): boolean {
	const [command = ""] = words;
	return !COMMITTED.has(command) || words.some((word) => /^(-[a-z]*m|--modified|--filters)/i.test(word));
}

/** These read configuration, names and what is committed. */
const COMMITTED = new Set(
	"config for-each-ref log ls-files ls-remote ls-tree merge-base rev-list rev-parse show show-ref symbolic-ref version".split(" "),
);

/** The same words with conversions and foreign diffs off: a search in history (`log -S`) converts, too, whatever it prints. */
export function withoutTextConversion(words: readonly string[]): readonly string[] {
	const [command = "", ...others] = words;
	return DIFFS.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...others] : words;
}

const DIFFS = new Set("diff diff-files diff-index diff-tree log show whatchanged".split(" "));

/**
 * Configuration by which no filter runs that a file's attributes may name, the person's own (Git LFS) among them:
 * its program reads the repository's configuration. Undefined where it cannot be known.
 */
export async function listFilterOverrides(
	ask: (words: readonly string[]) => Promise<ProgramOutput | undefined>,
): Promise<[string, string][] | undefined> {
	const said = await ask(["config", "--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"]);
	// 1: there is none.
	if (!said || said.code > 1) return undefined;
	const keys = [...new Set(Buffer.from(said.output).toString("utf8").split("\0").filter(Boolean))];
	return keys.map((key) => [key, key.endsWith(".required") ? "false" : ""]);
}

/** The first of each line with GIT_NO_LAZY_FETCH (May 2024); GIT_CONFIG_COUNT is in all of them, since 2.31. */
const FIRST_PATCH: Readonly<Record<number, number>> = { 39: 4, 40: 2, 41: 1, 42: 2, 43: 4, 44: 1, 45: 1 };
const LAST_LINE = 45;

/** Takes what `git --version` prints; what is no version counts as too old. */
export function canBeHardened(version: string): boolean {
	const [, major = 0, minor = 0, patch = 0] = /^git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(version)?.map(Number) ?? [];
	if (major !== 2) return major > 2;
	return minor > LAST_LINE || patch >= (FIRST_PATCH[minor] ?? Number.POSITIVE_INFINITY);
}

/** All of `paths` where it cannot be known. Git itself is taken from the system's folders only: the rest is in question. */
export async function findTrackedInHome(
	home: string,
	path: string,
	bounds: WorkspaceBounds,
	paths: readonly string[],
): Promise<readonly string[]> {
	if (!(await hasRepository(home))) return [];
	const entries = parseAbsoluteEntries(path).filter((entry) => !bounds.contains(entry) && !bounds.isHomeException(entry));
	const file = await lookUpOutsideWorkspace("git", { entries, workspaceEntries: [] }, bounds);
	if (file === undefined || bounds.isHomeException(await resolveNearestRealPath(file))) return paths;
	const env = { ...createChildEnvironment("own", []), PATH: entries.join(delimiter) };
	const about = (args: string[]) => captureOutput({ file, args, cwd: home, env }, { time: TIME });
	const version = await about(["--version"]);
	if (!version || !canBeHardened(Buffer.from(version.output).toString())) return paths;
	const listed = await about(["ls-files", "-z"]);
	if (listed?.code !== 0) return paths;
	const tracked = Buffer.from(listed.output).toString().split("\0").filter(Boolean);
	const real = await resolveNearestRealPath(home);
	/** A tracked link on the way to it decides what it is, as a tracked file in it does. */
	const isTracked = (name: string): boolean =>
		tracked.some((one) => relativePathWithin(one, name) !== undefined || relativePathWithin(name, one) !== undefined);
	const found = await Promise.all(
		paths.map(async (one) => {
			const names = [relative(home, one), relative(real, one), relative(real, await resolveNearestRealPath(one))];
			return names.some((name) => !name.startsWith("..") && isTracked(name)) ? [one] : [];
		}),
	);
	return found.flat();
}

/** Milliseconds. */
const TIME = 1_000;

async function hasRepository(folder: string): Promise<boolean> {
	const found = await lstat(join(folder, ".git")).catch(() => undefined);
	if (found) return true;
	return dirname(folder) === folder ? false : hasRepository(dirname(folder));
}
