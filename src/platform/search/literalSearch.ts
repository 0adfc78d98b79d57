// Searches plain text if ripgrep is missing.

// Limited to plain text, because a model's regular expression must not run in the extension host.
import { lstat, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { ToolError } from "../../core/ports/tool.ts";
import type { SearchQuery } from "../../core/ports/workspace/search.ts";
import { listProjectFiles } from "../files/files.ts";
import type { GitRunner } from "../git/gitChanges.ts";
import { addMatch, type CollectedMatches, type SearchRoot } from "./collectedMatches.ts";

export async function searchLiterally(
	query: SearchQuery,
	root: SearchRoot,
	accepts: (path: string) => boolean,
	found: CollectedMatches,
	signal: AbortSignal,
	programs: GitRunner,
): Promise<void> {
	if (!query.literal && SPECIAL.test(query.pattern)) {
		throw new ToolError(
			"ripgrep was not found on this machine, so regular expressions cannot be searched for. Search for plain text (literal).",
		);
	}
	const until = Date.now() + TIME_LIMIT;
	const files = root.file === undefined ? await listProjectFiles(root.folder, programs) : [join(root.folder, root.file)];
	for (const path of files.filter(accepts)) {
		signal.throwIfAborted();
		if (Date.now() > until) found.count = Math.max(found.count, query.limit + 1);
		if (found.count > query.limit) return;
		// A tracked path may be a link or may have become a pipe.
		const file = await lstat(path).catch(() => undefined);
		const size = file?.isFile() ? file.size : 0;
		const bytes = size > 0 && size <= LARGEST ? await readFile(path).catch(() => undefined) : undefined;
		if (bytes && !bytes.includes(0)) searchText(path, bytes.toString("utf8"), query, found);
		await setImmediate();
	}
}

const SPECIAL = /[\\^$.*+?()[\]{}|]/;
const LARGEST = 1024 * 1024;
/** Milliseconds. */
const TIME_LIMIT = 10_000;
const LONGEST_LINE = 500;

function searchText(path: string, text: string, query: SearchQuery, found: CollectedMatches): void {
	const fold = (part: string) => (query.ignoreCase ? part.toLowerCase() : part);
	const wanted = fold(query.pattern);
	if (!fold(text).includes(wanted)) return;
	const lines = text.split(/\r?\n/);
	const hits = new Set(lines.flatMap((line, index) => (fold(line).includes(wanted) ? [index] : [])));
	const contextLines = query.context ?? 0;
	const shown = new Set([...hits].flatMap((hit) => Array.from({ length: 2 * contextLines + 1 }, (_, step) => hit - contextLines + step)));
	for (const index of shown) {
		const line = lines[index];
		if (line === undefined) continue;
		const match = { path, line: index + 1, text: line.slice(0, LONGEST_LINE) };
		if (!addMatch(found, hits.has(index) ? match : { ...match, context: true })) return;
	}
}
