// Generates command lines and compares the commands that the gate parsed with those that bash runs.

// Runs inside the jail. Only lines that the gate understood are run.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CommandFacts } from "../../../src/core/ports/gate.ts";
import { withGate } from "../vectors/arenaGate.ts";
import { fixtureAt } from "../vectors/fixture.ts";
import { ranInBash } from "./bashWords.ts";
import { generator } from "./generate.ts";

export interface CompareJob {
	root: string;
	parser: string;
	seed: number;
	lines: number;
	/** Real lines to mutate. */
	known: readonly string[];
	/** Each in a bash of its own. */
	apart?: boolean;
}

export interface Difference {
	line: string;
	judged: string[][];
	ran: string[][];
}

export interface Compared {
	understood: number;
	commands: number;
	/** Commands that expand a pattern to other words. */
	globs: number;
	differences: Difference[];
}

export async function compare({ root, parser, seed, lines, known, apart }: CompareJob): Promise<Compared> {
	const fixture = fixtureAt(root, process.env["PATH"] ?? "");
	layFiles(fixture.workspace, fixture.home);
	const { line } = generator(seed, known);
	const facts = await withGate(fixture, fixture.env, parser, async (gate) => {
		const understood: CommandFacts[] = [];
		const seen = new Set<string>();
		for (let made = 0; made < lines; made++) {
			const text = line();
			if (seen.has(text)) continue;
			seen.add(text);
			const fact = await gate.command(text);
			if (fact.odd === undefined && fact.commands.every(({ words }) => standsIn(words))) understood.push(fact);
		}
		return understood;
	});
	const texts = facts.map(({ text }) => text);
	const run = { folder: fixture.workspace, home: fixture.home, scratch: `${root}-bash`, ...(apart && { apart }) };
	const succeeding = ranInBash(texts, { ...run, status: 0 });
	const failing = ranInBash(texts, { ...run, status: 1 });
	const differences = facts.flatMap((fact, index) => difference(fact, succeeding[index] ?? [], failing[index] ?? []));
	return {
		understood: facts.length,
		commands: facts.reduce((sum, { commands }) => sum + commands.length, 0),
		globs: facts.filter(
			({ text, commands }) => /[*?[]/.test(text) && commands.some(({ words }) => words.some((word) => !text.includes(word))),
		).length,
		differences: differences.slice(0, 60),
	};
}

/** Whatever ran, with every program succeeding and with every one failing, is judged, in that order; and nothing else is. */
function difference(fact: CommandFacts, succeeding: string[][], failing: string[][]): Difference[] {
	const judged = fact.commands.map(({ words }) => words);
	if (judged.some(([program]) => program === "builtin")) return [];
	// The parts of a pipeline run at the same time.
	const anyOrder = fact.text.includes("|");
	const wrong = [succeeding, failing].find((ran) => !isWithin(ran, judged, anyOrder));
	if (wrong) return [{ line: fact.text, judged, ran: wrong }];
	if (mayStop(fact, judged)) return [];
	const every = [...succeeding, ...failing];
	const ranAtAll = (words: readonly string[]) => timed(words).length === 0 || every.some((ran) => same(words, ran));
	const idle = judged.find((words) => !ranAtAll(words) && !judged.some((other) => holds(other, words)));
	return idle ? [{ line: fact.text, judged, ran: succeeding }] : [];
}

/** Programs by path would really run; but for these, in whose place something stands. */
function standsIn([program = ""]: readonly string[]): boolean {
	return !program.includes("/") || program === "./evil.sh" || program === "/bin/ls";
}

/** Each of those that ran is one of those that were judged, and none is used twice. */
function isWithin(ran: readonly string[][], judged: readonly string[][], anyOrder: boolean): boolean {
	let left = [...judged];
	for (const words of ran) {
		const at = left.findIndex((one) => same(one, words));
		if (at < 0) return false;
		left = anyOrder ? left.toSpliced(at, 1) : left.slice(at + 1);
	}
	return true;
}

/** At the beginning of a pipeline `time` is a word of the shell's own: what runs is what it times. */
function timed(words: readonly string[]): readonly string[] {
	if (words[0] !== "time") return words;
	const first = words.findIndex((word, index) => index > 0 && word !== "-p");
	if (first < 0) return [];
	return words.slice(words[first] === "--" ? first + 1 : first);
}

function same(judged: readonly string[], ran: readonly string[]): boolean {
	return [judged, timed(judged)].some(
		(words) => words.length === ran.length && words.every((word, index) => fits(word, ran[index] as string)),
	);
}

/** What only the shell knows stands in a judged word as it was written. */
function fits(judged: string, ran: string): boolean {
	if (judged === ran) return true;
	const pieces = judged.split(/\$(?:\w+|\{\w+\}|[?#$!_-])/);
	if (pieces.length === 1) return false;
	return new RegExp(`^${pieces.map((piece) => piece.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&")).join("[^]*")}$`).test(ran);
}

/** A folder, an input or a program by its path that is not there ends the line; so does a `time` that times nothing. */
function mayStop({ text }: CommandFacts, judged: readonly string[][]): boolean {
	return text.includes("<") || judged.some((words) => words[0] === "time" || /^cd$|^%|\//.test(words[0] ?? ""));
}

/** A command that another one would run, which does not happen here. */
function holds(outer: readonly string[], words: readonly string[]): boolean {
	return outer !== words && outer.slice(1).some((word) => word.includes(words[0] ?? ""));
}

const FILES = [
	...[
		"victim",
		"README.md",
		"src/a.ts",
		"src/b.ts",
		"src/.hidden.ts",
		"conf/.env",
		"conf/app.json",
		"sub/deep/f.ts",
		"sub/.dot/x",
		".env",
		".hidden",
	],
	...[
		"-rf",
		"--output=x",
		"@opts",
		"a b.ts",
		"[x",
		"]x",
		"{a,b}",
		"$HOME",
		"é.ts",
		"a\\b",
		"~",
		"#x",
		"!x",
		"=x",
		"v*",
		"a\nb.ts",
		"'q'",
		"Z.ts",
		"z.ts",
		"_.ts",
	],
];

function layFiles(workspace: string, home: string): void {
	mkdirSync(home, { recursive: true });
	for (const name of FILES) {
		const path = join(workspace, name);
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, "x\n");
	}
	writeFileSync(join(workspace, "evil.sh"), "#!/bin/sh\nprintf 'C\\0001\\000an unjudged program\\000' >&9\n", { mode: 0o755 });
	mkdirSync(join(workspace, "..", "outside"), { recursive: true });
	symlinkSync("../outside", join(workspace, "link"));
}
