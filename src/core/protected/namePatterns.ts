// Matches path segments against tables of name patterns.

// `*` matches any characters, `a/b` matches consecutive segments, `/a` matches segments that start at the workspace folder.

/** The normalized segments of a path. */
type Parts = readonly string[];

export interface NameTable {
	/** First index of a matching run of segments that ends at `last`; undefined if there is none. */
	startOf(parts: Parts, last: number): number | undefined;
	/** First and last index of the first matching run of segments. */
	find(parts: Parts): [first: number, last: number] | undefined;
}

interface Row {
	pieces: readonly Piece[];
	rooted: boolean;
}

type Piece = (part: string) => boolean;

/** Patterns must be normalized like the paths they are matched against. */
export function createNameTable(patterns: readonly string[]): NameTable {
	const exactNames = new Set<string>();
	/** Keyed by their first two characters, else by their last two, else "". */
	const wildcards = new Map<string, Piece[]>();
	/** Keyed by their last segment, or "*" if that segment is a pattern itself. */
	const rows = new Map<string, Row[]>();
	for (const pattern of patterns) {
		if (pattern.includes("/")) {
			const names = pattern.replace(/^\//, "").split("/");
			const key = names.at(-1)?.includes("*") ? "*" : (names.at(-1) as string);
			rows.set(key, [...(rows.get(key) ?? []), { pieces: names.map(compilePiece), rooted: pattern.startsWith("/") }]);
		} else if (!pattern.includes("*")) exactNames.add(pattern);
		else wildcards.set(keyOf(pattern), [...(wildcards.get(keyOf(pattern)) ?? []), compilePiece(pattern)]);
	}
	const any = (pieces: readonly Piece[] | undefined, part: string) => pieces?.some((piece) => piece(part)) === true;
	const has = (part: string) =>
		exactNames.has(part) ||
		any(wildcards.get(""), part) ||
		any(wildcards.get(`${part.slice(0, 2)}*`), part) ||
		any(wildcards.get(`*${part.slice(-2)}`), part);
	const startOf = (parts: Parts, last: number) => {
		const part = parts[last] as string;
		if (has(part)) return last;
		return rows.size === 0 ? undefined : (matchRows(rows.get(part), parts, last) ?? matchRows(rows.get("*"), parts, last));
	};
	return {
		startOf,
		find(parts) {
			for (let last = 0; last < parts.length; last++) {
				const first = startOf(parts, last);
				if (first !== undefined) return [first, last];
			}
			return undefined;
		},
	};
}

function keyOf(pattern: string): string {
	if (!pattern.slice(0, 2).includes("*")) return `${pattern.slice(0, 2)}*`;
	return pattern.slice(-2).includes("*") ? "" : `*${pattern.slice(-2)}`;
}

/** First index of a row's match that ends at `last`. */
function matchRows(rows: readonly Row[] | undefined, parts: Parts, last: number): number | undefined {
	for (const { pieces, rooted } of rows ?? []) {
		const first = last + 1 - pieces.length;
		if (first < 0 || (rooted && first > 0)) continue;
		if (pieces.every((piece, at) => piece(parts[first + at] as string))) return first;
	}
	return undefined;
}

/** Combines every name with each extension: `withExtensions(["a"], ["json"])` is `["a.json"]`. */
export function withExtensions(names: readonly string[], endings: readonly string[]): string[] {
	return names.flatMap((name) => endings.map((ending) => `${name}.${ending}`));
}

function compilePiece(pattern: string): Piece {
	const [beginning = "", ...others] = pattern.split("*");
	const ending = others.pop();
	if (ending === undefined) return (part) => part === pattern;
	const fixed = beginning.length + ending.length;
	return (part) => {
		if (part.length < fixed || !part.startsWith(beginning) || !part.endsWith(ending)) return false;
		let at = beginning.length;
		for (const middle of others) {
			const found = part.indexOf(middle, at);
			if (found < 0) return false;
			at = found + middle.length;
		}
		return at <= part.length - ending.length;
	};
}
