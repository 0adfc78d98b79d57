// Tests that everyday command lines ask no more often than their marks allow, without a running plan.
import assert from "node:assert/strict";
import { readCases, readEveryday, sources } from "./cases.ts";
import { createJobRunner, type JobRunner, ROOT } from "./jobRunner.ts";
import { type MarksJob, type Met, misses } from "./meetMarks.ts";
import { none } from "./none.ts";

const everyday = readEveryday(sources());

describe("everyday lines", function () {
	this.timeout(300_000);
	let runner: JobRunner;
	before(async () => {
		runner = await createJobRunner("test/attack/vectors/inside.ts");
	});
	after(() => runner?.dispose());

	for (const furnished of [true, false])
		for (const installed of [true, false]) {
			const where = `${furnished ? "with" : "without"} the files they name, ${installed ? "every program installed" : "with the programs that are here"}`;
			describe(where, () => {
				let met: Met[];
				before(async () => {
					const { fixture } = readCases(sources());
					const job: MarksJob = { root: ROOT, parser: runner.parser, files: fixture.files, everyday, furnished, installed };
					met = await runner.do<Met[]>("meetMarks", job, 240_000);
				});

				it("go ahead unasked where they only read", () => {
					none(table(met.filter((one) => one.mark === "goes" && misses(one))));
				});

				it("ask once at most where they can be approved for good", () => {
					const missed = met.filter((one) => one.mark === "class" && misses(one));
					none(table(missed));
				});

				it("ask again as soon as what the approval is bound to has changed", () => {
					const living = met.filter(({ outlived }) => outlived.length > 0);
					none(living.map(({ cmd, outlived }) => `${cmd} outlives ${outlived.join(", ")}`));
				});

				it("are never denied", () => {
					none(table(met.filter(({ first }) => first === "deny")));
				});

				it("ask in at most half of the cases with nothing approved, and every time in at most 15 of 100", () => {
					const asked = met.filter(({ first }) => first === "ask").length / met.length;
					const always = met.filter(({ first, second }) => first === "ask" && second !== "allow").length / met.length;
					console.log(`        ask with nothing approved: ${percent(asked)}, every time: ${percent(always)} (${met.length} lines)`);
					assert.ok(asked <= 0.5, percent(asked));
					assert.ok(always <= 0.15, percent(always));
				});
			});
		}
});

function table(lines: readonly Met[]): string[] {
	return lines.map(({ mark, cmd, first, second, reason }) => `${mark}: ${cmd} · ${first}, then ${second}: ${reason}`);
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
