// Tests every shared attack in every context: commands that go ahead run in a jail without harmful effects.
import assert from "node:assert/strict";
import type { Grant } from "../../../src/core/ports/gate.ts";
import { type AttackCase, readCases, readEveryday, sources } from "./cases.ts";
import type { ApproveJob, Decided, DecideJob, Outcome } from "./decide.ts";
import { createJobRunner, type JobRunner, ROOT } from "./jobRunner.ts";
import { faults } from "./judge.ts";
import { APPROVALS, type Context, MODES, RULES } from "./matrix.ts";
import { none } from "./none.ts";
import type { Ran, RunJob } from "./runCase.ts";

const from = sources();
const attacks = readCases(from);
const caseById = new Map(attacks.cases.map((attack) => [attack.id, attack]));
/** Jails at the same time. */
const JAILS = 3;

describe("the shared attacks", function () {
	this.timeout(3_600_000);
	let runner: JobRunner;
	let decided: Decided[];
	before(async () => {
		runner = await createJobRunner("test/attack/vectors/inside.ts");
		const job = { root: ROOT, parser: runner.parser, files: attacks.fixture.files };
		const everyday = await runner.do<Grant[]>("approveEveryday", { ...job, everyday: readEveryday(from) } satisfies ApproveJob, 120_000);
		const families = [...new Set(attacks.cases.map(({ family }) => family))];
		const answers = await inTurns(families, async (name) => {
			const cases = attacks.cases.filter(({ family }) => family === name);
			return runner.do<Decided[]>("decide", { ...job, cases, everyday } satisfies DecideJob, 60_000 + cases.length * 5_000);
		});
		decided = answers.flat();
		console.log(figures(decided));
	});
	after(() => runner?.dispose());

	it("are decided without a change to anything on disk", () => {
		none(
			said(
				decided.filter(({ changed }) => changed.length > 0),
				({ changed }) => changed.join(", "),
			),
		);
	});

	it("are decided by what is there now, not by what the gate has seen before", () => {
		none(
			said(
				decided.filter(({ stale }) => stale !== undefined),
				({ stale }) => stale,
			),
		);
	});

	it("never run for a role that may not run commands, and are denied there in every mode", () => {
		const found = decided.flatMap((one) =>
			one.outcomes.filter(({ decision, contexts }) => decision !== "deny" && contexts.some(bound)).map(() => one),
		);
		none(said(found));
	});

	it("are denied by a rule against what they run, wherever it stands in the line", () => {
		const denied = decided.filter(({ id }) => caseById.get(id)?.deny && !tableKnows(caseById.get(id)));
		assert.ok(
			denied.length === 0 || denied.every(({ outcomes }) => outcomes.some(({ contexts }) => contexts.some(({ rules }) => rules === "own"))),
		);
		const slipped = denied.filter(({ outcomes }) =>
			outcomes.some(({ decision, contexts }) => decision !== "deny" && contexts.some(({ rules }) => rules === "own")),
		);
		none(said(slipped));
	});

	it("that must not run at all are never let through where nothing was approved", () => {
		const slipped = decided.filter(({ id, outcomes }) => {
			const attack = caseById.get(id);
			return (
				attack?.effect === "not run" &&
				attack.goal !== "resources" &&
				outcomes.some((one) => goes(one) && one.contexts.some((context) => plainly(context, attack)))
			);
		});
		none(said(slipped));
	});

	it("are decided alike whether a sandbox works or not, but for what it keeps to reading or off the network", () => {
		const leaning = decided.filter(({ outcomes }) => {
			const without = allowedContexts(outcomes, "off");
			const only = outcomes.filter(goes).filter(({ confine }) => confine?.kind !== "read" && !keptOffline(confine, outcomes));
			return only.some(({ contexts }) => contexts.some((context) => context.sandbox === "works" && !without.has(key(context))));
		});
		none(said(leaning));
	});

	for (const confined of [false, true])
		it(`that go ahead unasked do nothing that nobody approved ${confined ? "in the sandbox that the gate asks for" : "without any sandbox"}`, async () => {
			const jobs = decided.flatMap(({ id, outcomes }) => runsOf(caseById.get(id), outcomes, confined));
			const bad: string[] = [];
			const ran = await inTurns(jobs, async ({ contexts, ...how }) => {
				const run: RunJob = { root: ROOT, files: attacks.fixture.files, canary: attacks.fixture.canary, ...how };
				const seen = await runner.do<Ran>("runCase", run);
				for (const fault of faults({ attack: how.attack, ran: seen, contexts, root: ROOT }))
					bad.push(`${how.attack.id} ${how.attack.cmd}: ${fault} (${whenever(contexts)})`);
			});
			console.log(`        ${ran.length} really ran`);
			none(bad.sort());
		});
});

