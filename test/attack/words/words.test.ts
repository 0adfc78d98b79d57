// Tests generated command lines against bash: the words that run are the words the gate assessed.

// `npm run attack -- words --lines 50000` sets the number of lines; TROUPE_SEED selects another set.
import assert from "node:assert/strict";
import { readCases, readEveryday, sources } from "../vectors/cases.ts";
import { createJobRunner, type JobRunner, ROOT } from "../vectors/jobRunner.ts";
import { none } from "../vectors/none.ts";
import type { Compared, CompareJob } from "./compare.ts";

const lines = Number(process.env["TROUPE_ATTACK_LINES"] ?? 5_000);
const seed = Number(process.env["TROUPE_SEED"] ?? 20_261_122);
const APART = 300;

describe("generated command lines", function () {
	this.timeout(60_000 + lines * 60);
	let runner: JobRunner;
	const known = [...readCases(sources()).cases, ...readEveryday(sources())].map(({ cmd }) => cmd);
	before(async () => {
		runner = await createJobRunner("test/attack/words/inside.ts");
	});
	after(() => runner?.dispose());

	const compare = (job: Pick<CompareJob, "seed" | "lines" | "apart">) =>
		runner.do<Compared>("compare", { root: ROOT, parser: runner.parser, known, ...job } satisfies CompareJob, 30_000 + lines * 50);

	it(`run the words that were judged, in order (${lines} lines, seed ${seed})`, async () => {
		const { understood, commands, globs, differences } = await compare({ seed, lines });
		console.log(`        ${understood} understood, ${commands} commands, ${globs} with expanded patterns`);
		none(differences.map((one) => JSON.stringify(one)));
		assert.ok(understood > lines / 10, `only ${understood} of ${lines} were understood`);
	});

	it(`run the same in a bash of their own (${APART} lines)`, async () => {
		const { differences } = await compare({ seed: seed + 1, lines: APART, apart: true });
		none(differences.map((one) => JSON.stringify(one)));
	});
});
