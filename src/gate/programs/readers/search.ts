// Assesses file searches: `grep` and its variants, `rg`, and `find`.

import type { ProgramFlavor } from "../../../core/ports/workspace/programs.ts";
import { t } from "../../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import type { Assessment, Assessor, Invocation, Operand, PathExtent } from "../assessment.ts";
import { isPath, type ParsedFlags, type ProgramTable, reading } from "../flags.ts";

const RECURSIVE = "-r -R --recursive --dereference-recursive".split(" ");
const FOLLOWS = "-R --dereference-recursive".split(" ");

/** Its patterns combine with `--include`, and the first match decides for files that neither names. */
const UNREAD_SKIPS = ["--exclude-from"];

const PATTERN_FLAGS = "-e -f --regexp --file".split(" ");

/** The first operand is a pattern unless a flag gives one. */
function files({ flags, operands }: ParsedFlags): readonly string[] {
	return PATTERN_FLAGS.some((flag) => flags.has(flag)) ? operands : operands.slice(1);
}

function patternFiles({ reads }: ParsedFlags): Operand[] {
	return reading(reads, { kind: "itself" });
}

function grepped(read: ParsedFlags, { flavor }: Invocation): Partial<Assessment> {
	const named = files(read);
	const has = (names: readonly string[]) => names.some((name) => read.flags.has(name));
	const recursesByFlag = read.values.some(({ flag, value }) => (flag === "-d" || flag === "--directories") && value === "recurse");
	const isRecursive = has(RECURSIVE) || recursesByFlag;
	// Some BSD and busybox versions follow links by default.
	const follow = isRecursive && (flavor !== "gnu" || has(FOLLOWS));
	const skips = isRecursive && !has(UNREAD_SKIPS) ? grepExcludes(read.values, flavor) : undefined;
	const reach: PathExtent = { kind: "tree", ...(follow && { follow }), ...(skips && { skips }) };
	return { operands: [...patternFiles(read), ...reading(isRecursive && named.length === 0 ? ["."] : named, reach)] };
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

/** Flags that select which files ripgrep reads; they are passed on when listing these files. */
const SELECTION_FLAGS = new Set(
	(
		"-g --glob --iglob --glob-case-insensitive --ignore-file-case-insensitive -t --type -T --type-not --type-add --type-clear " +
		"--max-depth --max-filesize -u --unrestricted --no-ignore --no-ignore-dot --no-ignore-exclude --no-ignore-files " +
		"--no-ignore-global --no-ignore-parent --no-ignore-vcs --no-require-git --hidden -. --one-file-system"
	).split(" "),
);

function ripgrepped(read: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const { flags, given } = read;
	// ripgrep treats `-g=x` as `-g x`, so the flag that is passed on would differ from what it reads.
	const equals = given.find(({ value }) => value?.startsWith("="));
	if (equals) return { reason: t("{0} with {1} may write files or run commands.", "rg", `${equals.flag}${equals.value}`) };
	if (flags.has("--type-list")) return { operands: patternFiles(read) };
	const listsFiles = flags.has("--files");
	const named = listsFiles ? read.operands : files(read);
	const passedFlags = given
		.filter(({ flag }) => SELECTION_FLAGS.has(flag))
		.flatMap(({ flag, value }) => (value === undefined ? [flag] : flag.startsWith("--") ? [`${flag}=${value}`] : [flag, value]));
	const reach: PathExtent = listsFiles ? { kind: "names" } : { kind: "ripgrep", flags: passedFlags };
	return { operands: [...patternFiles(read), ...reading(named.length > 0 ? named.filter(isPath) : ["."], reach)] };
}

/** Excludes `-L`, `-z`, `--pre`, and `--hostname-bin`, which follow links or run programs. */
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

type Value = { flag: string; value: string };
type Matches = (name: string) => boolean;

/**
 * Returns undefined if nothing is certainly skipped. Considers only what every grep skips: patterns of letters and `*`, and for files
 * either only `--include` or only `--exclude`, because programs differ in which one wins.
 */
function grepExcludes(values: readonly Value[], flavor: ProgramFlavor): ((name: string, folder: boolean) => boolean) | undefined {
	const of = (flag: string) => values.filter((value) => value.flag === flag).map(({ value }) => value);
	const [include, exclude, folders] = [of("--include"), of("--exclude"), of("--exclude-dir")];
	if (flavor === "busybox" || values.some(({ flag }) => flag === "--include-dir")) return undefined;
	const included = include.map((pattern) => compileInclude(pattern, flavor));
	const known = included.filter((matches) => matches !== undefined);
	const onlyIncluded = include.length > 0 && exclude.length === 0 && known.length === include.length;
	const excluded = include.length === 0 ? exclude.flatMap((pattern) => compileSimple(pattern) ?? []) : [];
	const excludedFolders = folders.flatMap((pattern) => compileSimple(pattern.replace(/\/+$/, "")) ?? []);
	if (!onlyIncluded && excluded.length === 0 && excludedFolders.length === 0) return undefined;
	return (name, folder) => {
		if (folder) return excludedFolders.some((matches) => matches(name));
		return (onlyIncluded && !known.some((matches) => matches(name))) || excluded.some((matches) => matches(name));
	};
}

/** BSD also matches the pattern against the whole path; the results only agree if the pattern starts with `*` or contains none. */
function compileInclude(pattern: string, flavor: ProgramFlavor): Matches | undefined {
	return flavor === "bsd" && pattern.lastIndexOf("*") > 0 ? undefined : compileSimple(pattern);
}

/** Letters and `*` only: what other shell wildcards match depends on the program and the locale. */
function compileSimple(pattern: string): Matches | undefined {
	if (!/^[\w.*+ -]+$/.test(pattern)) return undefined;
	const parts = pattern.split("*");
	const [first = ""] = parts;
	const last = parts.at(-1) as string;
	if (parts.length === 1) return (name) => name === pattern;
	return (name) => {
		if (!name.startsWith(first) || !name.endsWith(last) || name.length < first.length + last.length) return false;
		let at = first.length;
		for (const part of parts.slice(1, -1)) {
			const found = name.indexOf(part, at);
			if (found < 0) return false;
			at = found + part.length;
		}
		return at <= name.length - last.length;
	};
}

/** Tests without and with a value. Excludes everything that runs, writes, or deletes. */
interface Tests {
	alone: string;
	takes: string;
	/** Flags before the first path: letters, combined if they take no value. */
	leading: RegExp;
}

/** Tests that read another file. */
const COMPARED = /^-(?:[ac]?newer|mnewer|samefile)$/;

const POSIX = {
	alone: "( ) ! -a -o -print -prune -depth -nouser -nogroup -xdev",
	takes: "-name -path -perm -type -links -user -group -size -atime -ctime -mtime -newer",
};

/** Exported for the check against `find --help`. */
export const findTests: Readonly<Record<ProgramFlavor, Tests>> = {
	gnu: {
		alone: `${POSIX.alone} , -not -and -or -daystart -follow -d -mount -noleaf -nowarn -warn -empty -false -true -readable -writable -executable -print0 -ls -quit`,
		takes:
			`${POSIX.takes} -regextype -maxdepth -mindepth -amin -anewer -cmin -cnewer -fstype -gid -ilname -iname -inum -iwholename -ipath ` +
			"-iregex -lname -mmin -regex -wholename -uid -used -xtype -samefile -printf -newermt -newerat -newerct",
		leading: /^-(?:[HLP]|O\d)$/,
	},
	bsd: {
		alone: `${POSIX.alone} -not -and -or -false -follow -true -d -empty -mount -print0 -ls -quit -depth`,
		takes:
			`${POSIX.takes} -maxdepth -mindepth -amin -anewer -cmin -cnewer -flags -fstype -gid -ilname -iname -inum -ipath -iregex -iwholename ` +
			"-lname -mmin -mnewer -regex -samefile -uid -wholename -newermt",
		leading: /^-[HLPEXdsx]+$/,
	},
	busybox: {
		alone: "( ) ! -a -o -not -print -print0 -prune -depth -d -xdev -follow -quit -empty -executable",
		takes:
			"-name -iname -path -ipath -regex -perm -type -links -user -group -size -atime -ctime -mtime -amin -cmin -mmin -newer -inum -maxdepth -mindepth",
		leading: /^-[HL]$/,
	},
};

const set = (names: string): ReadonlySet<string> => new Set(names.split(" "));
const names = (flavor: ProgramFlavor) => ({ alone: set(findTests[flavor].alone), takes: set(findTests[flavor].takes) });
const known = { gnu: names("gnu"), bsd: names("bsd"), busybox: names("busybox") };

export const find: Assessor = (call) => {
	const { words, flavor, unknown } = call;
	const { leading } = findTests[flavor];
	const { alone, takes } = known[flavor];
	let at = 1;
	let follow = false;
	for (; leading.test(words[at] ?? ""); at++) follow ||= /[HL]/.test(words[at] as string);
	const paths: string[] = [];
	for (; at < words.length && !/^(?:-.|[(!,]$)/.test(words[at] as string); at++) paths.push(words[at] as string);
	const compared: string[] = [];
	let unknownTest: string | undefined;
	for (; at < words.length && unknownTest === undefined; at++) {
		const word = words[at] as string;
		follow ||= word === "-follow";
		if (takes.has(word)) {
			at++;
			if (COMPARED.test(word)) compared.push(words[at] ?? "");
		} else if (!alone.has(word)) unknownTest = word;
	}
	const named = (paths.length > 0 ? paths : ["."]).filter(isPath);
	const operands = [
		...named.map((word): Operand => ({ word, use: "read", reach: { kind: "names", ...(follow && { follow }) } })),
		...reading(compared, { kind: "itself" }),
	];
	const asks = (always: string) => ({
		always,
		...(words.includes("-delete") ? { deletes: true as const } : { line: true as const }),
		operands,
	});
	if (unknownTest !== undefined) return asks(t("{0} with {1} may write files or run commands.", "find", unknownTest));
	if (unknown.size > 0) return asks(t("An argument of {0} can only be determined by the shell.", "find"));
	return { reads: true, class: "find", operands };
};
