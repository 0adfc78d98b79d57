// Tables of names in paths: `*` for any characters, `a/b` for parts that follow each other, `/a` from the workspace folder on.

/** A path's parts, folded. */
type Parts = readonly string[];

export interface NameTable {
	/** Whether one part alone is such a name. */
	has(part: string): boolean;
	/** Places of the first parts that are, first and last. */
	find(parts: Parts): [first: number, last: number] | undefined;
	/** Whether the path ends in one. */
	ends(parts: Parts): boolean;
}

interface Row {
	pieces: readonly Piece[];
	rooted: boolean;
}

type Piece = (part: string) => boolean;

/** Patterns are as folded as what they are held against. */
export function nameTable(patterns: readonly string[]): NameTable {
	const whole = new Set<string>();
	/** By their first character, "*" for those that begin with any. */
	const starred = new Map<string, Piece[]>();
	const rows: Row[] = [];
	for (const pattern of patterns) {
		if (pattern.includes("/")) rows.push({ pieces: pattern.replace(/^\//, "").split("/").map(pieceOf), rooted: pattern.startsWith("/") });
		else if (!pattern.includes("*")) whole.add(pattern);
		else starred.set(pattern.charAt(0), [...(starred.get(pattern.charAt(0)) ?? []), pieceOf(pattern)]);
	}
	const any = (pieces: readonly Piece[] | undefined, part: string) => pieces?.some((piece) => piece(part)) === true;
	const has = (part: string) => whole.has(part) || any(starred.get("*"), part) || any(starred.get(part.charAt(0)), part);
	/** The first of the parts that end here and are a name, if they are. */
	const startOf = (parts: Parts, last: number) => {
		if (has(parts[last] as string)) return last;
		for (const { pieces, rooted } of rows) {
			const first = last + 1 - pieces.length;
			if (first < 0 || (rooted && first > 0)) continue;
			if (pieces.every((piece, at) => piece(parts[first + at] as string))) return first;
		}
		return undefined;
	};
	return {
		has,
		ends: (parts) => parts.length > 0 && startOf(parts, parts.length - 1) !== undefined,
		find(parts) {
			for (let last = 0; last < parts.length; last++) {
				const first = startOf(parts, last);
				if (first !== undefined) return [first, last];
			}
			return undefined;
		},
	};
}

/** Every name before each of the endings: `named(["a"], ["json"])` is `a.json`. */
export function named(names: readonly string[], endings: readonly string[]): string[] {
	return names.flatMap((name) => endings.map((ending) => `${name}.${ending}`));
}

function pieceOf(pattern: string): Piece {
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
