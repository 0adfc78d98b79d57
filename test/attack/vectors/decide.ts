// Runs in the jail: decides every case in every context, and prints what was decided as JSON.
import type { CommandFacts, Gate, Grant, Verdict } from "../../../src/core/ports/gate.ts";
import { ask, kept, keptLongAgo, withGate } from "./arenaGate.ts";
import type { AttackCase, Cases, EverydayLine } from "./cases.ts";
import { environmentOf, type Fixture, fill, fixtureAt, type Keeper, keeperOf, layFixture, setUp } from "./fixture.ts";
import { furnish } from "./furnish.ts";
import { type Context, contextsOf, rulesOf } from "./matrix.ts";
import { pictureOf, whatChanged } from "./observe.ts";

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
	const setup = { fixture, parser, keeper: keeperOf(fixture, template) };
	const known: Known[] = [];
	const [plain, others] = [cases.filter(isPlain), cases.filter((attack) => !isPlain(attack))];
	// As in a session, one gate for all that are about the same files.
	await withGate(fixture, fixture.env, parser, async (gate) => {
		for (const attack of plain) known.push(await looked(setup, attack, (use) => use(gate)));
	});
	for (const attack of others) known.push(await knownWithSetup(setup, attack));
	return withGate(fixture, fixture.env, parser, async (gate) => {
		const offered = known.map(({ attack, fact }) => ({ attack, grants: offeredFor(gate, fact) }));
		const decided: Decided[] = [];
		for (const one of known) {
			const { family, cmd } = one.attack;
			const siblings = offered.filter(({ attack }) => attack.family === family && attack.cmd !== cmd);
			const always = distinct(siblings.flatMap(({ grants }) => grants));
			decided.push(await decideOne(setup, gate, one, { everyday, always }));
		}
		return decided;
	});
}

/** Every approval that lasts which everyday lines offer, all given. */
export async function approveEveryday({ root, parser, files, everyday }: ApproveJob): Promise<Grant[]> {
	const { fixture, template } = lay(root, files);
	setUp(fixture, template, {});
	furnish(fixture);
	return withGate(fixture, fixture.env, parser, async (gate) => {
		const grants: Grant[] = [];
		for (const { cmd } of everyday) grants.push(...offeredFor(gate, await gate.command(cmd)));
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

interface AttackSetup {
	fixture: Fixture;
	parser: string;
	keeper: Keeper;
}

/** What a gate found out about a case. */
interface Known {
	attack: AttackCase;
	fact: CommandFacts;
	/** From a gate that had seen the fixture before its setup. */
	seasoned?: CommandFacts;
	changed: string[];
}

type WithGate = (use: (gate: Gate) => Promise<CommandFacts>) => Promise<CommandFacts>;

const isPlain = ({ setup, env }: AttackCase) => setup === undefined && env === undefined;

async function looked({ fixture, keeper }: AttackSetup, attack: AttackCase, inGate: WithGate): Promise<Known> {
	keeper.setUp(attack);
	const before = pictureOf(PLACES(fixture));
	const fact = await inGate((gate) => gate.command(fill(attack.cmd, fixture)));
	const changed = whatChanged(before, pictureOf(PLACES(fixture)));
	if (changed.length > 0) keeper.spoilt();
	return { attack, fact, changed };
}

function knownWithSetup(setup: AttackSetup, attack: AttackCase): Promise<Known> {
	const fresh: WithGate = (use) => withGate(setup.fixture, environmentOf(setup.fixture, attack), setup.parser, use);
	if (attack.setup === undefined) return looked(setup, attack, fresh);
	setup.keeper.setUp({});
	return withGate(setup.fixture, environmentOf(setup.fixture, attack), setup.parser, async (gate) => {
		await gate.command(fill(attack.cmd, setup.fixture));
		const known = await looked(setup, attack, fresh);
		return { ...known, seasoned: await gate.command(fill(attack.cmd, setup.fixture)) };
	});
}

const PLACES = ({ root }: Fixture) => [root, "/tmp"];

async function decideOne(
	setup: AttackSetup,
	gate: Gate,
	{ attack, fact, seasoned, changed }: Known,
	approvals: { everyday: readonly Grant[]; always: readonly Grant[] },
): Promise<Decided> {
	const grantsOf = { none: [], ...approvals, own: keptLongAgo(attack.grants ?? []) };
	const decideAll = (command: CommandFacts): Map<string, Outcome> => {
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
	const outcomes = decideAll(fact);
	let stale = seasoned && firstDifference(outcomes, decideAll(seasoned));
	// On a busy machine git may have been too slow the first time.
	if (seasoned && stale !== undefined) {
		const { fact: again } = await knownWithSetup(setup, attack);
		stale = firstDifference(decideAll(again), decideAll(seasoned));
	}
	return { id: attack.id, outcomes: [...outcomes.values()], changed, ...(stale !== undefined && { stale }) };
}

/** The first thing that the second lets go ahead and the first does not. */
function firstDifference(fresh: ReadonlyMap<string, Outcome>, seasoned: ReadonlyMap<string, Outcome>): string | undefined {
	const allowed = (outcomes: ReadonlyMap<string, Outcome>) =>
		[...outcomes.values()]
			.filter(({ decision }) => decision === "allow")
			.flatMap(({ contexts }) => contexts.map((one) => JSON.stringify(one)));
	const may = new Set(allowed(fresh));
	return allowed(seasoned).find((context) => !may.has(context));
}

function offeredFor(gate: Gate, command: CommandFacts): Grant[] {
	const rules = { deny: [], ask: [], allow: [] };
	return kept(ask(gate, command, { role: "actor", mode: "plan", rules, grants: [], sandbox: "off" }).grants);
}
