// Opens the git repository that a sandboxed command may write, keeping hooks and configuration read-only.
import { closeSync, constants, mkdirSync, openSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ExplainedError } from "../../core/userError.ts";
import { isWithin, type PathRule } from "./policy.ts";
import { pathKind, resolveRealPathSync } from "./protectedPlaces.ts";

interface WritableRepository {
	rules: PathRule[];
	/** Closes opened folders and removes placeholder files. */
	close(): void;
}

/** Returns undefined if git would find no repository from there, or one that does not list this worktree. */
export function openWritableRepository(cwd: string): WritableRepository | undefined {
	const closing: (() => void)[] = [];
	const close = () => {
		for (const one of closing.splice(0)) one();
	};
	try {
		const found = repositoryOf(cwd);
		if (!found) return undefined;
		const { own, common } = found;
		const folders = [...new Set([own, common])];
		const places = folders.map((path): PathRule => {
			const open = openFolder(path);
			closing.push(() => closeSync(open));
			return { path, access: "writable", kind: "folder", pinned: true, descriptor: open };
		});
		for (const name of ["hooks", "info"]) mkdirSync(join(common, name), { recursive: true });
		if (own === common) closing.push(createPlaceholder(join(own, "commondir"), HERE));
		for (const folder of folders) closing.push(createPlaceholder(join(folder, "config.worktree"), ""));
		for (const path of new Set([...GUARDED.map((name) => join(common, name)), ...GUARDED_OWN.map((name) => join(own, name))])) {
			const kind = pathKind(path);
			if (kind === undefined) continue;
			if (resolveRealPathSync(path) !== path) throw new ExplainedError(`${path} leads elsewhere`);
			places.push({ path, access: "readable", kind, pinned: true });
		}
		return { rules: places, close };
	} catch {
		close();
		return undefined;
	}
}

/** Throws if the path leads elsewhere. */
function openFolder(path: string): number {
	const only = process.platform === "linux" ? O_PATH : 0;
	const open = openSync(path, only | constants.O_DIRECTORY | constants.O_NOFOLLOW);
	if (process.platform !== "linux" || readlinkSync(`/proc/self/fd/${open}`) === path) return open;
	closeSync(open);
	throw new ExplainedError(`${path} leads elsewhere`);
}

/** Linux only: identifies a folder without opening it for reading. */
const O_PATH = 0o10000000;

/** Number of commands that rely on a placeholder, by its path. */
const placeholderUses = new Map<string, number>();
/** Content of `commondir` that says that hooks and configuration are in this folder. */
const HERE = ".\n";

/** Creates a placeholder for a file that could redirect git to other hooks or configuration. Throws if it has other content. */
function createPlaceholder(file: string, text: string): () => void {
	try {
		writeFileSync(file, text, { flag: "wx" });
	} catch {
		if (text === HERE && firstLine(file) !== HERE.trim()) throw new ExplainedError(`${file} says something else`);
		// An existing file of the user's stays in effect.
		if (!placeholderUses.has(file) && text !== HERE) return () => undefined;
	}
	placeholderUses.set(file, (placeholderUses.get(file) ?? 0) + 1);
	return () => {
		const left = (placeholderUses.get(file) ?? 1) - 1;
		placeholderUses.set(file, left);
		if (left > 0) return;
		placeholderUses.delete(file);
		try {
			if (statSync(file).isFile() && readFileSync(file, "utf8") === text) rmSync(file);
		} catch {
			// It no longer exists.
		}
	};
}

/** Names in a git folder that decide what git runs, or where it looks for that. */
const GUARDED = ["config", "config.worktree", "hooks", "info", "modules", "worktrees"];
const GUARDED_OWN = ["commondir", "gitdir", "config.worktree"];
/** Maximum bytes of a file that refers to a git folder. */
const LONGEST = 4_096;

/** Returns resolved paths: `own` is that of this worktree, `common` that of the whole repository. */
function repositoryOf(cwd: string): { own: string; common: string } | undefined {
	for (let folder = cwd; ; folder = dirname(folder)) {
		const git = join(folder, ".git");
		const kind = pathKind(git);
		if (kind === "folder") return validateRepository(resolveRealPathSync(git), resolveRealPathSync(git) === git);
		if (kind === "file") return openLinkedWorktree(git);
		if (folder === dirname(folder)) return undefined;
	}
}

