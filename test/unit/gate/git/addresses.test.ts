// Tests git remote addresses: approvals bind to the address; addresses with programs or credentials ask.
import assert from "node:assert/strict";
import { type Fixture, fixture } from "./repositories.ts";

describe("where git goes", () => {
	let at: Fixture;
	beforeEach(() => {
		at = fixture();
	});
	afterEach(() => at.dispose());
	const fetch = async (...more: string[]) => (await at.facts(["git", "fetch", ...more])).facts;

	it("binds an approval to the address, and to nothing else that changes every day", async () => {
		const none = (await fetch()).bound;
		at.bash("git remote add origin https://example.org/a.git");
		const first = await fetch();
		assert.deepEqual(first.addresses, ["https://example.org/a.git"]);
		assert.deepEqual(await fetch("origin"), first);
		at.bash("git config branch.main.remote origin; git config branch.main.merge refs/heads/main");
		assert.equal((await fetch()).bound, first.bound);
		at.bash("git remote set-url origin https://example.com/a.git");
		const second = await fetch();
		at.bash("git config --global url.https://example.net/.insteadOf https://example.com/");
		const third = await fetch();
		assert.deepEqual(third.addresses, ["https://example.net/a.git"]);
		assert.equal(new Set([none, first.bound, second.bound, third.bound]).size, 4);
		assert.deepEqual(
			[first, second, third].map(({ always }) => always),
			[undefined, undefined, undefined],
		);
	});

	it("asks where the address runs a program, holds credentials, or the way there is somebody's", async () => {
		for (const [setting, reason] of [
			["remote.origin.url 'ext::sh -c x'", /remote\.origin\.url/],
			["remote.origin.url https://token@example.org/a.git", /credentials/],
			["remote.origin.url https://a:b@example.org/a.git", /credentials/],
			["core.sshCommand 'touch PWNED'", /core\.sshcommand/],
			["http.proxy http://x", /http\.proxy/],
			["credential.helper '!touch PWNED'", /credential\.helper/],
			["remote.origin.uploadpack x", /uploadpack/],
			["remote.origin.proxy x", /proxy/],
			["remote.origin.fetch '+refs/heads/*:refs/heads/*'", /remote\.origin\.fetch/],
			["branch.main.remote 'ext::x'", /branch\.main\.remote/],
			["remote.origin.url 'https://exam\u200bple.org/a.git'", /remote\.origin\.url/],
		] as const) {
			at.bash(`cp .git/config kept; git remote add origin git@example.org:a.git; git config ${setting}`);
			const { always, addresses } = await fetch();
			assert.match(always ?? "", reason, setting);
			assert.ok(!addresses?.join().includes("token"));
			at.bash("mv kept .git/config");
		}
		at.bash("git config --global remote.there.url ext::x; git config branch.main.remote there");
		assert.match((await fetch()).always ?? "", /runs a program/);
		at.bash("git config --global remote.there.url 'https://exam\u2800ple.org/a.git'");
		assert.match((await fetch()).always ?? "", /invisible characters/);
	});

	it("judges a folder as one", async () => {
		at.bash("git init -q ../outside/theirs; git remote add origin ../outside/theirs");
		assert.equal(await at.outcome("git fetch"), "always");
		assert.equal(await at.outcome("git fetch evil.sh"), "class");
		at.bash("git remote set-url origin ssh://git@example.org/a.git");
		assert.equal(await at.outcome("git fetch"), "class");
	});

	it("keeps credentials from being printed", async () => {
		const printing = ["git remote -v", "git remote get-url origin", "git config --get remote.origin.url", "git config remote.origin.url"];
		for (const [address, outcome] of [
			["https://example.org/a.git", "goes"],
			["git@example.org:a.git", "goes"],
			["ssh://git@example.org/a.git", "goes"],
			["https://token@example.org/a.git", "always"],
			["https://a:b@example.org/a.git", "always"],
			["ssh://git:word@example.org/a.git", "always"],
		] as const) {
			at.bash(`git config remote.origin.url ${address}`);
			for (const line of printing) assert.equal(await at.outcome(line), outcome, `${line} ${address}`);
			assert.equal(await at.outcome("git remote"), "goes");
		}
		at.bash(
			"git config remote.origin.url https://example.org/a.git; git config --global url.https://token@example.org/.insteadOf https://example.org/",
		);
		assert.equal(await at.outcome("git remote -v"), "always");
	});
});
