// Tests the assessment of git commands by their words: read-only, approvable, or always asking.
import assert from "node:assert/strict";
import { assessGit } from "../../../../src/gate/git/git.ts";
import type { Assessment } from "../../../../src/gate/programs/assessment.ts";
import { wordsOf } from "./repositories.ts";

function judge(line: string): Assessment {
	return assessGit({ words: wordsOf(line), unknown: new Set(), flavor: "gnu" });
}

function kindOf(line: string): string {
	const { always, asks, reads, class: name, deletes } = judge(line);
	if (always !== undefined) return "always";
	if (deletes || asks !== undefined) return "asks";
	return reads ? "reads" : (name ?? "nothing");
}

describe("git by its words", () => {
	it("reads", () => {
		for (const line of [
			"git",
			"git --version",
			"git version",
			"git status -sb",
			"git status --porcelain=v2 --branch -z -uall",
			"git --no-pager log --oneline --graph --decorate -20 --all",
			"git -C src log -p -3 -- a.ts",
			"git log --since='2 weeks ago' --author=me --format='%h %an %ad %s' --date=short",
			"git log main..HEAD --no-merges --pretty=format:'%C(yellow)%h%Creset %s%d'",
			"git log -S needle --stat",
			"git diff --cached --stat",
			"git diff main...HEAD --name-only",
			"git diff HEAD~1 -U5 -w -- src",
			"git show --stat HEAD",
			"git show HEAD:README.md",
			"git branch",
			"git branch -a",
			"git branch -vv",
			"git branch --list 'fix/*'",
			"git branch --contains HEAD",
			"git branch --merged main",
			"git branch --sort=-committerdate --format='%(refname:short) %(upstream:track)'",
			"git tag -l 'v*' --sort=-v:refname",
			"git tag -n3",
			"git remote",
			"git remote -v",
			"git remote get-url origin",
			"git stash list",
			"git stash show -p stash@{0}",
			"git worktree list --porcelain",
			"git reflog -5",
			"git reflog show main",
			"git cat-file -t HEAD",
			"git cat-file -p HEAD",
			"git rev-parse --abbrev-ref HEAD",
			"git rev-parse --show-toplevel",
			"git rev-list --count HEAD",
			"git describe --tags --always --dirty",
			"git shortlog -sn --since=2020",
			"git blame -L 1,5 -w README.md",
			"git grep -n -i needle -- 'src/*.ts'",
			"git ls-files -o --exclude-standard",
			"git ls-tree -r --name-only HEAD",
			"git for-each-ref --sort=-committerdate --count=5 refs/heads",
			"git check-ignore -v node_modules",
			"git config user.name",
			"git config --get remote.origin.url",
			"git config --get core.hooksPath",
			"git var GIT_AUTHOR_IDENT",
			"git log -h",
		]) {
			assert.equal(kindOf(line), "reads", line);
		}
	});

	it("is a class that can be approved for good, under the name that it always had", () => {
		for (const [line, name] of [
			["git add -A", "git add"],
			["git add src/a.ts README.md", "git add"],
			["git commit -m x", "git commit"],
			["git commit -am 'fix: x'", "git commit"],
			["git commit --allow-empty -F message", "git commit"],
			["git commit --amend --no-edit", "git commit --amend"],
			["git branch feature/x", "git branch"],
			["git branch feature/x main", "git branch"],
			["git tag v1", "git tag"],
			["git tag -a v1 -m 'version 1'", "git tag"],
			["git mv a b", "git mv"],
			["git checkout -b feature/x", "git checkout -b"],
			["git switch -c feature/x", "git switch -c"],
			["git switch --create feature/x", "git switch -c"],
			["git fetch", "git fetch"],
			["git fetch --all --prune", "git fetch"],
			["git fetch origin main", "git fetch"],
		] as const) {
			assert.equal(kindOf(line), name, line);
			const { permissions } = judge(line);
			assert.ok(permissions?.includes("WriteFiles"), line);
			assert.equal(permissions?.includes("Network"), name === "git fetch", line);
		}
	});

	it("asks every time where it discards, deletes, leaves the machine, opens an editor or skips checks", () => {
		for (const line of [
			"git reset --hard",
			"git reset HEAD~1",
			"git checkout main",
			"git checkout -- .",
			"git checkout -b x origin/main",
			"git switch main",
			"git switch -c x other",
			"git restore .",
			"git stash",
			"git stash pop",
			"git stash push -m x",
			"git stash -- show",
			"git clean -fd",
			"git rm a",
			"git merge main",
			"git rebase main",
			"git cherry-pick abc",
			"git revert HEAD",
			"git branch -D x",
			"git branch -m y",
			"git branch -f x HEAD~1",
			"git tag -d v1",
			"git tag -f v1",
			"git tag -a v1",
			"git mv -f a b",
			"git commit",
			"git commit --amend",
			"git commit -n -m x",
			"git commit --fixup=amend:HEAD",
			"git push",
			"git push -u origin HEAD",
			"git push --force",
			"git pull",
			"git clone https://example.org/x.git",
			"git ls-remote https://example.org/x.git",
			"git fetch https://example.org/x.git",
			"git fetch origin main:main",
			"git fetch origin +main",
			"git worktree add ../x",
			"git init",
			"git gc",
		]) {
			assert.equal(kindOf(line), "asks", line);
		}
	});

	it("asks whatever the rules say where it may run or write something, or is not known", () => {
		for (const line of [
			"git -c core.pager=x log",
			"git reflog expire --all",
			"git reflog delete HEAD@{0}",
			"git --git-dir=x status",
			"git --work-tree x status",
			"git --exec-path=. status",
			"git -p log",
			"git -C a -C b status",
			"git --paginate log",
			"git log --outp=x",
			"git log --output x",
			"git log --show-signature",
			"git log --format=%G?",
			"git log --format='%h %(describe)'",
			"git log --pretty=mine",
			"git log --remerge-diff",
			"git log --diff-merges=remerge",
			"git log -L1,2:README.md",
			"git log --stdin",
			"git log --alternate-refs",
			"git diff --ext-diff",
			"git diff --textconv",
			"git diff --no-index a b",
			"git diff --submodule=diff",
			"git diff -Oorder",
			"git diff -C",
			"git show --all",
			"git grep -Oless x",
			"git grep --no-index x",
			"git grep --recurse-submodules x",
			"git grep --textconv x",
			"git blame --contents /etc/passwd a",
			"git blame -S revs a",
			"git cat-file --filters HEAD:a",
			"git cat-file --batch",
			"git cat-file --batch-all-objects --batch-check",
			"git ls-files --recurse-submodules",
			"git for-each-ref --format='%(raw)'",
			"git branch --format='%(signature)'",
			"git branch --edit-description",
			"git tag -s v1 -m x",
			"git tag -v v1",
			"git tag -u key v1",
			"git commit -S -m x",
			"git commit -p",
			"git commit --trailer x:y -m z",
			"git add -p",
			"git add --pathspec-from-file=x",
			"git rebase -i main",
			"git rebase --exec x main",
			"git rebase -x x main",
			"git clean -i",
			"git fetch --upload-pack=x",
			"git fetch ext::x",
			"git fetch --recurse-submodules",
			"git push --receive-pack=x",
			"git push ext::sh",
			"git pull --upload-pack x",
			"git clone -c core.x=y https://x",
			"git clone -u x https://x",
			"git clone --template=x https://x",
			"git clone ext::x",
			"git ls-remote --upload-pack=x",
			"git remote add x y",
			"git remote set-url origin x",
			"git remote update",
			"git config core.pager x",
			"git config --global user.name x",
			"git config --list",
			"git config --get-regexp .",
			"git config -e",
			"git config --file .env --list",
			"git config --get http.extraheader",
			"git config --get alias.x",
			"git var -l",
			"git var GIT_CONFIG_GLOBAL",
			"git rev-parse --parseopt",
			"git describe --brok=x",
			"git bisect run x",
			"git submodule update",
			"git difftool",
			"git mergetool",
			"git filter-branch",
			"git apply x",
			"git am x",
			"git archive HEAD",
			"git format-patch -1",
			"git daemon",
			"git instaweb",
			"git help log",
			"git log --help",
			"git st",
			"git whatchanged",
			"git constructor",
			"git __proto__",
			"git upload-pack .",
		]) {
			assert.equal(kindOf(line), "always", line);
		}
	});

	it("does not know words that only the shell knows", () => {
		assert.notEqual(assessGit({ words: ["git", "log", "$X"], unknown: new Set([2]), flavor: "gnu" }).always, undefined);
	});

	it("looks for its words in the folder that it goes to", () => {
		const { operands, git } = judge("git -C src diff a.ts -- b.ts");
		assert.deepEqual(
			operands.map(({ word }) => word),
			["src", "src/a.ts", "src/b.ts"],
		);
		assert.equal(git?.folder, "src");
	});

	it("names what a move takes and what it makes", () => {
		const uses = judge("git mv a/AGENTS.md .").operands.map(({ word, use }) => `${use} ${word}`);
		assert.deepEqual(uses, ["write a/AGENTS.md", "create .", "create ./AGENTS.md"]);
	});
});
