// Git's commands that print commits and changes: log, show, diff and their kin.
import { t } from "../../shared/l10n.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import type { GitContent } from "../programs/judgement.ts";
import { isKnownCommitFormat } from "./formats.ts";
import {
	commitFormatFlags,
	comparisonFlags,
	diffFormatFlags,
	historyFlags,
	limitsFilteredCommits,
	patchFlags as lines,
	logFlags,
	mergeFlagSpecs,
	pickaxeFlags,
	printsPatch,
	printsPatchByDefault,
	revisionWalkFlags,
	searchesContent,
	showsMergeDiffs,
} from "./historyFlags.ts";
import {
	contentOf,
	discardsReason,
	fileOperands,
	flagValues,
	formatProblem,
	hasAnyFlag,
	printOnly,
	type Subcommand,
	type SubcommandAssessment,
	unusualUseReason,
} from "./subcommand.ts";

const blameFlags: FlagSpec = {
	alone:
		"-b --root --show-stats -l -t -p --porcelain --line-porcelain --incremental --progress --no-progress --score-debug -f --show-name -n " +
		"--show-number -s -e --show-email -w --color-lines --color-by-age --first-parent -c --minimal",
	optional: "-M -C --abbrev",
	text: "-L --date --since --until --before --after --ignore-rev --encoding",
	reads: "--ignore-revs-file",
};

export const historySubcommands: Readonly<Record<string, Subcommand>> = {
	log: { flags: historyFlags, judge: (read) => printed(read, printsPatch(read) || searchesContent(read) ? { content: logged(read) } : {}) },
	show: { flags: historyFlags, judge: showing },
	diff: { flags: mergeFlagSpecs(comparisonFlags, pickaxeFlags, diffFormatFlags, lines, { alone: "-q" }), judge: compared },
	"diff-files": {
		flags: mergeFlagSpecs(pickaxeFlags, diffFormatFlags, { alone: "-q -0 -1 -2 -3 --base --ours --theirs" }),
		judge: comparedNames,
	},
	"diff-index": { flags: mergeFlagSpecs(pickaxeFlags, diffFormatFlags, { alone: "--cached --merge-base" }), judge: comparedNames },
	"diff-tree": {
		flags: mergeFlagSpecs(pickaxeFlags, diffFormatFlags, { alone: "--no-commit-id -v", optional: "--pretty --format" }),
		judge: (read) => (searchesContent(read) ? { reason: unusualUseReason("diff-tree") } : printed(read)),
	},
	reflog: { flags: mergeFlagSpecs(revisionWalkFlags, commitFormatFlags, logFlags), judge: reflog },
	"rev-list": {
		flags: mergeFlagSpecs(revisionWalkFlags, commitFormatFlags, {
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
			const group = flagValues(read, "--group").find((value) => value.includes("%") && !isKnownCommitFormat(value));
			return { ...printed(read), ...(group !== undefined && { reason: unusualUseReason("shortlog") }) };
		},
	},
	cherry: { flags: { alone: "-v --verbose", optional: "--abbrev" }, judge: () => printOnly },
	blame: { flags: blameFlags, judge: blaming },
	annotate: { flags: blameFlags, judge: blaming },
};

function printed(read: ParsedFlags, git: SubcommandAssessment["git"] = {}): SubcommandAssessment {
	const reason = formatProblem(read, isKnownCommitFormat) ?? mergeProblem(read);
	return { reads: true, git: { use: "read", ...git }, ...(reason !== undefined && { reason }) };
}

const knownMerges = new Set("off none on first-parent 1 separate m combined c dense-combined cc".split(" "));

/** A merge that is done over again may run the repository's merge programs. */
function mergeProblem(read: ParsedFlags): string | undefined {
	const unknown = flagValues(read, "--diff-merges").find((value) => !knownMerges.has(value));
	return unknown === undefined ? undefined : t("{0} may do more than print", `--diff-merges=${unknown}`);
}

/** The names that a merge shows against each of its parents are all that it can show in any way. */
function logged(read: ParsedFlags): GitContent {
	const content = contentOf("log", read);
	return showsMergeDiffs(read) && content.flags ? { ...content, flags: [...content.flags, "--diff-merges=separate"] } : content;
}

/** Whatever its flags say, it prints what is in a file that a word, or one of all references, names by its object. */
function showing(read: ParsedFlags): SubcommandAssessment {
	if (hasAnyFlag(read, "--all --branches --tags --remotes --glob --reflog") || limitsFilteredCommits(read))
		return { reason: unusualUseReason("show") };
	return printed(read, { content: contentOf("show", read, printsPatchByDefault(read) ? {} : { commitsAreFine: true }) });
}

/** Two paths outside of a repository are compared as files: so every word counts as a path, too. */
function compared(read: ParsedFlags): SubcommandAssessment {
	const content = printsPatchByDefault(read) && { content: contentOf("diff", read) };
	return { ...printed(read, { ...content, submodules: true }), operands: fileOperands(read.operands) };
}

function comparedNames(read: ParsedFlags): SubcommandAssessment {
	if (searchesContent(read)) return { reason: unusualUseReason("diff") };
	return printed(read, { submodules: true });
}

function reflog(read: ParsedFlags): SubcommandAssessment {
	const action = read.operands.find((word) => /^(expire|delete|drop|write)$/.test(word));
	if (action === undefined) return printed(read);
	// A rule for `git reflog` is one for reading.
	return { reason: discardsReason(`reflog ${action}`), git: { use: "change" } };
}

/** It prints the lines of one file as it is now, whatever it was called before. */
function blaming(read: ParsedFlags): SubcommandAssessment {
	// What is no revision in that file is printed with the error.
	return {
		...printOnly,
		operands: fileOperands([...read.operands, ...read.reads]),
		git: { use: "read", namedFiles: ["blame.ignorerevsfile"] },
	};
}
