// Compiles globs of file searches with minimatch, with ripgrep's semantics.
import { braceExpand, Minimatch } from "minimatch";

export type GlobMatcher = (path: string) => boolean;

/**
 * A pattern without a slash matches names at any depth; one with a slash is relative to the root. Undefined if it is too long
 * or has too many alternatives.
 */
export function compileGlob(glob: string): GlobMatcher | undefined {
	if (glob.length > MOST_CHARACTERS || /[\n\r\0]/.test(glob)) return undefined;
	// In ripgrep, braces around a single alternative are not literal, and there are no ranges.
	const pattern = glob.replace(/^\//, "").replace(/(?<!\\)\{([^{},\\]+)\}/g, "$1");
	if (braceExpand(pattern, { braceExpandMax: MOST_ALTERNATIVES + 1 }).length > MOST_ALTERNATIVES) return undefined;
	const matcher = new Minimatch(pattern, { ...OPTIONS, matchBase: !glob.startsWith("/") });
	return (path) => matcher.match(path);
}

const MOST_CHARACTERS = 256;
const MOST_ALTERNATIVES = 64;
const OPTIONS = { dot: true, noext: true, nocomment: true, nonegate: true, platform: "linux" } as const;
