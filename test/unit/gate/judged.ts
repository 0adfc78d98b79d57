// Judges command lines of plain words by the tables alone, and says in one line what came of it.
import type { ProgramFlavor } from "../../../src/core/ports/workspace/programs.ts";
import type { Assessment, Invocation, Operand } from "../../../src/gate/programs/assessment.ts";
import { builtins } from "../../../src/gate/programs/builtins.ts";
import { assessVersionFlag, readOnlyPrograms } from "../../../src/gate/programs/lookup.ts";
import { writingPrograms } from "../../../src/gate/programs/movers.ts";
import { unwrapCommand } from "../../../src/gate/programs/unwrapCommand.ts";

/** Words of one command: blanks part them, quotes keep them together, `$X` outside of single quotes is only known to the shell. */
export function call(line: string, flavor: ProgramFlavor = "gnu"): Invocation {
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
export function judged(given: Invocation, around: Around = { builtins: true, open: false }): Assessment | undefined {
	const [program = ""] = given.words;
	const version = assessVersionFlag(given);
	if (version) return version;
	const inner = unwrapCommand(given);
	if (inner) {
		const { words, unknown, flavor = given.flavor } = inner;
		return judged({ words, unknown, flavor }, { builtins: inner.builtins === true, open: around.open || inner.open === true });
	}
	const tables = [...(around.builtins ? [builtins] : []), readOnlyPrograms, writingPrograms];
	const found = tables.find((table) => Object.hasOwn(table, program))?.[program]?.(given);
	return found && around.open && !found.anyWords ? { always: "gets words from elsewhere", operands: found.operands } : found;
}

/** `reads a b!tree`: kind, then each operand with its use where it is no read, and how far it reaches. */
export function verdict(line: string, flavor?: ProgramFlavor): string {
	const judgement = judged(call(line, flavor));
	if (!judgement) return "no table";
	return [kindOf(judgement), ...judgement.operands.map(shown)].join(" ").trim();
}

export function kindOf(judgement: Assessment): string {
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
