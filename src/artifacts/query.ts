// Parses and evaluates view queries: words and a few keys over notes and list items.

// Without regular expressions, so that evaluation is always fast.
import { ArtifactError } from "../core/ports/artifacts.ts";

export interface Query {
	/** All terms must match. */
	terms: Term[];
	sort?: { by: SortKey; down: boolean };
	limit: number;
}

export interface Term {
	key: TermKey;
	/** Lowercase. */
	value: string;
	/** Preceded by `-`. */
	not: boolean;
}

/** A note or list item to match. */
export interface QueryEntry {
	type: "item" | "note";
	/** The ID of the note, or of the item within its list. */
	id: string;
	title: string;
	text: string;
	tags: readonly string[];
	done: boolean;
	/** The item's list; absent for a note. */
	list?: { id: string; name: string };
	createdAt?: string;
	updatedAt: string;
}

const TERM_KEYS = ["text", "list", "type", "tag", "done"] as const;
type TermKey = (typeof TERM_KEYS)[number];
const SORT_KEYS = ["title", "created", "updated", "list"] as const;
type SortKey = (typeof SORT_KEYS)[number];

export const QUERY_LENGTH = 500;
const TERMS = 30;
const LIMIT = 500;
const QUERY_HELP =
	'words, "two words", list:name, tag:name, type:item|note, done:true|false, sort:[-]title|created|updated|list, limit:n; - before a term excludes';

/** Throws ArtifactError that quotes the invalid part. */
export function parseQuery(text: string): Query {
	if (text.length > QUERY_LENGTH) throw invalid(`a query has at most ${QUERY_LENGTH} characters`);
	const query: Query = { terms: [], limit: LIMIT };
	for (const [, minus, key, quoted, bare] of text.matchAll(/(-?)(?:([A-Za-z]+):)?(?:"([^"]*)"|(\S+))/g)) {
		addTerm(query, key?.toLowerCase(), (quoted ?? bare ?? "").toLowerCase(), minus === "-");
	}
	if (query.terms.length > TERMS) throw invalid(`a query has at most ${TERMS} terms`);
	return query;
}

function addTerm(query: Query, key: string | undefined, value: string, not: boolean): void {
	if (key === "sort") {
		const down = value.startsWith("-");
		const by = SORT_KEYS.find((name) => name === value.replace(/^-/, ""));
		if (!by) throw invalid(`sort:${value}`);
		query.sort = { by, down };
		return;
	}
	if (key === "limit") {
		const limit = Number(value);
		if (!Number.isInteger(limit) || limit < 1) throw invalid(`limit:${value}`);
		query.limit = Math.min(limit, LIMIT);
		return;
	}
	const known = key === undefined ? "text" : TERM_KEYS.find((name) => name === key);
	// A word with a colon, such as a URL, is plain text.
	if (known === undefined || (key === "text" && known === "text")) query.terms.push({ key: "text", value: `${key}:${value}`, not });
	else if (known === "type" && !["item", "note"].includes(value)) throw invalid(`type:${value}`);
	else if (known === "done" && !["true", "false"].includes(value)) throw invalid(`done:${value}`);
	else if (value !== "") query.terms.push({ key: known, value: known === "tag" ? value.replace(/^#/, "") : value, not });
}

function invalid(part: string): ArtifactError {
	return new ArtifactError("invalid", `The query cannot be read: ${part}. It takes ${QUERY_HELP}.`, part);
}

/** Returns the invalid part of a query, if any. */
export function invalidQueryPart(text: string): string | undefined {
	try {
		parseQuery(text);
		return undefined;
	} catch (error) {
		return (error as ArtifactError).part;
	}
}

/** Keeps the given order if the query specifies none; `total` is the number before the limit. */
export function evaluateQuery(query: Query, entries: readonly QueryEntry[]): { found: QueryEntry[]; total: number } {
	const fitting = entries.filter((entry) => query.terms.every((term) => holds(term, entry) !== term.not));
	const { sort } = query;
	if (sort) fitting.sort((left, right) => (sort.down ? -1 : 1) * compare(left, right, sort.by));
	return { found: fitting.slice(0, query.limit), total: fitting.length };
}

const HOLDS: Record<TermKey, (value: string, entry: QueryEntry) => boolean> = {
	text: (value, { title, text }) => title.toLowerCase().includes(value) || text.toLowerCase().includes(value),
	list: (value, { list }) => list !== undefined && (list.id.toLowerCase() === value || list.name.toLowerCase() === value),
	type: (value, { type }) => type === value,
	tag: (value, { tags }) => tags.includes(value),
	done: (value, { type, done }) => type === "item" && String(done) === value,
};

function holds({ key, value }: Term, entry: QueryEntry): boolean {
	return HOLDS[key](value, entry);
}

const BY: Record<SortKey, (entry: QueryEntry) => string> = {
	title: ({ title }) => title.toLowerCase(),
	created: ({ createdAt, updatedAt }) => createdAt ?? updatedAt,
	updated: ({ updatedAt }) => updatedAt,
	list: ({ list }) => list?.name.toLowerCase() ?? "",
};

function compare(left: QueryEntry, right: QueryEntry, by: SortKey): number {
	const [a, b] = [BY[by](left), BY[by](right)];
	return a < b ? -1 : a > b ? 1 : 0;
}
