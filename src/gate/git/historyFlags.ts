// Flags of git's history and diff commands, grouped by their effect on the reported file names.
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";

/** Flags that select the commits, and which of their files are reported. */
export const revisionWalkFlags: FlagSpec = {
	numeric: true,
	alone:
		"--all --reflog --merges --no-merges --first-parent --exclude-first-parent-only --boundary --left-right --left-only --right-only " +
		"--cherry-mark --cherry-pick --cherry --merge --simplify-by-decoration --show-pulls --full-history --dense --sparse --simplify-merges " +
		"--date-order --author-date-order --topo-order --reverse --do-walk -g --walk-reflogs --all-match --invert-grep -i " +
		"--regexp-ignore-case --basic-regexp -E --extended-regexp -F --fixed-strings -P --perl-regexp --remove-empty --ignore-missing --not " +
		"--single-worktree --follow --no-min-parents --no-max-parents",
	optional: "--branches --tags --remotes --ancestry-path --no-walk --min-parents --max-parents",
	text:
		"-n --max-count --skip --since --after --until --before --since-as-filter --author --committer --grep --grep-reflog --glob --exclude " +
		"--max-age --min-age",
};

/** Flags for the output format of a commit. */
export const commitFormatFlags: FlagSpec = {
	alone:
		"--oneline --graph --no-graph --log-size --abbrev-commit --no-abbrev-commit --relative-date --parents --children --no-expand-tabs " +
		"--notes --no-notes",
	optional: "--pretty --format --expand-tabs --show-linear-break",
	text: "--date --encoding",
};

/** Further flags of the `git log` commands. */
export const logFlags: FlagSpec = {
	alone: "--full-diff --no-decorate --source --mailmap --use-mailmap --no-mailmap --no-use-mailmap --clear-decorations -q",
	optional: "--decorate",
	text: "--decorate-refs --decorate-refs-exclude",
};

/** Flags that filter files by the content of their changes. Omitting them from our query only adds results. */
export const pickaxeFlags: FlagSpec = { alone: "--pickaxe-all --pickaxe-regex --root", text: "-S -G --find-object" };

/** Flags that select what is compared: the index, the sides of a conflict. */
export const comparisonFlags: FlagSpec = { alone: "--cached --staged --merge-base --base --ours --theirs -0 -1 -2 -3" };

/** Flags for the format of changed files or of a change, which show no additional files. */
export const diffFormatFlags: FlagSpec = {
	alone:
		"--numstat --shortstat --summary --name-only --name-status --raw --compact-summary -s --no-patch --quiet --exit-code -z --cumulative " +
		"--full-index --no-renames --rename-empty --no-rename-empty --no-color --no-abbrev --no-relative --minimal --patience --histogram " +
		"--indent-heuristic --no-indent-heuristic -w --ignore-all-space -b --ignore-space-change --ignore-space-at-eol --ignore-cr-at-eol " +
		"--ignore-blank-lines -a --text -R -D --irreversible-delete --ita-invisible-in-index --ita-visible-in-index --no-prefix " +
		"--default-prefix --no-color-moved --no-textconv --no-ext-diff -t -r",
	optional:
		"--stat -X --dirstat --dirstat-by-file -M --find-renames -B --break-rewrites --abbrev --color --relative --ignore-submodules --color-moved",
	text:
		"--stat-width --stat-name-width --stat-graph-width --stat-count -l --diff-filter --diff-algorithm --anchored --src-prefix --dst-prefix " +
		"--line-prefix --inter-hunk-context --output-indicator-new --output-indicator-old --output-indicator-context --ws-error-highlight " +
		"--color-moved-ws -I --ignore-matching-lines",
};

/** Flags that print lines of files. */
export const patchFlags: FlagSpec = {
	alone: "-p -u --patch --patch-with-stat --patch-with-raw --binary -W --function-context --check -c --cc -m --no-diff-merges",
	optional: "-U --unified --word-diff --color-words",
	text: "--word-diff-regex --diff-merges",
};

/** Flags that report changed files instead of printing lines. */
const summaryFlags = setOf(
	"--stat --numstat --shortstat --dirstat -X --dirstat-by-file --cumulative --summary --compact-summary --name-only --name-status --raw " +
		"-s --no-patch --quiet",
);
const mergeFlags = setOf("-m -c --cc --diff-merges --first-parent");
const countFlags = setOf("-n --max-count --skip");
/** Filters that our query omits: with a count limit, its results could end too early. */
const filterFlags = setOf("-S -G --find-object --diff-filter --follow --grep");
/** They also match notes, which a query that prints no messages does not. */
const grepFlags = setOf("--grep --invert-grep --all-match");
/** Matching an author uses the mailmap. */
const mailmapFlags = setOf("--mailmap --use-mailmap --no-mailmap --no-use-mailmap --encoding");
const selectingFlags = new Set(["--full-diff", "--root", ...mailmapFlags, ...flagNames(revisionWalkFlags), ...flagNames(comparisonFlags)]);
/** Flags that change the meaning of other arguments or add commits by their own rules. */
const unsupportedFlags = setOf("--not --exclude --graph --parents --children --simplify-by-decoration -g --walk-reflogs");

export function mergeFlagSpecs(...tables: readonly FlagSpec[]): FlagSpec {
	const all = (kind: "alone" | "optional" | "text" | "reads") => tables.flatMap((table) => table[kind] ?? []).join(" ");
	return {
		alone: all("alone"),
		optional: all("optional"),
		text: all("text"),
		reads: all("reads"),
		...(tables.some(({ numeric }) => numeric) && { numeric: true }),
	};
}

