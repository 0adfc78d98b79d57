// Git commands that list or change, depending on their arguments: branch, tag, remote, stash, worktree, config.
import { t } from "../../shared/l10n.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import { isReadableKey } from "./configuration.ts";
import {
	commitFormatFlags,
	diffFormatFlags,
	flagNames,
	isKnownCommitFormat,
	isKnownRefFormat,
	patchFlags as lines,
	logFlags,
	mergeFlagSpecs,
	pickaxeFlags,
	revisionWalkFlags,
} from "./historyFlags.ts";
import {
	discardsReason,
	fileOperands,
	formatProblem,
	hasAnyFlag,
	printOnly,
	type Subcommand,
	type SubcommandAssessment,
	unusualUseReason,
} from "./subcommand.ts";

/** With these flags it lists, regardless of operands. */
const selecting: FlagSpec = { optional: "--contains --no-contains --merged --no-merged", text: "--points-at", alone: "-l --list" };
const listing: FlagSpec = {
	alone: "-i --ignore-case --omit-empty --no-column --no-color",
	optional: "--column --color",
	text: "--sort --format",
};
const branches: FlagSpec = { alone: "-a --all -r --remotes -v --verbose -q --quiet --show-current --no-abbrev", optional: "--abbrev" };
const newBranch: FlagSpec = { alone: "-q --quiet -v --verbose --no-track --create-reflog -t", optional: "--track" };
/** The upstream of a branch decides where pull and push connect, and those require approval. */
const following: FlagSpec = { text: "-u --set-upstream-to", alone: "--unset-upstream -q --quiet" };
const newTag: FlagSpec = { alone: "-a --annotate --create-reflog --no-sign", text: "-m --message --cleanup", reads: "-F --file" };
const references: SubcommandAssessment = { permissions: ["WriteFiles"], git: { use: "change", hooks: ["reference-transaction"] } };

export const mixedSubcommands: Readonly<Record<string, Subcommand>> = {
	branch: {
		flags: mergeFlagSpecs(selecting, listing, branches, newBranch, {
			alone: "-d --delete -D -m --move -M -c --copy -C -f --force --unset-upstream",
			text: "-u --set-upstream-to",
		}),
		judge: (read) => {
			if (isListing(read, mergeFlagSpecs(selecting, listing, branches))) return listAssessment(read);
			if (hasOnlyFlags(read, newBranch) && read.operands.length > 0) return { ...references, class: "git branch" };
			if (hasOnlyFlags(read, following) && read.operands.length <= 1) return { ...references, class: "git branch" };
			return { ...references, asks: discardsReason("branch") };
		},
	},
	tag: {
		flags: mergeFlagSpecs(selecting, listing, newTag, { optional: "-n", alone: "-d --delete -f --force" }),
		judge: (read) => {
			if (isListing(read, mergeFlagSpecs(selecting, listing, { optional: "-n" }))) return listAssessment(read);
			if (!hasOnlyFlags(read, newTag)) return { ...references, asks: discardsReason("tag") };
			if (hasAnyFlag(read, "-a --annotate") && !hasAnyFlag(read, "-m --message -F --file"))
				return { ...references, asks: opensEditorReason("tag") };
			return { ...references, class: "git tag", operands: fileOperands(read.reads) };
		},
	},
	remote: {
		flags: { alone: "-v --verbose --push --all" },
		judge: (read, words) => {
			const [action, name, ...more] = read.operands;
			const isQuery = action === undefined || (action === "get-url" && name !== undefined && more.length === 0);
			if (!isQuery) return { reason: unusualUseReason(`remote ${action}`) };
			const shows = action !== undefined || hasAnyFlag(read, "-v --verbose");
			return shows ? { ...printOnly, git: { use: "read", addresses: words } } : printOnly;
		},
	},
	stash: {
		flags: mergeFlagSpecs(revisionWalkFlags, commitFormatFlags, logFlags, pickaxeFlags, diffFormatFlags, lines, stashFlags()),
		judge: stash,
	},
	worktree: {
		flags: {
			alone:
				"--porcelain -z -v --verbose -f --force --detach -d --checkout --no-checkout --lock -q --quiet --track --no-track --guess-remote -n --dry-run",
			text: "-b -B --reason --expire",
		},
		judge: ({ operands }, [, action = ""]) => {
			if (action === "list") return printOnly;
			const known = /^(add|lock|move|prune|remove|repair|unlock)$/.test(action);
			if (!known) return { reason: unusualUseReason(`worktree ${action}`.trim()) };
			const hooks = ["post-checkout", "reference-transaction"];
			return {
				asks: discardsReason(`worktree ${action}`),
				permissions: ["WriteFiles"],
				operands: fileOperands(operands.slice(1), "create"),
				git: { use: "change", hooks },
			};
		},
	},
	config: {
		flags: {
			alone:
				"--get --get-all --local --global --system --worktree --show-origin --show-scope -z --null --bool --int --bool-or-int --path " +
				"--includes --no-includes --name-only",
			text: "--type --default -t",
		},
		judge: config,
	},
};

function isListing(read: ParsedFlags, flags: FlagSpec): boolean {
	if (!hasOnlyFlags(read, flags)) return false;
	return read.operands.length === 0 || flagNames(selecting).some((name) => read.flags.has(name)) || read.flags.has("-n");
}

function hasOnlyFlags(read: ParsedFlags, flags: FlagSpec): boolean {
	const known = new Set(flagNames(flags));
	return [...read.flags].every((flag) => known.has(flag));
}

function listAssessment(read: ParsedFlags): SubcommandAssessment {
	const reason = formatProblem(read, isKnownRefFormat);
	return { ...printOnly, ...(reason !== undefined && { reason }) };
}

export function opensEditorReason(name: string): string {
	return t("git {0} opens an editor.", name);
}

function stashFlags(): FlagSpec {
	return {
		alone: "-u --include-untracked --only-untracked --index -q --quiet -S --staged -k --keep-index --no-keep-index --all",
		text: "-m --message",
	};
}

/** `show` prints stashed content and `list` its messages; everything else moves changes between the files and the stash. */
function stash(read: ParsedFlags, [, action = ""]: readonly string[]): SubcommandAssessment {
	if (action === "show") {
		return {
			...printOnly,
			git: { use: "read", content: { kind: "stash", flags: ["--include-untracked"], operands: read.operands.slice(1) } },
		};
	}
	if (action === "list") {
		const reason = hasOnlyFlags(read, mergeFlagSpecs(revisionWalkFlags, commitFormatFlags, logFlags))
			? formatProblem(read, isKnownCommitFormat)
			: unusualUseReason("stash list");
		return { ...printOnly, ...(reason !== undefined && { reason }) };
	}
	const hooks = ["reference-transaction", "post-index-change"];
	return { asks: discardsReason("stash"), permissions: ["WriteFiles"], git: { use: "change", submodules: true, hooks } };
}

/** One key whose value is known not to be a secret, or an address, which is checked. */
function config(read: ParsedFlags, words: readonly string[]): SubcommandAssessment {
	const [first = "", ...more] = read.operands[0] === "get" ? read.operands.slice(1) : read.operands;
	const key = first.toLowerCase();
	if (more.length > 0 || !isReadableKey(key)) return { reason: t("git config can print a secret or change what git runs.") };
	return { reads: true, ...(/url$/.test(key) && { git: { use: "read", addresses: words } }) };
}
