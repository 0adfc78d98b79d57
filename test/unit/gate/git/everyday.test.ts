// Tests everyday git commands against the whole gate in an ordinary repository with a remote.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Gate, Grant } from "../../../../src/core/ports/gate.ts";
import { createGate } from "../../../../src/gate/gate.ts";
import { command, grant, layParser, parser, type World } from "../world.ts";
import { type Fixture, fixture } from "./repositories.ts";

const setup = [
	"git init -q --bare ../origin.git",
	"git remote add origin https://example.com/team/w.git",
	"printf '.env\\nnode_modules\\nlink\\n' > .gitignore && echo A= > .env.example && git add .gitignore .env.example evil.sh script.txt tpl",
	"git commit -qm three && git branch feature && git branch -f dev HEAD~1",
	"git push -q ../origin.git main dev && git update-ref refs/remotes/origin/main HEAD~1 && git update-ref refs/remotes/origin/dev dev",
	"git symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main",
	"git config branch.main.remote origin && git config branch.main.merge refs/heads/main",
	"echo stashed >> victim && git stash -q && echo more >> README.md && echo staged >> src/a.ts && git add src/a.ts && echo new > src/new.ts",
].join(" && ");

/** Each mark in brackets, and below it the lines that it is of. */
function linesByMark(): [mark: string, lines: string[]][] {
	const text = readFileSync(join("test/fixtures", "gitEveryday.txt"), "utf8");
	return [...text.matchAll(/^\[(\w+)\]\n([^[]*)/gm)].map(([, mark = "", lines = ""]) => [mark, lines.trim().split("\n")]);
}

describe("git lines of every day", () => {
	let at: Fixture;
	let gate: Gate;
	before(async function () {
		this.timeout(60_000);
		at = fixture();
		at.bash(setup);
		await layParser();
		gate = createGate({ ...at.gateContext, parser });
	});
	after(() => at.dispose());

	const decided = async (line: string): Promise<string> => {
		const world: World = { root: at.root, gate, dispose: async () => undefined };
		const first = await command(world, line, {}, at.ws);
		if (first.decision !== "ask") return first.decision === "allow" ? "goes" : `deny ${first.reason}`;
		if (first.grants.length === 0) return `asks: ${first.reason}`;
		const grants: Grant[] = first.grants.map((one) => ({ ...grant(one.tool, one.class, one.scriptsHash), ...one }));
		const second = await command(world, line, { grants }, at.ws);
		if (second.decision !== "allow") return `asks again: ${second.reason}`;
		const exactly = first.grants.some((one) => one.line);
		return exactly ? `asks for this line alone: ${first.reason}` : `class: ${first.reason}`;
	};

	for (const [mark, lines] of linesByMark())
		for (const line of lines) {
			it(`${mark}: ${line}`, async () => {
				const outcome = await decided(line);
				assert.ok(outcome.startsWith(mark), outcome);
			});
		}
});
