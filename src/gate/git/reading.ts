// Git commands that print commits and changes, such as log, show, and diff.
import { t } from "../../shared/l10n.ts";
import type { GitContent } from "../programs/assessment.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import {
	commitFormatFlags,
	comparisonFlags,
	diffFormatFlags,
	historyFlags,
	isKnownCommitFormat,
	isKnownRefFormat,
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
	splitAtSeparator,
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

/** Redoing a merge may run the repository's merge programs. */
function mergeProblem(read: ParsedFlags): string | undefined {
	const unknown = flagValues(read, "--diff-merges").find((value) => !knownMerges.has(value));
	return unknown === undefined ? undefined : t("{0} can do more than print text.", `--diff-merges=${unknown}`);
}

/** The names that a merge shows against each parent include everything that it can show in any mode. */
function logged(read: ParsedFlags): GitContent {
	const content = contentOf("log", read);
	return showsMergeDiffs(read) && content.flags ? { ...content, flags: [...content.flags, "--diff-merges=separate"] } : content;
}

/** Regardless of flags, it prints the content of a blob that an argument or one of all references names. */
function showing(read: ParsedFlags): SubcommandAssessment {
	if (hasAnyFlag(read, "--all --branches --tags --remotes --glob --reflog") || limitsFilteredCommits(read))
		return { reason: unusualUseReason("show") };
	return printed(read, { content: contentOf("show", read, printsPatchByDefault(read) ? {} : { commitsAreFine: true }) });
}

/** Two paths outside a repository are compared as files, so every operand also counts as a path. */
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
	// A rule for `git reflog` is meant for reading only.
	return { reason: discardsReason(`reflog ${action}`), git: { use: "change" } };
}

/** It prints the lines of one file as it is now, whatever its earlier names. */
function blaming(read: ParsedFlags): SubcommandAssessment {
	// An operand that is not a revision of that file appears in the error message.
	return {
		...printOnly,
		operands: fileOperands([...read.operands, ...read.reads]),
		git: { use: "read", namedFiles: ["blame.ignorerevsfile"] },
	};
}

const patternFlags: FlagSpec = {
	numeric: true,
	alone:
		"--cached --untracked -a --text --no-textconv -i --ignore-case -I -r --recursive --no-recursive -w --word-regexp -v --invert-match -h -H " +
		"--full-name -E --extended-regexp -G --basic-regexp -P --perl-regexp -F --fixed-strings -n --line-number --column -l " +
		"--files-with-matches --name-only -L --files-without-match -z --null -o --only-matching -c --count --no-color --break --heading -p " +
		"--show-function -W --function-context --and --or --not --all-match -q --quiet",
	optional: "--color",
	text: "-e -A --after-context -B --before-context -C --context -m --max-count --max-depth --threads",
	reads: "-f",
};

