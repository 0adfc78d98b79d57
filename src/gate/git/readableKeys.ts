// Keys of git's configuration whose value can be shown: names, switches, file names and addresses, no secrets.

const keys = new Set(
	(
		"user.name user.email user.signingkey author.name author.email committer.name committer.email init.defaultbranch color.ui " +
		"core.autocrlf core.bare core.editor core.eol core.excludesfile core.filemode core.fsmonitor core.hookspath core.ignorecase " +
		"core.longpaths core.pager core.precomposeunicode core.quotepath core.repositoryformatversion core.safecrlf core.sharedrepository " +
		"core.sparsecheckout core.symlinks core.untrackedcache core.whitespace core.worktree core.attributesfile core.abbrev core.commentchar " +
		"branch.autosetupmerge branch.autosetuprebase branch.sort checkout.defaultremote commit.gpgsign commit.template commit.verbose " +
		"diff.algorithm diff.tool diff.external diff.renames extensions.objectformat extensions.worktreeconfig extensions.partialclone " +
		"fetch.prune fetch.recursesubmodules gc.auto gpg.format gpg.program help.autocorrect log.date merge.conflictstyle merge.ff merge.tool " +
		"pull.ff pull.rebase push.autosetupremote push.default push.followtags rebase.autosquash rebase.autostash rebase.updaterefs " +
		"remote.pushdefault rerere.enabled status.showuntrackedfiles submodule.recurse tag.gpgsign tag.sort"
	).split(" "),
);
const families = [
	/^branch\..+\.(remote|merge|pushremote|rebase|description)$/,
	/^remote\..+\.(url|pushurl|fetch|push|prune|tagopt|promisor)$/,
];

/** `key` in lower case. */
export function isReadableKey(key: string): boolean {
	return keys.has(key) || families.some((family) => family.test(key));
}
