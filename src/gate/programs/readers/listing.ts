// Programs that print names and metadata of files, never their content.

import { t } from "../../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import type { Assessment, Assessor, AssessorTable, Invocation, Operand } from "../assessment.ts";
import { isPath, type ParsedFlags, type ProgramTable, reading } from "../flags.ts";

const GNU = "--help --version";

/** Prints names below its operands, or below the current folder without operands; some flags make it follow links. */
const listsNames = (following: string): Partial<ProgramTable> => ({
	check: ({ flags, operands }: ParsedFlags) => {
		const follow = following.split(" ").some((flag) => flags.has(flag));
		return { operands: reading(operands.length > 0 ? operands : ["."], { kind: "names", ...(follow && { follow }) }) };
	},
});

/** The pattern comes first, then folders. Excludes flags that run a program for each name, such as `--list-details`. */
const fd: ProgramTable = {
	operands: "names",
	flags: {
		alone:
			"-H -I -u -s -i -g -F -a -L -p -0 -1 -q --hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob " +
			"--regex --fixed-strings --absolute-path --follow --full-path --print0 --prune --quiet --show-errors --help --version",
		text: "-d -t -e -S -c -j --max-depth --min-depth --exact-depth --type --extension --size --changed-within --changed-before --color --threads --max-results",
		pattern: "-E --exclude",
		anywhere: true,
	},
	check: ({ flags, operands }) => {
		const folders = operands.length > 1 ? operands.slice(1) : ["."];
		const follow = flags.has("-L") || flags.has("--follow");
		return { operands: reading(folders, { kind: "names", ...(follow && { follow }) }) };
	},
};

export const listingPrograms: ProgramTables = {
	fd: forAllFlavors(fd),
	/** Its name on Debian. */
	fdfind: forAllFlavors(fd),
	/** Prints the locations of programs and manuals in system folders. */
	whereis: tablesByFlavor("text", { gnu: { alone: "-b -m -s -u -l -h -V --help --version" } }),
	ls: tablesByFlavor(
		"names",
		{
			gnu: {
				alone:
					"-a -A -b -B -c -C -d -D -f -F -g -G -h -H -i -k -l -L -m -n -N -o -p -q -Q -r -R -s -S -t -u -U -v -x -X -Z -1 --all --almost-all " +
					"--author --escape --ignore-backups --directory --dired --file-type --full-time --group-directories-first --no-group " +
					"--human-readable --si --dereference-command-line --dereference-command-line-symlink-to-dir --inode --kibibytes --dereference " +
					"--numeric-uid-gid --literal --hide-control-chars --show-control-chars --quote-name --reverse --recursive --size --context " +
					`--zero ${GNU}`,
				text: "-I -T -w --block-size --format --hide --indicator-style --ignore --quoting-style --sort --time --time-style --tabsize --width",
				optional: "--classify --color --hyperlink",
			},
			bsd: {
				alone: "-A -B -C -F -G -H -L -O -P -R -S -T -U -W -a -b -c -d -e -f -g -h -i -k -l -m -n -o -p -q -r -s -t -u -w -x -1 -@",
				text: "-D",
				optional: "--color",
			},
			busybox: { alone: "-1 -A -a -C -x -d -L -H -R -F -p -l -i -n -s -h -r -S -X -v -c -t -u", text: "-w -T", optional: "--color" },
		},
		listsNames("-L -H --dereference --dereference-command-line --dereference-command-line-symlink-to-dir"),
	),
	/** After a letter that takes a word, the following letters are flags; `-l` follows links, `-o` and `-R` write. */
	tree: forAllFlavors({
		operands: "names",
		flags: {
			alone:
				"-a -d -f -x -q -N -Q -p -u -g -s -h -D -F -v -t -c -U -r -i -A -S -n -C -X -J --dirsfirst --filesfirst --noreport --gitignore " +
				"--prune --du --si --inodes --device --nolinks --ignore-case --matchdirs --metafirst --help --version",
			text: "--charset --filelimit --sort --timefmt",
			detached: "-L -P -I",
			anywhere: true,
		},
		...listsNames(""),
	}),
	du: tablesByFlavor(
		"names",
		{
			gnu: {
				alone:
					"-0 -a -b -c -D -h -H -k -l -L -m -P -s -S -x --null --all --apparent-size --bytes --total --dereference-args --human-readable " +
					`--inodes --dereference --count-links --no-dereference --separate-dirs --si --summarize --one-file-system ${GNU}`,
				text: "-B -d -t --block-size --max-depth --threshold --time-style",
				pattern: "--exclude",
				optional: "--time",
			},
			bsd: { alone: "-a -c -g -h -H -k -L -m -n -P -s -x", text: "-B -d", pattern: "-I" },
			busybox: { alone: "-a -c -h -H -k -l -L -m -s -x", text: "-d" },
		},
		listsNames("-L -D -H --dereference --dereference-args"),
	),
	df: tablesByFlavor("itself", {
		gnu: {
			alone: `-a -h -H -i -k -l -P -T -v --all --human-readable --si --inodes --local --no-sync --portability --print-type --total ${GNU}`,
			text: "-B -t -x --block-size --type --exclude-type",
			optional: "--output",
		},
		bsd: { alone: "-a -b -c -g -h -H -i -k -l -m -n -P", text: "-t" },
		busybox: { alone: "-a -h -i -k -m -P -T", text: "-B -t" },
	}),
	stat: tablesByFlavor("itself", {
		gnu: { alone: `-f -L -t --dereference --file-system --terse ${GNU}`, text: "-c --cached --format --printf" },
		bsd: { alone: "-F -l -L -n -q -r -s -x", text: "-f -t" },
		busybox: { alone: "-f -L -t", text: "-c" },
	}),
	readlink: tablesByFlavor("itself", {
		gnu: {
			alone: `-e -f -m -n -q -s -v -z --canonicalize --canonicalize-existing --canonicalize-missing --no-newline --quiet --silent --verbose --zero ${GNU}`,
		},
		bsd: { alone: "-f -n" },
		busybox: { alone: "-f -n -v" },
	}),
	realpath: tablesByFlavor("itself", {
		gnu: {
			alone: `-e -L -m -P -q -s -z --canonicalize-existing --canonicalize-missing --logical --physical --quiet --strip --no-symlinks --zero ${GNU}`,
			pattern: "--relative-to --relative-base",
		},
		bsd: { alone: "-q" },
		busybox: {},
	}),
	file: tablesByFlavor("itself", {
		gnu: {
			alone:
				"-0 -b -h -i -k -L -l -n -N -r -v --brief --mime --mime-type --mime-encoding --apple --extension --keep-going --dereference " +
				"--no-dereference --list --no-buffer --no-pad --raw --print0 --help --version",
			text: "-e -F -P --exclude --exclude-quiet --separator --parameter",
		},
		bsd: { alone: "-0 -b -h -i -I -k -L -n -N -r --brief --mime --mime-type --mime-encoding", text: "-F --separator" },
	}),
	pathchk: tablesByFlavor("text", { gnu: { alone: `-p -P --portability ${GNU}` }, bsd: { alone: "-p -P" } }),
};

