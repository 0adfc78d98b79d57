// Finds the repository that git would use from a folder, and rejects ambiguous or redirected ones.

import type { GateContext } from "../../core/ports/gate.ts";
import type { Disk } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { isGitFolder, type LstatCache } from "../pathResolver.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";

export interface GitRepository {
	/** The work tree, the git folder, and the folder shared by its work trees, all with links resolved. */
	top: string;
	gitDir: string;
	commonDir: string;
	/** Its git folder is outside the work tree and linked only by configuration: `core.worktree` must name it. */
	byConfiguration: boolean;
	/** Content of the file that lists other object folders. */
	alternates?: string;
	/** Files that led to this repository, with their content. */
	leads: readonly (readonly [path: string, text: string])[];
}

type RepositoryDiscovery = { found?: GitRepository; odd?: string };

const LONGEST_LEAD = 8_192;
/** Folders of a repository whose entries git reads without knowing their names. */
const scannedFolders =
	"info objects objects/info objects/info/commit-graphs refs refs/heads logs worktrees sequencer rebase-merge rebase-apply".split(" ");
/** Entries that no reading command uses, and hooks, which are reported and bound separately. */
const ignoredEntries = new Set("hooks lfs annex branches description COMMIT_EDITMSG".split(" "));
const MAX_WORK_TREES = 200;

/** Returns neither `found` nor `odd` if there is no repository. Searches as git does, but stops at anything named `.git`. */
export async function findRepository(disk: Disk, look: LstatCache, folder: string): Promise<RepositoryDiscovery> {
	for (let path = folder; ; path = nativePath.dirname(path)) {
		const gitEntry = toForwardSlashes(nativePath.join(path, ".git"));
		const found = await look(gitEntry);
		if (found) {
			if (found.link !== undefined) return { odd: t("{0} is a link that might point to another repository.", gitEntry) };
			if (found.type === "directory") return openRepository(disk, look, path, gitEntry, []);
			return found.type === "file" ? followGitFile(disk, look, path, gitEntry) : { odd: t("{0} isn't a git folder.", gitEntry) };
		}
		if (await isGitFolder(look, path)) return { odd: t("{0} is a bare repository, whose configuration can't be trusted.", path) };
		if (nativePath.dirname(path) === path) return {};
	}
}

/**
 * The repository, without a mention of the object folder that a copy of the workspace reads from its original. Any other content
 * of that file stays.
 */
export async function withoutOriginalObjects(
	{ disk, copied = [] }: GateContext,
	look: LstatCache,
	found: GitRepository,
): Promise<GitRepository> {
	const { alternates, ...repository } = found;
	const [original] = copied.find(({ path }) => toForwardSlashes(path) === toForwardSlashes(found.top))?.originals ?? [];
	if (alternates === undefined || original === undefined) return found;
	const { found: source } = await findRepository(disk, look, toForwardSlashes(original));
	if (!source || source.top !== toForwardSlashes(original)) return found;
	const objects = toForwardSlashes(nativePath.join(source.commonDir, "objects"));
	if (toForwardSlashes(alternates) !== `${objects}\n`) return found;
	return { ...repository, ...(source.alternates !== undefined && { alternates: source.alternates }) };
}

/** A linked work tree, a submodule, or a separate git folder. */
async function followGitFile(disk: Disk, look: LstatCache, top: string, inner: string): Promise<RepositoryDiscovery> {
	const text = await textOf(disk, inner);
	const [, named] = /^gitdir: ([^\r\n]+)\r?\n?$/.exec(text ?? "") ?? [];
	const gitDir = named === undefined ? undefined : await disk.realpath(nativePath.resolve(top, named)).catch(() => undefined);
	if (text === undefined || gitDir === undefined) return { odd: t("{0} isn't a git folder.", inner) };
	return openRepository(disk, look, top, toForwardSlashes(gitDir), [[inner, text]]);
}

