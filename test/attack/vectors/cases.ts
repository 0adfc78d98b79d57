// The shared cases as data: attacks with what they really did, and everyday lines with how often each may ask.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface AttackCase {
	id: string;
	family: string;
	/** What the attacker wants: "exec", "leak outside", "delete" … */
	goal: string;
	cmd: string;
	/** Bash, run in the workspace before. */
	setup?: string;
	/** `readers` stands for allow rules on every reading program; otherwise commands that the person allows. */
	rules?: "readers" | readonly string[];
	/** Commands that the person denies. */
	deny?: readonly string[];
	/** Classes that the person has allowed for good, as 0.1.0 would have kept them. */
	grants?: readonly string[];
	env?: Readonly<Record<string, string>>;
	/** What it did in the fixture without a gate; "not run" where it must not run at all. */
	effect: string;
	changes?: readonly string[];
	note?: string;
}

export interface Cases {
	fixture: { canary: string; files: Readonly<Record<string, string>> };
	cases: readonly AttackCase[];
}

/** `goes`: never asks; `class`: asks once at most; `asks`: may ask every time. */
export type Mark = "goes" | "class" | "asks";

export interface EverydayLine {
	cmd: string;
	mark: Mark;
}

const FIXTURES = join("test", "fixtures", "vectors");

export interface Sources {
	attacks: string;
	own: string;
	everyday: string;
}

/** Files given on the command line take the place of the project's own; then our own further cases are left out, too. */
export function sources(): Sources {
	const given = process.env["TROUPE_ATTACK_COMMANDS"];
	return {
		attacks: given ?? join(FIXTURES, "commands-2.json"),
		own: given === undefined ? join(FIXTURES, "commands-own.json") : "",
		everyday: process.env["TROUPE_ATTACK_EVERYDAY"] ?? join(FIXTURES, "everyday.json"),
	};
}

/** The cases of the first file, with those of ours behind them; the fixture is that of the first. */
export function readCases({ attacks, own }: Pick<Sources, "attacks" | "own">): Cases {
	const first: Cases = JSON.parse(readFileSync(attacks, "utf8"));
	const more: Cases | undefined = own !== "" && existsSync(own) ? JSON.parse(readFileSync(own, "utf8")) : undefined;
	const wanted = new RegExp(`^(${process.env["TROUPE_ATTACK_ONLY"] ?? ".*"})$`);
	const cases = [...first.cases, ...(more?.cases ?? [])].filter(({ id, family }) => wanted.test(id) || wanted.test(family));
	return { fixture: first.fixture, cases };
}

export function readEveryday({ everyday }: Pick<Sources, "everyday">): readonly EverydayLine[] {
	return JSON.parse(readFileSync(everyday, "utf8")).cases;
}
