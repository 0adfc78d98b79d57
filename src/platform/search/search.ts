// Finds files and searches text with ripgrep; without ripgrep, plain text only.

// A model's pattern never runs in the extension host.
import { stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { FileStat } from "../../core/ports/workspace/files.ts";
import type { SearchMatch, SearchQuery } from "../../core/ports/workspace/search.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { type GetWorkspaceFolders, listProjectFiles } from "../files/files.ts";
import type { OutputStore } from "../processes/outputStore.ts";
import type { Programs } from "../programs/programs.ts";
import { addMatch, type CollectedMatches, type SearchRoot } from "./collectedMatches.ts";
import { compileGlob, type GlobMatcher } from "./glob.ts";
import { searchLiterally } from "./literalSearch.ts";
import { type RipgrepOptions, type RipgrepResult, runRipgrep } from "./ripgrep.ts";

export interface SearchOptions {
	folders: GetWorkspaceFolders;
	/** All workspace folders if `folders` is only a part; their names make paths unambiguous. */
	allFolders?: GetWorkspaceFolders | undefined;
	outputStore: OutputStore;
	programs: Pick<Programs, "environment" | "ripgrepPath" | "gitOutput">;
}

export function createSearch(options: SearchOptions): Pick<Workspace, "find" | "search"> {
	const scope: SearchScope = { allFolders: options.allFolders ?? options.folders, pathType: kindOnDisk };
	return {
		async find(glob, { under, limit, signal }) {
			const paths: string[] = [];
			for (const root of await resolveSearchRoots(under, options.folders, scope)) {
				const shown = (path: string) =>
					under === undefined ? formatDisplayPath(path, scope.allFolders()) : (relativePathWithin(under, path) ?? path);
				if (root.file !== undefined)
					throw new ToolError(`${formatDisplayPath(under ?? "", options.folders())} is a file. Look below a folder.`);
				const globs = [glob].flat().map((one) => globWithinRoot(one, root));
				const matches = globs.map(parseGlob);
				const add = (name: string) => {
					if (matches.some((fits) => fits(name))) paths.push(shown(join(root.folder, name)));
					return paths.length <= limit;
				};
				await filesBelow(root.folder, globs, add, signal, options);
				if (paths.length > limit) break;
			}
			return { paths: paths.slice(0, limit).sort(), more: paths.length > limit };
		},
		async search(query, signal) {
			const ripgrep = await ripgrepOf(options);
			const found: CollectedMatches = { matches: [], count: 0, limit: query.limit };
			for (const root of await resolveSearchRoots(query.under, options.folders, scope)) {
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

/** Returns undefined if ripgrep is missing. */
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
	outputStore: OutputStore,
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
	const args = [
		...["--null", "--line-number", "--no-heading", "--with-filename", "--no-context-separator"],
		...["--max-columns=500", "--max-columns-preview"],
		...(query.literal ? ["--fixed-strings"] : []),
		query.ignoreCase ? "--ignore-case" : "--case-sensitive",
		...(query.context ? [`--context=${query.context}`] : []),
		...["--regexp", query.pattern, "--", `./${root.file ?? ""}`],
	];
	const end = await withGlob(query.glob === undefined ? [] : [query.glob], outputStore, (more) =>
		runRipgrep({ ...ripgrep, folder: root.folder, args: [...more, ...args], signal, onOutput: take }),
	);
	if (end.outcome === "failed")
		throw new ToolError(`The search failed: ${end.errorText}\nCorrect the pattern, or search for it as plain text (literal).`);
	if (end.outcome !== "timeout") return;
	if (found.matches.length === before) throw new ToolError(`${TOO_LONG} Search in a smaller folder or with a glob.`);
	found.count = Math.max(found.count, found.limit + 1);
}

/** Parses a record `path NUL line : text`, with `-` instead of `:` for context lines. */
function matchOf(record: string, folder: string): SearchMatch | undefined {
	const end = record.indexOf("\0");
	const [, line, separator] = /^(\d+)([:-])/.exec(record.slice(end + 1, end + 14)) ?? [];
	if (end < 0 || line === undefined || separator === undefined) return undefined;
	const text = record.slice(end + 1 + line.length + 1).replace(/\r$/, "");
	const match: SearchMatch = { path: join(folder, record.slice(0, end)), line: Number(line), text };
	return separator === "-" ? { ...match, context: true } : match;
}

/** Calls `add` with the slash-separated relative path of every file that may match. */
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
/** Characters; lines are truncated at 500 columns, so only invalid output is longer. */
const LONGEST_RECORD = 1024 * 1024;

/**
 * Passes globs as an ignore file of the lowest precedence that excludes everything else, because ripgrep's own --glob would
 * include ignored files.
 */
function withGlob(
	globs: readonly string[],
	outputStore: OutputStore,
	run: (args: string[]) => Promise<RipgrepResult>,
): Promise<RipgrepResult> {
	const [first] = globs;
	if (first === undefined) return run([]);
	const rules = first.startsWith("!") ? first.slice(1) : ["*", "!*/", ...globs.map((glob) => `!${glob}`)].join("\n");
	return outputStore.withTextFile(`${rules}\n`, (path) => run([`--ignore-file=${path}`]));
}

/** The glob relative to one workspace folder; a folder means everything in it. */
export function globWithinRoot(glob: string, { folderName: name }: SearchRoot): string {
	const relativeGlob = name !== undefined && glob.startsWith(`${name}/`) ? glob.slice(name.length) : glob;
	return relativeGlob.endsWith("/") ? `${relativeGlob}**` : relativeGlob;
}

export function parseGlob(glob: string): GlobMatcher {
	const excludes = glob.startsWith("!");
	const matches = glob.trim() === "" ? undefined : compileGlob(excludes ? glob.slice(1) : glob);
	if (!matches) throw new ToolError("The glob is empty, too long or has too many alternatives. Use a simpler one, such as src/**/*.ts.");
	return excludes ? (path) => !matches(path) : matches;
}

export interface SearchScope {
	allFolders: GetWorkspaceFolders;
	/** Resolves to undefined if the path does not exist. */
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
	// Reading a pipe could block forever.
	if (kind === "other") throw new ToolError(`${formatDisplayPath(under, named())} is neither a file nor a folder.`);
	return [kind === "directory" ? { folder: under } : { folder: dirname(under), file: basename(under) }];
}

/** ripgrep searches files in parallel, so its output is unordered. */
function sorted(matches: SearchMatch[]): SearchMatch[] {
	return matches.sort((left, right) => (left.path < right.path ? -1 : left.path > right.path ? 1 : left.line - right.line));
}

function slashed(path: string): string {
	return path.replaceAll("\\", "/").replace(/^\.\//, "");
}
