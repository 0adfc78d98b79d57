// The commit HEAD points at, as git would say it, read without git from whatever a repository may be.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
	appendFileSync,
	existsSync,
	mkdirSync,
	mkdtempSync,
	readFileSync,
	realpathSync,
	renameSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { readHeadCommit } from "../../../src/platform/git/gitChanges.ts";

describe("the commit of a folder", () => {
	let root: string;
	let repository: string;
	beforeEach(() => {
		root = realpathSync(mkdtempSync(join(tmpdir(), "head-")));
		repository = make("r");
	});
	afterEach(() => rmSync(root, { recursive: true, force: true }));

	const person = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "protocol.file.allow=always"];
	const gitIn = (folder: string, ...words: string[]) =>
		execFileSync("git", [...person, ...words], { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
	const git = (...words: string[]) => gitIn(repository, ...words);
	const at = (name: string) => join(repository, ".git", name);
	function make(name: string, ...options: string[]): string {
		const folder = join(root, name);
		mkdirSync(folder);
		gitIn(folder, "init", "-q", "-b", "main", ...options);
		gitIn(folder, "commit", "-q", "--allow-empty", "-m", name);
		return folder;
	}
	async function agrees(folder = repository): Promise<void> {
		const said = gitIn(folder, "rev-parse", "HEAD");
		assert.match(said, /^[0-9a-f]{40,64}$/);
		assert.equal(await readHeadCommit(folder), said);
	}

	it("is that of the branch, loose or packed, and of no branch", async () => {
		await agrees();
		git("pack-refs", "--all");
		assert.equal(existsSync(at("refs/heads/main")), false);
		await agrees();
		git("commit", "-q", "--allow-empty", "-m", "newer than what is packed");
		await agrees();
		git("checkout", "-q", "-b", "feature/deep.name");
		git("pack-refs", "--all");
		await agrees();
		git("checkout", "-q", "--detach", "HEAD~1");
		await agrees();
	});

	it("is found among many packed ones, with tags and names that begin alike", async () => {
		const commit = git("rev-parse", "HEAD");
		git("commit", "-q", "--allow-empty", "-m", "other");
		for (const name of ["mai", "main2", "x/main", "zmain"]) git("update-ref", `refs/heads/${name}`, commit);
		git("tag", "-a", "-m", "t", "v1");
		git("pack-refs", "--all");
		await agrees();
	});

	it("is that of a folder below, of another work tree and of a submodule", async () => {
		mkdirSync(join(repository, "deep", "er"), { recursive: true });
		await agrees(join(repository, "deep", "er"));
		git("worktree", "add", "-q", "-b", "other", join(root, "tree"));
		gitIn(join(root, "tree"), "commit", "-q", "--allow-empty", "-m", "in the tree");
		await agrees(join(root, "tree"));
		git("pack-refs", "--all");
		await agrees(join(root, "tree"));
		git("submodule", "--quiet", "add", make("inner"), "sub");
		await agrees(join(repository, "sub"));
	});

	it("is that of a repository whose folder is a link, and of one with longer hashes", async () => {
		renameSync(at(""), join(root, "moved"));
		symlinkSync(join(root, "moved"), join(repository, ".git"));
		await agrees();
		await agrees(make("sha256", "--object-format=sha256"));
	});

	it("is that of a HEAD that is a link, as git once wrote it", async () => {
		rmSync(at("HEAD"));
		symlinkSync("refs/heads/main", at("HEAD"));
		await agrees();
	});

	it("is unknown outside git, before the first one and in an empty repository", async () => {
		const empty = join(root, "empty");
		mkdirSync(empty);
		assert.equal(await readHeadCommit(empty), undefined);
		gitIn(empty, "init", "-q");
		assert.equal(await readHeadCommit(empty), undefined);
		assert.equal(await readHeadCommit(join(root, "missing")), undefined);
	});

	it("is unknown where a file is half written, a pipe, a folder, huge, or not there", async () => {
		const commit = git("rev-parse", "HEAD");
		const head = readFileSync(at("HEAD"));
		const spoil = {
			"a half written HEAD": () => writeFileSync(at("HEAD"), "ref: refs/hea"),
			"an empty HEAD": () => writeFileSync(at("HEAD"), ""),
			"half a commit": () => writeFileSync(at("HEAD"), commit.slice(0, 39)),
			"a commit and more": () => writeFileSync(at("HEAD"), `${commit}${commit}`),
			"a HEAD that is a pipe": () => replace("HEAD", (path) => execFileSync("mkfifo", [path])),
			"a HEAD that is a folder": () => replace("HEAD", (path) => mkdirSync(path)),
			"a HEAD of 10 MB": () => writeFileSync(at("HEAD"), `${commit}${" ".repeat(10_000_000)}`),
			"no HEAD": () => rmSync(at("HEAD")),
			"a ref that is empty": () => writeFileSync(at("refs/heads/main"), ""),
			"a ref that is a pipe": () => replace("refs/heads/main", (path) => execFileSync("mkfifo", [path])),
			"packed refs that are a pipe": () => {
				rmSync(at("refs/heads/main"));
				execFileSync("mkfifo", [at("packed-refs")]);
			},
			"packed refs that are half written": () => {
				rmSync(at("refs/heads/main"));
				writeFileSync(at("packed-refs"), `# pack-refs with: peeled\n${commit} refs/heads/mai`);
			},
			"refs that name each other": () => {
				writeFileSync(at("refs/heads/main"), "ref: refs/heads/b\n");
				writeFileSync(at("refs/heads/b"), "ref: refs/heads/main\n");
			},
			"refs in a table": () => {
				mkdirSync(at("reftable"));
				writeFileSync(at("HEAD"), "ref: refs/heads/.invalid\n");
			},
		};
		for (const [name, act] of Object.entries(spoil)) {
			act();
			assert.equal(await readHeadCommit(repository), undefined, name);
			for (const made of ["HEAD", "refs/heads/main", "packed-refs", "reftable"]) rmSync(at(made), { recursive: true, force: true });
			writeFileSync(at("HEAD"), head);
			writeFileSync(at("refs/heads/main"), `${commit}\n`);
			await agrees();
		}
	});

	it("is unknown where a ref leads out of the git folder", async () => {
		const commit = git("rev-parse", "HEAD");
		writeFileSync(join(root, "out"), `${commit}\n`);
		mkdirSync(join(root, "refs"));
		writeFileSync(join(root, "refs", "main"), `${commit}\n`);
		for (const ref of ["../../out", "refs/../../../out", "/etc/hostname", "refs/heads/../../../../out", "out", "config"]) {
			writeFileSync(at("HEAD"), `ref: ${ref}\n`);
			assert.equal(await readHeadCommit(repository), undefined, ref);
		}
		writeFileSync(at("HEAD"), "ref: refs/heads/main\n");
		replace("refs/heads/main", (path) => symlinkSync(join(root, "out"), path));
		assert.equal(await readHeadCommit(repository), undefined, "a ref that is a link");
		rmSync(at("refs/heads"), { recursive: true });
		symlinkSync(join(root, "refs"), at("refs/heads"));
		assert.equal(await readHeadCommit(repository), undefined, "a folder of refs that is a link");
		rmSync(at("HEAD"));
		symlinkSync(join(root, "out"), at("HEAD"));
		assert.equal(await readHeadCommit(repository), undefined, "a HEAD that is a link");
	});

	it("is unknown where .git is a file that leads nowhere", async () => {
		const tree = join(root, "tree");
		mkdirSync(tree);
		for (const text of ["", "gitdir: ", "gitdir:", `gitdir: ${root}/missing`, "gitdir: \0", "half", `gitdir: ${"x".repeat(9_000)}`]) {
			writeFileSync(join(tree, ".git"), text);
			assert.equal(await readHeadCommit(tree), undefined, JSON.stringify(text.slice(0, 40)));
		}
		rmSync(join(tree, ".git"));
		execFileSync("mkfifo", [join(tree, ".git")]);
		assert.equal(await readHeadCommit(tree), undefined, "a pipe");
	});

	it("is not searched for in packed refs of more than 32 MB", async () => {
		git("pack-refs", "--all");
		appendFileSync(at("packed-refs"), `${"#".repeat(79)}\n`.repeat(420_000));
		assert.equal(await readHeadCommit(repository), undefined);
	});

	function replace(name: string, make: (path: string) => void): void {
		rmSync(at(name), { force: true });
		mkdirSync(dirname(at(name)), { recursive: true });
		make(at(name));
	}
});
