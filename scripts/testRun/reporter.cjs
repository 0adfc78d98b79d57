// Reports a mocha run, and writes a line of JSON for each case to the file in TEST_RESULTS.

// `--reporter-option dots` prints a dot a case. Tests may add to `globalThis.caseNotes`: how long their window took to start,
// how long they acted in it, and what went wrong beside the case itself. The last line is `{ end: true }`. Parallel runs have
// durations only.
const { appendFileSync } = require("node:fs");
const { relative } = require("node:path");
const Mocha = require("mocha");

const on = Mocha.Runner.constants;

class CaseReporter {
	constructor(runner, options) {
		const Shown = options?.reporterOptions?.dots ? Mocha.reporters.Dot : Mocha.reporters.Spec;
		this.shown = new Shown(runner, options);
		const file = process.env.TEST_RESULTS;
		if (file !== undefined) record(runner, (entry) => appendFileSync(file, `${JSON.stringify(entry)}\n`));
	}

	done(failures, end) {
		if (this.shown.done) this.shown.done(failures, end);
		else end(failures);
	}
}

/** Milliseconds throughout. */
function record(runner, write) {
	/** Titles of the cases that have a result. */
	const settled = new Set();
	const isParallel = runner.isParallelMode?.() === true;
	let current;
	let hookBegan = 0;

	function begin(test) {
		finish();
		globalThis.caseNotes = { start: 0, driving: 0, problems: [] };
		current = { ...identify(test), began: Date.now(), hooks: 0, clearing: 0 };
	}

	function finish() {
		if (!current?.state) return;
		const { hooks, clearing, began, ...rest } = current;
		current = undefined;
		const ended = Date.now();
		const { start, driving, problems } = globalThis.caseNotes;
		const measured = { start: Math.round(hooks + start), driving: Math.round(driving), clearing };
		const waiting = Math.max(0, ended - began - measured.start - measured.driving - measured.clearing);
		write({ ...rest, began, ended, wall: ended - began, ...measured, waiting, ...(problems.length > 0 && { problems }) });
	}

	function settle(test, state, error) {
		const result = { ...identify(test), state, ...(test.type === "hook" && { hook: true }), ...(error && { error: describe(error) }) };
		if (test.type !== "hook") settled.add(result.title);
		if (current?.title === result.title) current = { ...current, ...result };
		else write({ ...result, wall: test.duration ?? 0 });
	}

	/** A hook that fails, or a run that is broken off, keeps cases from running. */
	function writeUnrun() {
		if (isParallel) return;
		runner.suite.eachTest((test) => {
			const isChosen = runner._grep.test(test.fullTitle()) !== Boolean(runner._invert);
			if (isChosen && !test.isPending() && !settled.has(test.fullTitle())) write({ ...identify(test), state: "unrun" });
		});
	}

	runner.on(on.EVENT_TEST_BEGIN, (test) => {
		if (!isParallel) begin(test);
	});
	runner.on(on.EVENT_TEST_PASS, (test) => settle(test, "passed"));
	runner.on(on.EVENT_TEST_FAIL, (test, error) => settle(test, "failed", error));
	runner.on(on.EVENT_HOOK_BEGIN, () => {
		hookBegan = Date.now();
	});
	runner.on(on.EVENT_HOOK_END, ({ title }) => {
		if (!current) return;
		if (/^"before each"/.test(title)) current.hooks += Date.now() - hookBegan;
		if (/^"after each"/.test(title)) current.clearing += Date.now() - hookBegan;
	});
	runner.on(on.EVENT_SUITE_END, finish);
	runner.once(on.EVENT_RUN_END, () => {
		finish();
		writeUnrun();
		write({ end: true });
	});
}

/** `file`: the source of the bundled test, from the root of the repository. */
function identify(test) {
	const bundled = test.file ?? test.parent?.file ?? "";
	const path = relative(process.env.TEST_ROOT ?? process.cwd(), bundled).replaceAll("\\", "/");
	return { title: test.fullTitle(), file: path.replace(/^.*?out\/build\/[^/]+\//, "test/").replace(/\.m?js$/, ".ts") };
}

function describe({ message = "", stack = "" }) {
	return { message, stack };
}

module.exports = CaseReporter;
