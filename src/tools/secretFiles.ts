// Where to look for protected files without opening anything, so that how many a search left out does not depend on what
// they hold. The gate decides what is protected; it goes by the same names.
import { foldName, isProtectedReading, protectedReading } from "../core/protectedNames.ts";
import type { ToolContext } from "../core/tool.ts";
import { visibleAmong } from "./visibility.ts";
import { below } from "./workspacePath.ts";

const { folders, files, beginnings, endings } = protectedReading;
/** Each short enough for a glob. Git's own folder is never searched, so nothing in it was left out. */
const SECRET_GLOBS = [
	`**/{${files.join()}}`,
	`**/{${[...beginnings.map((beginning) => `${beginning}*`), ...endings.map((ending) => `*${ending}`)].join()}}`,
	`**/{${folders.filter((folder) => folder !== ".git").join()}}/**`,
];
const LOOKED_AT = 2_000;

/** Of a path relative to the place that is searched: what the place itself is called was allowed with it. */
export function isSecret(inside: string): boolean {
	return inside.split("/").some((segment) => isProtectedReading(foldName(segment)));
}

interface Root {
	literal: string;
	real: string;
}

/** Counts of a turn, by its signal: a model searches the same place again and again, and each look starts programs. */
const counted = new WeakMap<AbortSignal, Map<string, Promise<number>>>();

/** How many protected files a search with this glob passes by, as of the turn's first look. */
export function protectedBelow(context: ToolContext, glob: string | undefined, root: Root | undefined): Promise<number> {
	const counts = counted.get(context.signal) ?? new Map<string, Promise<number>>();
	counted.set(context.signal, counts);
	const key = JSON.stringify([glob, root?.real]);
	let count = counts.get(key);
	if (count === undefined) {
		count = countBelow(context, glob, root);
		counts.set(key, count);
		count.catch(() => counts.delete(key));
	}
	return count;
}

async function countBelow(context: ToolContext, glob: string | undefined, root: Root | undefined): Promise<number> {
	const { workspace, signal } = context;
	if (root && (await workspace.stat(root.real))?.type !== "directory") return 0;
	const places = root ? [root] : workspace.folders().map((folder) => ({ literal: folder.path, real: folder.path }));
	let count = 0;
	for (const place of places) {
		const look = (pattern: string) => workspace.find(pattern, { under: place.real, limit: LOOKED_AT, signal });
		const found = await Promise.all((glob === undefined ? SECRET_GLOBS : [glob]).map(look));
		const names = new Set(found.flatMap(({ paths }) => paths).filter(isSecret));
		const named = [...names].map((name) => below(place.literal, name));
		const visible = await visibleAmong(context, named, (path) => path);
		count += named.length - visible.length;
	}
	return count;
}
