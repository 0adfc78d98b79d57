// Searches in files: `grep` and its kin, and `rg`.
import { t } from "../../../shared/l10n.ts";
import { isPath, type ParsedFlags, type ProgramTable, reading } from "../flags.ts";
import type { Assessment, Invocation, Operand, PathExtent } from "../judgement.ts";
import { forAllFlavors, type ProgramTables, tablesByFlavor } from "../table.ts";
import { grepExcludes } from "./grepSkips.ts";

const DEEP = "-r -R --recursive --dereference-recursive".split(" ");
const FOLLOWS = "-R --dereference-recursive".split(" ");

/** What it names decides together with `--include`, and the first of both is what counts for files that neither names. */
const UNREAD_SKIPS = ["--exclude-from"];

const BRINGS_PATTERNS = "-e -f --regexp --file".split(" ");

/** The first operand is a pattern unless a flag brings one. */
function files({ flags, operands }: ParsedFlags): readonly string[] {
	return BRINGS_PATTERNS.some((flag) => flags.has(flag)) ? operands : operands.slice(1);
}

function patternFiles({ reads }: ParsedFlags): Operand[] {
	return reading(reads, { kind: "itself" });
}

function grepped(read: ParsedFlags, { flavor }: Invocation): Partial<Assessment> {
	const named = files(read);
	const has = (names: readonly string[]) => names.some((name) => read.flags.has(name));
	const asked = read.values.some(({ flag, value }) => (flag === "-d" || flag === "--directories") && value === "recurse");
	const deep = has(DEEP) || asked;
	// Some of BSD and busybox follow links without being told.
	const follow = deep && (flavor !== "gnu" || has(FOLLOWS));
	const skips = deep && !has(UNREAD_SKIPS) ? grepExcludes(read.values, flavor) : undefined;
	const reach: PathExtent = { kind: "tree", ...(follow && { follow }), ...(skips && { skips }) };
	return { operands: [...patternFiles(read), ...reading(deep && named.length === 0 ? ["."] : named, reach)] };
}

const grep = tablesByFlavor(
	"tree",
	{
		gnu: {
			alone:
				"-E -F -G -P -i -w -x -z -s -v -V -b -n -H -h -o -q -a -I -r -R -L -l -c -T -Z -U --extended-regexp --fixed-strings " +
				"--basic-regexp --perl-regexp --ignore-case --no-ignore-case --word-regexp --line-regexp --null-data --no-messages " +
				"--invert-match --version --help --byte-offset --line-number --line-buffered --with-filename --no-filename --only-matching " +
				"--quiet --silent --text --recursive --dereference-recursive --files-without-match --files-with-matches --count " +
				"--initial-tab --null --no-group-separator --binary",
			text:
				"-e -m -d -D -A -B -C --regexp --max-count --label --binary-files --directories --devices --after-context --before-context " +
				"--context --group-separator",
			pattern: "--include --exclude --exclude-dir",
			optional: "--color --colour",
			reads: "-f --file --exclude-from",
			numeric: true,
		},
		bsd: {
			alone:
				"-E -F -G -i -w -x -s -v -V -b -n -H -h -o -q -a -I -r -R -L -l -c -U --extended-regexp --fixed-strings --basic-regexp " +
				"--ignore-case --word-regexp --line-regexp --no-messages --invert-match --version --byte-offset --line-number " +
				"--line-buffered --with-filename --no-filename --only-matching --quiet --silent --text --recursive --files-without-match " +
				"--files-with-matches --count --null",
			text: "-e -m -d -D -A -B -C --regexp --max-count --label --binary-files --directories --devices --after-context --before-context",
			pattern: "--include --exclude --include-dir --exclude-dir",
			optional: "--color --colour --context",
			reads: "-f --file",
			numeric: true,
			anywhere: true,
		},
		busybox: {
			alone: "-E -F -i -w -x -s -v -n -H -h -o -q -r -R -L -l -c",
			text: "-e -m -A -B -C",
			optional: "--color",
			reads: "-f",
		},
	},
	{ check: grepped },
);

/** Flags that decide which files ripgrep looks at: they are handed on to its own list of files. */
const CHOOSES = new Set(
	(
		"-g --glob --iglob --glob-case-insensitive --ignore-file-case-insensitive -t --type -T --type-not --type-add --type-clear " +
		"--max-depth --max-filesize -u --unrestricted --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files " +
		"--no-ignore-global --no-ignore-parent --no-ignore-vcs --no-require-git --hidden -. --one-file-system"
	).split(" "),
);

function ripgrepped(read: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const { flags, given } = read;
	// ripgrep takes `-g=x` for `-g x`: what is handed on has to be what it reads.
	const equals = given.find(({ value }) => value?.startsWith("="));
	if (equals) return { reason: t("{0} is used with {1}, which may write or run something", "rg", `${equals.flag}${equals.value}`) };
	if (flags.has("--type-list")) return { operands: patternFiles(read) };
	const listed = flags.has("--files");
	const named = listed ? read.operands : files(read);
	const handed = given
		.filter(({ flag }) => CHOOSES.has(flag))
		.flatMap(({ flag, value }) => (value === undefined ? [flag] : flag.startsWith("--") ? [`${flag}=${value}`] : [flag, value]));
	const reach: PathExtent = listed ? { kind: "names" } : { kind: "ripgrep", flags: handed };
	return { operands: [...patternFiles(read), ...reading(named.length > 0 ? named.filter(isPath) : ["."], reach)] };
}

/** Without `-L`, `-z`, `--pre` and `--hostname-bin`: these follow links and run programs. */
const rg: ProgramTable = {
	operands: "ripgrep",
	flags: {
		alone:
			"-a -b -c -F -h -H -i -I -l -n -N -o -p -P -q -s -S -u -U -v -V -w -x -0 -. --text --byte-offset --count --count-matches " +
			"--fixed-strings --help --with-filename --ignore-case --no-filename --files-with-matches --files-without-match --line-number " +
			"--no-line-number --only-matching --pretty --pcre2 --quiet --case-sensitive --smart-case --unrestricted --multiline " +
			"--multiline-dotall --invert-match --version --word-regexp --line-regexp --null --null-data --hidden --files " +
			"--type-list --column --heading --no-heading --json --stats --trim --vimgrep --passthru --no-messages --no-config --crlf " +
			"--binary --block-buffered --line-buffered --auto-hybrid-regex --debug --glob-case-insensitive " +
			"--ignore-file-case-insensitive --include-zero --max-columns-preview --mmap --no-mmap --no-ignore --no-ignore-dot " +
			"--no-ignore-exclude --no-ignore-files --no-ignore-global --no-ignore-messages --no-ignore-parent --no-ignore-vcs " +
			"--no-require-git --no-pcre2-unicode --no-unicode --one-file-system --pcre2-version",
		text:
			"-A -B -C -e -E -g -j -m -M -r -t -T --after-context --before-context --context --color --colors --context-separator " +
			"--dfa-size-limit --encoding --field-context-separator --field-match-separator --glob --iglob --max-columns " +
			"--max-count --max-depth --max-filesize --path-separator --regex-size-limit --regexp --replace --sort --sortr --threads " +
			"--type --type-add --type-clear --type-not",
		reads: "-f --file",
		anywhere: true,
	},
	check: ripgrepped,
};

export const searchPrograms: ProgramTables = {
	grep,
	egrep: grep,
	fgrep: grep,
	rg: forAllFlavors(rg),
};