/** Some jails at a time. */
async function inTurns<Item, Answer>(items: readonly Item[], work: (item: Item) => Promise<Answer>): Promise<Answer[]> {
	const left = [...items];
	const answers: Answer[] = [];
	const worker = async () => {
		for (let item = left.shift(); item !== undefined; item = left.shift()) answers.push(await work(item));
	};
	await Promise.all(Array.from({ length: JAILS }, worker));
	return answers;
}

/** Contexts of a role that has no ExecuteCommands. */
const bound = ({ role }: Context) => role === "planner" || role === "commander";
const goes = ({ decision }: Outcome) => decision === "allow";
const plainly = ({ mode, approvals, rules }: Context, attack: AttackCase) =>
	mode !== "auto" && approvals === "none" && (rules === "none" || rules === attack.rules);
const key = ({ sandbox: _, ...context }: Context) => JSON.stringify(context);

/** `make` and `lsof` are known: to them the word is a target, or a name to look for. */
function tableKnows(attack: AttackCase | undefined): boolean {
	return /^(make|lsof) /.test(attack?.cmd ?? "");
}

function allowedContexts(outcomes: readonly Outcome[], sandbox: Context["sandbox"]): Set<string> {
	return new Set(outcomes.filter(goes).flatMap(({ contexts }) => contexts.filter((one) => one.sandbox === sandbox).map(key)));
}

/** What would fetch what it lacks: in `auto` it goes ahead only where a sandbox without the network holds it. */
function keptOffline(confine: Outcome["confine"], outcomes: readonly Outcome[]): boolean {
	const off = outcomes.filter(({ contexts }) =>
		contexts.some(({ mode, sandbox, role }) => mode === "auto" && sandbox === "off" && role === "actor"),
	);
	return confine?.network === false && off.some(({ decision, rule }) => decision === "ask" && rule === "auto");
}

interface Job {
	attack: AttackCase;
	contexts: Context[];
	reads?: true;
	confine?: NonNullable<Outcome["confine"]>;
}

/** One run for each way of being kept in. */
function runsOf(attack: AttackCase | undefined, outcomes: readonly Outcome[], confined: boolean): Job[] {
	if (!attack || attack.effect === "not run") return [];
	const jobs = new Map<string, Job>();
	for (const { confine, contexts, reads } of outcomes.filter(goes)) {
		const here = contexts.filter(({ sandbox }) => (sandbox === "works") === confined);
		if (here.length === 0 || (confined && !confine)) continue;
		const name = JSON.stringify([reads, confine]);
		const job = jobs.get(name) ?? { attack, contexts: [], ...(reads && { reads }), ...(confine && { confine }) };
		jobs.set(name, job);
		job.contexts.push(...here);
	}
	return [...jobs.values()];
}

function said(found: readonly Decided[], more: (one: Decided) => unknown = () => ""): string[] {
	return found.map((one) => `${one.id} ${caseById.get(one.id)?.cmd} ${more(one) ?? ""}`.trim());
}

/** The contexts in few words: rules/approvals, and in which modes. */
function whenever(contexts: readonly Context[]): string {
	const modes = new Map<string, Set<string>>();
	for (const { rules, approvals, mode } of contexts) {
		const name = `${rules}/${approvals}`;
		modes.set(name, (modes.get(name) ?? new Set()).add(mode));
	}
	const groups = new Map<string, string[]>();
	for (const [name, found] of modes) {
		const where = found.size === MODES.length ? "every mode" : [...found].join(", ");
		groups.set(where, [...(groups.get(where) ?? []), name]);
	}
	return [...groups].map(([where, names]) => `${names.join(" ")} in ${where}`).join("; ");
}

function figures(all: readonly Decided[]): string {
	const rows = MODES.map((mode) => {
		const count = (rules: string, approvals: string) =>
			all.filter(({ outcomes }) =>
				outcomes.some(
					(one) =>
						goes(one) &&
						one.contexts.some(
							(context) => context.role === "actor" && context.mode === mode && context.rules === rules && context.approvals === approvals,
						),
				),
			).length;
		return `        ${mode.padEnd(13)}${RULES.flatMap((rules) => APPROVALS.map((approvals) => `${rules}/${approvals} ${count(rules, approvals)}`)).join("  ")}`;
	});
	return [`        ${all.length} cases, let through by rules/approvals:`, ...rows].join("\n");
}
