// Types of a sandbox policy: path rules in covering order, network and socket access.
import { dirname } from "node:path";

/** Access to a path. Paths without a rule are readable but not writable. */
export type PathAccess =
	/** Unchanged, but not writable. */
	| "readable"
	| "writable"
	/** An empty folder, or a file that cannot be opened. */
	| "hidden"
	/** An empty file. */
	| "blank"
	/** A private, writable, initially empty folder that is removed with the process. */
	| "own";

export interface PathRule {
	/** Absolute path with all links resolved, unless the rule is for a link itself. */
	path: string;
	access: PathAccess | { link: string };
	kind: "folder" | "file";
	/** True if the rule is kept even if it changes nothing, so that the path can't be moved away. */
	pinned?: true;
	/** Descriptor of the opened folder, because the path may lead elsewhere by the time it is used. */
	descriptor?: number;
}

export interface SandboxPolicy {
	rules: readonly PathRule[];
	network: boolean;
	/** Allows Unix domain sockets and debuggers, as builds and tests need. */
	workspaceWrite: boolean;
	/** Denies Unix domain sockets nevertheless. */
	blockUnixSockets?: true;
}

/** Sorts parents before children; the last rule for a path wins, and rules without effect are dropped. */
export function normalizeRules(places: readonly PathRule[]): PathRule[] {
	const byPath = new Map(places.map((place) => [place.path, place]));
	const effective = new Map<string, PathRule>();
	for (const path of [...byPath.keys()].sort((left, right) => depth(left) - depth(right) || (left < right ? -1 : 1))) {
		const place = byPath.get(path) as PathRule;
		if (place.pinned || changes(place, accessAround(path, effective))) effective.set(path, place);
	}
	return [...effective.values()];
}

/** Returns true if `path` is `folder` or inside it. */
export function isWithin(path: string, folder: string): boolean {
	return path === folder || path.startsWith(folder === "/" ? "/" : `${folder}/`);
}

function accessAround(path: string, effective: ReadonlyMap<string, PathRule>): PathRule["access"] {
	for (let folder = dirname(path); folder !== dirname(folder); folder = dirname(folder)) {
		const place = effective.get(folder);
		if (place) return place.access;
	}
	return effective.get("/")?.access ?? "readable";
}

function changes({ access: seen }: PathRule, outer: PathRule["access"]): boolean {
	const invisible = outer === "hidden" || outer === "own";
	if (seen === "own") return true;
	if (seen === "hidden" || seen === "blank" || typeof seen === "object") return typeof seen === "object" ? invisible : !invisible;
	return seen !== outer;
}

function depth(path: string): number {
	return path === "/" ? 0 : path.split("/").length;
}
