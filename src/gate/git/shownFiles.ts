// Asks git which files a command would print, and looks for a protected file among them.
import { setImmediate } from "node:timers/promises";
import type { GateContext } from "../../core/ports/gate.ts";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { Disk, WalkEntry } from "../../core/ports/workspace/files.ts";
import type { ProgramOutput } from "../../core/ports/workspace/programs.ts";
import { t } from "../../shared/l10n.ts";
import { protectedName, protectedPlace } from "../hostProtection.ts";
import type { LstatCache, PathResolver } from "../pathResolver.ts";
import type { GitContent } from "../programs/assessment.ts";
import { nativePath, toForwardSlashes } from "../resolveLinks.ts";
import { hasReferenceFlags, withoutCountLimits } from "./historyFlags.ts";
import type { GitRepository } from "./repository.ts";
import { parseRevisionArgument, type RevisionArgument } from "./subcommand.ts";

interface ShownFiles {
	/** The first file that is protected, is outside the workspace, or resolves to a location outside it. */
	protected?: PathFacts;
	/** Reason why the files cannot be determined. */
	unknown?: string;
}

interface ShownFilesContext {
	gateContext: GateContext;
	paths: PathResolver;
	look: LstatCache;
	/** The command's working directory. */
	folder: string;
	repository: GitRepository & { emptyTree: string };
}

const MAX_NAMES = 20_000;
const LONGEST_ANSWER = 4 * 1024 * 1024;
/** Milliseconds. */
const TIME_LIMIT = 300;
/** Milliseconds of work before yielding to the event loop. */
const TIME_SLICE = 8;

