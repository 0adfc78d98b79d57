// Maps paths in a copy of the workspace to the original ones, so that approvals mean the same in both.

// From a copy, a path of the original is a path outside: nothing that names one gets a lasting approval.
import { relativePathWithin } from "../core/paths.ts";
import type { GateContext } from "../core/ports/gate.ts";

type Copied = Pick<GateContext, "copied">;

/** Returns true if a path, absolute and with links resolved, is in the copy that this gate is for. */
export function isInCopy({ copied = [] }: Copied, path: string): boolean {
	return copied.some((folder) => relativePathWithin(folder.path, path) !== undefined);
}

/** The original path of one in the copy; undefined for a path in an original. Other paths are returned unchanged. */
export function originalPath({ copied = [] }: Copied, path: string): string | undefined {
	for (const { path: folder, originals } of copied) {
		const inside = relativePathWithin(folder, path);
		if (inside !== undefined) return [originals[0], inside].filter(Boolean).join("/");
	}
	return copied.some(({ originals }) => originals.some((folder) => relativePathWithin(folder, path) !== undefined)) ? undefined : path;
}

/** The text with the copy's paths replaced by the original ones; undefined if it names an original itself. */
export function withOriginalPaths({ copied = [] }: Copied, text: string): string | undefined {
	const parts = copied.reduce<string[]>(
		(all, { path, originals }) => all.flatMap((part, index) => (index % 2 === 0 ? splitAtPath(part, path, originals[0]) : [part])),
		[text],
	);
	const named = copied.flatMap(({ originals }) => originals.map((original) => pathPattern(original, "i")));
	const own = parts.filter((_, index) => index % 2 === 0);
	return own.some((part) => named.some((pattern) => pattern.test(part))) ? undefined : parts.join("");
}

/** The text around the path, with the replacement in between. */
function splitAtPath(text: string, path: string, replacement: string): string[] {
	return text.split(pathPattern(path)).flatMap((part, index) => (index === 0 ? [part] : [replacement, part]));
}

/** The path, and not the beginning of a longer name. */
function pathPattern(path: string, flags = ""): RegExp {
	return new RegExp(`${path.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")}(?![\\w.-])`, flags);
}