export const historyFlags = mergeFlagSpecs(revisionWalkFlags, commitFormatFlags, logFlags, pickaxeFlags, diffFormatFlags, patchFlags);

/** Returns true if a command that prints no changes by default prints them with these flags. */
export function printsPatch({ flags }: ParsedFlags): boolean {
	return flagNames(patchFlags).some((name) => flags.has(name));
}

/** Returns true if the flags search the content of changes: whether a change matches reveals file content, even if no line is printed. */
export function searchesContent({ flags }: ParsedFlags): boolean {
	return ["-S", "-G", "-I", "--ignore-matching-lines"].some((name) => flags.has(name));
}

/** Returns true if a command that prints the lines of changes by default prints them with these flags. */
export function printsPatchByDefault(read: ParsedFlags): boolean {
	return printsPatch(read) || searchesContent(read) || !read.given.some(({ flag }) => summaryFlags.has(flag));
}

/** Merges show the changes against one, several, or all parents. */
export function showsMergeDiffs({ flags }: ParsedFlags): boolean {
	return [...mergeFlags].some((name) => flags.has(name));
}

/** The flags that select files, in order, as arguments for our query; undefined if no equivalent query exists. */
export function selectionFlags(read: ParsedFlags): readonly string[] | undefined {
	if (read.given.some(({ flag }) => unsupportedFlags.has(flag))) return undefined;
	const counted = !limitsFilteredCommits(read);
	return read.given.flatMap(({ flag, value }) => {
		const chosen = isCountFlag(flag) || flag === "--no-walk" ? counted : selectingFlags.has(flag) && !grepFlags.has(flag);
		if (!chosen) return [];
		if (value === undefined) return [flag];
		return [flag.startsWith("--") ? `${flag}=${value}` : `${flag}${value}`];
	});
}

/** It stops after a number of commits, but our query cannot apply all filters that decide which commits count. */
export function limitsFilteredCommits(read: ParsedFlags): boolean {
	return filtersCommits(read) && read.given.some(({ flag }) => isCountFlag(flag));
}

function filtersCommits({ flags }: ParsedFlags): boolean {
	return [...filterFlags].some((flag) => flags.has(flag));
}

function isCountFlag(flag: string): boolean {
	return countFlags.has(flag) || /^-\d+$/.test(flag);
}

/** Returns true if flags that select references are among the arguments. */
export function hasReferenceFlags(words: readonly string[]): boolean {
	return words.some((word) => /^--(?:all|branches|tags|remotes|glob|reflog|single-worktree)(?:=|$)/.test(word));
}

/** Removes flags that end the output early from the result of `selectionFlags`. A count also cancels `--no-walk`. */
export function withoutCountLimits(words: readonly string[]): string[] {
	return words.filter((word) => !/^(?:-n?\d+|--(?:max-count|skip|no-walk)(?:=.*)?)$/.test(word));
}

export function flagNames({ alone = "", optional = "", text = "", reads = "" }: FlagSpec): string[] {
	return `${alone} ${optional} ${text} ${reads}`.split(" ").filter((name) => name !== "");
}

function setOf(names: string): ReadonlySet<string> {
	return new Set(names.split(" "));
}

const knownFormats = new Set("oneline short medium full fuller reference email mboxrd raw".split(" "));

/** Returns true for a known value of `--format` and `--pretty`. Any other bare name is an alias in some configuration. */
export function isKnownCommitFormat(format: string): boolean {
	if (format === "" || knownFormats.has(format)) return true;
	const text = format.replace(/^t?format:/, "");
	if (text === format && !format.includes("%")) return false;
	return !text.replace(placeholder, "").includes("%");
}

/** Every placeholder in `git help log` except %G (runs a signature verification program) and %(describe) (starts another git). */
const placeholder = new RegExp(
	`%[+\\- ]?(?:${[
		"[HhTtPpdDSesfbBmnN%]",
		"[ac][nNeElLdDriIths]",
		"g[DdnNeEs]",
		"C(?:red|green|blue|reset|\\([a-z0-9# ,-]*\\))",
		"x[0-9a-fA-F]{2}",
		"w\\([0-9, ]*\\)",
		"[<>|]{1,2}\\(\\s*-?\\d+\\s*(?:,\\s*(?:trunc|ltrunc|mtrunc)\\s*)?\\)",
		"\\((?:trailers|decorate)(?::[^()]*)?\\)",
	].join("|")})`,
	"g",
);

/**
 * Returns true for a known format of `branch`, `tag`, and `for-each-ref`: no `raw` (prints any object), no `signature` (runs a program), no
 * `describe`.
 */
export function isKnownRefFormat(format: string): boolean {
	return !format
		.replace(/%%|%[0-9a-fA-F]{2}/g, "")
		.replace(atom, "")
		.includes("%");
}

const atoms = (
	"refname objecttype objectsize objectname deltabase tree parent numparent object type tag author authorname authoremail authordate " +
	"committer committername committeremail committerdate tagger taggername taggeremail taggerdate creator creatordate subject body contents " +
	"trailers upstream push symref flag HEAD color worktreepath align end if then else ahead-behind is-base"
).split(" ");
const atom = new RegExp(`%\\(\\*?(?:${atoms.join("|")})(?::[^()]*)?\\)`, "g");
