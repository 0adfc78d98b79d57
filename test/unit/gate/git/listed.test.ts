// Tests generated git commands: every file whose lines git prints was listed by the gate beforehand.

// TROUPE_FUZZ sets the number of commands; TROUPE_SEED selects another history.
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { assessGit } from "../../../../src/gate/git/git.ts";
import { contentQueriesOf } from "../../../../src/gate/git/shownFiles.ts";
import { type Fixture, fixture, wordsOf } from "./repositories.ts";

const rounds = Number(process.env["TROUPE_FUZZ"] ?? 300);
let seed = Number(process.env["TROUPE_SEED"] ?? 1301);

function next(limit: number): number {
	seed = (seed * 48271) % 2147483647;
	return seed % limit;
}
function pick<Item>(items: readonly Item[]): Item {
	return items[next(items.length)] as Item;
}

const files = ["f0", "f1", "f2", "d/f3", "d/f4", "d/e/f5", "bin", "g/f6"];
const branches = ["main", "left", "right"];

/** Commits that change, rename, copy and remove files on three branches, and merges of them. */
function history(): string {
	const lines = [
		"mkdir -p d/e g; for f in f0 f1 f2 d/f3 d/f4 d/e/f5 g/f6; do seq 30 | sed \"s|^|$f |\" > $f; done; printf 'a\\0b' > bin; git add -A; git commit -qm start",
	];
	lines.push("git branch left; git branch right");
	for (let count = 0; count < 45; count++) {
		const [one, other] = [pick(files), pick(files)];
		const line = next(30) + 1;
		lines.push(
			pick([
				`[ -f ${one} ] && sed -i '${line}s/$/ x${count}/' ${one}`,
				`[ -f ${one} ] && sed -i '${line}s/^/  /' ${one}`,
				`[ -f ${one} ] && [ ! -e ${other} ] && git mv ${one} ${other} && sed -i '${line}d' ${other}`,
				`[ -f ${one} ] && cp ${one} ${other} && echo c${count} >> ${other}`,
				`[ -f ${one} ] && git rm -q ${one}; true`,
				`mkdir -p $(dirname ${one}); echo n${count} >> ${one}`,
				`[ -f ${one} ] && chmod +x ${one}`,
				"printf 'a\\0c' >> bin",
			]),
		);
		lines.push(
			`mkdir -p d/e g; git add -A; export GIT_COMMITTER_DATE='${1_600_000_000 + next(90) * 60} +0000'; git commit -q --allow-empty -m 'm${count} ${pick(["fix", "feat"])}' --author='${pick(["ann", "bob"])} <x@y>'`,
		);
		if (next(4) === 0) lines.push(`git checkout -q ${pick(branches)}`);
		if (next(6) === 0)
			lines.push(
				`git merge -q -X ours -m merge ${pick(branches)} || { git add -A; git commit -qm resolved; }; echo e${count} >> ${one}; git add -A; git commit -q --amend --no-edit --allow-empty`,
			);
	}
	return `${lines.map((line) => `{ ${line}; } > /dev/null 2>&1`).join("\n")}\ngit checkout -q main; echo w >> f0; echo s >> d/f3; git stash -q; echo w >> f0; echo s >> d/f3; git add d/f3; true`;
}

const starts =
	"log -p,log -p,log -U1,log --cc,log -m -p,log -c,show,show,diff,diff --cached,grep -n '[0-9]',grep --cached -n fix,stash show -p".split(
		",",
	);
const flags = (
	"-1 -2 -5 -n3 --skip=1 --skip=4 --first-parent --all --branches --follow -M --full-diff -Sx1 -Gn --pickaxe-all -w -b --reverse --diff-filter=R --diff-filter=D " +
	"--diff-filter=AM --no-renames --merges --no-merges --oneline --topo-order --date-order --author=ann --author=bob --grep=fix --invert-grep --all-match " +
	"--no-walk --diff-merges=first-parent --diff-merges=separate --diff-merges=cc --no-diff-merges --min-parents=2 --full-history --simplify-merges --dense --sparse " +
	"--boundary --remove-empty --show-pulls --cherry-pick --left-right --ancestry-path --since=2000-01-01 -a --text -R -B --ignore-blank-lines -I^n --stat --raw " +
	"--find-object=main:f0 --root --exit-code -D --relative --word-diff --function-context --merge-base --full-index -i --no-mailmap --use-mailmap --author-date-order --untracked -l -c"
).split(" ");
const revisions =
	"main main:d left:f1 stash@{0} left right HEAD~1 HEAD~3 left~2 right^ main..left left..main main...right left...right ^right HEAD^! left^@ right^-1 HEAD~4..HEAD~1 @ left~1 --all".split(
		" ",
	);
const paths = [...files, "d", "g", ".", "d/e", ":(glob)**/f*", ":!d", "*3", ":(icase)F1"];

function generate(): string {
	const words = [pick(starts)];
	for (let count = next(4); count > 0; count--) words.push(pick(flags));
	for (let count = next(3); count > 0; count--) words.push(pick(revisions));
	const below = Array.from({ length: next(3) }, () => pick(paths));
	return `git ${words.join(" ")} --${below.map((path) => ` '${path}'`).join("")}`;
}

function printed(text: string): string[] {
	const found = text.split("\n").flatMap((line) => {
		const [, one, other] = /^diff --git a\/(\S+) b\/(\S+)$/.exec(line) ?? /^diff --(?:cc|combined) (\S+)()$/.exec(line) ?? [];
		const [, searched] = /^(?:[^:\s]+:)?([^:\s]+):\d+:/.exec(line) ?? [];
		const [, from] = /^(?:rename|copy) (?:from|to) (\S+)$/.exec(line) ?? [];
		return [one, other, from, searched].filter((name) => name !== undefined && name !== "");
	});
	return [...new Set(found)] as string[];
}

describe("generated commands that print changes", () => {
	let at: Fixture;
	before(function () {
		this.timeout(120_000);
		at = fixture();
		at.bash(history());
	});
	after(() => at.dispose());

	it(`print no file that was not named before, in ${rounds} of them`, async function () {
		this.timeout(20_000 + rounds * 600);
		const missed: string[] = [];
		let compared = 0;
		const place = {
			exists: async (word: string) => existsSync(join(at.ws, word)),
			leavesRepository: () => false,
			emptyTree: "4b825dc642cb6eb9a060e54bf8d69288fbee4904",
		};
		for (let round = 0; round < rounds; round++) {
			const line = generate();
			const { git, always } = assessGit({ words: wordsOf(line), unknown: new Set(), flavor: "gnu" });
			const lists = git?.content && always === undefined ? await contentQueriesOf(git.content, place) : undefined;
			if (!lists) continue;
			const ask = async (words: readonly string[]) => at.programs.git(at.ws, words, { time: 20_000, bytes: 64 << 20 });
			const answers = await Promise.all(lists.questions.map(ask));
			const run = await ask(wordsOf(line).slice(1));
			if (answers.some((answer) => answer?.code !== 0) || !run) continue;
			const listed = new Set(
				answers.flatMap((answer) =>
					Buffer.from(answer?.output ?? [])
						.toString()
						.split("\0"),
				),
			);
			const names = printed(Buffer.from(run.output).toString());
			if (names.length > 0) compared++;
			const more = names.filter((name) => !listed.has(name));
			if (more.length > 0) missed.push(`${line}: ${more.join(" ")}`);
		}
		assert.ok(compared > rounds / 10, `only ${compared} printed something`);
		assert.deepEqual(missed, []);
	});
});
