// Search roots, and the matches that a search has collected so far.
import type { SearchMatch } from "../../core/ports/workspace.ts";

/** Where one search begins: a folder, or one file in it. */
export interface SearchRoot {
	folder: string;
	file?: string;
	/** Of the workspace folder, where there are several: paths and globs may begin with it. */
	folderName?: string;
}

/** Grows until there are more matches than wanted; lines of context do not count. */
export interface CollectedMatches {
	matches: SearchMatch[];
	count: number;
	limit: number;
}

/** Returns whether the search goes on. */
export function addMatch(found: CollectedMatches, match: SearchMatch): boolean {
	if (!match.context) found.count += 1;
	if (found.count > found.limit) return false;
	found.matches.push(match);
	return true;
}
