// Resolves every symbolic link in a path as the kernel does, including `..` after links.
import { posix, win32 } from "node:path";
import type { Disk, FileStat } from "../core/ports/workspace/files.ts";

export const nativePath = process.platform === "win32" ? win32 : posix;

export interface ResolvedPath {
	/** Absolute, with `/`. */
	real: string;
	stat?: FileStat;
	/** Reason why the target is unknown: a link cycle, or a disk error. */
	unresolved?: "loop" | { error: string };
}

type Look = (path: string) => ReturnType<Disk["lstat"]>;

const MAX_LINKS = 40;

/** `from` is a folder that the path starts with and whose real path is already known. */
export async function resolveLinks(look: Look, path: string, from?: { literal: string; real: string }): Promise<ResolvedPath> {
	let done = from?.real ?? nativePath.parse(path).root;
	const ahead = segments(path, from?.literal ?? done);
	let links = 0;
	let stat: FileStat | undefined;
	let missing = false;
	while (ahead.length > 0) {
		const segment = ahead.shift() as string;
		if (segment === "..") {
			done = nativePath.dirname(done);
			[stat, missing] = [undefined, false];
			continue;
		}
		// Both are already normalized, and a path may have thousands of segments.
		const next = done.endsWith(nativePath.sep) ? `${done}${segment}` : `${done}${nativePath.sep}${segment}`;
		const found: Awaited<ReturnType<Look>> = missing ? undefined : await look(next);
		if (found?.link === undefined) {
			[done, stat, missing] = [next, found, found === undefined];
			continue;
		}
		if (++links > MAX_LINKS) return { real: toForwardSlashes(next), unresolved: "loop" };
		const { root } = nativePath.parse(found.link);
		if (root !== "") done = root;
		ahead.unshift(...segments(found.link, root));
	}
	if (stat === undefined && !missing) stat = await look(done);
	return { real: toForwardSlashes(done), ...(stat && { stat }) };
}

/** Looks up each path once; a path below a file counts as missing. */
export function createLstatCache(disk: Disk): Look {
	const known = new Map<string, ReturnType<Disk["lstat"]>>();
	return (path) => {
		const found = known.get(path) ?? disk.lstat(path).catch(missingUnlessHidden);
		known.set(path, found);
		return found;
	};
}

function missingUnlessHidden(error: unknown): undefined {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "ENOTDIR" || code === "ENOENT" || code === "ENAMETOOLONG" || code === "EINVAL") return undefined;
	throw error;
}

export function toForwardSlashes(path: string): string {
	return nativePath.sep === "/" ? path : path.replaceAll("\\", "/");
}

function segments(path: string, root: string): string[] {
	return toForwardSlashes(path.slice(root.length))
		.split("/")
		.filter((segment) => segment !== "" && segment !== ".");
}
