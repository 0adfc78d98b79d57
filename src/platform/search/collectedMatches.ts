// The roots of a search, and the matches collected so far.
import type { SearchMatch } from "../../core/ports/workspace/search.ts";

/** The root of one search: a folder, or a file in it. */
export interface SearchRoot {
	folder: string;
	file?: string;
	/** The workspace folder's name if there are several; paths and globs may begin with it. */
	folderName?: string;
}

/** Collects until there are more matches than the limit; context lines do not count. */
export interface CollectedMatches {
	matches: SearchMatch[];
	count: number;
	limit: number;
}

/** Returns true if the search should continue. */
export function addMatch(found: CollectedMatches, match: SearchMatch): boolean {
	if (!match.context) found.count += 1;
	if (found.count > found.limit) return false;
	found.matches.push(match);
	return true;
}
