// Tests generated git commands in a history full of secrets: those that pass unasked never show one.

// TROUPE_FUZZ sets the number of commands; TROUPE_SEED selects another set.
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Fixture, fixture, wordsOf } from "./repositories.ts";

const rounds = Number(process.env["TROUPE_FUZZ"] ?? 400);
let seed = Number(process.env["TROUPE_SEED"] ?? 4711);
const canary = "CANARY-5e1d";

/** Every secret stood, at some time, in a protected file, and never anywhere else. */
const history = [
	`mkdir -p conf .ssh deep; echo ${canary} > .env; echo ${canary} > conf/server.pem; echo ${canary} > .ssh/known; echo plain > deep/plain`,
	"git add -f .env conf .ssh deep && git commit -qm secrets",
	// Renamed with the secret taken out, so that only a change shows it.
	`printf 'a\\nb\\nc\\nd\\ne\\n' >> conf/server.pem; git commit -qam more; git mv conf/server.pem notes; sed -i 's/${canary}/fine/' notes; git commit -qam renamed`,
	// Two sides that both touch it, merged with other lines.
	`git checkout -qb side; echo side-${canary} >> .env; echo s >> src/a.ts; git commit -qam side; git checkout -q main`,
	`echo main >> .env; git commit -qam main; git merge -q side 2> /dev/null || { echo merged > .env; git commit -qam merged; }`,
	"git notes add -m findme HEAD~4; echo 'mapped <m@m> <a@b>' > .mailmap; git add .mailmap; git commit -qm mapped --author='z <z@z>'",
	// References to a blob and to a tree, files that are called like revisions and values of flags, links.
	"git tag blob $(git rev-parse HEAD~1:.env); git tag tree $(git rev-parse HEAD:.ssh); git branch other HEAD~2",
	"touch on HEAD~1 '--' v1; mkdir -p 'HEAD:src'; git add -f on v1; git commit -qm named",
	`echo stash-${canary} >> .env; echo w >> src/a.ts; echo u-${canary} > new.key; git stash -q -u`,
	`echo work-${canary} >> .env; echo staged-${canary} > staged.key; git add -f staged.key; echo w >> src/b.ts`,
	`mkdir away && echo ${canary} > ../outside/x.ts && git rm -q --cached deep/plain && rm -rf deep && ln -s ../outside deep && git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:README.md),deep/x.ts`,
	`ln ../outside/secret.txt hard.txt && echo ${canary} > ../outside/secret.txt && git update-index --add --cacheinfo 100644,$(git rev-parse HEAD:README.md),hard.txt`,
].join("\n");

function next(limit: number): number {
	seed = (seed * 48271) % 2147483647;
	return seed % limit;
}
function pick(words: string): string {
	const all = words.split(" ");
	return (all[next(all.length)] as string).replaceAll("_", " ");
}

const starts =
	"log log_-p log_-p_-1 log_--stat show show_-s diff diff_--cached diff_--stat grep_CANARY grep_-n_. grep_-e_C blame cat-file_-p status_-v stash_show reflog " +
	"log_-p_-a_-G_. tag_-n9 tag_-l for-each-ref_--format=%(contents) branch_-av rev-list_--objects shortlog describe_--always ls-tree_-r cat-file_blob whatchanged " +
	"diff-tree_-r diff-index diff-files ls-files_-s log_--notes rev-parse";
const flags =
	"-p -3 -1 --cc -c -m -U1 --stat --name-only --raw --first-parent --all --follow -M --full-diff -S_CANARY -G_CANARY --cached --staged -R -w " +
	"--reverse --diff-filter=R --diff-filter=AM --no-renames --find-renames=10 --merges --no-merges --graph --oneline --format=%H --pretty=format:%h " +
	"--no-walk -g --word-diff --check --binary --summary --diff-merges_on --diff-merges=first-parent --since=2000 --relative -- -- -v -l -i -L --untracked --root " +
	"--grep=findme --grep=secrets --invert-grep --author=mapped --author=a --no-mailmap --skip=1 -2 --parents --diff-filter=D --find-object=HEAD:README.md --all-match " +
	"--patch-with-stat --ours --merge-base --exit-code -s --quiet --not --exclude=x --full-history --simplify-merges --boundary -W --pickaxe-all";
const places =
	". .env :(glob).en? :!src :(exclude).env :.env :0:.env src src/a.ts notes conf deep deep/x.ts hard.txt .ssh :/ :/.env *.ts **/*.pem on v1 new.key staged.key README.md " +
	"conf/server.pem ../ws/.env ../outside/secret.txt link/secret.txt";
const revisions =
	"HEAD HEAD~1 HEAD~2 HEAD~3 HEAD^2 HEAD^! HEAD^@ HEAD^-1 main side other v1 blob tree blob^{} HEAD~2..HEAD main...side side..main ^side HEAD^{tree} HEAD^{/renamed} @ @~1 " +
	"HEAD:.env HEAD:./.env HEAD~1:conf HEAD:src/a.ts HEAD:.ssh tree:known blob..blob stash@{0} stash stash^3 @{1} :/merged 0 HEAD:";

function generate(): string {
	const words = [pick(starts)];
	for (let count = next(4); count > 0; count--) words.push(pick(flags));
	for (let count = next(3); count > 0; count--) words.push(pick(revisions));
	if (next(3) === 0) words.push("--");
	for (let count = next(3); count > 0; count--) words.push(pick(places));
	return `git ${words.join(" ")}`;
}

describe("generated git commands", () => {
	let at: Fixture;
	before(() => {
		at = fixture();
		at.bash(history);
	});
	after(() => at.dispose());

	it(`of which ${rounds} were tried never show a secret where they go ahead`, async function () {
		this.timeout(20_000 + rounds * 200);
		const shown: string[] = [];
		let went = 0;
		let said = 0;
		for (let round = 0; round < rounds; round++) {
			const line = generate();
			const folder = next(4) === 0 ? join(at.ws, "src") : at.ws;
			if ((await at.outcome(line, folder)) !== "goes") continue;
			went++;
			const run = await at.programs.git(folder, wordsOf(line).slice(1), { time: 20_000 });
			const text = Buffer.from(run?.output ?? []).toString();
			if (text !== "") said++;
			if (text.includes("5e1d")) shown.push(`${folder}: ${line}`);
		}
		assert.ok(went > rounds / 20 && said > rounds / 40, `${went} went ahead, ${said} printed something`);
		assert.deepEqual(shown, []);
	});
});
