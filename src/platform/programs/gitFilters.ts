// Disables the programs that git would run on files because of their attributes.

import { delimiter, relative } from "node:path";
import { relativePathWithin } from "../../core/paths.ts";
import type { ProgramOutput } from "../../core/ports/workspace/programs.ts";
import { createChildEnvironment } from "./environment.ts";
import { lookUpOutsideWorkspace, parseAbsoluteEntries, resolveNearestRealPath, type WorkspaceBounds } from "./lookup.ts";
import { mayBeInRepository } from "./repositories.ts";
import { captureOutput } from "./startProgram.ts";

/** Returns true if the command may compare work tree files with committed ones; false only for commands known not to. */
export function readsWorkTree(args: readonly string[]): boolean {
	const [command = ""] = args;
	return !COMMITTED.has(command) || args.some((word) => /^(-[a-z]*m|--modified|--filters)/i.test(word));
}

/** Commands that read only configuration, names and committed content. */
const COMMITTED = new Set(
	"config for-each-ref log ls-files ls-remote ls-tree merge-base rev-list rev-parse show show-ref symbolic-ref version".split(" "),
);

/** Adds flags against conversions and external diffs; a history search (`log -S`) converts too, whatever it prints. */
export function withoutTextConversion(args: readonly string[]): readonly string[] {
	const [command = "", ...others] = args;
	return DIFFS.has(command) ? [command, "--no-ext-diff", "--no-textconv", ...others] : args;
}

const DIFFS = new Set("diff diff-files diff-index diff-tree log show whatchanged".split(" "));

/**
 * Configuration that disables every filter a file's attributes may name, including the user's own (such as Git LFS), whose
 * program reads the repository's configuration. Undefined if it cannot be determined.
 */
export async function listFilterOverrides(
	ask: (words: readonly string[]) => Promise<ProgramOutput | undefined>,
): Promise<[string, string][] | undefined> {
	const result = await ask([
		"config",
		"--includes",
		"-z",
		"--name-only",
		"--get-regexp",
		"^filter\\..*\\.(clean|smudge|process|required)$",
	]);
	// Exit code 1: there are none.
	if (!result || result.code > 1) return undefined;
	const keys = [...new Set(Buffer.from(result.output).toString("utf8").split("\0").filter(Boolean))];
	return keys.map((key) => [key, key.endsWith(".required") ? "false" : ""]);
}

/** First patch of each minor version with GIT_NO_LAZY_FETCH (May 2024); all have GIT_CONFIG_COUNT (since 2.31). */
const FIRST_PATCH: Readonly<Record<number, number>> = { 39: 4, 40: 2, 41: 1, 42: 2, 43: 4, 44: 1, 45: 1 };
const LAST_LINE = 45;

/** Takes the output of `git --version`; an invalid version counts as too old. */
export function canBeHardened(version: string): boolean {
	const [, major = 0, minor = 0, patch = 0] = /^git version (\d+)\.(\d+)(?:\.(\d+))?/.exec(version)?.map(Number) ?? [];
	if (major !== 2) return major > 2;
	return minor > LAST_LINE || patch >= (FIRST_PATCH[minor] ?? Number.POSITIVE_INFINITY);
}

/** Returns all of `paths` if it cannot be determined. Git is taken from system folders only, because other folders are in question. */
export async function findTrackedInHome(
	home: string,
	path: string,
	bounds: WorkspaceBounds,
	paths: readonly string[],
): Promise<readonly string[]> {
	if (!(await mayBeInRepository(home))) return [];
	const entries = parseAbsoluteEntries(path).filter((entry) => !bounds.contains(entry) && !bounds.isHomeException(entry));
	const file = await lookUpOutsideWorkspace("git", { entries, workspaceEntries: [] }, bounds);
	if (file === undefined || bounds.isHomeException(await resolveNearestRealPath(file))) return paths;
	const env = { ...createChildEnvironment("own", []), PATH: entries.join(delimiter) };
	const runGit = (args: string[]) => captureOutput({ file, args, cwd: home, env }, { time: TIME });
	const version = await runGit(["--version"]);
	if (!version || !canBeHardened(Buffer.from(version.output).toString())) return paths;
	const listed = await runGit(["ls-files", "-z"]);
	if (listed?.code !== 0) return paths;
	const tracked = Buffer.from(listed.output).toString().split("\0").filter(Boolean);
	const real = await resolveNearestRealPath(home);
	/** Tracked links on the way to a path control it, as do tracked files in it. */
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
