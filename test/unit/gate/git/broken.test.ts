// Tests known bypasses through git: each would show something not approved, and must ask.

// Found by a reviewer who was told to break the gate.
import assert from "node:assert/strict";
import { type Fixture, fixture } from "./repositories.ts";

const tracked =
	"git add -f .env && git commit -qm secret && git rm -q --cached .env && git commit -qm gone && echo 4 >> victim && git commit -qam four";
const elsewhere =
	"git checkout -qb other && git add -f .env && git commit -qm secret && git checkout -q -f main && echo SECRET=canary > .env";

const shows: readonly { what: string; setup: string; line: string }[] = [
	{ what: "a count that starts at the first match", setup: tracked, line: "git log -p -S SECRET -n 1" },
	{ what: "a count among commits of one kind of change", setup: tracked, line: "git log -p --diff-filter=D -1" },
	{
		what: "a commit found by its note",
		setup: `${tracked} && git notes add -m findme HEAD~2`,
		line: "git log -p --grep=findme",
	},
	{
		what: "a count in another order",
		setup:
			"git checkout -qb side HEAD~1 && git add -f .env && GIT_COMMITTER_DATE='2001-01-01T00:00:00Z' git commit -qm secret && " +
			"git checkout -q -f main && git merge -q -m m side && echo S > .env",
		line: "git log -p --graph -n 2",
	},
	{
		what: "a count among commits that are walked by their dates, not by the words",
		setup: "git add -f .env && GIT_COMMITTER_DATE='2040-01-01T00:00:00Z' git commit -qm secret",
		line: "git show --date-order -n 1 HEAD~1 HEAD",
	},
	{
		what: "the lines of a merge, by plumbing",
		setup:
			"git add -f .env && git commit -qm secret && git checkout -qb side && echo A=1 >> .env && git commit -qam a && git checkout -q main && " +
			"echo B=1 >> victim && git commit -qam b && git merge -q --no-commit side && echo C=1 >> .env && git add -f .env && git commit -qm merged",
		line: "git diff-tree --cc HEAD",
	},
	{
		what: "all of what was put aside",
		setup: "git add -f .env && git commit -qm secret && echo A=1 >> .env && git stash -q",
		line: "git stash show -p --only-untracked --include-untracked",
	},
	{ what: "a commit found by words that look like a tree", setup: elsewhere, line: "git show ':/secret|^{tree}'" },
	{ what: "history from such a commit", setup: elsewhere, line: "git log -p ':/secret|^{tree}'" },
	{ what: "the files of such a commit", setup: elsewhere, line: "git grep SECRET ':/secret|^{tree}'" },
	{ what: "a branch below the name of a file", setup: `${elsewhere} && git branch victim/x other`, line: "git log -p victim/x" },
	{ what: "whether text was in a protected file", setup: tracked, line: "git log --oneline -G '^SECRET=c'" },
	{
		what: "a link among the state of a bisection",
		setup: "touch .git/BISECT_LOG && ln -s ../.env .git/BISECT_START",
		line: "git status",
	},
	{
		what: "a link among the state of a rebase",
		setup: "mkdir .git/rebase-merge && touch .git/rebase-merge/interactive && ln -s ../../.env .git/rebase-merge/git-rebase-todo",
		line: "git status",
	},
	{
		what: "attributes by a link",
		setup: "echo 'export SECRET=c' > .env && mkdir -p .git/info && ln -sf ../../.env .git/info/attributes",
		line: "git check-attr -a export",
	},
	{
		what: "another repository's history by alternates and a link among references",
		setup:
			"git init -q ../outside && git -C ../outside add -A && git -C ../outside commit -qm o && " +
			"realpath ../outside/.git/objects > .git/objects/info/alternates && ln -s ../../../outside/.git/refs/heads .git/refs/x",
		line: "git log -p --all",
	},
	{
		what: "another repository's objects",
		setup:
			"git init -q ../outside && git -C ../outside add -A && git -C ../outside commit -qm o && " +
			"realpath ../outside/.git/objects > .git/objects/info/alternates && git -C ../outside rev-parse HEAD > .git/refs/heads/o",
		line: "git log -p o",
	},
	{
		what: "a file that blame leaves revisions out by",
		setup: "ln -s .env .git-blame-ignore-revs && git config --global blame.ignoreRevsFile .git-blame-ignore-revs",
		line: "git blame README.md",
	},
	{ what: "a signature's program by the way commits are grouped", setup: "true", line: "git shortlog -s --group=format:%G? HEAD" },
];

describe("git, attacked", () => {
	let at: Fixture;
	beforeEach(() => {
		at = fixture();
	});
	afterEach(() => at.dispose());

	for (const { what, setup, line } of shows) {
		it(`asks before it shows ${what}: ${line}`, async () => {
			at.bash(setup);
			assert.notEqual(await at.outcome(line), "goes");
		});
	}

	it("still lets history go ahead that holds nothing protected", async () => {
		for (const line of [
			"git log -p -S needle -n 1",
			"git log -p --grep=two -1",
			"git log --oneline -S needle",
			"git blame README.md",
			"git show HEAD^{tree}",
		])
			assert.equal(await at.outcome(line), "goes", line);
	});

	it("binds fetching to where submodules come from, and to their hooks", async () => {
		at.bash(
			"git init -q ../other && git -C ../other commit -q --allow-empty -m x && git -c protocol.file.allow=always submodule --quiet add ../other sub && " +
				"git commit -qm sub && git remote add origin https://example.com/a.git",
		);
		const words = ["git", "fetch", "origin"];
		const first = (await at.facts(words)).facts.bound;
		at.bash("git -C sub config remote.origin.url https://elsewhere.example/b.git");
		const second = (await at.facts(words)).facts.bound;
		assert.notEqual(second, first);
		at.bash(
			"printf '#!/bin/sh\\n' > .git/modules/sub/hooks/reference-transaction && chmod +x .git/modules/sub/hooks/reference-transaction",
		);
		const third = (await at.facts(words)).facts;
		assert.notEqual(third.bound, second);
		assert.deepEqual(third.hooks, ["reference-transaction"]);
	});
});
