// Globs of file searches: matched by minimatch, with the meaning that ripgrep gives them.
import { braceExpand, Minimatch } from "minimatch";

export type GlobMatcher = (path: string) => boolean;

/**
 * Without a slash the pattern means names at any depth, with one it starts at the root. Undefined when it is too long or
 * stands for too much.
 */
export function compileGlob(glob: string): GlobMatcher | undefined {
	if (glob.length > MOST_CHARACTERS || /[\n\r\0]/.test(glob)) return undefined;
	// To ripgrep, braces around one alternative are no characters, and there are no ranges.
	const pattern = glob.replace(/^\//, "").replace(/(?<!\\)\{([^{},\\]+)\}/g, "$1");
	if (braceExpand(pattern, { braceExpandMax: MOST_ALTERNATIVES + 1 }).length > MOST_ALTERNATIVES) return undefined;
	const matcher = new Minimatch(pattern, { ...OPTIONS, matchBase: !glob.startsWith("/") });
	return (path) => matcher.match(path);
}

const MOST_CHARACTERS = 256;
const MOST_ALTERNATIVES = 64;
const OPTIONS = { dot: true, noext: true, nocomment: true, nonegate: true, platform: "linux" } as const;
