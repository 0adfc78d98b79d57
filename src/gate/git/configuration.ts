// Reads a repository's git configuration and caches it until a file that could contribute to it changes.
import { homedir } from "node:os";
import type { GateContext } from "../../core/ports/gate.ts";
import type { Disk } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import type { LstatCache } from "../pathResolver.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { findRepository, type GitRepository, withoutOriginalObjects } from "./repository.ts";

export interface GitSetting {
	/** Lowercase, except for the part between section and name. */
	key: string;
	value: string;
	/** It comes from the repository or from a file in it, not from the user. */
	own: boolean;
}

export interface GitConfiguration {
	/** Absent if there is no repository. */
	repository?: GitRepository & { emptyTree: string };
	settings: readonly GitSetting[];
	/** Reason why the repository cannot be assessed. */
	odd?: string;
}

interface CacheEntry {
	discovery: string;
	files: ReadonlyMap<string, string>;
	configured: GitConfiguration;
}

const MAX_CACHED = 64;
const LONGEST_FILE = 512 * 1024;
const MAX_FILES = 40;
const cache = new WeakMap<GateContext, Map<string, CacheEntry>>();
const decoder = new TextDecoder();

/** `folder` exists and has its links resolved. */
export async function readGitConfiguration(gateContext: GateContext, look: LstatCache, folder: string): Promise<GitConfiguration> {
	const { disk } = gateContext;
	const discovered = await findRepository(disk, look, folder).catch((error) => ({ found: undefined, odd: String(error) }));
	if (discovered.odd !== undefined) return { settings: [], odd: discovered.odd };
	if (!discovered.found) return { settings: [] };
	const found = await withoutOriginalObjects(gateContext, look, discovered.found);
	const known = cache.get(gateContext) ?? new Map<string, CacheEntry>();
	cache.set(gateContext, known);
	const discovery = JSON.stringify(found);
	const before = known.get(folder);
	if (before?.discovery === discovery && (await unchanged(disk, before.files))) return before.configured;
	const answer = await queryGit(gateContext, found, folder);
	known.delete(folder);
	if (answer.files && answer.configured.odd === undefined) {
		if (known.size >= MAX_CACHED) known.clear();
		known.set(folder, { discovery, files: answer.files, configured: answer.configured });
	}
	return answer.configured;
}

async function queryGit(
	gateContext: GateContext,
	found: GitRepository,
	folder: string,
): Promise<{ configured: GitConfiguration; files?: Map<string, string> }> {
	const { disk, host } = gateContext;
	const noAnswer = { configured: { settings: [], odd: t("git couldn't inspect {0}.", found.top) } };
	// Taken before asking git, so that a file changed meanwhile is detected next time.
	const first = await fingerprints(disk, ownFiles(found));
	const questions = "--is-bare-repository --is-inside-work-tree --show-object-format --absolute-git-dir --git-common-dir --show-toplevel";
	const [place, list] = await Promise.all([
		host?.git(folder, ["rev-parse", ...questions.split(" ")]),
		host?.git(folder, ["config", "--list", "-z", "--show-scope", "--show-origin", "--includes"]),
	]);
	if (!place || !list || list.code !== 0) return noAnswer;
	const lines = decoder.decode(place.output).replace(/\n$/, "").split("\n");
	if (place.code !== 0 || lines.length !== 6)
		return { configured: { settings: [], odd: t("git doesn't recognize {0} as your repository.", found.top) } };
	const entries = entriesIn(decoder.decode(list.output));
	if (!entries) return noAnswer;
	const [bare, inside, format, ...paths] = lines;
	const real = await Promise.all(paths.map((path) => disk.realpath(nativePath.resolve(folder, path)).catch(() => undefined)));
	const matches = [found.gitDir, found.commonDir, found.top].every(
		(path, index) => real[index] !== undefined && samePath(path, real[index] as string),
	);
	const settings = entries.map(({ scope, origin, key, value }) => ({ key, value, own: isOwn(scope, origin, found) }));
	const acknowledged = !found.byConfiguration || settings.some(({ key, own }) => own && key === "core.worktree");
	if (bare !== "false" || inside !== "true" || !matches || !acknowledged) {
		return { configured: { settings: [], odd: t("{0} points to a git folder that belongs to another repository.", found.top) } };
	}
	const emptyTree = format === "sha256" ? EMPTY_SHA256 : EMPTY_SHA1;
	const configured: GitConfiguration = { repository: { ...found, emptyTree }, settings };
	const others = await fingerprints(disk, filesOf(entries, found));
	return { configured, ...(first && others && { files: new Map([...others, ...first]) }) };
}

const EMPTY_SHA1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
const EMPTY_SHA256 = "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321";

interface Entry {
	scope: string;
	/** Absolute path, if it comes from a file. */
	origin?: string;
	key: string;
	value: string;
}

