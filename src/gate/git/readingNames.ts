// Git's commands that print names, states and settings, and those that print whole objects.
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import { isKnownRefFormat } from "./formats.ts";
import {
	contentOf,
	fileOperands,
	formatProblem,
	hasAnyFlag,
	printOnly,
	type Subcommand,
	type SubcommandAssessment,
	splitAtSeparator,
	unusualUseReason,
} from "./subcommand.ts";

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
	// Its own words follow its action, and flags of its own stand before it.
	submodule: {
		flags: { alone: "-q --quiet --cached --recursive" },
		judge: ({ operands: [action = "status"] }) =>
			action === "status" ? { ...printOnly, git: { use: "read", submodules: true } } : { reason: unusualUseReason(`submodule ${action}`) },
	},
	version: { flags: { alone: "--build-options" }, judge: () => ({ reads: true }) },
};

/** The pattern is the first word unless it is given by a flag; a `--` before it separates nothing. */
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

/** Others, and the list of all, may hold secrets. */
function variable({ operands }: ParsedFlags): SubcommandAssessment {
	const [name = ""] = operands;
	return operands.length === 1 && variables.has(name) ? printOnly : { reason: unusualUseReason("var") };
}
