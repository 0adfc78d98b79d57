// Protected places that workspace folders have: those of the shallowest depth first, links not followed.

import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, type PathRule } from "./policy.ts";

interface ProtectedPlaces {
	/** Absolute paths, each with what tells that it is still the same on disk. */
	fingerprints: ReadonlyMap<string, string>;
	/** Folders that nobody looked into, for they were too many: what lies below them is not told apart. */
	unscannedFolders: readonly string[];
}

type ProtectedPlaceScanner = (folders: readonly string[]) => Promise<ProtectedPlaces>;

/** `isProtected` gets the path relative to its folder. A folder that has not changed since it was read is not read again. */
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
				for (const name of listed.guarded) found.set(join(folder, name), await mark(join(folder, name), found.size >= MOST_GUARDED));
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

/** So many are covered each by itself: the time that it takes grows with their square. */
const MOST_GUARDED = 200;

/**
 * What is covered so that none of `paths` can be written: where they are too many, the folders that hold the deepest of them,
 * up to their workspace folder. Whoever makes more of them does not uncover others.
 */
export function coverPaths(paths: readonly string[], folders: readonly string[]): string[] {
	const tops = new Set(folders);
	let kept = new Set(paths);
	while (kept.size > MOST_GUARDED) {
		const deepest = [...kept].reduce((most, path) => (tops.has(path) ? most : Math.max(most, depth(path))), 0);
		if (deepest === 0) break;
		const raised = new Set([...kept].map((path) => (depth(path) === deepest && !tops.has(path) ? dirname(path) : path)));
		kept = new Set([...raised].filter((path) => !isBelowOne(path, raised, tops)));
	}
	return [...kept];
}

function isBelowOne(path: string, covered: ReadonlySet<string>, tops: ReadonlySet<string>): boolean {
	// A folder of the workspace in another one is writable by itself.
	for (let at = path; !tops.has(at) && dirname(at) !== at; ) {
		at = dirname(at);
		if (covered.has(at)) return true;
	}
	return false;
}

function depth(path: string): number {
	return path.split("/").length;
}

/** What lies in protected places now and did not, or is another thing. In folders that nobody looked into nothing was written. */
export function listChangedPlaces(before: ProtectedPlaces, after: ProtectedPlaces): string[] {
	const unseen = new Set(before.unscannedFolders);
	return [...after.fingerprints]
		.filter(([path, now]) => !isSame(before.fingerprints.get(path), now) && !isBelowOne(path, unseen, new Set()))
		.map(([path]) => path);
}

/** One folder, as it was when it was read. Names are relative to the workspace folder. */
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
/** Milliseconds in which a folder may change again without a change of its time. */
const TICK = 100;

async function list(path: string, inside: string, isProtected: (inside: string) => boolean, known: Map<string, Listed>): Promise<Listed> {
	const stats = await lstat(path).catch(() => undefined);
	const at = stats ? [inside, stats.dev, stats.ino, stats.mtimeMs, stats.ctimeMs].join(":") : "";
	const before = known.get(path);
	if (before && at !== "" && before.at === at) return before;
	const read = await readdir(path, { withFileTypes: true }).catch(() => []);
	const guarded: string[] = [];
	const folders: string[] = [];
	for (const entry of read) {
		const name = inside === "" ? entry.name : `${inside}/${entry.name}`;
		if (isProtected(name)) guarded.push(name);
		else if (entry.isDirectory() && entry.name !== DEPENDENCIES) folders.push(name);
	}
	const listed = { at, entries: read.length, guarded, folders };
	known.delete(path);
	if (known.size >= MOST_KNOWN) known.clear();
	if (stats && Date.now() - stats.ctimeMs > TICK) known.set(path, listed);
	return listed;
}

/** One may say more than the other. */
function isSame(before: string | undefined, now: string): boolean {
	return before !== undefined && (`${before}:`.startsWith(`${now}:`) || `${now}:`.startsWith(`${before}:`));
}

/** `whole`: a change of its content counts, too. */
async function mark(path: string, whole: boolean): Promise<string> {
	const stats = await lstat(path).catch(() => undefined);
	if (!stats) return "";
	if (stats.isSymbolicLink()) {
		const target = await stat(path).catch(() => undefined);
		// What is made where a link has led to nothing is what the link stands for.
		return [stats.dev, stats.ino, "leads to", target?.dev ?? "nothing", target?.ino ?? "nothing"].join(":");
	}
	return [stats.dev, stats.ino, ...(whole && stats.isFile() ? [stats.size, stats.mtimeMs, stats.ctimeMs] : [])].join(":");
}

/** The folder or file at `path`, and each link that leads to it; nothing where there is nothing. */
export function listVisibleRules(path: string, seen: "readable" | "writable" = "readable"): PathRule[] {
	const places: PathRule[] = [];
	let way = resolve(path);
	for (let links = 0; links < MOST_LINKS; links += 1) {
		const link = firstLink(way);
		if (link === undefined) {
			const kind = pathKind(way);
			return kind ? [...places, { path: way, access: seen, kind }] : [];
		}
		const to = resolve(dirname(link), readlinkSync(link));
		places.push({ path: link, access: { link: to }, kind: "file" });
		way = join(to, way.slice(link.length));
	}
	return [];
}

/** Those of `paths` that a link in one of the folders leads to: what may write there decides where they lie. */
export function findRedirectedPaths(paths: readonly string[], folders: readonly string[]): string[] {
	const real = folders.flatMap((folder) => resolveRealPathSync(folder) ?? []);
	return paths.filter((path) => linksTo(path).some((link) => real.some((folder) => isWithin(link, folder))));
}

/** The links on the way to a path, whether it leads anywhere or not. */
function linksTo(path: string): string[] {
	const links: string[] = [];
	let way = resolve(path);
	while (links.length < MOST_LINKS) {
		const link = firstLink(way);
		if (link === undefined) return links;
		links.push(link);
		way = join(resolve(dirname(link), readlinkSync(link)), way.slice(link.length));
	}
	return links;
}

/**
 * The folders of a search path, and what the programs in them need beside them: a folder of programs called `bin` belongs to
 * the folder around it, unless that is somebody's or holds what `home` is.
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

/** Where it really is; undefined where there is nothing. */
export function resolveRealPathSync(path: string): string | undefined {
	// Asked first, because an error costs ten times as much as a look.
	if (pathKind(path) === undefined) return undefined;
	try {
		return realpathSync.native(path);
	} catch {
		return undefined;
	}
}

/** Undefined where there is nothing; links are followed. */
export function pathKind(path: string): PathRule["kind"] | undefined {
	try {
		const stats = statSync(path, { throwIfNoEntry: false });
		return stats && (stats.isDirectory() ? "folder" : "file");
	} catch {
		return undefined;
	}
}

const MOST_LINKS = 40;
/** Of a search path; each costs time. */
const MOST_ENTRIES = 100;
const PROGRAM_FOLDERS = new Set(["bin", "sbin", "shims"]);

function firstLink(path: string): string | undefined {
	let way = "";
	for (const part of path.split("/").filter(Boolean)) {
		way = `${way}/${part}`;
		try {
			if (lstatSync(way).isSymbolicLink()) return way;
		} catch {
			return undefined;
		}
	}
	return undefined;
}
