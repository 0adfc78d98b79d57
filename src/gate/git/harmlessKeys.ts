// Repository configuration keys known to run, reveal, and connect to nothing; every other key requires approval.
import { hiddenPattern } from "../../core/hiddenText.ts";
import type { GitChecks } from "../programs/assessment.ts";

interface Harmless {
	/** `section.key`, `section.*.key` with any name in the middle, or `section.**` for a whole section; in lowercase. */
	keys: string;
	/** All values if absent. */
	value?: RegExp;
	/** Uses for which it is harmless; every use if absent. */
	for?: readonly GitChecks["use"][];
	/** Harmless only because hardened git, used for read-only commands, overrides it with a safe value. */
	hardened?: true;
}

const yesOrNo = /^(?:|true|false|yes|no|on|off|[01])$/i;
const off = /^(?:|false|no|off|0)$/i;
/** Addresses without a helper program (`x::y`), and paths, without hidden characters. */
export const plainRemoteAddress = new RegExp(
	`^(?!-)(?![a-z0-9+.\\-]*::)(?:(?:https?|ssh|git|git\\+ssh|ssh\\+git|file)://(?!-)|(?!.*://))(?:(?!${hiddenPattern("joiners", "selectors")}).)*$`,
	"iv",
);
const staysHere: readonly GitChecks["use"][] = ["read", "change"];

