// Judges commands by tables: a program's flags and operands in each family of tools.
import type { Flavor } from "../../core/hostPrograms.ts";
import { t } from "../../l10n.ts";
import { type ProgramTable, type ReadFlags, readFlags } from "./flags.ts";
import type { Call, Judge, Judgement, JudgeTable, Operand } from "./judgement.ts";

/** A program's table by family; where a family has none, the program is unknown there. */
export type ByFlavor = Readonly<Partial<Record<Flavor, ProgramTable>>>;

export type Programs = Readonly<Record<string, ByFlavor>>;

/** The same program wherever it is installed: `rg`, `jq`. */
export function everywhere(table: ProgramTable): ByFlavor {
	return { gnu: table, bsd: table, busybox: table };
}

export function judgesOf(programs: Programs): JudgeTable {
	return Object.fromEntries(Object.entries(programs).map(([name, tables]) => [name, judgeBy(name, tables)]));
}

export function judgeBy(name: string, tables: ByFlavor): Judge {
	return (call) => {
		const table = tables[call.flavor];
		if (!table) return { asks: t("{0} is not known in the version that is installed here", name), line: true, operands: everyWord(call) };
		return judgeKnown(name, table, call);
	};
}

function judgeKnown(name: string, table: ProgramTable, call: Call): Judgement {
	const read = readFlags(call.words, table.flags);
	const { reason, ...seen } = table.check?.(read, call) ?? {};
	const worry = unknownFlag(name, table, call, read) ?? reason;
	const judgement: Judgement = {
		reads: true,
		class: name,
		operands: operandsOf(table, read),
		...(table.anyWords && { anyWords: true }),
		...seen,
	};
	if (worry !== undefined) return asking(worry, call, judgement);
	if (call.unknown.size > 0 && !judgement.anyWords)
		return asking(t("{0} gets a word that only the shell could know", name), call, judgement);
	return judgement;
}

/** Not judged as what it seems to be: every word may be a path. */
function asking(always: string, call: Call, { reads: _, class: __, anyWords: ___, operands, ...rest }: Judgement): Judgement {
	const named = new Set(operands.map(({ word }) => word));
	return { ...rest, always, line: true, operands: [...operands, ...everyWord(call).filter(({ word }) => !named.has(word))] };
}

function unknownFlag(name: string, table: ProgramTable, { flavor }: Call, read: ReadFlags): string | undefined {
	const late = flavor === "gnu" || table.flags.anywhere || table.operands === "text" ? undefined : read.late;
	const flag = read.unknown ?? late;
	if (flag !== undefined) return t("{0} is used with {1}, which may write or run something", name, flag);
	if (table.operands !== "none" || read.operands.length === 0) return undefined;
	return t("{0} is used with {1}, which may write or run something", name, read.operands[0] as string);
}

function operandsOf({ operands }: ProgramTable, read: ReadFlags): Operand[] {
	const files: Operand[] = read.reads.filter(isPath).map((word) => ({ word, use: "read" }));
	if (operands === "none" || operands === "text") return files;
	const reach = operands === "ripgrep" ? { kind: operands, flags: [] } : { kind: operands };
	return [...files, ...read.operands.filter(isPath).map((word): Operand => ({ word, use: "read", reach }))];
}

/** `-` is the standard input. */
export function isPath(word: string): boolean {
	return word !== "-" && word !== "";
}

function everyWord({ words, unknown }: Call): Operand[] {
	return words.flatMap((word, index) => (index === 0 || unknown.has(index) || !isPath(word) ? [] : [{ word, use: "read" }]));
}
