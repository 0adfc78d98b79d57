// Types of a sandbox policy: path rules in covering order, network and socket access.
import { dirname } from "node:path";

/** How a place is seen. What no place covers can be read and not written. */
export type PathAccess =
	/** As it is, without writing. */
	| "readable"
	| "writable"
	/** A folder with nothing in it; a file that cannot be opened. */
	| "hidden"
	/** A file with nothing in it. */
	| "blank"
	/** An empty folder of its own, writable, gone with it. */
	| "own";

export interface PathRule {
	/** Absolute, every link in it followed, unless the place is a link itself. */
	path: string;
	access: PathAccess | { link: string };
	kind: "folder" | "file";
	/** It is covered even where it looks the same as what is around it: nobody can move it away then. */
	pinned?: true;
	/** The folder itself, open here: the path may lead elsewhere by the time it is used. */
	descriptor?: number;
}

export interface SandboxPolicy {
	rules: readonly PathRule[];
	network: boolean;
	/** It may use sockets of the file system and debuggers, as what builds and tests does. */
	workspaceWrite: boolean;
	/** Sockets of the file system all the same not. */
	blockUnixSockets?: true;
}

/** Parents before children, the last word on a path counts, and what changes nothing is left out. */
export function normalizeRules(places: readonly PathRule[]): PathRule[] {
	const byPath = new Map(places.map((place) => [place.path, place]));
	const kept = new Map<string, PathRule>();
	for (const path of [...byPath.keys()].sort((one, other) => depth(one) - depth(other) || (one < other ? -1 : 1))) {
		const place = byPath.get(path) as PathRule;
		if (place.pinned || changes(place, around(path, kept))) kept.set(path, place);
	}
	return [...kept.values()];
}

/** Whether `path` is `folder` or lies below it. */
export function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function around(path: string, kept: ReadonlyMap<string, PathRule>): PathRule["access"] {
	for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
		const place = kept.get(folder);
		if (place) return place.access;
	}
	return kept.get("/")?.access ?? "readable";
}

function changes({ access: seen }: PathRule, outer: PathRule["access"]): boolean {
	const bare = outer === "hidden" || outer === "own";
	if (seen === "own") return true;
	if (seen === "hidden" || seen === "blank" || typeof seen === "object") return typeof seen === "object" ? bare : !bare;
	return seen !== outer;
}

function depth(path: string): number {
	return path === "/" ? 0 : path.split("/").length;
}
