// Finds protected paths in workspace folders, shallowest first, without following links.

import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, type PathRule } from "./policy.ts";

interface ProtectedPlaces {
	/** Absolute paths, each with a fingerprint of its identity on disk. */
	fingerprints: ReadonlyMap<string, string>;
	/** Folders skipped because there were too many; everything in them counts as protected. */
	unscannedFolders: readonly string[];
}

type ProtectedPlaceScanner = (folders: readonly string[]) => Promise<ProtectedPlaces>;

/** `isProtected` gets the path relative to its folder. Unchanged folders are not read again. */
export function createProtectedPlaceScanner(
	isProtected: (inside: string) => boolean,
	{ entries: most, time } = BOUNDS,
): ProtectedPlaceScanner {
	const known = new Map<string, Listed>();
	return async (folders) => {
		const found = new Map<string, string>();
		const until = performance.now() + time;
		let entries = 0;
		let level = folders.map((folder) => ({ folder, inside: "" }));
		while (level.length > 0) {
			const next: typeof level = [];
			for (const [index, { folder, inside }] of level.entries()) {
				const listed = await list(join(folder, inside), inside, isProtected, known);
				for (const name of listed.guarded) found.set(join(folder, name), await fingerprint(join(folder, name), found.size >= MOST_GUARDED));
				next.push(...listed.folders.map((name) => ({ folder, inside: name })));
				entries += listed.entries;
				if (entries <= most && performance.now() <= until) continue;
				const left = [...level.slice(index + 1), ...next];
				return { fingerprints: found, unscannedFolders: left.map((one) => join(one.folder, one.inside)) };
			}
			level = next;
		}
		return { fingerprints: found, unscannedFolders: [] };
	};
}

/** Maximum number of separate rules; the time they take grows with its square. */
const MOST_GUARDED = 200;

/**
 * The paths to cover so that none of `paths` can be written. If there are too many, covers the parent folders of the deepest
 * ones, up to their workspace folder; creating more of them therefore never uncovers others.
 */
export function coverPaths(paths: readonly string[], folders: readonly string[]): string[] {
	const tops = new Set(folders);
	let covered = new Set(paths);
	while (covered.size > MOST_GUARDED) {
		const deepest = [...covered].reduce((most, path) => (tops.has(path) ? most : Math.max(most, depth(path))), 0);
		if (deepest === 0) break;
		const raised = new Set([...covered].map((path) => (depth(path) === deepest && !tops.has(path) ? dirname(path) : path)));
		covered = new Set([...raised].filter((path) => !isBelowOne(path, raised, tops)));
	}
	return [...covered];
}

function isBelowOne(path: string, covered: ReadonlySet<string>, tops: ReadonlySet<string>): boolean {
	// A workspace folder inside another one is writable by itself.
	for (let at = path; !tops.has(at) && dirname(at) !== at; ) {
		at = dirname(at);
		if (covered.has(at)) return true;
	}
	return false;
}

function depth(path: string): number {
	return path.split("/").length;
}

/** Protected paths that are new or were replaced. Unscanned folders were read-only, so nothing in them can have changed. */
export function listChangedPlaces(before: ProtectedPlaces, after: ProtectedPlaces): string[] {
	const unseen = new Set(before.unscannedFolders);
	return [...after.fingerprints]
		.filter(([path, now]) => !isSame(before.fingerprints.get(path), now) && !isBelowOne(path, unseen, new Set()))
		.map(([path]) => path);
}

/** A folder's content when it was read. Names are relative to the workspace folder. */
interface Listed {
	at: string;
	entries: number;
	guarded: readonly string[];
	folders: readonly string[];
}

/** Milliseconds. */
const BOUNDS = { entries: 300_000, time: 3_000 };
const MOST_KNOWN = 50_000;
const DEPENDENCIES = "node_modules";
/** Milliseconds in which a folder may change again without a new modification time. */
const TICK = 100;

async function list(path: string, inside: string, isProtected: (inside: string) => boolean, known: Map<string, Listed>): Promise<Listed> {
	const stats = await lstat(path).catch(() => undefined);
	const at = stats ? [inside, stats.dev, stats.ino, stats.mtimeMs, stats.ctimeMs].join(":") : "";
	const before = known.get(path);
	if (before && at !== "" && before.at === at) return before;
	const read = await readdir(path, { withFileTypes: true }).catch(() => []);
	const protectedNames: string[] = [];
	const folders: string[] = [];
	for (const entry of read) {
		const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
		if (isProtected(name)) protectedNames.push(name);
		else if (entry.isDirectory() && entry.name !== DEPENDENCIES) folders.push(name);
	}
	const listed = { at, entries: read.length, guarded: protectedNames, folders };
	known.delete(path);
	if (known.size >= MOST_KNOWN) known.clear();
	if (stats && Date.now() - stats.ctimeMs > TICK) known.set(path, listed);
	return listed;
}

