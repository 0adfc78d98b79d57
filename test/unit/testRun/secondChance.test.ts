// Tests which failed cases are run again, and what becomes of a suite's result.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { runMocha } from "../../../scripts/testRun/mocha.mjs";
import { createJudge, type Rules, readLines, readNamedCases } from "../../../scripts/testRun/secondChance.mjs";
import { runSuite, toPattern } from "../../../scripts/testRun/suite.mjs";

const rules: Rules = { once: false, changed: new Set(), named: new Set(), takeChance: async () => true };
const failed = { title: "the view opens", file: "test/e2e/view.test.ts" };

describe("a failed case that drives a page", () => {
	it("is run again while the run has chances left", async () => {
		assert.equal(await createJudge(rules)(failed), undefined);
		assert.match((await createJudge({ ...rules, takeChance: async () => false })(failed)) ?? "", /3 others/);
	});

	it("is not run again where this change touches its file, or git can't tell", async () => {
		assert.match((await createJudge({ ...rules, changed: new Set([failed.file]) })(failed)) ?? "", /touches/);
		assert.match((await createJudge({ ...rules, changed: undefined })(failed)) ?? "", /git/);
	});

	it("is not run again if it left an error of ours", async () => {
		assert.match((await createJudge(rules)({ ...failed, problems: ["[uncaught] TypeError"] })) ?? "", /TypeError/);
	});

	it("is not run again if test/flaky.md names it", async () => {
		const named = readNamedCases("# Why\n\n### the view opens\n\nCause: …\n");
		assert.match((await createJudge({ ...rules, named })(failed)) ?? "", /flaky\.md/);
	});

	it("is not run again with --once", async () => assert.ok(await createJudge({ ...rules, once: true })(failed)));
});

describe("a suite of such cases", function () {
	this.timeout(60_000);
	let folder: string;
	beforeEach(async () => {
		folder = await mkdtemp(join(tmpdir(), "suite-"));
		process.env["PART_RESULTS"] = join(folder, "results.jsonl");
	});
	afterEach(async () => {
		delete process.env["PART_RESULTS"];
		await rm(folder, { recursive: true, force: true });
	});

	/** Runs these tests under mocha as a suite. In them, `again` is true from the second run on. */
	async function runTests(tests: string, options: { once?: boolean; repeat?: number; kill?: boolean } = {}) {
		const file = join(folder, "some.test.mjs");
		const printed: string[] = [];
		let runs = 0;
		await writeFile(file, `const again = process.env.RUN !== "1";\n${tests}`);
		const code = await runSuite({
			...{ name: "some", once: false, repeat: 1, rules: { ...rules, once: options.once === true }, ...options },
			flakyFile: join(folder, "flaky.jsonl"),
			print: (text) => printed.push(text),
			run({ results, only }) {
				runs += 1;
				const environment = { TEST_RESULTS: results, RUN: String(runs), TEST_ROOT: resolve(".") };
				return runMocha({ files: [file], pattern: only && toPattern(only), timeout: 10_000, environment, isQuiet: true });
			},
		});
		return { code, runs, printed: printed.join("\n"), flaky: await readLines(join(folder, "flaky.jsonl")) };
	}

	const flakyCase = `it("a (flaky) case", () => { if (!again) throw new Error("not drawn yet"); });\nit("another case", () => undefined);`;

	it("passes if a failed case passes alone, and keeps what both runs said", async () => {
		const { code, runs, printed, flaky } = await runTests(flakyCase);
		assert.deepEqual([code, runs], [0, 2]);
		assert.match(printed, /Flaky\n {2}a \(flaky\) case/);
		assert.match(printed, /2 passed, 0 failed$/);
		assert.match(JSON.stringify(flaky[0]), /not drawn yet.*"second":\[\{"title":"a \(flaky\) case".*"passed"/);
	});

	it("fails if a case fails alone too, or has no second chance", async () => {
		const always = await runTests(`it("a case", () => { throw new Error("always"); });`);
		assert.deepEqual([always.code, always.runs, always.flaky.length], [1, 2, 0]);
		const once = await runTests(flakyCase, { once: true });
		assert.deepEqual([once.code, once.runs], [1, 1]);
	});

	for (const hook of ["before", "beforeEach", "afterEach", "after"])
		it(`fails if a ${hook} hook fails, whatever it keeps from running`, async () => {
			const { code } = await runTests(`${hook}(() => { if (!again) throw new Error("no browser"); });\n${flakyCase}`);
			assert.equal(code, 1);
		});

	it("fails if the run broke off, or nothing ran", async () => {
		assert.equal((await runTests(`it("a case", () => process.exit(0));`)).code, 1);
		assert.equal((await runTests(`${flakyCase}\nit("a last case", () => process.exit(0));`)).code, 1);
		assert.equal((await runTests("")).code, 1);
	});

	it("is repeated as often as asked, and fails if one of the runs does", async () => {
		const { code, runs } = await runTests(flakyCase, { repeat: 3, once: true });
		assert.deepEqual([code, runs], [1, 3]);
	});

	it("counts a case that is skipped on purpose neither way", async () => {
		const { code, printed } = await runTests(`it("a case", () => undefined);\nit.skip("a skipped case", () => undefined);`);
		assert.equal(code, 0);
		assert.match(printed, /1 passed, 0 failed$/);
	});
});
