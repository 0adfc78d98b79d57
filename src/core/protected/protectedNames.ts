// Checks paths for names that are protected from reading, for the gate and for search.
import { removeIgnorable } from "../hiddenText.ts";
import { createNameTable } from "./namePatterns.ts";
import { secretNames } from "./secretNames.ts";

/** A single table for a quick check, since most names are in no group. */
const any = createNameTable(secretNames.flatMap(({ names }) => names));
const groups = secretNames.map(({ names, unless }) => ({
	names: createNameTable(names),
	...(unless && { unless: createNameTable(unless) }),
}));

/** Returns true if a normalized path segment is a protected name by itself. */
export function isProtectedName(name: string): boolean {
	// The segments before it are unknown.
	return findSecret(["", name]) !== undefined;
}

/** The part of a path, relative to its folder and as written, that makes it protected. Everything below such a name is protected too. */
export function findProtectedPart(inside: string): string | undefined {
	const parts = normalizePathParts(inside);
	const { folder } = cache;
	const found = findSecret(parts, folder.plain ? parts.length - 1 : 0);
	if (found === undefined) folder.plain = true;
	return found && slicePathParts(inside, found);
}

/**
 * The normalized segments of a path. Cached, because the same path is checked several times in a row and one folder for everything
 * in it.
 */
export function normalizePathParts(inside: string): readonly string[] {
	if (cache.of === inside) return cache.parts;
	const slash = inside.lastIndexOf("/");
	const path = inside.slice(0, slash + 1);
	if (cache.folder.path !== path) {
		cache.folder = { path, parts: path === "" ? [] : path.slice(0, -1).split("/").map(normalizeName), plain: false };
	}
	cache.of = inside;
	cache.parts = [...cache.folder.parts, normalizeName(inside.slice(slash + 1))];
	return cache.parts;
}

interface PathPartsCache {
	of: string | undefined;
	parts: readonly string[];
	/** The parent folder with a trailing slash; `plain` once it is known to contain no protected name. */
	folder: { path: string; parts: readonly string[]; plain: boolean };
}

const cache: PathPartsCache = { of: undefined, parts: [], folder: { path: "", parts: [], plain: false } };

/** Returns these segments as written. */
export function slicePathParts(inside: string, [first, last]: readonly [first: number, last: number]): string {
	return inside
		.split("/")
		.slice(first, last + 1)
		.join("/");
}

/** Segments before `from` are known not to match. */
function findSecret(parts: readonly string[], from = 0): [first: number, last: number] | undefined {
	for (let last = from; last < parts.length; last++) {
		const part = parts[last] as string;
		const first = secretStartAt(parts, last);
		if (first !== undefined) return [first, last];
		for (const original of listOriginalNames(part)) {
			const of = secretStartAt(parts.with(last, original), last);
			if (of !== undefined) return [of, last];
		}
	}
	return undefined;
}

function secretStartAt(parts: readonly string[], last: number): number | undefined {
	if (any.startOf(parts, last) === undefined) return undefined;
	for (const { names, unless } of groups) {
		const first = names.startOf(parts, last);
		if (first !== undefined && unless?.startOf(parts, last) === undefined) return first;
	}
	return undefined;
}

/**
 * Normalizes a segment as lenient file systems do: ignores case, width, trailing dots, and invisible characters.
 * Uppercase first: a few letters (ſ, the Kelvin sign) equal ASCII letters on disks that ignore case, but only in that direction.
 */
export function normalizeName(segment: string): string {
	const plain = /^[!-~]*$/.test(segment) ? segment : removeIgnorable(segment).normalize("NFKC").toUpperCase();
	const lower = plain.toLowerCase();
	let end = lower.length;
	while (end > 0 && (lower[end - 1] === "." || lower[end - 1] === " ")) end--;
	return lower.slice(0, end);
}

const NO_NAMES: readonly string[] = [];

/** The names that a normalized name may be a copy of; empty for most. */
function listOriginalNames(name: string): readonly string[] {
	if (!mayBeCopy(name)) return NO_NAMES;
	const found: string[] = [];
	let copies = [name];
	for (let round = 0; round < 3; round++) {
		copies = copies.flatMap((copy) => (mayBeCopy(copy) ? originalsOf(copy) : []));
		found.push(...copies);
	}
	return found;
}

const LONGEST_NAME = 255;
const ENDINGS = "bak|bk|bkp|backup|back|old|orig|original|saved?|sav|copy|te?mp|prev|previous|rej|un~|undo|disabled|off|dist";
const PACKAGE_ENDINGS =
	"dpkg-\\w+|rpm(?:save|new|orig)|ucf-\\w+|pac(?:save|new)|gz|bz2|xz|zst|lz4|b64|base64|\\d{1,14}|\\d{4}-\\d\\d-\\d\\d";
/** Swap files of vim and Kate start with an extra dot. */
const SWAP = /^\.?(.+)\.(?:sw[a-px]|kate-swp|un~)$/;
/** Names that editors and users give to backup copies; the second group is an extension that stays. */
const COPIED = [
	/^\.?#(.+?)#?$/,
	/^~\$(.+)$/,
	/^\._(.+)$/,
	/^(?:copy|backup) of (.+)$/,
	/^(.+?)(?:\.~\d+)?~$/,
	new RegExp(`^(.+)\\.(?:(?:${ENDINGS})\\d*|${PACKAGE_ENDINGS})$`),
	/^(.+)[-_ ](?:bak|backup|old|orig|copy|save|prev)\d*$/,
	/^(.+)___jb_(?:tmp|old|bak)___$/,
	/^(.+?)(?: - copy| copy|[-_]copy)? ?\(\d+\)(\.[^.]+)?$/,
	/^(.+?)(?: - copy| copy|[-_]copy)(?: \d+)?(\.[^.]+)?$/,
];
function originalsOf(name: string): string[] {
	const swapped = SWAP.exec(name)?.[1];
	if (swapped !== undefined) return [swapped, `.${swapped}`];
	const match = COPIED.map((pattern) => pattern.exec(name)).find((found) => found !== null);
	return match?.[1] === undefined ? [] : [`${match[1]}${match[2] ?? ""}`];
}

/** A fast check for what the patterns above match, since most names match none. */
function mayBeCopy(name: string): boolean {
	if (name.length > LONGEST_NAME) return false;
	if (/[~#(]|copy|___jb_/.test(name) || name.startsWith("._")) return true;
	const ending = name.slice(name.lastIndexOf(".") + 1);
	if (COPY_ENDINGS.has(withoutDigits(ending)) || /^(?:\d|dpkg-|rpm|ucf-|pac|sw[a-px]$)/.test(ending)) return true;
	return COPY_ENDINGS.has(withoutDigits(name.slice(Math.max(name.lastIndexOf("-"), name.lastIndexOf("_"), name.lastIndexOf(" ")) + 1)));
}

const COPY_ENDINGS = new Set([
	...ENDINGS.split("|").map((ending) => ending.replace("?", "")),
	...["save", "saved", "tmp", "temp", "b", "gz", "bz", "xz", "zst", "lz", "base", "kate-swp"],
]);

function withoutDigits(text: string): string {
	let end = text.length;
	while (end > 0 && (text[end - 1] as string) >= "0" && (text[end - 1] as string) <= "9") end--;
	return text.slice(0, end);
}
