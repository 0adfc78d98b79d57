// Finds virtual files, and searches a temporary copy of them with ripgrep.
import { mkdir, writeFile } from "node:fs/promises";
import { join, posix } from "node:path";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import type { VirtualFileSystem } from "../../core/ports/workspace/files.ts";
import type { SearchResult } from "../../core/ports/workspace/search.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { GetWorkspaceFolders } from "../files/files.ts";
import type { SearchRoot } from "../search/collectedMatches.ts";
import { createSearch, globWithinRoot, parseGlob, resolveSearchRoots, type SearchOptions, type SearchScope } from "../search/search.ts";
import { isSafeFileName } from "./files.ts";

export interface VirtualSearchOptions extends Omit<SearchOptions, "folders"> {
	fs: VirtualFileSystem;
	folders: GetWorkspaceFolders;
	/** Maximum number of files searched; 2,000 if absent. */
	maxFiles?: number;
}

/** Maximum files that one search fetches, and maximum names it inspects. */
const FILES = 2_000;
const NAMES = 20_000;
/** Maximum bytes of one file, and of all files that a search fetches. */
const LARGEST = 4 * 1024 * 1024;
const ALL = 128 * 1024 * 1024;
const AT_ONCE = 8;
const SKIPPED = new Set([".git", "node_modules"]);

export function createVirtualSearch(options: VirtualSearchOptions): Pick<Workspace, "find" | "search"> {
	const { fs, folders, allFolders: named = folders, outputStore: spill, programs, maxFiles: most = FILES } = options;
	const finding: SearchScope = { allFolders: named, pathType: async (path) => (await fs.stat(path))?.type };
	return {
		async find(glob, { under, limit, signal }) {
			const paths: string[] = [];
			let bounded = false;
			for (const root of await resolveSearchRoots(under, folders, finding)) {
				const fits = [glob].flat().map((one) => parseGlob(globWithinRoot(one, root)));
				const listed = await filesBelow(fs, root, (name) => fits.some((matches) => matches(name)), most, signal);
				bounded ||= listed.bounded;
				const shown = (path: string) =>
					under === undefined ? formatDisplayPath(path, named()) : (relativePathWithin(under, path) ?? path);
				paths.push(...listed.names.map((name) => shown(posix.join(root.folder, name))));
			}
			return { paths: paths.slice(0, limit).sort(), more: paths.length > limit, ...(bounded && { bounded: most }) };
		},
		search: (query, signal) =>
			spill.withTemporaryFolder(async (mirror) => {
				const result: SearchResult = { matches: [], more: false };
				for (const [place, root] of (await resolveSearchRoots(query.under, folders, finding)).entries()) {
					const copy = join(mirror, String(place));
					const fits = query.glob === undefined || root.file !== undefined ? () => true : parseGlob(globWithinRoot(query.glob, root));
					const listed = await filesBelow(fs, root, fits, most, signal);
					const complete = await fetchInto(copy, root.folder, listed.names, fs, signal);
					if (listed.bounded || !complete) result.bounded = most;
					const { glob: _, ...plain } = query;
					const inner = createSearch({ folders: () => [{ name: "copy", path: copy }], outputStore: spill, programs });
					const hits = result.matches.filter(({ context }) => !context).length;
					const under = join(copy, root.file ?? "");
					const found = await inner.search({ ...plain, under, limit: query.limit - hits }, signal);
					for (const match of found.matches) {
						result.matches.push({ ...match, path: posix.join(root.folder, relativePathWithin(copy, match.path) ?? "") });
					}
					result.more = found.more;
					if (found.more) break;
				}
				return result;
			}),
	};
}

interface Listed {
	/** Names relative to the root. */
	names: string[];
	/** True if there may be more. */
	bounded: boolean;
}

/** Skips links, as ripgrep does; folders closest to the root come first. */
async function filesBelow(
	fs: VirtualFileSystem,
	{ folder, file }: SearchRoot,
	fits: (name: string) => boolean,
	most: number,
	signal: AbortSignal,
): Promise<Listed> {
	if (file !== undefined) return { names: [file], bounded: false };
	const names: string[] = [];
	let seen = 0;
	for (let open = [""]; open.length > 0; ) {
		signal.throwIfAborted();
		const some = open.splice(0, AT_ONCE);
		const listed = await Promise.all(some.map((at) => fs.readDirectory(posix.join(folder, at)).catch(() => [])));
		for (const [index, entries] of listed.entries()) {
			for (const { name, type, link } of entries) {
				if (++seen > NAMES) return { names, bounded: true };
				if (link || !isSafeFileName(name)) continue;
				const path = posix.join(some[index] ?? "", name);
				if (type === "directory" && !SKIPPED.has(name)) open.push(path);
				if (type !== "file" || !fits(path)) continue;
				if (names.length === most) return { names, bounded: true };
				names.push(path);
			}
		}
	}
	return { names, bounded: false };
}

/** Resolves to false if some files were skipped. */
async function fetchInto(
	copy: string,
	folder: string,
	names: readonly string[],
	fs: VirtualFileSystem,
	signal: AbortSignal,
): Promise<boolean> {
	await mkdir(copy, { recursive: true, mode: 0o700 });
	let size = 0;
	let complete = true;
	for (let at = 0; at < names.length; at += AT_ONCE) {
		signal.throwIfAborted();
		await Promise.all(
			names.slice(at, at + AT_ONCE).map(async (name) => {
				const path = posix.join(folder, name);
				const stat = await fs.stat(path).catch(() => undefined);
				if (stat?.type !== "file" || stat.link) return;
				size += stat.size;
				if (stat.size > LARGEST || size > ALL) {
					complete = false;
					return;
				}
				const bytes = await fs.readFile(path).catch(() => undefined);
				if (!bytes) return;
				const target = join(copy, ...name.split("/"));
				await mkdir(join(target, ".."), { recursive: true, mode: 0o700 });
				await writeFile(target, bytes, { flag: "wx", mode: 0o600 }).catch(() => undefined);
			}),
		);
	}
	return complete;
}
