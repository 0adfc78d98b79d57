// Compiles globs with minimatch, using fixed options and limits on the cost of a pattern.
import { braceExpand, Minimatch } from "minimatch";
import { t } from "../shared/l10n.ts";

export interface Glob {
	matches(text: string): boolean;
	/** The patterns that its braces expand to. */
	alternatives: readonly string[];
	/** Number of wildcards in each alternative. */
	wildcards: readonly number[];
	/** Reason why it exceeds the limits. Earlier versions accepted it, so it still applies where it denies or asks. */
	excess?: string;
}

export interface InvalidGlob {
	invalid: string;
}

const COMMON = { dot: true, noext: true, nocomment: true, platform: "linux" } as const;
/** `entry`: in an agent's lists, where a leading `!` matches everything that the rest does not. `path`: in a rule. */
const OPTIONS = {
	entry: COMMON,
	tool: { ...COMMON, nonegate: true },
	path: { ...COMMON, nonegate: true, nocase: true },
	stepFile: { ...COMMON, nonegate: true },
} as const;

const MAX_CHARACTERS = 256;
const MAX_ALTERNATIVES = 64;
/** Total characters after brace expansion. */
const MAX_UNFOLDED = 4_096;
const MAX_GLOBSTARS = 4;
const MAX_WILDCARDS = 6;

/** Returns a lazily compiled glob, or the reason that the pattern is invalid. */
export function compileGlob(pattern: string, kind: keyof typeof OPTIONS): Glob | InvalidGlob {
	const bare = kind === "entry" ? pattern.replace(/^!+/, "") : pattern;
	if (bare === "") return { invalid: t("Must not be empty") };
	if (bare.length > MAX_CHARACTERS) return { invalid: t("Must be {0} characters or fewer", MAX_CHARACTERS) };
	if (/\[[^\]]*\[:/.test(bare)) return { invalid: t("Named character classes such as [:alpha:] aren't supported") };
	const alternatives = bare.includes("{") ? braceExpand(bare, { braceExpandMax: MAX_ALTERNATIVES + 1 }) : [bare];
	if (alternatives.length > MAX_ALTERNATIVES) return { invalid: t("Braces expand to more than {0} patterns", MAX_ALTERNATIVES) };
	if (alternatives.reduce((sum, { length }) => sum + length, 0) > MAX_UNFOLDED)
		return { invalid: t("Braces expand to more than {0} characters", MAX_UNFOLDED) };
	if (bare.includes("**") && alternatives.some((expanded) => expanded.split("/").filter((part) => part === "**").length > MAX_GLOBSTARS))
		return { invalid: t('More than {0} "**"', MAX_GLOBSTARS) };
	const wildcards = alternatives.map(countWildcards);
	// Most patterns are read with their definition and never matched.
	let compiled: Minimatch | undefined;
	return {
		alternatives,
		wildcards,
		...(wildcards.some((count) => count > MAX_WILDCARDS) && { excess: t("More than {0} wildcards", MAX_WILDCARDS) }),
		matches(text) {
			compiled ??= new Minimatch(pattern, OPTIONS[kind]);
			return compiled.match(text);
		},
	};
}

/** Counts the wildcards of a pattern without braces. A run of stars counts as one wildcard. */
function countWildcards(pattern: string): number {
	return withoutEscapes(pattern).match(/\*+|\?|\[\]?[^\]]*\]/g)?.length ?? 0;
}

/** Removes backslashes; an escaped special character becomes NUL. */
export function withoutEscapes(pattern: string): string {
	if (!pattern.includes("\\")) return pattern;
	return pattern.replace(/\\(.)/gs, (_, character: string) => ("*?[]{}".includes(character) ? "\0" : character));
}

/** Maximum number of wildcard globs in a plan step. */
const MAX_STEP_GLOBS = 64;

interface StepFiles {
	exact: ReadonlySet<string>;
	globs: readonly Glob[];
}

/** Compiled once per list of files, and released with its plan. */
const stepFiles = new WeakMap<readonly string[], StepFiles>();

/** Returns true if a plan step's files match this path. Invalid patterns match nothing. */
export function stepNames(files: readonly string[], path: string): boolean {
	const known = stepFiles.get(files) ?? compileStepFiles(files);
	stepFiles.set(files, known);
	return known.exact.has(path) || known.globs.some((glob) => glob.matches(path));
}

function compileStepFiles(files: readonly string[]): StepFiles {
	const entries = files.map((file) => file.replace(/^\.\//, ""));
	const globs = entries.flatMap((entry) => {
		const glob = isPlainPath(entry) ? undefined : compileGlob(entry, "stepFile");
		return glob && !("invalid" in glob) && glob.excess === undefined ? [glob] : [];
	});
	return { exact: new Set(entries.filter(isPlainPath)), globs: globs.slice(0, MAX_STEP_GLOBS) };
}

/** Accepts at most 256 characters, like every pattern. */
function isPlainPath(entry: string): boolean {
	return /^[\w ./@-]{1,256}$/.test(entry) && !/\/\/|\.\.|\/$/.test(entry);
}
