// Tests the git cases of the attack and everyday vectors with a real git.

// Checks the outcome, and that asking runs nothing.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { type Fixture, fixture, type Outcome } from "./repositories.ts";

interface Case {
	id: string;
	cmd: string;
	setup?: string;
}

const cases = read<Case>("commands-2.json").filter(({ cmd }) => /^(?:cd \w+ && )?git /.test(cmd));
const everyday = read<{ cmd: string; mark: Outcome }>("everyday.json");

/** What goes ahead hardened, changes nothing and shows no secret; everything else asks, or is a class. */
const harmless: Readonly<Record<string, string>> = {
	A27: "prints a path",
	A161: "prints names",
	A67: "the hook runs only where git is not hardened",
	B49: "the monitor is git's own, and is off",
	A984: "which git it is is not decided here",
	B40: "which git it is is not decided here",
};
const classes = ["A61", "B47"];

function read<Line>(name: string): Line[] {
	return JSON.parse(readFileSync(join("test/fixtures/vectors", name), "utf8")).cases;
}

describe("git in the vectors", () => {
	let at: Fixture;
	let calls = 0;
	const server = createServer((socket) => {
		calls++;
		socket.destroy();
	});
	before((done) => {
		server.listen(0, "127.0.0.1", done);
	});
	after(() => {
		server.close();
	});
	beforeEach(() => {
		at = fixture();
		calls = 0;
	});
	afterEach(() => at.dispose());

	it("is well represented", () => assert.ok(cases.length > 50 && everyday.length > 100));

	for (const { id, cmd, setup } of cases) {
		it(`${id} ${cmd}: asks as it should, and asking runs nothing`, async () => {
			const address = server.address();
			const port = typeof address === "object" ? String(address?.port) : "";
			if (setup !== undefined) at.bash(setup.replaceAll("<PORT>", port));
			const [, folder = ".", line = ""] = /^(?:cd (\w+) && )?(.*)$/.exec(cmd) ?? [];
			const outcome = await at.outcome(line, join(at.ws, folder));
			if (harmless[id] !== undefined) assert.equal(outcome, "goes");
			else if (classes.includes(id)) assert.equal(outcome, "class");
			else assert.match(outcome, /^(?:asks|always)$/);
			assert.equal(calls, 0);
			const names = readdirSync(at.root, { recursive: true, encoding: "utf8" });
			assert.deepEqual(
				names.filter((name) => name.includes("PWNED")),
				[],
			);
		});
	}

	it("names the hooks that would run, and binds an approval to what they are", async () => {
		at.bash("printf '#!/bin/sh\\ntrue\\n' > .git/hooks/pre-commit");
		const words = ["git", "commit", "-m", "x"];
		const { facts } = await at.facts(words);
		assert.deepEqual(facts.hooks, ["pre-commit"]);
		at.bash("echo touch PWNED >> .git/hooks/pre-commit");
		const changed = (await at.facts(words)).facts;
		assert.notEqual(changed.bound, facts.bound);
		at.bash("rm .git/hooks/pre-commit");
		assert.equal((await at.facts(words)).facts.bound, undefined);
	});

	for (const { cmd, mark } of everyday) {
		const lines = cmd.split(/ && | \| /).filter((line) => line.startsWith("git "));
		if (lines.length === 0) continue;
		it(`${cmd} is marked ${mark}`, async () => {
			for (const line of lines) {
				const outcome = await at.outcome(line);
				assert.ok(outcome === mark || outcome === "goes", `${line}: ${outcome}`);
			}
		});
	}
});