export async function shownFiles(context: ShownFilesContext, content: GitContent): Promise<ShownFiles> {
	const { gateContext, look, folder, repository } = context;
	const exists = async (word: string) => (await look(nativePath.resolve(folder, word)).catch(() => ({}))) !== undefined;
	const leavesRepository = (word: string) => !isWithin(repository.top, toForwardSlashes(nativePath.resolve(folder, word)));
	const queries = await contentQueriesOf(content, { exists, leavesRepository, emptyTree: repository.emptyTree });
	if (!queries) return { unknown: t("git can't report which files it would print.") };
	const answers = await Promise.all(
		queries.questions.map((words) => gateContext.host?.git(folder, words, { time: TIME_LIMIT, bytes: LONGEST_ANSWER })),
	);
	const names = new Set<string>();
	for (const [index, answer] of answers.entries()) {
		const found = answer?.code === 0 ? namesIn(answer, queries.questions[index]?.includes("--name-status") === true) : undefined;
		if (!found) return { unknown: t("git didn't report in time which files it would print.") };
		for (const name of found) names.add(name);
		if (names.size > MAX_NAMES) return { unknown: t("git would print too many files to check.") };
	}
	const files = [...names].map((name) => inFolder(repository.top, name));
	const namedPaths = queries.names.map((name) =>
		toForwardSlashes(nativePath.resolve(/^\.\.?\//.test(name) ? folder : repository.top, name)),
	);
	const protectedFile =
		(await firstProtected(context, [...namedPaths, ...files])) ??
		(queries.fromDisk ? await firstLinkedElsewhere(context, files) : undefined);
	if (protectedFile === "unknown") return { unknown: t("git would print too many files to check.") };
	return protectedFile ? { protected: protectedFile } : {};
}

/** Names are terminated by NUL. With states, each state precedes its name, or its two names for a rename or copy. */
function namesIn({ output }: ProgramOutput, withState: boolean): string[] | undefined {
	const words = new TextDecoder().decode(output).split("\0");
	if (!withState) return words.filter((word) => word !== "");
	const names: string[] = [];
	for (let at = 0; at < words.length; ) {
		const state = words[at++]?.replace(/^\n/, "");
		if (state === "") continue;
		if (state === undefined || !/^[A-Z]\d*$/.test(state)) return undefined;
		const named = words.slice(at, at + (/^[RC]/.test(state) ? 2 : 1));
		names.push(...named);
		at += named.length;
	}
	return names;
}

/** Only unusual names need path resolution. */
function inFolder(folder: string, name: string): string {
	return /(?:^|\/)\.{0,2}(?:\/|$)/.test(name)
		? toForwardSlashes(nativePath.resolve(folder, name))
		: `${folder === "/" ? "" : folder}/${name}`;
}

function isWithin(folder: string, path: string): boolean {
	return path === folder || path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

/** Checks names only, because files in the history may not exist on disk. */
async function firstProtected({ gateContext, paths, look }: ShownFilesContext, files: readonly string[]): Promise<PathFacts | undefined> {
	const folders = await Promise.all(
		gateContext.folders().map(async ({ path }) => toForwardSlashes((await gateContext.disk.realpath(path)) ?? path)),
	);
	let pause = performance.now() + TIME_SLICE;
	for (const file of files) {
		const folder = folders.find((root) => isWithin(root, file));
		if (folder === undefined || protectedName(file.slice(folder.length + 1), "read") !== undefined)
			return paths.word(file, "/", "read", look);
		if (performance.now() < pause) continue;
		await setImmediate();
		pause = performance.now() + TIME_SLICE;
	}
	return undefined;
}

/** Checks the disk for files with several hard links and for linked folders. Links themselves are printed as links. */
async function firstLinkedElsewhere(context: ShownFilesContext, files: readonly string[]): Promise<PathFacts | "unknown" | undefined> {
	const { gateContext, paths, look, repository } = context;
	const folders = new Set<string>();
	for (const file of files) {
		for (let path = nativePath.dirname(file); path.length > repository.top.length && !folders.has(path); path = nativePath.dirname(path))
			folders.add(path);
	}
	const entries = await inspectPaths(gateContext.disk, [...folders, ...files]).catch(() => undefined);
	if (!entries) return "unknown";
	for (const { path, link, links } of entries) {
		const linkedElsewhere = folders.has(path) ? link : !link && links > 1;
		if (!linkedElsewhere) continue;
		const fact = await paths.word(path, "/", "read", look);
		if (fact.refused !== undefined || protectedPlace(fact) !== undefined) return fact;
	}
	return undefined;
}

async function inspectPaths(disk: Disk, paths: readonly string[]): Promise<WalkEntry[]> {
	if (disk.inspect) return disk.inspect(paths);
	const found = await Promise.all(paths.map(async (path) => ({ path, stat: await disk.lstat(path) })));
	return found.flatMap(({ path, stat }) => (stat ? [{ path, type: stat.type, link: stat.link !== undefined, links: stat.links }] : []));
}

interface ContentQueries {
	/** Git commands that each print file names; if one fails, the result is unknown. */
	questions: readonly (readonly string[])[];
	/** Names given by the arguments, relative to the top of the repository, or to the folder if they start with a dot. */
	names: readonly string[];
	/** The command also prints files as they are on disk. */
	fromDisk: boolean;
}

/** Facts about the command's working directory. */
interface QueryContext {
	/** Resolves to true if a path of that name exists, relative to the folder. */
	exists(word: string): Promise<boolean>;
	/** Returns true if the word, as a path, is outside the repository by name. */
	leavesRepository(word: string): boolean;
	/** Object id of an empty tree. */
	emptyTree: string;
}

const MAX_REVISIONS = 8;
const quiet = ["--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];

/** Returns undefined if it is unknown what would be printed. */
export async function contentQueriesOf(content: GitContent, place: QueryContext): Promise<ContentQueries | undefined> {
	const { flags } = content;
	if (!flags) return undefined;
	if (content.kind === "status") return status();
	if (content.kind === "stash") return stash(content);
	// Outside the repository, whole folders are compared.
	if (content.kind === "diff" && [...content.operands, ...(content.paths ?? [])].some(place.leavesRepository)) return undefined;
	const words = await sortArguments(content, place);
	if (!words || words.revisions.length > MAX_REVISIONS) return undefined;
	const byKind = { log, show, diff, grep, object };
	return byKind[content.kind](content, words, place, flags);
}

interface SortedArguments {
	revisions: { peeled: string; commits: number }[];
	objects: Extract<RevisionArgument, { kind: "object" }>[];
	paths: string[];
	/** The names that patterns would stand for if they were literal. */
	also: string[];
}

/** Sorts arguments like git: revisions first, then paths from the first word that is one. */
async function sortArguments({ kind, operands, paths }: GitContent, place: QueryContext): Promise<SortedArguments | undefined> {
	const found: SortedArguments = { revisions: [], objects: [], paths: [], also: [] };
	for (const word of operands) {
		// Trees print names and modes, but no content.
		if (kind !== "diff" && /^[^:^{}]+\^\{tree\}$/.test(word)) continue;
		const meaning = parseRevisionArgument(word, paths === undefined && (await place.exists(word)));
		if (!meaning || (found.paths.length > 0 && meaning.kind !== "path")) return undefined;
		if (meaning.kind === "revision") found.revisions.push(meaning);
		else if (meaning.kind === "object") found.objects.push(meaning);
		else {
			if (paths !== undefined) return undefined;
			found.paths.push(word);
			if (meaning.also !== undefined) found.also.push(meaning.also);
		}
	}
	return { ...found, paths: [...found.paths, ...(paths ?? [])] };
}

type Flags = readonly string[];

function log(
	_: GitContent,
	{ revisions, objects, paths, also }: SortedArguments,
	__: QueryContext,
	flags: Flags,
): ContentQueries | undefined {
	if (objects.length > 0) return undefined;
	// For commits of the same second, the argument order decides which come first.
	const chosen = revisions.length > 0 && hasReferenceFlags(flags) ? withoutCountLimits(flags) : flags;
	const commits = revisions.map(({ peeled }) => peeled);
	const question = ["log", ...chosen, "--format=", "--name-status", "-z", ...quiet, ...commits, "--", ...paths];
	return { questions: [question], names: also, fromDisk: false };
}

function show(content: GitContent, words: SortedArguments, _: QueryContext, flags: Flags): ContentQueries | undefined {
	const { revisions, objects, paths, also } = words;
	const names = [...objects.map(({ path }) => path), ...also];
	const checks = commitsIn(objects);
	if (objects.length > 0 && revisions.length === 0) return { questions: checks, names, fromDisk: false };
	const commits = revisions.map(({ peeled }) => peeled);
	if (content.commitsAreFine)
		return { questions: [...checks, ...(commits.length > 0 ? [commitCheck(commits)] : [])], names, fromDisk: false };
	const how = ["--no-walk", ...flags, "--diff-merges=separate", "--format=", "--name-status", "-z", ...quiet];
	return { questions: [...checks, ["log", ...how, ...commits, "--", ...paths]], names, fromDisk: false };
}

/** Two blobs or trees can be compared, too, in which case no names are reported. */
function diff(
	_: GitContent,
	{ revisions, objects, paths, also }: SortedArguments,
	__: QueryContext,
	flags: Flags,
): ContentQueries | undefined {
	const commits = revisions.reduce((sum, revision) => sum + revision.commits, 0);
	if (objects.length > 0 || commits > 2) return undefined;
	const question = ["diff", ...flags, "--name-status", "-z", ...quiet, ...revisions.map(({ peeled }) => peeled), "--", ...paths];
	const staged = flags.includes("--cached") || flags.includes("--staged");
	return { questions: [question], names: also, fromDisk: commits < 2 && !staged };
}

/** Every file that is searched, not only matches, because the absence of a match also reveals content. */
function grep(
	_: GitContent,
	{ revisions, objects, paths, also }: SortedArguments,
	{ emptyTree }: QueryContext,
	flags: Flags,
): ContentQueries | undefined {
	if (objects.length > 0 || revisions.some(({ commits }) => commits > 1)) return undefined;
	if (revisions.length === 0) {
		const others = flags.includes("--untracked") ? ["--others", "--exclude-standard"] : [];
		const question = ["ls-files", "-z", "--full-name", "--cached", ...others, "--", ...paths];
		return { questions: [question], names: also, fromDisk: !flags.includes("--cached") };
	}
	const below = paths.length > 0 ? paths : ["."];
	const trees = revisions.map(({ peeled }) => ["diff-tree", "-r", "--name-only", "-z", "--no-renames", emptyTree, peeled, "--", ...below]);
	return { questions: trees, names: also, fromDisk: false };
}

function object(_: GitContent, { revisions, objects, paths }: SortedArguments): ContentQueries | undefined {
	if (paths.length > 0) return undefined;
	const commits = revisions.map(({ peeled }) => peeled);
	const checks = [...commitsIn(objects), ...(commits.length > 0 ? [commitCheck(commits)] : [])];
	return { questions: checks, names: objects.map(({ path }) => path), fromDisk: false };
}

function stash({ flags = [], operands }: GitContent): ContentQueries | undefined {
	const known = operands.every((word) => /^\d+$/.test(word) || parseRevisionArgument(word, false)?.kind === "revision");
	if (!known || operands.length > 1) return undefined;
	return { questions: [["stash", "show", ...flags, "--name-only", "-z", ...quiet, ...operands]], names: [], fromDisk: false };
}

/** With `-v` it prints all staged and, if repeated, all unstaged changes, regardless of paths. */
function status(): ContentQueries {
	const question = (...flags: string[]) => ["diff", ...flags, "--name-only", "-z", ...quiet];
	return { questions: [question("--cached"), question()], names: [], fromDisk: true };
}

function commitsIn(objects: SortedArguments["objects"]): string[][] {
	const commits = objects.flatMap(({ peeled }) => (peeled === undefined ? [] : [peeled]));
	return commits.length > 0 ? [commitCheck(commits)] : [];
}

/** Succeeds only if all of them are commits; prints nothing. */
function commitCheck(commits: readonly string[]): string[] {
	return ["log", "--no-walk", "-s", "--format=", ...commits, "--"];
}
