// Judges command lines of plain words by the tables alone, and says in one line what came of it.
import type { Flavor } from "../../../src/core/hostPrograms.ts";
import { builtins } from "../../../src/gate/programs/builtins.ts";
import type { Call, Judgement, Operand } from "../../../src/gate/programs/judgement.ts";
import { movers } from "../../../src/gate/programs/movers/movers.ts";
import { readers } from "../../../src/gate/programs/readers/readers.ts";
import { unwrapped } from "../../../src/gate/programs/unwrapped.ts";
import { judgeVersion } from "../../../src/gate/programs/versions.ts";

/** Words of one command: blanks part them, quotes keep them together, `$X` outside of single quotes is only known to the shell. */
export function call(line: string, flavor: Flavor = "gnu"): Call {
	const words: string[] = [];
	const unknown = new Set<number>();
	for (const [word] of line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)) {
		if (word.replace(/'[^']*'/g, "").includes("$")) unknown.add(words.length);
		words.push(word.replace(/'([^']*)'|"([^"]*)"/g, (_, single?: string, double?: string) => single ?? double ?? ""));
	}
	return { words, flavor, unknown };
}

interface Around {
	builtins: boolean;
	open: boolean;
}

/** The judgement of what really runs; undefined where no table knows it. */
export function judged(given: Call, around: Around = { builtins: true, open: false }): Judgement | undefined {
	const [program = ""] = given.words;
	const version = judgeVersion(given);
	if (version) return version;
	const inner = unwrapped(given);
	if (inner) {
		const { words, unknown, flavor = given.flavor } = inner;
		return judged({ words, unknown, flavor }, { builtins: inner.builtins === true, open: around.open || inner.open === true });
	}
	const tables = [...(around.builtins ? [builtins] : []), readers, movers];
	const found = tables.find((table) => Object.hasOwn(table, program))?.[program]?.(given);
	return found && around.open && !found.anyWords ? { always: "gets words from elsewhere", operands: found.operands } : found;
}

/** `reads a b!tree`: kind, then each operand with its use where it is no read, and how far it reaches. */
export function verdict(line: string, flavor?: Flavor): string {
	const judgement = judged(call(line, flavor));
	if (!judgement) return "no table";
	return [kindOf(judgement), ...judgement.operands.map(shown)].join(" ").trim();
}

export function kindOf(judgement: Judgement): string {
	if (judgement.deletes) return "deletes";
	if (judgement.always !== undefined) return "always";
	if (judgement.asks !== undefined) return "asks";
	if (judgement.reads) return judgement.sandboxed ? "sandboxed" : "reads";
	return `class:${judgement.class}`;
}

function shown({ word, use, reach, from }: Operand): string {
	const far = reach === undefined ? "" : `/${reach.kind}${"follow" in reach && reach.follow ? "!" : ""}`;
	return `${use === "read" ? "" : `${use}:`}${word}${far}${from === undefined ? "" : `<${from}`}`;
}
