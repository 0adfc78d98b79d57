// Gives a copied folder a repository of its own that only reads the objects of the user's.

import { appendFile, lstat, mkdir, realpath, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { t } from "../../shared/l10n.ts";
import { errorCode } from "../files/files.ts";
import { type GitRunner, isInWorkTree } from "../git/gitChanges.ts";
import { readSmallFile } from "../git/smallFile.ts";

/** Data that is read from the user's repository. Paths are absolute. */
export interface SourceRepository {
	objects: string;
	exclude: string;
	shallow: string | undefined;
	format: string;
	commit: string;
	/** Full name of the ref that HEAD points to; undefined if it is detached. */
	branch: string | undefined;
	/** Lines of a packed-refs file: branches and tags. */
	refs: string;
	/** Settings that run nothing: name and line endings. */
	config: [key: string, value: string][];
}

/** `repository` is absent if the folder is not the root of a work tree with a commit; `note` then says why only its files are copied. */
export async function readRepository(
	folder: string,
	name: string,
	programs: GitRunner,
): Promise<{ repository?: SourceRepository; note?: string }> {
	if (!(await isInWorkTree(programs, folder))) {
		return (await hasGitFolder(folder)) ? { note: t("Git can't read the repository of {0}, so only its files were copied.", name) } : {};
	}
	const git = async (...args: string[]) => (await programs.gitOutput(folder, args))?.toString("utf8");
	const [top, facts, branch, refs, config] = await Promise.all([
		git("rev-parse", "--show-toplevel"),
		git("rev-parse", "--is-shallow-repository", "--show-object-format", ...PATHS.flatMap((path) => ["--git-path", path]), "HEAD^{commit}"),
		git("symbolic-ref", "-q", "HEAD"),
		git("for-each-ref", "--format=%(objectname) %(refname)", "refs/heads", "refs/tags"),
		git("config", "--local", "-z", "--get-regexp", "^(user\\.(name|email)|core\\.(autocrlf|eol))$"),
	]);
	if (top === undefined || (await realpath(top.trimEnd()).catch(() => "")) !== (await realpath(folder))) {
		return { note: t("{0} is not the root of its repository, so only its files were copied.", name) };
	}
	if (facts === undefined) return { note: t("The repository of {0} has no commit yet, so only its files were copied.", name) };
	const [shallow, format = "", objects = "", exclude = "", grafts = "", commit = ""] = facts.split(/\r?\n/);
	const ref = branch?.trimEnd();
	return {
		repository: {
			objects: await realpath(resolve(folder, objects)),
			exclude: resolve(folder, exclude),
			shallow: shallow === "true" ? resolve(folder, grafts) : undefined,
			format,
			commit,
			branch: ref,
			refs: ref !== undefined && !refs?.includes(` ${ref}\n`) ? `${refs ?? ""}${commit} ${ref}\n` : (refs ?? ""),
			config: (config ?? "").split("\0").flatMap((entry) => {
				const [key, ...value] = entry.split("\n");
				return key ? [[key, value.join("\n")] as [string, string]] : [];
			}),
		},
	};
}

const PATHS = ["objects", "info/exclude", "shallow"];

/**
 * Does what a shared clone without a checkout does, but starts no process in the user's repository, whose configuration it would
 * read without our overrides. Returns false if git fails; nothing is left of it then.
 */
export async function writeRepository(target: string, source: SourceRepository, programs: GitRunner): Promise<boolean> {
	const git = join(target, ".git");
	try {
		// Alternates are lines, and one that begins with a quotation mark is unquoted.
		if (/[\n"]/.test(source.objects)) return false;
		const init = ["-c", "init.defaultRefFormat=files", "init", "--quiet", "--template=", `--object-format=${source.format}`];
		if (!(await programs.gitOutput(target, init))) throw new Error("git init failed");
		await mkdir(join(git, "objects", "info"), { recursive: true });
		await mkdir(join(git, "info"), { recursive: true });
		await Promise.all([
			writeFile(join(git, "objects", "info", "alternates"), `${source.objects}\n`),
			writeFile(join(git, "packed-refs"), source.refs),
			writeFile(join(git, "HEAD"), source.branch === undefined ? `${source.commit}\n` : `ref: ${source.branch}\n`),
			appendFile(join(git, "config"), configText([...source.config, ...OWN_CONFIG])),
			copyIfPresent(source.exclude, join(git, "info", "exclude")),
			source.shallow !== undefined && copyIfPresent(source.shallow, join(git, "shallow")),
		]);
		if (!(await programs.gitOutput(target, ["read-tree", "HEAD"]))) throw new Error("git read-tree failed");
		return true;
	} catch (error) {
		await rm(git, { recursive: true, force: true });
		if (errorCode(error) === undefined) return false;
		throw error;
	}
}

/** Tells git that these files are missing on purpose, so that it doesn't report them as deleted. Untracked ones are passed over. */
export async function markMissing(target: string, paths: readonly string[], programs: GitRunner): Promise<void> {
	for (let start = 0; start < paths.length; start += AT_ONCE) {
		const some = paths.slice(start, start + AT_ONCE);
		const listed = await programs.gitOutput(target, ["--literal-pathspecs", "ls-files", "-z", "--", ...some]);
		const tracked =
			listed
				?.toString("utf8")
				.split("\0")
				.filter((path) => path !== "") ?? [];
		if (tracked.length > 0) await programs.gitOutput(target, ["update-index", "--skip-worktree", "--", ...tracked]);
	}
}

/** Number of paths in one command line. */
const AT_ONCE = 200;

/** No process stays behind that would collect garbage while the copy is being removed. */
const OWN_CONFIG: [string, string][] = [
	["gc.auto", "0"],
	["maintenance.auto", "false"],
];

/** Keys have two parts, so no section needs a quoted name. */
function configText(pairs: readonly [string, string][]): string {
	return pairs
		.map(([key, value]) => {
			const [section = "", name = ""] = key.split(".");
			return `[${section}]\n\t${name} = "${value.replace(/[\\"]/g, "\\$&").replaceAll("\n", "\\n")}"\n`;
		})
		.join("");
}

async function copyIfPresent(from: string, to: string): Promise<void> {
	const content = await readSmallFile(from, LARGEST_LIST);
	if (content) await writeFile(to, content);
}

/** Bytes. */
const LARGEST_LIST = 32 * 1024 * 1024;

async function hasGitFolder(folder: string): Promise<boolean> {
	return lstat(join(folder, ".git", "HEAD")).then(
		() => true,
		(error: unknown) => errorCode(error) === "ENOTDIR",
	);
}
