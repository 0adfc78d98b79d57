// Git's commands that print commits and changes: log, show, diff and their kin.
import { t } from "../../shared/l10n.ts";
import type { Flags, ReadFlags } from "../programs/flags.ts";
import type { GitContent } from "../programs/judgement.ts";
import { isKnownCommitFormat } from "./formats.ts";
import {
	choosing,
	comparing,
	countsHidden,
	describing,
	historyFlags,
	printing as lines,
	logging,
	looksInside,
	printsByDefault,
	printsLines,
	shaping,
	showsMerges,
	together,
	walking,
} from "./historyFlags.ts";
import {
	contentOf,
	discards,
	formatProblem,
	hasAny,
	named,
	printing,
	type Seen,
	type Subcommand,
	unusual,
	valuesOf,
} from "./subcommand.ts";

const blameFlags: Flags = {
	alone:
		"-b --root --show-stats -l -t -p --porcelain --line-porcelain --incremental --progress --no-progress --score-debug -f --show-name -n " +
		"--show-number -s -e --show-email -w --color-lines --color-by-age --first-parent -c --minimal",
	optional: "-M -C --abbrev",
	text: "-L --date --since --until --before --after --ignore-rev --encoding",
	reads: "--ignore-revs-file",
};

export const readingHistory: Readonly<Record<string, Subcommand>> = {
	log: { flags: historyFlags, judge: (read) => printed(read, printsLines(read) || looksInside(read) ? { content: logged(read) } : {}) },
	show: { flags: historyFlags, judge: showing },
	diff: { flags: together(comparing, choosing, shaping, lines, { alone: "-q" }), judge: compared },
	"diff-files": { flags: together(choosing, shaping, { alone: "-q -0 -1 -2 -3 --base --ours --theirs" }), judge: comparedNames },
	"diff-index": { flags: together(choosing, shaping, { alone: "--cached --merge-base" }), judge: comparedNames },
	"diff-tree": {
		flags: together(choosing, shaping, { alone: "--no-commit-id -v", optional: "--pretty --format" }),
		judge: (read) => (looksInside(read) ? { reason: unusual("diff-tree") } : printed(read)),
	},
	reflog: { flags: together(walking, describing, logging), judge: reflog },
	"rev-list": {
		flags: together(walking, describing, {
			alone:
				"--count --objects --objects-edge --header --timestamp --no-commit-header --commit-header --unpacked --quiet --no-object-names",
			optional: "--disk-usage --abbrev",
		}),
		judge: (read) => printed(read),
	},
	shortlog: {
		flags: {
			alone:
				"-c --committer -n --numbered -s --summary -e --email --all --merges --no-merges --first-parent --reverse --not --all-match " +
				"--invert-grep -i --regexp-ignore-case -E --extended-regexp -F --fixed-strings",
			optional: "-w --format --branches --tags --remotes",
			text: "--group --date --since --after --until --before --author --grep --max-count --skip",
		},
		judge: (read) => {
			const group = valuesOf(read, "--group").find((value) => value.includes("%") && !isKnownCommitFormat(value));
			return { ...printed(read), ...(group !== undefined && { reason: unusual("shortlog") }) };
		},
	},
	cherry: { flags: { alone: "-v --verbose", optional: "--abbrev" }, judge: () => printing },
	blame: { flags: blameFlags, judge: blaming },
	annotate: { flags: blameFlags, judge: blaming },
};

function printed(read: ReadFlags, git: Seen["git"] = {}): Seen {
	const reason = formatProblem(read, isKnownCommitFormat) ?? mergeProblem(read);
	return { reads: true, git: { use: "read", ...git }, ...(reason !== undefined && { reason }) };
}

const knownMerges = new Set("off none on first-parent 1 separate m combined c dense-combined cc".split(" "));

/** A merge that is done over again may run the repository's merge programs. */
function mergeProblem(read: ReadFlags): string | undefined {
	const unknown = valuesOf(read, "--diff-merges").find((value) => !knownMerges.has(value));
	return unknown === undefined ? undefined : t("{0} may do more than print", `--diff-merges=${unknown}`);
}

/** The names that a merge shows against each of its parents are all that it can show in any way. */
function logged(read: ReadFlags): GitContent {
	const content = contentOf("log", read);
	return showsMerges(read) && content.flags ? { ...content, flags: [...content.flags, "--diff-merges=separate"] } : content;
}

/** Whatever its flags say, it prints what is in a file that a word, or one of all references, names by its object. */
function showing(read: ReadFlags): Seen {
	if (hasAny(read, "--all --branches --tags --remotes --glob --reflog") || countsHidden(read)) return { reason: unusual("show") };
	return printed(read, { content: contentOf("show", read, printsByDefault(read) ? {} : { commitsAreFine: true }) });
}

/** Two paths outside of a repository are compared as files: so every word counts as a path, too. */
function compared(read: ReadFlags): Seen {
	const content = printsByDefault(read) && { content: contentOf("diff", read) };
	return { ...printed(read, { ...content, submodules: true }), operands: named(read.operands) };
}

function comparedNames(read: ReadFlags): Seen {
	if (looksInside(read)) return { reason: unusual("diff") };
	return printed(read, { submodules: true });
}

function reflog(read: ReadFlags): Seen {
	const action = read.operands.find((word) => /^(expire|delete|drop|write)$/.test(word));
	if (action === undefined) return printed(read);
	// A rule for `git reflog` is one for reading.
	return { reason: discards(`reflog ${action}`), git: { use: "change" } };
}

/** It prints the lines of one file as it is now, whatever it was called before. */
function blaming(read: ReadFlags): Seen {
	// What is no revision in that file is printed with the error.
	return { ...printing, operands: named([...read.operands, ...read.reads]), git: { use: "read", namedFiles: ["blame.ignorerevsfile"] } };
}
