// What must stay visible although a place around it is hidden: the way to it, with the links on that way.
import { lstatSync, readlinkSync, realpathSync, statSync } from "node:fs";
import { basename, delimiter, dirname, isAbsolute, join, resolve } from "node:path";
import { isWithin, type PathRule } from "./view.ts";

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
