// What git's sub-commands do: read, change, discard or go over the network; and the flags that make a reading one run or write.
import { t } from "../l10n.ts";
import type { Judgement } from "./programs.ts";

const reading = new Set(
	(
		"log status diff show rev-parse ls-files ls-tree blame annotate shortlog describe cat-file grep merge-base rev-list name-rev " +
		"count-objects cherry diff-tree diff-index diff-files for-each-ref show-ref whatchanged range-diff version check-ignore check-attr " +
		"show-branch var"
	).split(" "),
);
const changing = new Set("add commit tag branch mv stage".split(" "));
const network = new Set("clone fetch pull push ls-remote remote".split(" "));
const discarding = new Set(
	"clean rm reset restore checkout switch stash prune gc worktree reflog revert merge rebase cherry-pick am".split(" "),
);

/** What changes git's own configuration, writes what cannot be judged before, or runs programs. */
const powerful = new Set(
	(
		"config bisect difftool mergetool filter-branch filter-repo hook submodule credential daemon instaweb update-index update-ref apply init " +
		"send-email request-pull fetch-pack send-pack http-push maintenance fsmonitor--daemon archive bundle format-patch fast-import svn p4 gui gitk"
	).split(" "),
);

/** Flags that run a program or write a file, in any sub-command; their abbreviations count. */
const banned = [
	"--output",
	"--ext-diff",
	"--textconv",
	"--open-files-in-pager",
	"--show-signature",
	"--exec",
	"--upload-pack",
	"--receive-pack",
	"--no-index",
	"--untracked",
	"--no-exclude-standard",
];
const banningNeeds = 3;

/** Sub-commands that only read as long as nothing but these follow. */
const listing: Record<string, RegExp> = {
	branch: /^(-[avr]+|--(all|list|remotes|show-current|verbose|merged|no-merged|contains|sort=\S+))$/,
	tag: /^(-l|-n\d*|--list|--sort=\S+)$/,
	remote: /^(-v|--verbose)$/,
	stash: /^list$/,
	worktree: /^list$/,
	reflog: /^(show|-\d+)$/,
};

export function judgeGit(words: readonly string[]): Judgement {
	const sub = words[1] ?? "";
	const rest = words.slice(2);
	const paths = rest.map((word) => ({ word, use: "read" as const }));
	if (sub === "") return { paths: [], reads: true };
	if (sub.startsWith("-")) {
		if (/^(--version|--help|-h)$/.test(sub) && rest.length === 0) return { paths: [], reads: sub === "--version" };
		return {
			paths: words.slice(1).map((word) => ({ word, use: "read" })),
			always: t("git {0} can make git run or touch something else", sub),
		};
	}
	const flag = rest.find((word) => isBanned(sub, word));
	if (flag !== undefined) return { paths, always: t("git {0} {1} can run or write something", sub, flag) };
	// Outside a repository this compares two folders with everything in them.
	const two = sub === "diff" && rest.filter((word) => !word.startsWith("-")).length > 1;
	if (two) return { paths, reads: true, class: `git ${sub}`, below: { hidden: true } };
	if (reading.has(sub)) return { paths, reads: true, class: `git ${sub}` };
	const list = listing[sub];
	if (list && (rest.length > 0 || sub !== "stash") && rest.every((word) => list.test(word)))
		return { paths: [], reads: true, class: `git ${sub}` };
	if (powerful.has(sub)) return { paths, always: t("git {0} can run programs or change git's own configuration", sub) };
	const told = rest.find((word) => /^-[a-zA-Z]*[cux]|^--(config|template|separate)|^(ext|fd)::/.test(word));
	if (told !== undefined && (network.has(sub) || discarding.has(sub)))
		return { paths, always: t("git {0} {1} can run something", sub, told) };
	if (network.has(sub)) return { paths, careful: t("git {0} goes over the network", sub) };
	if (discarding.has(sub)) return { paths: writes(paths), careful: t("git {0} can overwrite or discard work", sub) };
	if (!changing.has(sub)) return { paths: writes(paths), careful: t("git {0} is not known to be harmless", sub) };
	if (sub === "mv") return { paths: rest.map((word) => ({ word, use: "write" })), class: "git mv" };
	const deletes = (sub === "branch" || sub === "tag") && rest.some((word) => /^-[a-zA-Z]*[dD]|^--del/.test(word));
	return { paths: writes(paths), ...(deletes ? { careful: t("git {0} deletes", sub) } : { class: `git ${sub}` }) };
}

function writes(paths: Judgement["paths"]): Judgement["paths"] {
	return paths.map(({ word }) => ({ word, use: "create" }));
}

function isBanned(sub: string, word: string): boolean {
	if (/%G/.test(word)) return true;
	if (word.startsWith("--")) {
		const name = word.replace(/=.*/s, "");
		return banned.some((flag) => name.startsWith(flag) || (name.length > banningNeeds && flag.startsWith(name)));
	}
	return reading.has(sub) && /^-[^SG-]*O/.test(word);
}