/** A linked worktree; accepted only if the repository lists it in turn. */
function openLinkedWorktree(file: string): { own: string; common: string } | undefined {
	const named = /^gitdir: (.+)$/.exec(firstLine(file))?.[1];
	const own = named === undefined ? undefined : resolveRealPathSync(resolve(dirname(file), named));
	if (own === undefined || resolveRealPathSync(firstLine(join(own, "gitdir"))) !== file) return undefined;
	const common = resolveRealPathSync(resolve(own, firstLine(join(own, "commondir"))));
	if (common === undefined || dirname(own) !== join(common, "worktrees")) return undefined;
	return validateRepository(common, true) && { own, common };
}

function validateRepository(folder: string | undefined, straight: boolean): { own: string; common: string } | undefined {
	if (folder === undefined || !straight) return undefined;
	const hasParts =
		["HEAD", "config"].every((name) => pathKind(join(folder, name)) === "file") && pathKind(join(folder, "objects")) === "folder";
	// A repository that is already redirected must not be opened.
	const redirected = pathKind(join(folder, "commondir")) !== undefined && firstLine(join(folder, "commondir")) !== HERE.trim();
	return hasParts && !redirected ? { own: folder, common: folder } : undefined;
}

function firstLine(file: string): string {
	try {
		const { size, mode } = statSync(file);
		// Reading a pipe could block the editor forever.
		if (size > LONGEST || (mode & constants.S_IFMT) !== constants.S_IFREG) return "";
		return (readFileSync(file, "utf8").split("\n")[0] ?? "").trim();
	} catch {
		return "";
	}
}

/** Absolute paths, existing or not; none if git returns nothing. */
export async function listGitConfiguredPaths(git: GitQuery, folder: string): Promise<string[]> {
	const listed = await git(folder, ["config", "--list", "-z", "--show-origin", "--includes"]);
	if (!listed) return [];
	const parts = Buffer.from(listed).toString("utf8").split("\0");
	const paths: string[] = [];
	for (let at = 0; at + 1 < parts.length; at += 2) {
		const origin = /^file:(.+)$/s.exec(parts[at] ?? "")?.[1];
		const file = resolve(folder, origin ?? ".");
		if (origin !== undefined) paths.push(file);
		const [key = "", ...lines] = (parts[at + 1] ?? "").split("\n");
		const value = lines.join("\n");
		if (value === "") continue;
		if (INCLUDES.test(key)) paths.push(resolve(dirname(file), value));
		if (NAMING.has(key.toLowerCase())) paths.push(resolve(folder, value));
	}
	return [...new Set(paths)].filter((path) => path !== folder);
}

const INCLUDES = /^include(if\..*)?\.path$/is;
const NAMING = new Set(["core.hookspath", "core.attributesfile", "core.sshcommand", "core.fsmonitor"]);

/** Runs git in a folder; undefined if it returns nothing. */
export type GitQuery = (folder: string, words: readonly string[]) => Promise<Uint8Array | undefined>;

type TrackedPathFinder = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/** Takes resolved absolute paths; a folder is tracked if anything in it is. Queries again only when the index has changed. */
export function createTrackedPathFinder(git: GitQuery): TrackedPathFinder {
	const known = new Map<string, { at: string; tracked: readonly string[] }>();
	return async (paths) => {
		const byRepository = new Map<string, string[]>();
		for (const path of paths) {
			const root = rootOf(path);
			if (root !== undefined) byRepository.set(root, [...(byRepository.get(root) ?? []), path]);
		}
		const found = await Promise.all(
			[...byRepository].map(async ([root, asked]) => {
				const [key, at] = [[root, ...asked].join("\0"), indexMark(root)];
				const before = known.get(key);
				if (before && at !== "" && before.at === at) return before.tracked;
				const tracked = await ask(git, root, asked);
				if (known.size >= MOST_KNOWN) known.clear();
				known.set(key, { at, tracked });
				return tracked;
			}),
		);
		return new Set(found.flat());
	};
}

const MOST_KNOWN = 100;

async function ask(git: GitQuery, root: string, paths: readonly string[]): Promise<string[]> {
	const literal = paths.map((path) => `:(top,literal)${path.slice(root.length + 1)}`);
	const listed = await git(root, ["ls-files", "-z", "--cached", "--", ...literal]);
	const names = listed ? Buffer.from(listed).toString("utf8").split("\0").filter(Boolean) : [];
	return paths.filter((path) => names.some((name) => isWithin(join(root, name), path)));
}

/** The folder that contains the nearest `.git`. */
function rootOf(path: string): string | undefined {
	for (let folder = dirname(path); ; folder = dirname(folder)) {
		if (pathKind(join(folder, ".git")) !== undefined) return folder;
		if (folder === dirname(folder)) return undefined;
	}
}

function indexMark(root: string): string {
	const stats = statSync(join(root, ".git", "index"), { throwIfNoEntry: false });
	return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` : "";
}
