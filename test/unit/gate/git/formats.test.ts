// Formats of git's and aliases in a repository: what only prints is known, and nothing of them runs.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { subcommands } from "../../../../src/gate/git/git.ts";
import { isKnownCommitFormat, isKnownRefFormat } from "../../../../src/gate/git/historyFlags.ts";
import { type Fixture, fixture } from "./repositories.ts";

describe("a format of git's", () => {
	let at: Fixture;
	before(() => {
		at = fixture();
	});
	after(() => at.dispose());

	it("is known as long as it only prints", () => {
		for (const format of [
			"",
			"oneline",
			"%H",
			"format:%h %s",
			"tformat:%an <%ae>%n%b",
			"%C(auto)%h %C(bold blue)%s%Creset",
			"%<(20,trunc)%s|%>>(5)%an",
			"%(trailers:key=X,valueonly)",
			"%x00%w(80,2,4)%B",
			"%+d% D%-D",
			"100%%",
			"%%G?",
		]) {
			assert.ok(isKnownCommitFormat(format), format);
		}
		for (const format of [
			"%G?",
			"%GG",
			"%%%G?",
			"%+GS",
			"%(describe)",
			"%(describe:tags)",
			"mine",
			"format:%GK",
			"%(trailers:key=%G?)%Gq",
		]) {
			assert.ok(!isKnownCommitFormat(format), format);
		}
		for (const format of [
			"%(refname)",
			"%(objectname:short) %(subject)",
			"%(if)%(HEAD)%(then)*%(else) %(end)%(refname:short)",
			"%%(raw)",
			"%(*authordate)",
			"%0a",
		]) {
			assert.ok(isKnownRefFormat(format), format);
		}
		for (const format of [
			"%(raw)",
			"%(raw:size)",
			"%(*raw)",
			"%(signature)",
			"%(signature:grade)",
			"%(describe)",
			"%%%(raw)",
			"%(contents:%(raw))",
		]) {
			assert.ok(!isKnownRefFormat(format), format);
		}
	});

	it("runs nothing where it is known, and git asks for a signature where it is not", () => {
		const run = (format: string) => {
			at.bash(
				"rm -f PWNED; git config gpg.program ./evil.sh; git cat-file commit HEAD > c; printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n -----END PGP SIGNATURE-----\\n' > s; { sed '/^$/,$d' c; cat s; sed -n '/^$/,$p' c; } > n; git update-ref refs/heads/signed $(git hash-object -t commit -w n)",
			);
			spawnSync("git", ["log", "-1", `--format=${format}`, "signed"], { cwd: at.ws });
			return spawnSync("ls", ["PWNED"], { cwd: at.ws }).status === 0;
		};
		assert.ok(run("%G?"));
		for (const format of ["%%G?", "%H%n%B%d%e", "%(trailers:key=X)", "%x47"])
			assert.ok(isKnownCommitFormat(format) && !run(format), format);
	});
});

describe("an alias in the repository", () => {
	it("never stands for a subcommand that is known", function () {
		this.timeout(60_000);
		const at = fixture();
		at.bash(
			Object.keys(subcommands)
				.map((name) => `git config alias.${name} '!touch PWNED'`)
				.join("\n"),
		);
		for (const name of Object.keys(subcommands)) spawnSync("git", [name, "-h"], { cwd: at.ws, input: "" });
		assert.notEqual(spawnSync("ls", ["PWNED"], { cwd: at.ws }).status, 0);
		at.bash("git config alias.mine '!touch PWNED'; git mine");
		assert.equal(spawnSync("ls", ["PWNED"], { cwd: at.ws }).status, 0);
		at.dispose();
	});
});
