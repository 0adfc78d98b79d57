// Which of some paths git tracks: those are never hidden, or git would take them for changed.
import { statSync } from "node:fs";
import { dirname, join } from "node:path";
import { isWithin } from "./view.ts";
import { pathKind } from "./visible.ts";

/** Asks git in a folder; undefined where it has no answer. */
export type GitQuery = (folder: string, words: readonly string[]) => Promise<Uint8Array | undefined>;

export type TrackedPathFinder = (paths: readonly string[]) => Promise<ReadonlySet<string>>;

/** Of absolute real paths; a folder counts as tracked with anything below it. Asked again only when the index has changed. */
export function createTrackedPathFinder(git: GitQuery): TrackedPathFinder {
	const known = new Map<string, { at: string; tracked: readonly string[] }>();
	return async (paths) => {
		const byRepository = new Map<string, string[]>();
		for (const path of paths) {
			const root = rootOf(path);
			if (root !== undefined) byRepository.set(root, [...(byRepository.get(root) ?? []), path]);
		}
		const found = await Promise.all(
			[...byRepository].map(async ([root, asked]) => {
				const [key, at] = [[root, ...asked].join("\0"), indexMark(root)];
				const before = known.get(key);
				if (before && at !== "" && before.at === at) return before.tracked;
				const tracked = await ask(git, root, asked);
				if (known.size >= MOST_KNOWN) known.clear();
				known.set(key, { at, tracked });
				return tracked;
			}),
		);
		return new Set(found.flat());
	};
}

const MOST_KNOWN = 100;

async function ask(git: GitQuery, root: string, paths: readonly string[]): Promise<string[]> {
	const literal = paths.map((path) => `:(top,literal)${path.slice(root.length + 1)}`);
	const listed = await git(root, ["ls-files", "-z", "--cached", "--", ...literal]);
	const names = listed ? Buffer.from(listed).toString("utf8").split("\0").filter(Boolean) : [];
	return paths.filter((path) => names.some((name) => isWithin(join(root, name), path)));
}

/** The folder that holds the nearest `.git`. */
function rootOf(path: string): string | undefined {
	for (let folder = dirname(path); ; folder = dirname(folder)) {
		if (pathKind(join(folder, ".git")) !== undefined) return folder;
		if (folder === dirname(folder)) return undefined;
	}
}

function indexMark(root: string): string {
	const stats = statSync(join(root, ".git", "index"), { throwIfNoEntry: false });
	return stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.ctimeMs}` : "";
}