const table: readonly Harmless[] = [
	// Storage of the repository and its files.
	{ keys: "core.repositoryformatversion", value: /^[01]$/ },
	{ keys: "core.bare", value: off },
	{
		keys:
			"core.filemode core.logallrefupdates core.ignorecase core.precomposeunicode core.symlinks core.autocrlf core.eol core.safecrlf " +
			"core.quotepath core.abbrev core.compression core.loosecompression core.bigfilethreshold core.trustctime core.checkstat core.protecthfs " +
			"core.protectntfs core.longpaths core.hidedotfiles core.untrackedcache core.preloadindex core.commitgraph core.multipackindex " +
			"core.sparsecheckout core.sparsecheckoutcone core.whitespace core.commentchar core.packedgitwindowsize core.packedgitlimit " +
			"core.deltabasecachelimit core.fscache core.warnambiguousrefs core.splitindex core.sharedrepository core.createobject core.fsync " +
			"core.fsyncmethod core.fsyncobjectfiles core.checkroundtripencoding core.maxtreedepth core.restrictinheritedhandles",
	},
	// Git found the same top folder by itself, or the location already requires approval.
	{ keys: "core.worktree" },
	{
		keys: "extensions.objectformat extensions.worktreeconfig extensions.preciousobjects extensions.refstorage extensions.relativeworktrees",
	},
	{ keys: "extensions.noop extensions.compatobjectformat" },
	{ keys: "index.version index.threads index.sparse index.recordendofindexentries index.recordoffsettable index.skiphash" },
	{ keys: "feature.manyfiles feature.experimental" },
	{ keys: "pack.window pack.depth pack.windowmemory pack.compression pack.threads pack.packsizelimit pack.usebitmaps pack.writebitmaps" },
	{ keys: "pack.indexversion pack.deltacachesize pack.deltacachelimit pack.usesparse pack.writereverseindex pack.allowpackreuse" },
	{ keys: "repack.usedeltabaseoffset repack.packkeptobjects repack.writebitmaps repack.usedeltaislands repack.updateserverinfo" },
	{
		keys:
			"gc.auto gc.autodetach gc.autopacklimit gc.aggressivedepth gc.aggressivewindow gc.bigpackthreshold gc.cruftpacks gc.logexpiry " +
			"gc.packrefs gc.pruneexpire gc.reflogexpire gc.reflogexpireunreachable gc.rerereresolved gc.rerereunresolved gc.worktreepruneexpire " +
			"gc.writecommitgraph gc.*.reflogexpire gc.*.reflogexpireunreachable",
	},
	{ keys: "maintenance.auto maintenance.strategy maintenance.autodetach maintenance.*.enabled maintenance.*.schedule maintenance.*.auto" },

	// Identity, and the format of names and messages.
	{ keys: "user.name user.email user.useconfigonly user.signingkey author.name author.email committer.name committer.email" },
	{ keys: "init.defaultbranch i18n.commitencoding i18n.logoutputencoding color.** column.** advice.** versionsort.**" },
	{ keys: "commit.template commit.cleanup commit.status tag.sort" },
	{
		keys: "log.date log.decorate log.abbrevcommit log.mailmap log.showroot log.initialdecorationset log.excludedecoration log.graphcolors",
	},
	{ keys: "status.short status.branch status.aheadbehind status.showuntrackedfiles status.displaycommentprefix status.relativepaths" },
	{ keys: "status.renames status.renamelimit status.showstash stash.showpatch stash.showstat stash.showincludeuntracked" },
	{ keys: "blame.showroot blame.showemail blame.blankboundary blame.date blame.coloring blame.markignoredlines blame.markunblamablelines" },
	{ keys: "blame.ignorerevsfile", value: /^\.git-blame-ignore-revs$/ },
	{ keys: "grep.linenumber grep.column grep.patterntype grep.extendedregexp grep.threads grep.fullname" },

	// Comparing and merging; external programs have keys of their own.
	{
		keys:
			"diff.algorithm diff.autorefreshindex diff.colormoved diff.colormovedws diff.context diff.dirstat diff.ignoresubmodules " +
			"diff.indentheuristic diff.interhunkcontext diff.mnemonicprefix diff.noprefix diff.srcprefix diff.dstprefix diff.relative diff.renames " +
			"diff.renamelimit diff.statgraphwidth diff.statnamewidth diff.suppressblankempty diff.tool diff.guitool diff.wordregex " +
			"diff.wserrorhighlight diff.*.xfuncname diff.*.funcname diff.*.wordregex diff.*.binary diff.*.algorithm",
	},
	{ keys: "diff.submodule", value: /^(?:short|log)$/ },
	{
		keys: "merge.conflictstyle merge.defaulttoupstream merge.ff merge.log merge.renames merge.renamelimit merge.directoryrenames merge.stat",
	},
	{ keys: "merge.tool merge.guitool merge.autostash merge.branchdesc merge.renormalize merge.verbosity merge.*.name" },
	{ keys: "rerere.enabled rerere.autoupdate apply.whitespace apply.ignorewhitespace" },
	{ keys: "rebase.autosquash rebase.autostash rebase.updaterefs rebase.stat rebase.missingcommitscheck rebase.abbreviatecommands" },
	{
		keys: "pull.rebase pull.ff pull.twohead checkout.defaultremote checkout.guess checkout.workers clean.requireforce interactive.singlekey",
	},
	{ keys: "push.default push.autosetupremote push.followtags push.gpgsign push.useforceifincludes remote.pushdefault" },
	{ keys: "branch.autosetupmerge branch.autosetuprebase branch.sort" },

	// Used only by these commands, which all require approval.
	{ keys: "mergetool.** difftool.** gui.** gitk.** instaweb.** sendemail.** rebase.instructionformat" },
	{ keys: "receive.denycurrentbranch receive.denynonfastforwards receive.denydeletes receive.fsckobjects receive.autogc" },
	{ keys: "transfer.fsckobjects transfer.hiderefs transfer.unpacklimit" },
	// An alias cannot override a built-in git command.
	{ keys: "alias.**" },
	// Read by other programs.
	{ keys: "gitflow.** github.** gitlens.** gk.** hub.** magit.** tig.** ghq.** jj.** lfs.repositoryformatversion" },
	{ keys: "lfs.*.access", value: /^(?:basic|none|negotiate)$/ },
	{ keys: "lfs.*.locksverify lfs.locksverify lfs.fetchrecentrefsdays lfs.fetchrecentcommitsdays lfs.pruneoffsetdays", value: /^(?:\w*)$/ },

	// Remote addresses: configuring them makes no connection.
	{ keys: "remote.*.url remote.*.pushurl", value: plainRemoteAddress },
	{ keys: "remote.*.prune remote.*.prunetags remote.*.tagopt remote.*.skipdefaultupdate remote.*.skipfetchall remote.*.gh-resolved" },
	{ keys: "remote.*.followremotehead remote.*.push remote.*.mirror" },
	{ keys: "remote.*.fetch", for: staysHere },
	{ keys: "remote.*.fetch", value: /^\^|^\+?[^:]*:refs\/(?:remotes|tags|notes|prefetch)\/|^\+?[^:]*$/ },
	{ keys: "branch.**", for: staysHere },
	{ keys: "branch.*.remote branch.*.pushremote", value: /^(?:\.|[\w][\w./-]*)$/ },
	{ keys: "branch.*.merge branch.*.rebase branch.*.description branch.*.vscode-merge-base branch.*.github-pr-owner-number" },
	{ keys: "branch.*.gh-merge-base branch.*.gk-merge-base branch.*.github-pr-base-branch branch.*.github-pull-request" },
	{ keys: "url.*.insteadof url.*.pushinsteadof http.** credential.**", for: staysHere },
	{ keys: "protocol.version", value: /^[012]$/ },
	{ keys: "fetch.prune fetch.prunetags fetch.parallel fetch.writecommitgraph fetch.showforcedupdates fetch.output fetch.fsckobjects" },
	{ keys: "fetch.recursesubmodules fetch.unpacklimit fetch.negotiationalgorithm" },
	{ keys: "submodule.*.url", value: plainRemoteAddress },
	{
		keys: "submodule.active submodule.*.active submodule.*.branch submodule.*.ignore submodule.*.fetchrecursesubmodules submodule.*.shallow",
	},
	{ keys: "submodule.*.update", value: /^(?:checkout|rebase|merge|none)$/ },
	{ keys: "submodule.recurse", value: off },
	{ keys: "submodule.fetchjobs submodule.alternatelocation submodule.alternateerrorstrategy submodule.propagatebranches" },

	// Git's built-in file system monitor.
	{ keys: "core.fsmonitor", value: yesOrNo },
	{ keys: "fsmonitor.allowremote fsmonitor.socketdir" },
	// Hooks are reported and bound; hardened git runs none.
	{ keys: "core.hookspath", for: ["change", "network"] },
	{ keys: "core.hookspath", for: ["read"], hardened: true },
	// Signing and editing happen only in commands that write; askpass and ssh matter only with network use.
	{ keys: "commit.gpgsign tag.gpgsign tag.forcesignannotated", value: off },
	{ keys: "commit.gpgsign tag.gpgsign tag.forcesignannotated gpg.** core.editor sequence.editor", for: ["read"] },
	{ keys: "core.sshcommand core.askpass core.gitproxy", for: staysHere },
];

export type SettingRisk = "none" | "hardened" | "unknown";

const byKey = new Map<string, Harmless[]>();
for (const entry of table) {
	for (const key of entry.keys.split(" ")) byKey.set(key, [...(byKey.get(key) ?? []), entry]);
}

/** One key of each kind, with a made-up name where any name matches. */
export function harmlessKeys(): string[] {
	return [...byKey.keys()].map((key) => key.replace(".**", ".made-up").replace(".*.", ".x."));
}

/** `key` as printed by `git config --list`: section and name in lowercase, the part between them unchanged. */
export function settingRiskOf(key: string, value: string, use: GitChecks["use"]): SettingRisk {
	const section = key.slice(0, key.indexOf("."));
	const name = key.slice(key.lastIndexOf(".") + 1);
	const whole = `${section}.${name}` === key ? key : `${section}.*.${name}`;
	const fitting = [...(byKey.get(whole) ?? []), ...(byKey.get(`${section}.**`) ?? [])].filter(
		(entry) => (entry.for?.includes(use) ?? true) && (entry.value?.test(value) ?? true),
	);
	if (fitting.length === 0) return "unknown";
	return fitting.some(({ hardened }) => !hardened) ? "none" : "hardened";
}
