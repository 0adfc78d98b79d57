// Tests that the gate blocks the event loop for at most 50 ms, whatever line or disk.

// Lines are up to a megabyte long.
import assert from "node:assert/strict";
import { createJobRunner, type JobRunner, ROOT } from "../vectors/jobRunner.ts";
import { none } from "../vectors/none.ts";
import type { Held, HeldJob } from "./held.ts";
import { type Input, inputs, searched } from "./inputs.ts";

/** Milliseconds. */
const LONGEST_HOLD = 50;
const TIMEOUT = 20_000;
/** Milliseconds from a line to its verdict. */
const LONGEST_WAIT = 10_000;

const READ_ALL = [
	"grep -r x .",
	"rg x",
	"rg -uu x .",
	"cat */*",
	"ls -R",
	"diff -r . src",
	"find . -name x",
	"git status",
	"git grep x",
	"git diff",
	"du -a .",
	"cat many/*/*/*",
	"wc -l many/f1/*/*",
];

describe("deciding", function () {
	this.timeout(900_000);
	let runner: JobRunner;
	before(async () => {
		runner = await createJobRunner("test/attack/budget/inside.ts");
	});
	after(() => runner?.dispose());

	const measure = (world: HeldJob["world"], list: readonly Input[]) =>
		runner.do<Held[]>(
			"measureHeld",
			{ root: ROOT, parser: runner.parser, world, inputs: list, timeout: TIMEOUT } satisfies HeldJob,
			600_000,
		);

	function check(found: readonly Held[]): void {
		const worst = found.reduce((one, other) => (other.held > one.held ? other : one));
		const slowest = found.reduce((one, other) => (other.took > one.took ? other : one));
		console.log(
			`        ${found.length} lines, held at most ${worst.held} ms (${worst.name}), answered after ${slowest.took} ms at most (${slowest.name})`,
		);
		none(
			found
				.filter(({ held, took }) => held > LONGEST_HOLD || took > LONGEST_WAIT)
				.map(({ name, held, took }) => `${name}: held ${held} ms, took ${took} ms`),
		);
	}

	it("never holds the event loop for long, whatever the line is made of", async () => {
		const found = await measure("plain", inputs());
		check(found);
		none(found.filter(({ decisions }) => decisions["planner"] !== "deny" || decisions["actor"] === undefined).map(({ name }) => name));
	});

	for (const size of [3_900, 20_000])
		it(`never holds it for the worst of many lines of ${size} bytes`, async () => {
			check(await measure("plain", searched(20_261_122, 250, size)));
		});

	it("never holds it in a workspace of 200,000 files", async () => {
		check(
			await measure(
				"many files",
				READ_ALL.map((text) => ({ name: text, text })),
			),
		);
	});

	it("never holds it where links lead in rings, and ends", async () => {
		const lines = [
			...READ_ALL,
			"cat loop",
			"cat one/two",
			"cat ring/up/ring/up/victim",
			"grep -R x ring",
			"cd ring/up/ring && cat up/victim",
		];
		check(
			await measure(
				"rings",
				lines.map((text) => ({ name: text, text })),
			),
		);
	});

	it("never waits for a pipe that the repository's configuration includes, and asks", async () => {
		const lines = ["git status", "git log -1", "git diff", "cat README.md", "cat pipe", "grep x pipe", "cat *"];
		const found = await measure(
			"fifo",
			lines.map((text) => ({ name: text, text })),
		);
		check(found);
		assert.deepEqual(
			found.filter(({ name, decisions }) => name.startsWith("git") && decisions["actor"] !== "ask").map(({ name }) => name),
			[],
		);
	});
});
