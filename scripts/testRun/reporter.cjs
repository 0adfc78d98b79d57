// Reports a mocha run, and writes a line of JSON for each case to the file in TEST_RESULTS.

// `--reporter-option dots` prints a dot a case. Tests may add to `globalThis.caseNotes`: how long their window took to start,
// how long they acted in it, and what went wrong beside the case itself. Parallel runs have durations only.
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
	let current;
	let hookBegan = 0;
	const begin = (test) => {
		finish();
		globalThis.caseNotes = { start: 0, driving: 0, problems: [] };
		current = { ...identityOf(test), began: Date.now(), hooks: 0, clearing: 0 };
	};
	const finish = () => {
		if (!current?.state) return;
		const { hooks, clearing, began, ...rest } = current;
		const ended = Date.now();
		const { start, driving, problems } = globalThis.caseNotes;
		const known = { start: Math.round(hooks + start), driving: Math.round(driving), clearing };
		const waiting = Math.max(0, ended - began - known.start - known.driving - known.clearing);
		write({ ...rest, began, ended, wall: ended - began, ...known, waiting, ...(problems.length > 0 && { problems }) });
		current = undefined;
	};
	const settle = (test, state, error) => {
		if (test.type === "hook") {
			// A hook that fails ends its suite: the cases that it keeps from running are run again with it.
			const about = test.ctx?.currentTest;
			const suite = test.parent?.fullTitle() ?? "";
			const failed = about ? identityOf(about) : { title: suite, file: fileOf(test), whole: true };
			if (current?.title === failed.title) current = { ...current, state, error: errorOf(error) };
			else write({ ...failed, state, wall: test.duration ?? 0, error: errorOf(error, test.title) });
		} else if (current?.title === test.fullTitle()) {
			current = { ...current, state, ...(error && { error: errorOf(error) }) };
		} else write({ ...identityOf(test), state, wall: test.duration ?? 0, ...(error && { error: errorOf(error) }) });
	};
	runner.on(on.EVENT_TEST_BEGIN, (test) => {
		if (!runner.isParallelMode?.()) begin(test);
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
	runner.on(on.EVENT_RUN_END, finish);
}

function identityOf(test) {
	return { title: test.fullTitle(), file: fileOf(test) };
}

/** The source of a bundled test, from the root of the repository. */
function fileOf(test) {
	const bundled = test.file ?? test.parent?.file;
	if (bundled === undefined) return "";
	const path = relative(process.env.TEST_ROOT ?? process.cwd(), bundled).replaceAll("\\", "/");
	return path.replace(/^.*?out\/build\/[^/]+\//, "test/").replace(/\.m?js$/, ".ts");
}

function errorOf(error, hook) {
	const { message = String(error), stack = "" } = error ?? {};
	return { message: hook ? `${hook}: ${message}` : message, stack };
}

module.exports = CaseReporter;