/** `ps eww` and, on macOS, `ps -E` also print environment variables. */
const ENVIRONMENT = /^(?:[A-Za-z]*e|-[A-Za-z]*E)/;

export const ps: Assessor = ({ words }) => {
	const shows = words.slice(1).some((word) => ENVIRONMENT.test(word));
	if (shows) return { always: t("ps shows the environment variables of other programs."), line: true, operands: [] };
	return { asks: t("ps shows the command-line arguments of other programs."), line: true, operands: [] };
};

const ABOUT_FILES = new Set("-a -b -c -d -e -f -g -G -h -k -L -N -O -p -r -s -S -u -w -x".split(" "));
const BETWEEN_FILES = new Set("-ef -nt -ot".split(" "));
/** These take a variable name and evaluate the text in its brackets. */
const ABOUT_VARIABLES = new Set(["-v", "-R"]);
/** Counts and statuses are always numbers. */
const NUMBER = /^"?\$[?#]"?$/;

const test: Assessor = (call) => {
	const { words, unknown } = call;
	const operands = filesOf(call);
	const asks = (always: string): Assessment => ({ always, line: true, operands });
	if (words.some((word) => ABOUT_VARIABLES.has(word))) return asks(t("test may run a command inside square brackets."));
	if ([...unknown].some((place) => !NUMBER.test(words[place] ?? ""))) {
		return asks(t("An argument of {0} can only be determined by the shell.", words[0] ?? "test"));
	}
	return { reads: true, class: words[0] ?? "test", operands };
};

function filesOf({ words }: Invocation): Operand[] {
	const named = words.flatMap((word, index) => {
		if (index > 0 && ABOUT_FILES.has(word)) return words.slice(index + 1, index + 2);
		return BETWEEN_FILES.has(word) ? [words[index - 1] ?? "", words[index + 1] ?? ""] : [];
	});
	return named.filter((word) => isPath(word) && word !== "]").map((word): Operand => ({ word, use: "read", reach: { kind: "itself" } }));
}

export const testPrograms: AssessorTable = { test, "[": test };
