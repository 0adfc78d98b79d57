// Runs in the jail: decides every case in every context, and prints what was decided as JSON.
import type { Gate, Grant, Verdict } from "../../../src/core/gate.ts";
import { ask, kept, keptLongAgo, withGate } from "./arenaGate.ts";
import type { AttackCase, Cases, EverydayLine } from "./cases.ts";
import { environmentOf, type Fixture, fill, fixtureAt, type Keeper, keeperOf, layFixture, setUp } from "./fixture.ts";
import { furnish } from "./furnish.ts";
import { type Context, contextsOf, rulesOf } from "./matrix.ts";
import { type Picture, pictureOf, whatChanged } from "./observe.ts";

interface Job {
	root: string;
	parser: string;
	files: Cases["fixture"]["files"];
}

export interface ApproveJob extends Job {
	everyday: readonly EverydayLine[];
}

export interface DecideJob extends Job {
	/** All cases of the families that they belong to. */
	cases: readonly AttackCase[];
	/** What was approved for good on everyday lines. */
	everyday: readonly Grant[];
}

/** All contexts with one verdict. */
export interface Outcome {
	decision: Verdict["decision"];
	layer: string;
	rule: string;
	reason: string;
	reads: boolean;
	confine?: Verdict["confine"];
	contexts: Context[];
}

export interface Decided {
	id: string;
	outcomes: Outcome[];
	/** What the disk had lost or gained after the gate was asked. */
	changed: string[];
	/** A gate that had seen the fixture before its setup decides otherwise. */
	stale?: string;
}

export async function decide({ root, parser, files, cases, everyday }: DecideJob): Promise<Decided[]> {
	const { fixture, template } = lay(root, files);
	const keeper = keeperOf(fixture, template);
	const offered = await offeredByCase(fixture, keeper, parser, cases);
	const decided: Decided[] = [];
	for (const attack of cases) {
		const siblings = cases.filter(({ family, cmd }) => family === attack.family && cmd !== attack.cmd);
		const always = distinct(siblings.flatMap(({ id }) => offered.get(id) ?? []));
		decided.push(await decideOne(fixture, keeper, parser, attack, { everyday, always }));
	}
	return decided;
}

/** Every approval that lasts which everyday lines offer, all given. */
export async function approveEveryday({ root, parser, files, everyday }: ApproveJob): Promise<Grant[]> {
	const { fixture, template } = lay(root, files);
	setUp(fixture, template, {});
	furnish(fixture);
	return withGate(fixture, fixture.env, parser, async (gate) => {
		const grants: Grant[] = [];
		for (const { cmd } of everyday) grants.push(...(await offeredFor(gate, cmd)));
		return distinct(grants);
	});
}

function lay(root: string, files: Job["files"]): { fixture: Fixture; template: string } {
	const fixture = fixtureAt(root, process.env["PATH"] ?? "");
	const template = `${root}-template`;
	layFixture(fixtureAt(template, fixture.env["PATH"] ?? ""), files);
	return { fixture, template };
}

function distinct(grants: readonly Grant[]): Grant[] {
	return [...new Map(grants.map((grant) => [JSON.stringify(grant), grant])).values()];
}

async function decideOne(
	fixture: Fixture,
	keeper: Keeper,
	parser: string,
	attack: AttackCase,
	approvals: { everyday: readonly Grant[]; always: readonly Grant[] },
): Promise<Decided> {
	const grantsOf = { none: [], ...approvals, own: keptLongAgo(attack.grants ?? []) };
	const text = fill(attack.cmd, fixture);
	const decideAll = async (gate: Gate): Promise<Map<string, Outcome>> => {
		const command = await gate.command(text);
		const outcomes = new Map<string, Outcome>();
		for (const context of contextsOf(attack)) {
			const rules = rulesOf(context.rules, attack);
			const {
				decision,
				layer,
				rule,
				reason,
				reads = false,
				confine,
			} = ask(gate, command, { ...context, rules, grants: grantsOf[context.approvals] });
			const key = JSON.stringify([decision, layer, rule, reason, reads, confine]);
			const outcome = outcomes.get(key) ?? { decision, layer, rule, reason, reads, ...(confine && { confine }), contexts: [] };
			outcomes.set(key, outcome);
			outcome.contexts.push(context);
		}
		return outcomes;
	};
	const environment = environmentOf(fixture, attack);
	const decideNow = () => withGate(fixture, environment, parser, decideAll);
	const decideBefore = async (later: () => Promise<void>) => {
		keeper.setUp({});
		return withGate(fixture, environment, parser, async (gate) => {
			await gate.command(text);
			await later();
			return decideAll(gate);
		});
	};
	let before: Picture = new Map();
	let outcomes: ReadonlyMap<string, Outcome> = new Map();
	const decideFresh = async () => {
		keeper.setUp(attack);
		before = pictureOf(PLACES(fixture));
		outcomes = await decideNow();
	};
	const seasoned = attack.setup === undefined ? await decideFresh() : await decideBefore(decideFresh);
	const changed = whatChanged(before, pictureOf(PLACES(fixture)));
	if (changed.length > 0) keeper.spoilt();
	// On a busy machine git may have been too slow the first time.
	const again = seasoned && firstDifference(outcomes, seasoned) !== undefined;
	const stale = again ? firstDifference(await decideNow(), seasoned) : undefined;
	return { id: attack.id, outcomes: [...outcomes.values()], changed, ...(stale !== undefined && { stale }) };
}

const PLACES = ({ root }: Fixture) => [root, "/tmp"];

/** The first thing that the second lets go ahead and the first does not. */
function firstDifference(fresh: ReadonlyMap<string, Outcome>, seasoned: ReadonlyMap<string, Outcome>): string | undefined {
	const allowed = (outcomes: ReadonlyMap<string, Outcome>) =>
		[...outcomes.values()]
			.filter(({ decision }) => decision === "allow")
			.flatMap(({ contexts }) => contexts.map((one) => JSON.stringify(one)));
	const may = new Set(allowed(fresh));
	return allowed(seasoned).find((context) => !may.has(context));
}

async function offeredByCase(
	fixture: Fixture,
	keeper: Keeper,
	parser: string,
	cases: readonly AttackCase[],
): Promise<Map<string, readonly Grant[]>> {
	const offered = new Map<string, readonly Grant[]>();
	for (const attack of cases) {
		keeper.setUp(attack);
		offered.set(
			attack.id,
			await withGate(fixture, environmentOf(fixture, attack), parser, (gate) => offeredFor(gate, fill(attack.cmd, fixture))),
		);
	}
	keeper.spoilt();
	return offered;
}

async function offeredFor(gate: Gate, text: string): Promise<Grant[]> {
	const rules = { deny: [], ask: [], allow: [] };
	const verdict = ask(gate, await gate.command(text), { role: "actor", mode: "plan", rules, grants: [], sandbox: "off" });
	return kept(verdict.grants);
}
