// What differs from the last commit, as git tells it: staged or not, with nothing run that a repository names.
import { join } from "node:path";
import { formatDisplayPath } from "../../core/paths.ts";
import type { EditorFacts, WorkspaceFolder } from "../../core/ports/workspace.ts";
import { type GitRunner, isInWorkTree } from "./workTree.ts";

/** Of every workspace folder that lies in a repository; undefined where none does. Paths in the diff are relative to each folder. */
export async function readWorkingChanges(
	programs: GitRunner,
	folders: readonly WorkspaceFolder[],
	shown: (path: string) => Promise<boolean>,
): Promise<Awaited<ReturnType<EditorFacts["changes"]>>> {
	const all = await Promise.all(folders.map(async (folder) => ({ folder, found: await changesIn(programs, folder.path, shown) })));
	const known = all.flatMap(({ folder, found }) => (found ? [{ folder, ...found }] : []));
	if (known.length === 0) return undefined;
	const several = folders.length > 1;
	return {
		diff: known
			.filter(({ diff }) => diff !== "")
			.map(({ folder, diff }) => (several ? `In ${folder.name}:\n${diff}` : diff))
			.join("\n"),
		untracked: known.flatMap(({ folder, untracked }) => untracked.map((name) => formatDisplayPath(join(folder.path, name), folders))),
		hidden: known.reduce((sum, { hidden }) => sum + hidden, 0),
	};
}

async function changesIn(programs: GitRunner, folder: string, shown: (path: string) => Promise<boolean>) {
	if (!(await isInWorkTree(programs, folder))) return undefined;
	const git = (words: readonly string[]): Promise<Buffer | undefined> => programs.gitOutput(folder, words);
	const against = (await git(["rev-parse", "--verify", "--quiet", "HEAD^{commit}"])) ? ["HEAD"] : ["--cached"];
	const diff = ["diff", ...PLAIN, "--relative"];
	const [listed, others] = await Promise.all([
		git([...diff, "--name-only", "-z", "--no-renames", ...against]),
		git(["ls-files", "-z", "--others", "--exclude-standard"]),
	]);
	if (!listed || !others) return undefined;
	const [changed, untracked] = await Promise.all([split(folder, listed, shown), split(folder, others, shown)]);
	const hidden = changed.hidden + untracked.hidden;
	if (changed.names.length === 0) return { diff: "", untracked: untracked.names, hidden };
	// Which files is told by name, and a name is no pattern.
	const text = await git(["--literal-pathspecs", ...diff, ...against, "--", ...changed.names]);
	return { diff: text?.toString("utf8") ?? "", untracked: untracked.names, hidden };
}

/** What a commit message is written from: what is staged, else what has changed, and the last messages, the newest first. */
export async function readCommitContext(programs: GitRunner, folder: string): Promise<{ diff: string; commits: string[] } | undefined> {
	if (!(await isInWorkTree(programs, folder))) return undefined;
	const git = async (words: readonly string[]): Promise<string | undefined> => (await programs.gitOutput(folder, words))?.toString("utf8");
	const diff = (await git(["diff", ...PLAIN, "--cached"])) || (await git(["diff", ...PLAIN]));
	if (diff === undefined) return undefined;
	const log = await git(["log", `--max-count=${COMMITS}`, "-z", "--format=%B", "--no-patch", "--no-show-signature"]);
	return { diff, commits: (log ?? "").split("\0").filter((message) => message.trim() !== "") };
}

/** Enough to see a style by. */
const COMMITS = 10;

/** No program of the repository's; of a submodule only which commit it is at: what is in it was not asked for by name. */
const PLAIN = ["--no-ext-diff", "--no-textconv", "--no-color", "--ignore-submodules=dirty", "--submodule=short"];

async function split(folder: string, listed: Buffer, shown: (path: string) => Promise<boolean>) {
	const names = listed.toString("utf8").split("\0").filter(Boolean).slice(0, MOST_FILES);
	const visible = await Promise.all(names.map((name) => shown(join(folder, name))));
	return { names: names.filter((_, index) => visible[index]), hidden: visible.filter((seen) => !seen).length };
}

const MOST_FILES = 2_000;
