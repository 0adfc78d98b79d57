// Turns a command that prints what is in files into the questions whose answers are the names of those files.
import type { GitContent } from "../programs/judgement.ts";
import { hasReferenceFlags, withoutCountLimits } from "./historyFlags.ts";
import { parseRevisionArgument, type RevisionArgument } from "./revisions.ts";

export interface ContentQueries {
	/** Words for git, each of which prints names and ends well, or nothing is known. */
	questions: readonly (readonly string[])[];
	/** Names that the words tell themselves: relative to the top of the repository, or to the folder where they begin with a dot. */
	names: readonly string[];
	/** Files as they are on disk are printed, too. */
	fromDisk: boolean;
}

/** What is known of where the command runs. */
export interface QueryContext {
	/** There is something of that name, seen from the folder. */
	exists(word: string): Promise<boolean>;
	/** As a path it leads out of the repository by its name. */
	leavesRepository(word: string): boolean;
	/** The object of a tree with nothing in it. */
	emptyTree: string;
}

const MOST_REVISIONS = 8;
const quiet = ["--no-renames", "--no-relative", "--no-ext-diff", "--no-textconv", "--ignore-submodules=dirty"];

/** Undefined where it cannot be told what would be printed. */
export async function contentQueriesOf(content: GitContent, place: QueryContext): Promise<ContentQueries | undefined> {
	const { flags } = content;
	if (!flags) return undefined;
	if (content.kind === "status") return status();
	if (content.kind === "stash") return stash(content);
	// Outside of the repository folders are compared, with everything in them.
	if (content.kind === "diff" && [...content.operands, ...(content.paths ?? [])].some(place.leavesRepository)) return undefined;
	const words = await sorted(content, place);
	if (!words || words.revisions.length > MOST_REVISIONS) return undefined;
	const byKind = { log, show, diff, grep, object };
	return byKind[content.kind](content, words, place, flags);
}

interface Sorted {
	revisions: { peeled: string; commits: number }[];
	objects: Extract<RevisionArgument, { kind: "object" }>[];
	paths: string[];
	/** What patterns would name if they were none. */
	also: string[];
}

/** As git does: revisions first, and paths from the first word that is one. */
async function sorted({ kind, operands, paths }: GitContent, place: QueryContext): Promise<Sorted | undefined> {
	const found: Sorted = { revisions: [], objects: [], paths: [], also: [] };
	for (const word of operands) {
		// Names and modes, no content.
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

function log(_: GitContent, { revisions, objects, paths, also }: Sorted, __: QueryContext, flags: Flags): ContentQueries | undefined {
	if (objects.length > 0) return undefined;
	// Of commits of one second, the order of the words decides which come first.
	const chosen = revisions.length > 0 && hasReferenceFlags(flags) ? withoutCountLimits(flags) : flags;
	const commits = revisions.map(({ peeled }) => peeled);
	const question = ["log", ...chosen, "--format=", "--name-status", "-z", ...quiet, ...commits, "--", ...paths];
	return { questions: [question], names: also, fromDisk: false };
}

function show(content: GitContent, words: Sorted, _: QueryContext, flags: Flags): ContentQueries | undefined {
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

/** Two blobs or trees may be compared, too: then nothing tells the names. */
function diff(_: GitContent, { revisions, objects, paths, also }: Sorted, __: QueryContext, flags: Flags): ContentQueries | undefined {
	const commits = revisions.reduce((sum, revision) => sum + revision.commits, 0);
	if (objects.length > 0 || commits > 2) return undefined;
	const question = ["diff", ...flags, "--name-status", "-z", ...quiet, ...revisions.map(({ peeled }) => peeled), "--", ...paths];
	const staged = flags.includes("--cached") || flags.includes("--staged");
	return { questions: [question], names: also, fromDisk: commits < 2 && !staged };
}

/** Every file that it searches, not only those where it finds something: that it finds nothing tells something, too. */
function grep(
	_: GitContent,
	{ revisions, objects, paths, also }: Sorted,
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

function object(_: GitContent, { revisions, objects, paths }: Sorted): ContentQueries | undefined {
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

/** With `-v` it prints all that is staged, twice all that is not, whatever paths it is about. */
function status(): ContentQueries {
	const question = (...flags: string[]) => ["diff", ...flags, "--name-only", "-z", ...quiet];
	return { questions: [question("--cached"), question()], names: [], fromDisk: true };
}

function commitsIn(objects: Sorted["objects"]): string[][] {
	const commits = objects.flatMap(({ peeled }) => (peeled === undefined ? [] : [peeled]));
	return commits.length > 0 ? [commitCheck(commits)] : [];
}

/** Ends well only where all of them are commits; prints nothing. */
function commitCheck(commits: readonly string[]): string[] {
	return ["log", "--no-walk", "-s", "--format=", ...commits, "--"];
}
