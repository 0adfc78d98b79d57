// Tests which failed cases are run again, and what becomes of a suite's result.
import assert from "node:assert/strict";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createJudge, readNamedCases } from "../../../scripts/testRun/secondChance.mjs";
import { patternOf, runSuite } from "../../../scripts/testRun/suite.mjs";

const rules = { once: false, changed: new Set<string>(), named: new Set<string>(), left: 3 };
const failed = { title: "the view opens", file: "test/e2e/view.test.ts" };

describe("a failed case that drives a page", () => {
	it("is run again, but no more than three in one run", () => {
		const judge = createJudge(rules);
		assert.deepEqual([judge(failed), judge(failed), judge(failed)], [undefined, undefined, undefined]);
		assert.match(judge(failed) ?? "", /3 others/);
	});

	it("is not run again where this change touches its file, or git can't tell", () => {
		assert.match(createJudge({ ...rules, changed: new Set([failed.file]) })(failed) ?? "", /touches/);
		assert.match(createJudge({ ...rules, changed: undefined })(failed) ?? "", /git/);
	});

	it("is not run again if it left an error of ours", () => {
		assert.match(createJudge(rules)({ ...failed, problems: ["[uncaught] TypeError"] }) ?? "", /TypeError/);
	});

	it("is not run again if test/flaky.md names it", () => {
		const named = readNamedCases("# Why\n\n### the view opens\n\nCause: …\n");
		assert.match(createJudge({ ...rules, named })(failed) ?? "", /flaky\.md/);
	});

	it("is not run again with --once", () => assert.ok(createJudge({ ...rules, once: true })(failed)));

	it("is found alone by its whole title, and with its suite if a hook failed", () => {
		assert.ok(new RegExp(patternOf({ title: "a (b)", whole: false })).test("a (b)"));
		assert.ok(!new RegExp(patternOf({ title: "a (b)", whole: false })).test("a (b) c"));
		assert.ok(new RegExp(patternOf({ title: "a", whole: true })).test("a c"));
	});
});

describe("a suite of such cases", () => {
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "suite-"));
		process.env["PART_RESULTS"] = join(folder, "results.jsonl");
	});
	afterEach(async () => {
		delete process.env["PART_RESULTS"];
		await rm(folder, { recursive: true, force: true });
	});

	/** Runs a suite whose runs write these states and end with these codes. */
	const suiteOf = (runs: { states: string[]; code: number }[], repeat = 1) =>
		runSuite({
			name: "pretended",
			once: true,
			repeat,
			print: () => undefined,
			run: async ({ results }) => {
				const { states, code } = runs.shift() ?? assert.fail("one run too many");
				for (const state of states) await appendFile(results, `${JSON.stringify({ ...failed, state })}\n`);
				return code;
			},
		});

	it("fails with a failed case, and passes without one", async () => {
		assert.equal(await suiteOf([{ states: ["passed", "failed"], code: 1 }]), 1);
		assert.equal(await suiteOf([{ states: ["passed"], code: 0 }]), 0);
	});

	it("fails if a run broke off, or nothing ran", async () => {
		assert.equal(await suiteOf([{ states: ["passed"], code: 7 }]), 1);
		assert.equal(await suiteOf([{ states: [], code: 0 }]), 1);
	});

	it("is repeated as often as asked, and fails if one of the runs does", async () => {
		const runs = [
			{ states: ["passed"], code: 0 },
			{ states: ["failed"], code: 1 },
		];
		assert.equal(await suiteOf(runs, 2), 1);
		assert.deepEqual(runs, []);
	});
});
