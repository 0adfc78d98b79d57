// A folder as a mention shows it: the tree of what is in it, to a depth, without ignored and protected places.

import { join } from "node:path";
import type { PathFacts } from "../../core/ports/tool.ts";
import type { Services } from "../../session/context.ts";

const DEPTH = 3;
const MOST = { looked: 5_000, shown: 400 };

interface Folder {
	folders: Map<string, Folder>;
	files: string[];
	/** Files in it and below. */
	count: number;
}

/** For the model. */
export async function formatFolderTree(fact: PathFacts, { workspace, gate }: Services, signal: AbortSignal): Promise<string> {
	const found = await workspace.find("**", { under: fact.real, limit: MOST.looked, signal });
	const root: Folder = { folders: new Map(), files: [], count: 0 };
	const seen = await Promise.all(found.paths.map((path) => gate.visible(join(fact.literal, path))));
	for (const [index, path] of found.paths.entries()) if (seen[index]) add(root, path.split("/"));
	const lines = linesOf(root, 0);
	const protectedOnes = seen.filter((shown) => !shown).length;
	const notes = [
		...(lines.length > MOST.shown ? [`[${lines.length - MOST.shown} more lines; list a folder of it to see them]`] : []),
		...(found.more ? [`[only the first ${MOST.looked} files were looked at]`] : []),
		...(protectedOnes > 0 ? [`[${protectedOnes} protected files not shown]`] : []),
	];
	return [fact.given, ...lines.slice(0, MOST.shown), ...notes].join("\n");
}

function add(root: Folder, segments: string[]): void {
	let folder = root;
	folder.count += 1;
	for (const name of segments.slice(0, -1)) {
		const next = folder.folders.get(name) ?? { folders: new Map(), files: [], count: 0 };
		folder.folders.set(name, next);
		folder = next;
		folder.count += 1;
	}
	folder.files.push(segments.at(-1) as string);
}

function linesOf(folder: Folder, depth: number): string[] {
	const indent = "  ".repeat(depth + 1);
	const below = [...folder.folders].flatMap(([name, inner]) => {
		if (depth + 1 < DEPTH) return [`${indent}${name}/`, ...linesOf(inner, depth + 1)];
		return [`${indent}${name}/ (${inner.count} ${inner.count === 1 ? "file" : "files"})`];
	});
	return [...below, ...folder.files.map((name) => `${indent}${name}`)];
}