export const listingSubcommands: Readonly<Record<string, Subcommand>> = {
	status: {
		flags: {
			alone:
				"-s --short -b --branch --show-stash --long -v --verbose -z --no-column --ahead-behind --no-ahead-behind --renames --no-renames",
			optional: "--porcelain -u --untracked-files --ignore-submodules --ignored --column --find-renames",
		},
		judge: (read) => ({
			...printOnly,
			git: { use: "read", submodules: true, ...(hasAnyFlag(read, "-v --verbose") && { content: contentOf("status", read) }) },
		}),
	},
	grep: { flags: patternFlags, judge: searching },
	"ls-files": {
		flags: {
			alone:
				"-c --cached -d --deleted -m --modified -o --others -i --ignored -s --stage --directory --no-empty-directory -u --unmerged -k " +
				"--killed -z --deduplicate --exclude-standard --error-unmatch -t -v -f --full-name --debug --eol --sparse --resolve-undo",
			optional: "--abbrev",
			text: "-x --exclude --exclude-per-directory --with-tree --format",
			reads: "-X --exclude-from",
		},
		judge: (read) => ({ ...printOnly, operands: fileOperands(read.reads) }),
	},
	"ls-tree": {
		flags: {
			alone: "-d -r -t -l --long -z --name-only --name-status --object-only --full-name --full-tree",
			optional: "--abbrev",
			text: "--format",
		},
		judge: () => printOnly,
	},
	"cat-file": { flags: { alone: "-t -s -e -p --no-mailmap --no-use-mailmap --mailmap --use-mailmap" }, judge: object },
	"rev-parse": {
		flags: {
			alone:
				"--verify -q --quiet --revs-only --no-revs --flags --no-flags --symbolic --symbolic-full-name --all --not --local-env-vars " +
				"--git-dir --absolute-git-dir --git-common-dir --is-inside-git-dir --is-inside-work-tree --is-bare-repository " +
				"--is-shallow-repository --shared-index-path --show-cdup --show-prefix --show-superproject-working-tree --show-toplevel --sq",
			optional:
				"--short --abbrev-ref --branches --tags --remotes --show-object-format --path-format --glob --exclude --since --until --after --before",
			text: "--default --git-path --prefix",
		},
		judge: () => printOnly,
	},
	"merge-base": { flags: { alone: "-a --all --octopus --independent --is-ancestor --fork-point" }, judge: () => printOnly },
	describe: {
		flags: {
			alone: "--contains --debug --all --tags --long --first-parent --exact-match --always --no-abbrev",
			optional: "--abbrev --dirty --broken",
			text: "--candidates --match --exclude",
		},
		judge: () => ({ ...printOnly, git: { use: "read", submodules: true } }),
	},
	"name-rev": {
		flags: { alone: "--name-only --tags --all --undefined --no-undefined --always", text: "--refs --exclude" },
		judge: () => printOnly,
	},
	"for-each-ref": {
		flags: {
			alone: "-s --shell -p --perl --python --tcl --ignore-case --omit-empty --no-color",
			optional: "--color --merged --no-merged --contains --no-contains",
			text: "--count --format --sort --points-at --exclude",
		},
		judge: (read) => {
			const reason = formatProblem(read, isKnownRefFormat);
			return { ...printOnly, ...(reason !== undefined && { reason }) };
		},
	},
	"show-ref": {
		flags: { alone: "--tags --heads --branches --verify --exists --head -d --dereference -q --quiet", optional: "-s --hash --abbrev" },
		judge: () => printOnly,
	},
	"count-objects": { flags: { alone: "-v --verbose -H --human-readable" }, judge: () => printOnly },
	"check-ignore": { flags: { alone: "-q --quiet -v --verbose -z -n --non-matching --no-index" }, judge: () => printOnly },
	"check-attr": { flags: { alone: "-a --all --cached -z" }, judge: () => printOnly },
	var: { flags: {}, judge: variable },
	"symbolic-ref": {
		flags: { alone: "-q --quiet --short --recurse --no-recurse" },
		judge: ({ operands }) => (operands.length === 1 ? printOnly : { reason: unusualUseReason("symbolic-ref") }),
	},
	"show-branch": {
		flags: {
			alone: "-a --all -r --remotes --current --topo-order --date-order --sparse --merge-base --independent --no-name --sha1-name --topics",
			optional: "--more --list",
		},
		judge: () => printOnly,
	},
	// Its actions have their own operands; its own flags precede the action.
	submodule: {
		flags: { alone: "-q --quiet --cached --recursive" },
		judge: ({ operands: [action = "status"] }) =>
			action === "status" ? { ...printOnly, git: { use: "read", submodules: true } } : { reason: unusualUseReason(`submodule ${action}`) },
	},
	version: { flags: { alone: "--build-options" }, judge: () => ({ reads: true }) },
};

/** The pattern is the first operand unless a flag gives it; a `--` before the pattern separates nothing. */
function searching(read: ParsedFlags): SubcommandAssessment {
	const around = splitAtSeparator(read);
	const given = hasAnyFlag(read, "-e -f");
	const late = !given && around.operands.length === 0;
	const words = late ? (around.paths ?? []) : around.operands;
	const operands = words.slice(given ? 0 : 1).filter((word) => word !== "(" && word !== ")");
	const paths = late ? undefined : around.paths;
	if (late && operands.includes("--")) return { reason: unusualUseReason("grep") };
	const flags = ["--cached", "--untracked"].filter((flag) => read.flags.has(flag));
	return {
		...printOnly,
		operands: fileOperands([...operands, ...(paths ?? []), ...read.reads]),
		git: { use: "read", content: { kind: "grep", flags, operands, ...(paths && { paths }) } },
	};
}

const printableKinds = new Set("commit tree tag".split(" "));

function object(read: ParsedFlags): SubcommandAssessment {
	const [kind = "", ...more] = read.operands;
	if (hasAnyFlag(read, "-t -s -e") || (more.length === 1 && printableKinds.has(kind))) return printOnly;
	const object = hasAnyFlag(read, "-p") ? read.operands : kind === "blob" ? more : [];
	if (object.length !== 1) return { reason: unusualUseReason("cat-file") };
	return { ...printOnly, git: { use: "read", content: { kind: "object", flags: [], operands: object } } };
}

const variables = new Set("GIT_AUTHOR_IDENT GIT_COMMITTER_IDENT GIT_EDITOR GIT_SEQUENCE_EDITOR GIT_PAGER GIT_DEFAULT_BRANCH".split(" "));

/** Other variables, and the list of all, may contain secrets. */
function variable({ operands }: ParsedFlags): SubcommandAssessment {
	const [name = ""] = operands;
	return operands.length === 1 && variables.has(name) ? printOnly : { reason: unusualUseReason("var") };
}