/** Returns undefined if the output has an unknown format. */
function entriesIn(text: string): Entry[] | undefined {
	const parts = text.split("\0");
	if (parts.pop() !== "" || parts.length % 3 !== 0) return undefined;
	const entries: Entry[] = [];
	for (let at = 0; at < parts.length; at += 3) {
		const [scope = "", origin = "", setting = ""] = parts.slice(at, at + 3);
		const line = setting.indexOf("\n");
		// A key without a value is true.
		const [key, value] = line < 0 ? [setting, "true"] : [setting.slice(0, line), setting.slice(line + 1)];
		if (!/^[a-z][a-z-]*$/.test(scope) || !key.includes(".")) return undefined;
		if (scope !== "command") entries.push({ scope, ...(origin.startsWith("file:") && { origin: origin.slice(5) }), key, value });
	}
	return entries;
}

/** The user's own files do not belong to the repository, even if the home folder is the work tree. */
function isOwn(scope: string, origin: string | undefined, { top }: GitRepository): boolean {
	if (scope !== "global" && scope !== "system") return true;
	if (origin === undefined) return false;
	const path = toForwardSlashes(nativePath.resolve(top, origin));
	return path.startsWith(`${toForwardSlashes(top)}/`) && !userConfigFiles().some((own) => samePath(own, path));
}

function userConfigFiles(): string[] {
	const home = homedir();
	const config = process.env["XDG_CONFIG_HOME"] || nativePath.join(home, ".config");
	return [nativePath.join(home, ".gitconfig"), nativePath.join(config, "git", "config")];
}

function ownFiles({ gitDir, commonDir }: GitRepository): string[] {
	return [`${commonDir}/config`, `${commonDir}/config.worktree`, `${gitDir}/config.worktree`];
}

/** Every file that was read or is included, and HEAD if an include depends on the branch. */
function filesOf(entries: readonly Entry[], { top, gitDir }: GitRepository): string[] {
	const files = new Set<string>();
	for (const { origin, key, value } of entries) {
		const from = origin === undefined ? top : nativePath.resolve(top, origin);
		if (origin !== undefined) files.add(from);
		if (!/^include(if)?\..*path$/.test(key)) continue;
		const path = value.replace(/^~(?=\/)/, homedir());
		files.add(nativePath.resolve(nativePath.dirname(from), path));
		if (key.startsWith("includeif.onbranch:")) files.add(`${gitDir}/HEAD`);
	}
	return [...files];
}

/** Returns undefined if one of them is unreadable or too large; then nothing is cached. */
async function fingerprints(disk: Disk, files: readonly string[]): Promise<Map<string, string> | undefined> {
	if (files.length > MAX_FILES) return undefined;
	const prints = await Promise.all(files.map(async (file) => [file, await fingerprint(disk, file)] as const));
	if (prints.some(([, print]) => print === undefined)) return undefined;
	return new Map(prints as [string, string][]);
}

/** Hash of the bytes, because times can be set back. Pipes are not opened. */
async function fingerprint(disk: Disk, file: string): Promise<string | undefined> {
	const real = await disk.realpath(file).catch(() => undefined);
	if (real === undefined) return "missing";
	const stat = await disk.lstat(real).catch(() => undefined);
	if (stat?.type !== "file" || stat.size > LONGEST_FILE) return undefined;
	const bytes = await disk.peek(real, LONGEST_FILE + 1);
	return bytes && `${real} ${sha256(bytes)}`;
}

async function unchanged(disk: Disk, files: ReadonlyMap<string, string>): Promise<boolean> {
	const now = await fingerprints(disk, [...files.keys()]);
	return now !== undefined && [...files].every(([file, print]) => now.get(file) === print);
}

function samePath(left: string, right: string): boolean {
	const plain = (path: string) => (process.platform === "win32" ? toForwardSlashes(path).toLowerCase() : toForwardSlashes(path));
	return plain(left) === plain(right);
}

const keys = new Set(
	(
		"user.name user.email user.signingkey author.name author.email committer.name committer.email init.defaultbranch color.ui " +
		"core.autocrlf core.bare core.editor core.eol core.excludesfile core.filemode core.fsmonitor core.hookspath core.ignorecase " +
		"core.longpaths core.pager core.precomposeunicode core.quotepath core.repositoryformatversion core.safecrlf core.sharedrepository " +
		"core.sparsecheckout core.symlinks core.untrackedcache core.whitespace core.worktree core.attributesfile core.abbrev core.commentchar " +
		"branch.autosetupmerge branch.autosetuprebase branch.sort checkout.defaultremote commit.gpgsign commit.template commit.verbose " +
		"diff.algorithm diff.tool diff.external diff.renames extensions.objectformat extensions.worktreeconfig extensions.partialclone " +
		"fetch.prune fetch.recursesubmodules gc.auto gpg.format gpg.program help.autocorrect log.date merge.conflictstyle merge.ff merge.tool " +
		"pull.ff pull.rebase push.autosetupremote push.default push.followtags rebase.autosquash rebase.autostash rebase.updaterefs " +
		"remote.pushdefault rerere.enabled status.showuntrackedfiles submodule.recurse tag.gpgsign tag.sort"
	).split(" "),
);
const families = [
	/^branch\..+\.(remote|merge|pushremote|rebase|description)$/,
	/^remote\..+\.(url|pushurl|fetch|push|prune|tagopt|promisor)$/,
];

/** `key` in lowercase. */
export function isReadableKey(key: string): boolean {
	return keys.has(key) || families.some((family) => family.test(key));
}