/** One fingerprint may be more detailed than the other. */
function isSame(before: string | undefined, now: string): boolean {
	return before !== undefined && (`${before}:`.startsWith(`${now}:`) || `${now}:`.startsWith(`${before}:`));
}

/** `whole`: includes changes of the content. */
async function fingerprint(path: string, whole: boolean): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) return "";
	if (stats.isSymbolicLink()) {
		const target = await stat(path).catch(() => undefined);
		// A file created at the target of a dangling link counts as the link's content.
		return [stats.dev, stats.ino, "leads to", target?.dev ?? "nothing", target?.ino ?? "nothing"].join(":");
	}
	return [stats.dev, stats.ino, ...(whole && stats.isFile() ? [stats.size, stats.mtimeMs, stats.ctimeMs] : [])].join(":");
}

/** Rules for the path and for each link that leads to it; none if it does not exist. */
export function listVisibleRules(path: string, seen: "readable" | "writable" = "readable"): PathRule[] {
	const places: PathRule[] = [];
	let current = resolve(path);
	for (let links = 0; links < MOST_LINKS; links += 1) {
		const link = firstLink(current);
		if (link === undefined) {
			const kind = pathKind(current);
			return kind ? [...places, { path: current, access: seen, kind }] : [];
		}
		const to = resolve(dirname(link), readlinkSync(link));
		places.push({ path: link, access: { link: to }, kind: "file" });
		current = join(to, current.slice(link.length));
	}
	return [];
}

/** The paths reached through a link in one of the folders, where a writer could redirect them. */
export function findRedirectedPaths(paths: readonly string[], folders: readonly string[]): string[] {
	const real = folders.flatMap((folder) => resolveRealPathSync(folder) ?? []);
	return paths.filter((path) => linksTo(path).some((link) => real.some((folder) => isWithin(link, folder))));
}

/** The links on the way to a path, whether the target exists or not. */
function linksTo(path: string): string[] {
	const links: string[] = [];
	let current = resolve(path);
	while (links.length < MOST_LINKS) {
		const link = firstLink(current);
		if (link === undefined) return links;
		links.push(link);
		current = join(resolve(dirname(link), readlinkSync(link)), current.slice(link.length));
	}
	return links;
}

/**
 * The folders of a PATH and what their programs need: for a folder named `bin` also its parent, unless that is a home folder
 * or contains `home`.
 */
export function listToolRoots(searchPath: string, home: string, isHome: (folder: string) => boolean): string[] {
	const entries = [...new Set(searchPath.split(delimiter))].filter((entry) => isAbsolute(entry)).slice(0, MOST_ENTRIES);
	const roots = entries.flatMap((entry) => {
		const real = resolveRealPathSync(entry);
		if (real === undefined) return [];
		const root = PROGRAM_FOLDERS.has(basename(real)) ? dirname(real) : real;
		return isHome(root) || isWithin(home, root) ? [entry] : [entry, root];
	});
	return [...new Set(roots)];
}

/** The resolved path; undefined if it does not exist. */
export function resolveRealPathSync(path: string): string | undefined {
	// Checked first, because an exception is ten times as expensive.
	if (pathKind(path) === undefined) return undefined;
	try {
		return realpathSync.native(path);
	} catch {
		return undefined;
	}
}

/** Returns undefined if the path does not exist; links are followed. */
export function pathKind(path: string): PathRule["kind"] | undefined {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats && (stats.isDirectory() ? "folder" : "file");
	} catch {
		return undefined;
	}
}

const MOST_LINKS = 40;
/** Maximum entries of a PATH; each costs time. */
const MOST_ENTRIES = 100;
const PROGRAM_FOLDERS = new Set(["bin", "sbin", "shims"]);

function firstLink(path: string): string | undefined {
	let current = "";
	for (const part of path.split("/").filter(Boolean)) {
		current = `${current}/${part}`;
		try {
			if (lstatSync(current).isSymbolicLink()) return current;
		} catch {
			return undefined;
		}
	}
	return undefined;
}
