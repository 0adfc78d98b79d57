// What differs from the last commit, as git tells it: staged or not, with nothing run that a repository names.
import { join } from "node:path";
import type { EditorFacts } from "../core/mentions.ts";
import { shownPath } from "../core/paths.ts";
import type { WorkspaceFolder } from "../core/workspace.ts";
import { git, headCommit } from "./git.ts";

/** Of every workspace folder that lies in a repository; undefined where none does. Paths in the diff are relative to each folder. */
export async function workingChanges(
	folders: readonly WorkspaceFolder[],
	shown: (path: string) => Promise<boolean>,
): Promise<Awaited<ReturnType<EditorFacts["changes"]>>> {
	const all = await Promise.all(folders.map(async (folder) => ({ folder, found: await changesIn(folder.path, shown) })));
	const known = all.flatMap(({ folder, found }) => (found ? [{ folder, ...found }] : []));
	if (known.length === 0) return undefined;
	const several = folders.length > 1;
	return {
		diff: known
			.filter(({ diff }) => diff !== "")
			.map(({ folder, diff }) => (several ? `In ${folder.name}:\n${diff}` : diff))
			.join("\n"),
		untracked: known.flatMap(({ folder, untracked }) => untracked.map((name) => shownPath(join(folder.path, name), folders))),
		hidden: known.reduce((sum, { hidden }) => sum + hidden, 0),
	};
}

async function changesIn(folder: string, shown: (path: string) => Promise<boolean>) {
	const filters = await withoutFilters(folder);
	if (!filters) return undefined;
	const against = (await headCommit(folder)) ? ["HEAD"] : ["--cached"];
	const diff = [...filters, "diff", "--no-ext-diff", "--no-textconv", "--no-color", "--relative", ...SUBMODULES];
	const [listed, others] = await Promise.all([
		git(folder, [...diff, "--name-only", "-z", "--no-renames", ...against]),
		git(folder, ["ls-files", "-z", "--others", "--exclude-standard"]),
	]);
	if (!listed || !others) return undefined;
	const [changed, untracked] = await Promise.all([split(folder, listed, shown), split(folder, others, shown)]);
	const hidden = changed.hidden + untracked.hidden;
	if (changed.names.length === 0) return { diff: "", untracked: untracked.names, hidden };
	// Which files is told by name, and a name is no pattern.
	const text = await git(folder, ["--literal-pathspecs", ...diff, ...against, "--", ...changed.names]);
	return { diff: text?.toString("utf8") ?? "", untracked: untracked.names, hidden };
}

async function split(folder: string, listed: Buffer, shown: (path: string) => Promise<boolean>) {
	const names = listed.toString("utf8").split("\0").filter(Boolean).slice(0, MOST_FILES);
	const visible = await Promise.all(names.map((name) => shown(join(folder, name))));
	return { names: names.filter((_, index) => visible[index]), hidden: visible.filter((seen) => !seen).length };
}

const MOST_FILES = 2_000;

/** Of a submodule only which commit it is at: what is in it was not asked for by name. */
const SUBMODULES = ["--ignore-submodules=dirty", "--submodule=short"];

/** A filter of the repository's own is a program that a diff would run. Undefined outside git. */
async function withoutFilters(folder: string): Promise<string[] | undefined> {
	if (!(await git(folder, ["rev-parse", "--git-dir"]))) return undefined;
	const wanted = ["--includes", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(clean|smudge|process|required)$"];
	// Of the repository and of this working tree, which may have settings of its own.
	const keys = await Promise.all(["--local", "--worktree"].map((where) => git(folder, ["config", where, ...wanted])));
	const names = keys.flatMap((found) => found?.toString("utf8").split("\0").filter(Boolean) ?? []);
	// A name with = in it cannot be given on the command line, so such a filter could not be switched off.
	if (names.some((name) => name.includes("="))) return undefined;
	return [...new Set(names)].flatMap((name) => ["-c", name.endsWith(".required") ? `${name}=false` : `${name}=`]);
}
