// Which names are protected from being read: the gate asks before one is, and a search knows by them what it leaves out.
import { listOriginalNames } from "./copiedNames.ts";
import { createNameTable } from "./namePatterns.ts";
import { secretNames } from "./secretNames.ts";

/** Most names are in none of the groups. */
const any = createNameTable(secretNames.flatMap(({ names }) => names));
const groups = secretNames.map(({ names, unless }) => ({
	names: createNameTable(names),
	...(unless && { unless: createNameTable(unless) }),
}));

/** Whether one part of a path, folded, is such a name by itself. */
export function isProtectedName(name: string): boolean {
	// What comes before it is not known.
	return secretIn(["", name]) !== undefined;
}

/**
 * What of a path, relative to its folder, makes it a protected one, as it is written. What lies below such a name is
 * protected with it.
 */
export function findProtectedPart(inside: string): string | undefined {
	const parts = normalizePathParts(inside);
	const { folder } = folded;
	const found = secretIn(parts, folder.plain ? parts.length - 1 : 0);
	if (found === undefined) folder.plain = true;
	return found && slicePathParts(inside, found);
}

/** The parts of a path, folded. One path is asked about several times in a row, and one folder for all that lies in it. */
export function normalizePathParts(inside: string): readonly string[] {
	if (folded.of === inside) return folded.parts;
	const slash = inside.lastIndexOf("/");
	const path = inside.slice(0, slash + 1);
	if (folded.folder.path !== path) {
		folded.folder = { path, parts: path === "" ? [] : path.slice(0, -1).split("/").map(normalizeName), plain: false };
	}
	folded.of = inside;
	folded.parts = [...folded.folder.parts, normalizeName(inside.slice(slash + 1))];
	return folded.parts;
}

interface Folded {
	of: string | undefined;
	parts: readonly string[];
	/** Where that lies, with a slash behind; `plain` once nothing in that is secret. */
	folder: { path: string; parts: readonly string[]; plain: boolean };
}

const folded: Folded = { of: undefined, parts: [], folder: { path: "", parts: [], plain: false } };

/** As they are written. */
export function slicePathParts(inside: string, [first, last]: readonly [first: number, last: number]): string {
	return inside
		.split("/")
		.slice(first, last + 1)
		.join("/");
}

/** Parts before `from` are known not to be. */
function secretIn(parts: readonly string[], from = 0): [first: number, last: number] | undefined {
	for (let last = from; last < parts.length; last++) {
		const part = parts[last] as string;
		const first = secretAt(parts, last);
		if (first !== undefined) return [first, last];
		for (const original of listOriginalNames(part)) {
			const of = secretAt(parts.with(last, original), last);
			if (of !== undefined) return [of, last];
		}
	}
	return undefined;
}

function secretAt(parts: readonly string[], last: number): number | undefined {
	if (any.startOf(parts, last) === undefined) return undefined;
	for (const { names, unless } of groups) {
		const first = names.startOf(parts, last);
		if (first !== undefined && unless?.startOf(parts, last) === undefined) return first;
	}
	return undefined;
}

/**
 * A segment as disks that are not exact take it: without regard to case, width, trailing dots and what is drawn as nothing.
 * Upper case first: a few letters (ſ, the Kelvin sign) equal plain ones on disks that ignore case, but only that way round.
 */
export function normalizeName(segment: string): string {
	const plain = /^[!-~]*$/.test(segment)
		? segment
		: segment
				.replace(/\p{Default_Ignorable_Code_Point}/gu, "")
				.normalize("NFKC")
				.toUpperCase();
	const lower = plain.toLowerCase();
	let end = lower.length;
	while (end > 0 && (lower[end - 1] === "." || lower[end - 1] === " ")) end--;
	return lower.slice(0, end);
}
