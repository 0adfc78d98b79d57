// The search_code tool: finds lines that match a regular expression, using ripgrep.
import * as z from "zod";
import { relativePathWithin } from "../core/paths.ts";
import { defineTool, type ToolContext } from "../core/ports/tool.ts";
import type { SearchMatch, SearchQuery, SearchResult } from "../core/ports/workspace/search.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { countProtected, filterVisible, isAllowedRoot, isProtectedPath, protectedNote } from "./shared/protectedFilter.ts";
import { displayPath, fileNotFound, fittingLines, pathFactOf, resultCounts, truncateLine, withToolProblem } from "./shared/toolHelpers.ts";

const SHOWN = 200;
/** Longer than the limit at which ripgrep itself truncates and marks lines. */
const LINE_LIMIT = 600;
/** Initial and maximum number of matches requested. */
const INITIAL_LIMIT = 256;
const MAX_LIMIT = 131_072;

type Root = { literal: string; real: string } | undefined;

export const searchCode = defineTool({
	name: "search_code",
	plugin: "files",
	description: "Search file contents by regular expression (ripgrep). Ignored files are left out.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({
		pattern: z.string().min(1),
		path: z.string().optional(),
		glob: z.string().max(256).optional(),
		literal: z.boolean().optional().describe("Plain text, no regex"),
		ignore_case: z.boolean().optional(),
		context: z.number().int().min(0).max(20).optional().describe("Lines around each match"),
	}),
	...summaryAndDone("search_code"),
	paths: ({ path }) => (path === undefined ? [] : [{ path, use: "read" }]),
	async run(input, context) {
		const { workspace, signal, seen } = context;
		const root = input.path === undefined ? undefined : pathFactOf(context, input.path);
		if (root && !(await workspace.stat(root.real))) throw fileNotFound(displayPath(root.literal, workspace));
		const query: SearchQuery = { pattern: input.pattern, limit: INITIAL_LIMIT };
		if (root) query.under = root.real;
		if (input.glob !== undefined) query.glob = input.glob;
		if (input.literal) query.literal = true;
		if (input.ignore_case) query.ignoreCase = true;
		if (input.context) query.context = input.context;
		const [{ matches: found, bounded }, hidden] = await withToolProblem(signal, "The search failed.", () =>
			Promise.all([matchesToShow(context, query, root), countProtected(context, input.glob, root)]),
		);
		const limited = upToHits(found, SHOWN);
		const lines = fittingLines(limited.map((match) => formatMatch(match, displayPath(match.path, workspace))));
		const shown = limited.slice(0, lines.length);
		const files = new Set(shown.map((match) => match.path));
		for (const file of files) seen.show(file);
		const hits = countHits(shown);
		if (shown.length < found.length) lines.push("[more matches than are shown; narrow with path or glob]");
		if (bounded !== undefined) lines.push(`[no more than ${bounded} files were searched; narrow with path or glob]`);
		lines.push(...protectedNote(hidden, "files not searched"));
		lines.push(`[${hits} matches in ${files.size} files]`);
		return {
			output: lines.join("\n"),
			// Counts lines, because a line may match more than once.
			view: { kind: "text", figure: `${resultCounts.lines(hits)} · ${resultCounts.files(files.size)}` },
		};
	},
});

/**
 * Matches in visible files, independent of all others: if matches in a protected file used up the limit, the note on further
 * matches would reveal what that file contains.
 */
async function matchesToShow(context: ToolContext, query: SearchQuery, root: Root): Promise<Pick<SearchResult, "matches" | "bounded">> {
	const allowed = root !== undefined && (await isAllowedRoot(context, root.literal));
	for (let limit = INITIAL_LIMIT; ; limit *= 8) {
		const { matches, more, bounded } = await context.workspace.search({ ...query, limit }, context.signal);
		const placed = matches.map((match) => ({ ...match, path: placeOf(match.path, root) }));
		const visible = allowed
			? placed.filter((match) => !isProtectedPath(relativePathWithin(root.literal, match.path) ?? match.path))
			: await filterVisible(context, placed, (match) => match.path);
		const enough = !more || countHits(visible) > SHOWN || visible.length === placed.length;
		if (enough || limit >= MAX_LIMIT) return { matches: visible, ...(bounded !== undefined && { bounded }) };
	}
}

/** Maps a path behind a link back to the path that the call used. */
function placeOf(path: string, root: Root): string {
	if (!root || root.literal === root.real) return path;
	if (path === root.real) return root.literal;
	return path.startsWith(`${root.real}/`) ? root.literal + path.slice(root.real.length) : path;
}

function upToHits(matches: readonly SearchMatch[], limit: number): SearchMatch[] {
	let remaining = limit;
	const end = matches.findIndex((match) => {
		if (!match.context) remaining -= 1;
		return remaining < 0;
	});
	return end < 0 ? [...matches] : matches.slice(0, end);
}

function countHits(matches: readonly SearchMatch[]): number {
	return matches.filter((match) => !match.context).length;
}

function formatMatch(match: SearchMatch, name: string): string {
	const mark = match.context ? "-" : ":";
	return `${name}${mark}${match.line}${mark}${truncateLine(match.text.replace(/\r?\n$/, ""), LINE_LIMIT)}`;
}
