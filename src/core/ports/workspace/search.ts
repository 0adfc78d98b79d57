// The port to the search in a workspace.

export interface SearchQuery {
	pattern: string;
	/** Absolute folder or file to search; every workspace folder if absent. */
	under?: string;
	glob?: string;
	/** The pattern is a plain string, not a regular expression. */
	literal?: boolean;
	ignoreCase?: boolean;
	/** Context lines before and after each match. */
	context?: number;
	limit: number;
}

export interface SearchMatch {
	path: string;
	/** Line number, starting at 1. */
	line: number;
	text: string;
	/** A context line around a match. */
	context?: boolean;
}

export interface SearchResult {
	matches: SearchMatch[];
	/** The search stopped at the limit. */
	more: boolean;
	/** Set if more files exist than this number, which were searched. */
	bounded?: number;
}

/** Ignored files are left out, and links are not followed. */
export interface WorkspaceSearch {
	/**
	 * Matching files, without ignored ones; links are not followed. Paths are relative to `under`, or otherwise to the workspace
	 * folder, prefixed with its name if there are several.
	 */
	find(
		glob: string | readonly string[],
		options: { under?: string; limit: number; signal: AbortSignal },
	): Promise<{ paths: string[]; more: boolean; bounded?: number }>;
	search(query: SearchQuery, signal: AbortSignal): Promise<SearchResult>;
}