async function openRepository(
	disk: Disk,
	look: LstatCache,
	top: string,
	gitDir: string,
	leads: GitRepository["leads"],
): Promise<RepositoryDiscovery> {
	const foreign = { odd: t("{0} points to a git folder that belongs to another repository.", top) };
	const at = (name: string) => toForwardSlashes(nativePath.join(gitDir, name));
	if ((await look(at("HEAD"))) === undefined) return { odd: t("{0} isn't a git folder.", gitDir) };
	const common = (await look(at("commondir"))) && (await textOf(disk, at("commondir")));
	const shared =
		common === undefined ? gitDir : await disk.realpath(nativePath.resolve(gitDir, common.replace(/\r?\n$/, ""))).catch(() => undefined);
	if (shared === undefined) return foreign;
	const commonDir = toForwardSlashes(shared);
	for (const folder of new Set([gitDir, commonDir])) {
		const link = await firstLink(disk, look, folder);
		if (link !== undefined) return { odd: t("{0} is a link that might point to another repository.", link) };
	}
	const alternatesPath = toForwardSlashes(nativePath.join(commonDir, "objects", "info", "alternates"));
	const alternates = (await look(alternatesPath)) && ((await textOf(disk, alternatesPath)) ?? alternatesPath);
	const found = { top, gitDir, commonDir, ...(alternates !== undefined && { alternates }) };
	if (common === undefined) {
		const byConfiguration = leads.length > 0 && !gitDir.startsWith(`${toForwardSlashes(top)}/`);
		return { found: { ...found, byConfiguration, leads } };
	}
	// The main repository must list this work tree, and only that repository can write the entry.
	const backLink = await textOf(disk, at("gitdir"));
	const named = backLink === undefined ? undefined : toForwardSlashes(nativePath.resolve(gitDir, backLink.replace(/\r?\n$/, "")));
	const real = named === undefined ? undefined : await disk.realpath(named).catch(() => undefined);
	const isKnown =
		real !== undefined &&
		toForwardSlashes(real) === toForwardSlashes(nativePath.join(top, ".git")) &&
		nativePath.dirname(gitDir) === `${commonDir}/worktrees`;
	if (!isKnown || leads.length === 0) return foreign;
	return {
		found: { ...found, byConfiguration: false, leads: [...leads, [at("commondir"), common], [at("gitdir"), backLink as string]] },
	};
}

/** A link inside a git folder may lead to another repository's history, or make git print lines of any file. */
async function firstLink(disk: Disk, look: LstatCache, folder: string): Promise<string | undefined> {
	const within = (name: string) => toForwardSlashes(nativePath.join(folder, name));
	if (!disk.list) return folder;
	const trees = ((await look(within("worktrees"))) && (await disk.list(within("worktrees")))) || [];
	if (trees.length > MAX_WORK_TREES) return within("worktrees");
	const inTrees = trees.filter(({ type }) => type === "directory").map(({ name }) => `worktrees/${name}`);
	const links = await Promise.all([".", ...scannedFolders, ...inTrees].map((name) => linkIn(disk, look, within(name), name === ".")));
	return links.find((link) => link !== undefined);
}

async function linkIn(disk: Disk, look: LstatCache, folder: string, top: boolean): Promise<string | undefined> {
	if ((await look(folder))?.type !== "directory") return undefined;
	for (const { name, link } of (await disk.list?.(folder)) ?? []) {
		if (!link || (top && ignoredEntries.has(name))) continue;
		const path = toForwardSlashes(nativePath.join(folder, name));
		// Git's oldest form of HEAD: a link to one of its own branches.
		const ownBranch = name === "HEAD" && /^refs\/heads\/(?!.*\.\.)/.test((await look(path))?.link ?? "");
		if (!ownBranch) return path;
	}
	return undefined;
}

/** Reads only a short regular file, because reading a pipe would never end. */
async function textOf(disk: Disk, path: string): Promise<string | undefined> {
	const stat = await disk.lstat(path).catch(() => undefined);
	if (stat?.type !== "file" || stat.link !== undefined || stat.size > LONGEST_LEAD) return undefined;
	const bytes = await disk.peek(path, LONGEST_LEAD);
	return bytes && new TextDecoder().decode(bytes);
}

/** Cache by index file: its stamp and the paths found in it. */
const cache = new Map<string, { stamp: string; paths: readonly string[] }>();
const MAX_CACHED = 64;
const LONGEST_LIST = 48 * 1024 * 1024;
const LINK = Buffer.from("160000 ");

/** Absolute paths; undefined if they cannot be determined. */
export async function submodulesOf({ host }: GateContext, look: LstatCache, { top, gitDir }: GitRepository): Promise<string[] | undefined> {
	const index = nativePath.join(gitDir, "index");
	const stat = await look(index);
	if (!stat) return [];
	const stamp = `${stat.size} ${stat.mtime} ${stat.links}`;
	const before = cache.get(index);
	const result = before?.stamp === stamp ? undefined : await host?.git(top, ["ls-files", "-z", "--stage"], { bytes: LONGEST_LIST });
	if (before?.stamp !== stamp && result?.code !== 0) return undefined;
	const paths = result ? linksIn(Buffer.from(result.output)) : (before?.paths ?? []);
	if (cache.size >= MAX_CACHED) cache.clear();
	cache.set(index, { stamp, paths });
	const entered: string[] = [];
	for (const path of paths) {
		const folder = nativePath.join(top, path);
		if (await look(nativePath.join(folder, ".git"))) entered.push(folder);
	}
	return entered;
}

/** Lines of `mode object stage<TAB>path`, each terminated by NUL. */
function linksIn(list: Buffer): string[] {
	const paths: string[] = [];
	for (let at = list.indexOf(LINK); at >= 0; at = list.indexOf(LINK, at + 1)) {
		if (at > 0 && list[at - 1] !== 0) continue;
		const end = list.indexOf(0, at);
		const tab = list.indexOf(9, at);
		if (tab > 0 && tab < end) paths.push(list.toString("utf8", tab + 1, end));
	}
	return paths;
}
