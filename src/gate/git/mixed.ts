// Git's commands that list or change, by their flags and words: branch, tag, remote, stash, worktree, config.
import { t } from "../../shared/l10n.ts";
import type { Flags, ReadFlags } from "../programs/flags.ts";
import { isKnownCommitFormat, isKnownRefFormat } from "./formats.ts";
import { choosing, describing, printing as lines, logging, namesIn, shaping, together, walking } from "./historyFlags.ts";
import { isReadableKey } from "./readableKeys.ts";
import { discards, formatProblem, hasAny, named, printing, type Seen, type Subcommand, unusual } from "./subcommand.ts";

/** With these it lists, whatever words follow. */
const selecting: Flags = { optional: "--contains --no-contains --merged --no-merged", text: "--points-at", alone: "-l --list" };
const listing: Flags = {
	alone: "-i --ignore-case --omit-empty --no-column --no-color",
	optional: "--column --color",
	text: "--sort --format",
};
const branches: Flags = { alone: "-a --all -r --remotes -v --verbose -q --quiet --show-current --no-abbrev", optional: "--abbrev" };
const newBranch: Flags = { alone: "-q --quiet -v --verbose --no-track --create-reflog -t", optional: "--track" };
/** What a branch follows decides where pull and push go, which ask. */
const following: Flags = { text: "-u --set-upstream-to", alone: "--unset-upstream -q --quiet" };
const newTag: Flags = { alone: "-a --annotate --create-reflog --no-sign", text: "-m --message --cleanup", reads: "-F --file" };
const references: Seen = { permissions: ["WriteFiles"], git: { use: "change", hooks: ["reference-transaction"] } };

export const mixed: Readonly<Record<string, Subcommand>> = {
	branch: {
		flags: together(selecting, listing, branches, newBranch, {
			alone: "-d --delete -D -m --move -M -c --copy -C -f --force --unset-upstream",
			text: "-u --set-upstream-to",
		}),
		judge: (read) => {
			if (lists(read, together(selecting, listing, branches))) return listed(read);
			if (only(read, newBranch) && read.operands.length > 0) return { ...references, class: "git branch" };
			if (only(read, following) && read.operands.length <= 1) return { ...references, class: "git branch" };
			return { ...references, asks: discards("branch") };
		},
	},
	tag: {
		flags: together(selecting, listing, newTag, { optional: "-n", alone: "-d --delete -f --force" }),
		judge: (read) => {
			if (lists(read, together(selecting, listing, { optional: "-n" }))) return listed(read);
			if (!only(read, newTag)) return { ...references, asks: discards("tag") };
			if (hasAny(read, "-a --annotate") && !hasAny(read, "-m --message -F --file")) return { ...references, asks: opensEditor("tag") };
			return { ...references, class: "git tag", operands: named(read.reads) };
		},
	},
	remote: {
		flags: { alone: "-v --verbose --push --all" },
		judge: (read, words) => {
			const [action, name, ...more] = read.operands;
			const lists = action === undefined || (action === "get-url" && name !== undefined && more.length === 0);
			if (!lists) return { reason: unusual(`remote ${action}`) };
			const shows = action !== undefined || hasAny(read, "-v --verbose");
			return shows ? { ...printing, git: { use: "read", addresses: words } } : printing;
		},
	},
	stash: { flags: together(walking, describing, logging, choosing, shaping, lines, stashFlags()), judge: stash },
	worktree: {
		flags: {
			alone:
				"--porcelain -z -v --verbose -f --force --detach -d --checkout --no-checkout --lock -q --quiet --track --no-track --guess-remote -n --dry-run",
			text: "-b -B --reason --expire",
		},
		judge: ({ operands }, [, action = ""]) => {
			if (action === "list") return printing;
			const known = /^(add|lock|move|prune|remove|repair|unlock)$/.test(action);
			if (!known) return { reason: unusual(`worktree ${action}`.trim()) };
			const hooks = ["post-checkout", "reference-transaction"];
			return {
				asks: discards(`worktree ${action}`),
				permissions: ["WriteFiles"],
				operands: named(operands.slice(1), "create"),
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

function lists(read: ReadFlags, flags: Flags): boolean {
	if (!only(read, flags)) return false;
	return read.operands.length === 0 || namesIn(selecting).some((name) => read.flags.has(name)) || read.flags.has("-n");
}

function only(read: ReadFlags, flags: Flags): boolean {
	const known = new Set(namesIn(flags));
	return [...read.flags].every((flag) => known.has(flag));
}

function listed(read: ReadFlags): Seen {
	const reason = formatProblem(read, isKnownRefFormat);
	return { ...printing, ...(reason !== undefined && { reason }) };
}

export function opensEditor(name: string): string {
	return t("git {0} would open an editor", name);
}

function stashFlags(): Flags {
	return {
		alone: "-u --include-untracked --only-untracked --index -q --quiet -S --staged -k --keep-index --no-keep-index --all",
		text: "-m --message",
	};
}

/** `show` prints what was put aside, `list` its messages; everything else moves work out of the files and back. */
function stash(read: ReadFlags, [, action = ""]: readonly string[]): Seen {
	if (action === "show") {
		return {
			...printing,
			git: { use: "read", content: { kind: "stash", flags: ["--include-untracked"], operands: read.operands.slice(1) } },
		};
	}
	if (action === "list") {
		const reason = only(read, together(walking, describing, logging)) ? formatProblem(read, isKnownCommitFormat) : unusual("stash list");
		return { ...printing, ...(reason !== undefined && { reason }) };
	}
	const hooks = ["reference-transaction", "post-index-change"];
	return { asks: discards("stash"), permissions: ["WriteFiles"], git: { use: "change", submodules: true, hooks } };
}

/** One key whose value is known to be no secret, or an address, which is looked at. */
function config(read: ReadFlags, words: readonly string[]): Seen {
	const [first = "", ...more] = read.operands[0] === "get" ? read.operands.slice(1) : read.operands;
	const key = first.toLowerCase();
	if (more.length > 0 || !isReadableKey(key)) return { reason: t("git config may print a secret, or change what git runs") };
	return { reads: true, ...(/url$/.test(key) && { git: { use: "read", addresses: words } }) };
}
