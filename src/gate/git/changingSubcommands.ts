// Git commands that change the repository or files, discard work, or use the network.
import { t } from "../../shared/l10n.ts";
import type { GitChecks, Operand } from "../programs/assessment.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import { mergeFlagSpecs } from "./historyFlags.ts";
import { opensEditorReason } from "./mixedSubcommands.ts";
import {
	discardsReason,
	fileOperands,
	hasAnyFlag,
	type Subcommand,
	type SubcommandAssessment,
	splitAtSeparator,
	unusualUseReason,
} from "./subcommand.ts";

const commitHooks = "pre-commit prepare-commit-msg commit-msg post-commit post-rewrite reference-transaction post-index-change pre-auto-gc";
const checkoutHooks = "post-checkout reference-transaction post-index-change";
const switchFlags: FlagSpec = {
	alone:
		"-q --quiet -f --force -m --merge -d --detach -t --no-track --guess --no-guess --progress --no-progress --ignore-other-worktrees " +
		"--overwrite-ignore --no-overwrite-ignore",
	optional: "--track",
	text: "--orphan --conflict",
};

export const changingSubcommands: Readonly<Record<string, Subcommand>> = {
	add: {
		flags: {
			alone:
				"-A --all --no-all -u --update -v --verbose -n --dry-run -f --force -N --intent-to-add --refresh --ignore-errors --ignore-removal " +
				"--no-ignore-removal --ignore-missing --sparse --renormalize",
			text: "--chmod",
		},
		judge: ({ operands }) => changes("post-index-change", { class: "git add", operands: fileOperands(operands) }, { submodules: true }),
	},
	stage: {
		flags: { alone: "-A --all -u --update -v --verbose -n --dry-run" },
		judge: ({ operands }) => changes("post-index-change", { class: "git stage", operands: fileOperands(operands) }, { submodules: true }),
	},
	commit: {
		flags: {
			alone:
				"-a --all -q --quiet --amend --no-edit --allow-empty --allow-empty-message -s --signoff --no-signoff --dry-run --short --branch " +
				"--porcelain --long -z --null --no-verify -n --no-post-rewrite --reset-author --no-gpg-sign --status --no-status -o --only -i " +
				"--include --ahead-behind --no-ahead-behind",
			optional: "-u --untracked-files",
			text: "-m --message --author --date -C --reuse-message --fixup --squash --cleanup",
			reads: "-F --file",
		},
		judge: commit,
	},
	mv: { flags: { alone: "-v --verbose -n --dry-run -k --sparse -f --force" }, judge: move },
	checkout: {
		flags: mergeFlagSpecs(switchFlags, { alone: "--ours --theirs -l --overlay --no-overlay", text: "-b -B" }),
		judge: (read) => switchTo(read, "checkout", "-b"),
	},
	switch: {
		flags: mergeFlagSpecs(switchFlags, { alone: "--discard-changes", text: "-c -C --create --force-create" }),
		judge: (read) => switchTo(read, "switch", read.flags.has("--create") ? "--create" : "-c"),
	},
	fetch: {
		flags: {
			alone:
				"-v --verbose -q --quiet --all --set-upstream -a --append --atomic -t --tags -n --no-tags -p --prune --no-prune -P --prune-tags " +
				"--dry-run --no-write-fetch-head --write-fetch-head -k --keep --progress --no-progress --unshallow --update-shallow -4 --ipv4 -6 " +
				"--ipv6 --no-recurse-submodules --no-auto-maintenance --no-auto-gc --show-forced-updates --no-show-forced-updates",
			text: "-j --jobs --depth --shallow-since --shallow-exclude --deepen",
		},
		judge: fetch,
	},
	...discardingSubcommands(),
	...networkSubcommands(),
};

function changes(hooks: string, details: SubcommandAssessment, git: Partial<GitChecks> = {}): SubcommandAssessment {
	return { permissions: ["WriteFiles"], git: { use: "change", hooks: hooks.split(" "), ...git }, ...details };
}

/** A commit that amends the last one has its own class; one that skips the hooks has none. */
function commit(read: ParsedFlags): SubcommandAssessment {
	const hasMessage = hasAnyFlag(
		read,
		"-m --message -F --file -C --reuse-message --no-edit --fixup --dry-run --short --porcelain --long -z --null",
	);
	const operands = fileOperands([...read.operands, ...read.reads]);
	const details = {
		operands,
		permissions: ["WriteFiles"] as const,
		git: { use: "change", hooks: commitHooks.split(" "), submodules: true } as const,
	};
	if (hasAnyFlag(read, "-n --no-verify")) return { ...details, asks: t("git commit {0} skips this repository's checks.", "--no-verify") };
	if (!hasMessage || valuesAfter(read, "--fixup").some((value) => /^(amend|reword):/.test(value)))
		return { ...details, asks: opensEditorReason("commit") };
	return { ...details, class: read.flags.has("--amend") ? "git commit --amend" : "git commit" };
}

function valuesAfter({ values }: ParsedFlags, wanted: string): string[] {
	return values.filter(({ flag }) => flag === wanted).map(({ value }) => value);
}

