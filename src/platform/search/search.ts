// Finds files and searches text with ripgrep; without ripgrep, plain text only.

// A model's pattern never runs in the extension host.
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { FileStat, SearchMatch, SearchQuery, Workspace } from "../../core/ports/workspace.ts";
import { type GetWorkspaceFolders, listProjectFiles } from "../files/files.ts";
import type { OutputStore } from "../processes/outputStore.ts";
import type { Programs } from "../programs/programs.ts";
import { addMatch, type CollectedMatches, type SearchRoot } from "./collectedMatches.ts";
import { compileGlob, type GlobMatcher } from "./glob.ts";
import { searchLiterally } from "./literalSearch.ts";
import { type RipgrepOptions, type RipgrepResult, runRipgrep } from "./ripgrep.ts";

export interface SearchOptions {
	folders: GetWorkspaceFolders;
	/** All folders of the workspace, where these are not all: their names tell paths apart. */
	allFolders?: GetWorkspaceFolders | undefined;
	outputStore: OutputStore;
	programs: Pick<Programs, "environment" | "ripgrepPath" | "gitOutput">;
}

export function createSearch(options: SearchOptions): Pick<Workspace, "find" | "search"> {
	const finding: SearchScope = { allFolders: options.allFolders ?? options.folders, pathType: kindOnDisk };
	return {
		async find(glob, { under, limit, signal }) {
			const paths: string[] = [];
			for (const root of await resolveSearchRoots(under, options.folders, finding)) {
				const shown = (path: string) =>
					under === undefined ? formatDisplayPath(path, finding.allFolders()) : (relativePathWithin(under, path) ?? path);
				if (root.file !== undefined)
					throw new ToolError(`${formatDisplayPath(under ?? "", options.folders())} is a file. Look below a folder.`);
				const own = [glob].flat().map((one) => globWithinRoot(one, root));
				const matches = own.map(parseGlob);
				const add = (name: string) => {
					if (matches.some((fits) => fits(name))) paths.push(shown(join(root.folder, name)));
					return paths.length <= limit;
				};
				await filesBelow(root.folder, own, add, signal, options);
				if (paths.length > limit) break;
			}
			return { paths: paths.slice(0, limit).sort(), more: paths.length > limit };
		},
		async search(query, signal) {
			const ripgrep = await ripgrepOf(options);
			const found: CollectedMatches = { matches: [], count: 0, limit: query.limit };
			for (const root of await resolveSearchRoots(query.under, options.folders, finding)) {
				const glob = query.glob === undefined || root.file !== undefined ? undefined : globWithinRoot(query.glob, root);
				const matches = glob === undefined ? undefined : parseGlob(glob);
				const accepts = (path: string) => !matches || matches(slashed(relativePathWithin(root.folder, path) ?? path));
				if (!ripgrep) await searchLiterally(query, root, accepts, found, signal, options.programs);
				else await searchByRipgrep(ripgrep, { ...query, glob }, root, accepts, found, signal, options.outputStore);
				if (found.count > query.limit) break;
			}
			return { matches: sorted(found.matches), more: found.count > query.limit };
		},
	};
}

type Ripgrep = Pick<RipgrepOptions, "program" | "environment">;

/** Undefined where there is none. */
async function ripgrepOf({ programs }: SearchOptions): Promise<Ripgrep | undefined> {
	const program = await programs.ripgrepPath();
	return program === undefined ? undefined : { program, environment: await programs.environment("own") };
}

async function searchByRipgrep(
	ripgrep: Ripgrep,
	query: Omit<SearchQuery, "glob"> & { glob: string | undefined },
	root: SearchRoot,
	accepts: (path: string) => boolean,
	found: CollectedMatches,
	signal: AbortSignal,
	spill: OutputStore,
): Promise<void> {
	const before = found.matches.length;
	let rest = "";
	const take = (text: string) => {
		const records = (rest + text).split("\n");
		rest = records.pop() ?? "";
		if (rest.length > LONGEST_RECORD) rest = "";
		return records.every((record) => {
			const match = matchOf(record, root.folder);
			return !match || !accepts(match.path) || addMatch(found, match);
		});
	};
	const words = [
		...["--null", "--line-number", "--no-heading", "--with-filename", "--no-context-separator"],
		...["--max-columns=500", "--max-columns-preview"],
		...(query.literal ? ["--fixed-strings"] : []),
		query.ignoreCase ? "--ignore-case" : "--case-sensitive",
		...(query.context ? [`--context=${query.context}`] : []),
		...["--regexp", query.pattern, "--", `./${root.file ?? ""}`],
	];
	const end = await withGlob(query.glob === undefined ? [] : [query.glob], spill, (more) =>
		runRipgrep({ ...ripgrep, folder: root.folder, args: [...more, ...words], signal, onOutput: take }),
	);
	if (end.outcome === "failed")
		throw new ToolError(`The search failed: ${end.errorText}\nCorrect the pattern, or search for it as plain text (literal).`);
	if (end.outcome !== "timeout") return;
	if (found.matches.length === before) throw new ToolError(`${TOO_LONG} Search in a smaller folder or with a glob.`);
	found.count = Math.max(found.count, found.limit + 1);
}

