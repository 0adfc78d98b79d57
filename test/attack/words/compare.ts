// Runs in the jail: generates lines, asks the gate what would run, lets bash run the ones it understood, and compares.
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CommandFact } from "../../../src/core/gate.ts";
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
		const understood: CommandFact[] = [];
		const seen = new Set<string>();
		for (let made = 0; made < lines; made++) {
			const text = line();
			if (seen.has(text)) continue;
			seen.add(text);
			const fact = await gate.command(text);
			if (fact.odd === undefined) understood.push(fact);
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
function difference(fact: CommandFact, succeeding: string[][], failing: string[][]): Difference[] {
	const judged = fact.commands.map(({ words }) => [...words]);
	// The parts of a pipeline run at the same time.
	const order = fact.text.includes("|") ? sorted : (words: readonly string[][]) => words;
	const wrong = [succeeding, failing].find((ran) => !isWithin(order(ran), order(judged)));
	if (wrong) return [{ line: fact.text, judged, ran: wrong }];
	if (judged.some(unrecorded)) return [];
	const keys = new Set([...succeeding, ...failing].map(key));
	const idle = judged.find((words) => !keys.has(key(words)) && !judged.some((other) => other !== words && holds(other, words)));
	return idle ? [{ line: fact.text, judged, ran: succeeding }] : [];
}

function isWithin(ran: readonly string[][], judged: readonly string[][]): boolean {
	let at = 0;
	for (const words of ran) {
		while (at < judged.length && key(judged[at] as string[]) !== key(words)) at += 1;
		if (at++ === judged.length) return false;
	}
	return true;
}

const key = (words: readonly string[]) => JSON.stringify(words);

const sorted = (commands: readonly string[][]) => [...commands].sort((one, other) => (key(one) < key(other) ? -1 : 1));

/** Programs by path run as they are, and none of those here says so; nor does the builtin that starts the others. */
const unrecorded = ([program = ""]: readonly string[]) => program.includes("/") || program === "builtin";

/** A command that another one would run, which does not happen here. */
function holds(outer: readonly string[], [program = ""]: readonly string[]): boolean {
	return outer.slice(1).some((word) => word.includes(program));
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