function move(read: ParsedFlags): SubcommandAssessment {
	const sources = read.operands.slice(0, -1);
	const target = read.operands.at(-1) ?? "";
	const operands: Operand[] = [
		...sources.map((word): Operand => ({ word, use: "write" })),
		...sources.flatMap((word) => [target, `${target}/${lastName(word)}`].map((to): Operand => ({ word: to, use: "create", from: word }))),
	];
	const asks = hasAnyFlag(read, "-f --force") ? { asks: discardsReason("mv") } : { class: "git mv" };
	return changes("post-index-change", { ...asks, operands }, { submodules: true });
}

/** A new branch at the current commit; everything else writes the files of another commit. */
function switchTo(read: ParsedFlags, name: string, creates: string): SubcommandAssessment {
	const [start = "HEAD", ...more] = read.operands;
	const quiet = new Set(["-q", "--quiet", "--no-track", "--no-progress", creates]);
	const created = read.flags.has(creates) && [...read.flags].every((flag) => quiet.has(flag));
	if (created && start === "HEAD" && more.length === 0) {
		return changes(checkoutHooks, { class: `git ${name} ${creates === "--create" ? "-c" : creates}` }, { submodules: true });
	}
	return changes(checkoutHooks, { asks: discardsReason(name), operands: fileOperands(read.operands, "create") }, { submodules: true });
}

/** Assesses a fetch from a configured remote; the approval is bound to its address. */
function fetch(read: ParsedFlags): SubcommandAssessment {
	const git = {
		use: "network",
		...(hasAnyFlag(read, "--all") && { remote: "--all" }),
		submodules: !read.flags.has("--no-recurse-submodules"),
		hooks: ["reference-transaction", "pre-auto-gc"],
	} as const;
	return fromRemote("fetch", read.operands, { permissions: ["Network", "WriteFiles"], git });
}

function fromRemote(name: string, operands: readonly string[], details: SubcommandAssessment): SubcommandAssessment {
	const [remote = "", ...branches] = operands;
	const plain =
		/^([A-Za-z0-9_][A-Za-z0-9_./-]*)?$/.test(remote) && branches.every((branch) => /^[A-Za-z0-9_][A-Za-z0-9_./-]*$/.test(branch));
	const bound = { ...details, git: { remote, ...details.git } };
	return plain ? { ...bound, class: `git ${name}` } : { ...bound, ...networkUse(name, operands) };
}

/** `x::y` is an address that runs the program git-remote-x. */
function networkUse(name: string, operands: readonly string[]): SubcommandAssessment {
	if (operands.some((word) => /^[^/]*::/.test(word))) return { reason: unusualUseReason(name) };
	return { asks: t("git {0} uses the network.", name) };
}

function discardingSubcommands(): Record<string, Subcommand> {
	const discard = (name: string, flags: FlagSpec, hooks = checkoutHooks): Subcommand => ({
		flags,
		judge: ({ operands }) =>
			changes(hooks, { asks: discardsReason(name), operands: fileOperands(operands, "create") }, { submodules: true }),
	});
	const sequence = "--abort --continue --skip --quit -n --no-commit --no-edit -s --signoff";
	return {
		reset: unlessUnstaging(
			"git reset HEAD",
			unstagesHead,
			discard("reset", { alone: "--soft --mixed --hard --merge --keep -q --quiet -N --no-refresh --refresh" }),
		),
		restore: unlessUnstaging(
			"git restore --staged",
			unstagesIndex,
			discard("restore", {
				alone:
					"-S --staged -W --worktree -q --quiet --progress --no-progress --ours --theirs -m --merge --ignore-unmerged --overlay --no-overlay",
				text: "-s --source --conflict",
			}),
		),
		merge: discard(
			"merge",
			{
				alone:
					"--ff --no-ff --ff-only --squash --no-squash --commit --no-commit --no-edit --stat -n --no-stat --abort --continue --quit " +
					"--autostash --no-autostash -q --quiet -v --verbose --signoff --allow-unrelated-histories",
				text: "-m -X --strategy-option",
			},
			`pre-merge-commit post-merge ${commitHooks}`,
		),
		rebase: discard(
			"rebase",
			{
				alone:
					"--abort --continue --skip --quit --root --autostash --no-autostash --keep-base -q --quiet -v --verbose --stat -n --no-stat " +
					"--autosquash --no-autosquash --update-refs --no-update-refs -f --force-rebase --no-ff --fork-point --no-fork-point",
				text: "--onto -X --strategy-option",
			},
			`pre-rebase post-checkout ${commitHooks}`,
		),
		"cherry-pick": discard(
			"cherry-pick",
			{ alone: `-x --allow-empty --ff ${sequence}`, text: "-m --mainline -X --strategy-option" },
			commitHooks,
		),
		revert: discard("revert", { alone: sequence, text: "-m --mainline -X --strategy-option" }, commitHooks),
		gc: discard("gc", { alone: "--auto --aggressive -q --quiet --no-prune --force", optional: "--prune" }, "pre-auto-gc"),
		init: discard("init", { alone: "-q --quiet --bare", text: "-b --initial-branch --object-format" }),
		rm: {
			flags: { alone: "-f --force -n --dry-run -r --cached --ignore-unmatch -q --quiet --sparse" },
			judge: (read) => (read.flags.has("--cached") && !hasAnyFlag(read, "-f --force") ? untracks(read) : removes("rm", read)),
		},
		clean: {
			flags: { alone: "-d -f --force -n --dry-run -q --quiet -x -X", text: "-e --exclude" },
			judge: (read) => removes("clean", read),
		},
	};
}