/** A record is `path NUL line : text`, with `-` instead of `:` where it is context. */
function matchOf(record: string, folder: string): SearchMatch | undefined {
	const end = record.indexOf("\0");
	const [, line, separator] = /^(\d+)([:-])/.exec(record.slice(end + 1, end + 14)) ?? [];
	if (end < 0 || line === undefined || separator === undefined) return undefined;
	const text = record.slice(end + 1 + line.length + 1).replace(/\r$/, "");
	const match: SearchMatch = { path: join(folder, record.slice(0, end)), line: Number(line), text };
	return separator === "-" ? { ...match, context: true } : match;
}

/** Calls `add` with the path of every file that may match, relative to the folder, with slashes. */
async function filesBelow(
	folder: string,
	globs: readonly string[],
	add: (name: string) => boolean,
	signal: AbortSignal,
	options: SearchOptions,
): Promise<void> {
	const ripgrep = await ripgrepOf(options);
	if (!ripgrep) {
		(await listProjectFiles(folder, options.programs)).every((path) => add(slashed(relativePathWithin(folder, path) ?? path)));
		return;
	}
	let rest = "";
	const take = (text: string) => {
		const names = (rest + text).split("\0");
		rest = names.pop() ?? "";
		return names.every((name) => add(slashed(name)));
	};
	const end = await withGlob(globs, options.outputStore, (more) =>
		runRipgrep({ ...ripgrep, folder, args: [...more, "--files", "--null"], signal, onOutput: take }),
	);
	if (end.outcome === "failed") throw new ToolError(`The search failed: ${end.errorText}\nCorrect the glob.`);
	if (end.outcome === "timeout") throw new ToolError(`${TOO_LONG} Look below one folder.`);
}

const TOO_LONG = "The search was given up after 10 seconds.";
/** Characters; a line is cut at 500 columns, so only broken output is longer. */
const LONGEST_RECORD = 1024 * 1024;

/**
 * ripgrep's own --glob would bring back files that are ignored. An ignore file of the lowest rank that leaves out
 * everything but the glob does not.
 */
function withGlob(globs: readonly string[], spill: OutputStore, run: (words: string[]) => Promise<RipgrepResult>): Promise<RipgrepResult> {
	const [first] = globs;
	if (first === undefined) return run([]);
	const rules = first.startsWith("!") ? first.slice(1) : ["*", "!*/", ...globs.map((glob) => `!${glob}`)].join("\n");
	return spill.withTextFile(`${rules}\n`, (path) => run([`--ignore-file=${path}`]));
}

/** The glob as it applies within one workspace folder; a folder stands for what is in it. */
export function globWithinRoot(glob: string, { folderName: name }: SearchRoot): string {
	const own = name !== undefined && glob.startsWith(`${name}/`) ? glob.slice(name.length) : glob;
	return own.endsWith("/") ? `${own}**` : own;
}

export function parseGlob(glob: string): GlobMatcher {
	const excludes = glob.startsWith("!");
	const matches = glob.trim() === "" ? undefined : compileGlob(excludes ? glob.slice(1) : glob);
	if (!matches) throw new ToolError("The glob is empty, too long or has too many alternatives. Use a simpler one, such as src/**/*.ts.");
	return excludes ? (path) => !matches(path) : matches;
}

/** How places are named and looked at. */
export interface SearchScope {
	allFolders: GetWorkspaceFolders;
	/** Undefined when there is nothing. */
	pathType(path: string): Promise<FileStat["type"] | undefined>;
}

async function kindOnDisk(path: string): Promise<FileStat["type"] | undefined> {
	const found = await stat(path).catch(() => undefined);
	if (found?.isFile()) return "file";
	return found?.isDirectory() ? "directory" : found && "other";
}

export async function resolveSearchRoots(
	under: string | undefined,
	folders: GetWorkspaceFolders,
	{ allFolders: named, pathType: kindOf }: SearchScope,
): Promise<SearchRoot[]> {
	if (under === undefined) {
		const several = named().length > 1;
		return folders().map((folder) => ({ folder: folder.path, ...(several && { folderName: folder.name }) }));
	}
	const kind = await kindOf(under);
	if (!kind) throw new ToolError(`${formatDisplayPath(under, named())} does not exist. Look for it with find_files or list_directory.`);
	// Nobody may ever write into a pipe.
	if (kind === "other") throw new ToolError(`${formatDisplayPath(under, named())} is neither a file nor a folder.`);
	return [kind === "directory" ? { folder: under } : { folder: dirname(under), file: basename(under) }];
}

/** ripgrep works on several files at once and prints them as they come. */
function sorted(matches: SearchMatch[]): SearchMatch[] {
	return matches.sort((one, other) => (one.path < other.path ? -1 : one.path > other.path ? 1 : one.line - other.line));
}

function slashed(path: string): string {
	return path.replaceAll("\\", "/").replace(/^\.\//, "");
}
