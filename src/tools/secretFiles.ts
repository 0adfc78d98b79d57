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

/** How many protected files a search with this glob passes by. */
export async function protectedBelow(
	context: ToolContext,
	glob: string | undefined,
	root: { literal: string; real: string } | undefined,
): Promise<number> {
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