/** Unstages changes: no file and no commit changes. */
function unlessUnstaging(name: string, unstages: (read: ParsedFlags) => boolean, { flags, judge }: Subcommand): Subcommand {
	const unstaged: SubcommandAssessment = { class: name };
	return {
		flags,
		judge: (read, words) =>
			unstages(read)
				? changes("post-index-change", { ...unstaged, operands: fileOperands(read.operands) }, { submodules: true })
				: judge(read, words),
	};
}

/** Without `HEAD`, a word before `--` may be a commit. */
function unstagesHead(read: ParsedFlags): boolean {
	const {
		operands: [commit = "HEAD"],
	} = splitAtSeparator(read);
	return commit === "HEAD" && [...read.flags].every((flag) => flag === "-q" || flag === "--quiet");
}

function unstagesIndex({ flags, operands }: ParsedFlags): boolean {
	const known = new Set(["-S", "--staged", "-q", "--quiet"]);
	return operands.length > 0 && (flags.has("-S") || flags.has("--staged")) && [...flags].every((flag) => known.has(flag));
}

function removes(name: string, { operands }: ParsedFlags): SubcommandAssessment {
	return changes(
		"post-index-change",
		{ deletes: true, asks: discardsReason(name), operands: fileOperands(operands, "delete") },
		{ submodules: true },
	);
}

/** The files stay on disk. */
function untracks({ operands }: ParsedFlags): SubcommandAssessment {
	return changes("post-index-change", { class: "git rm --cached", operands: fileOperands(operands) }, { submodules: true });
}

function networkSubcommands(): Record<string, Subcommand> {
	const out = (name: string, flags: FlagSpec, git: Partial<GitChecks> = {}): Subcommand => ({
		flags,
		judge: ({ operands }) => ({
			permissions: ["Network", "WriteFiles"],
			git: { use: "network", submodules: true, ...git },
			...networkUse(name, operands),
		}),
	});
	return {
		push: out(
			"push",
			{
				alone:
					"-u --set-upstream -f --force --tags --all --branches --mirror -d --delete -n --dry-run -v --verbose -q --quiet --follow-tags " +
					"--no-follow-tags --verify --no-verify --atomic --no-atomic --porcelain --progress --no-progress --prune -4 --ipv4 -6 --ipv6",
				optional: "--force-with-lease --force-if-includes",
				text: "-o --push-option",
			},
			{ hooks: ["pre-push", "reference-transaction"] },
		),
		pull: out(
			"pull",
			{
				alone:
					"-v --verbose -q --quiet --progress --no-progress --no-rebase --ff --ff-only --no-ff --autostash --no-autostash --squash " +
					"--no-squash --commit --no-commit --stat -n --no-stat --all -a --append -t --tags -p --prune --unshallow -f --force -k --keep " +
					"--no-edit --no-recurse-submodules --set-upstream -4 --ipv4 -6 --ipv6",
				optional: "-r --rebase -j --jobs",
				text: "--depth -X --strategy-option",
			},
			{ hooks: [...checkoutHooks.split(" "), ...commitHooks.split(" "), "post-merge"] },
		),
		"ls-remote": {
			flags: { alone: "-h --heads -b --branches -t --tags --refs -q --quiet --exit-code --symref", text: "--sort" },
			judge: ({ operands }) => fromRemote("ls-remote", operands, { permissions: ["Network"], git: { use: "network" } }),
		},
		clone: {
			flags: {
				alone:
					"-v --verbose -q --quiet --progress --no-progress -n --no-checkout --bare --mirror -l --local --no-hardlinks -s --shared " +
					"--single-branch --no-single-branch --no-tags --shallow-submodules --no-shallow-submodules -4 --ipv4 -6 --ipv6 --sparse",
				text: "-b --branch -o --origin --depth --shallow-since --shallow-exclude -j --jobs --filter",
			},
			judge: ({ operands }) => ({
				permissions: ["Network", "WriteFiles", "CreateFiles"],
				...networkUse("clone", operands),
				operands: fileOperands([operands[1] ?? nameOf(operands[0] ?? "")], "create"),
			}),
		},
	};
}

function lastName(path: string): string {
	return /([^/]*)\/*$/.exec(path)?.[1] ?? "";
}

/** The folder that a clone creates if none is given. */
function nameOf(address: string): string {
	return /([^/:]+?)(?:\.git)?\/*$/.exec(address)?.[1] ?? ".";
}
