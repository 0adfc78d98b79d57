// Assesses commands by tables of flags and operands for each tool family.
import type { ProgramFlavor } from "../../core/ports/workspace/programs.ts";
import { t } from "../../shared/l10n.ts";
import type { Assessment, Assessor, AssessorTable, Invocation, Operand, PathExtent } from "./assessment.ts";
import { type FlagSpec, isPath, type ParsedFlags, type ProgramTable, parseFlags, reading } from "./flags.ts";

/** A program's tables by family; without a table for a family, the program is unknown there. */
export type TablesByFlavor = Readonly<Partial<Record<ProgramFlavor, ProgramTable>>>;

export type ProgramTables = Readonly<Record<string, TablesByFlavor>>;

/** Returns the tables of a program that is the same everywhere: `rg`, `jq`. */
export function forAllFlavors(table: ProgramTable): TablesByFlavor {
	return { gnu: table, bsd: table, busybox: table };
}

/** Tables that differ only in their flags. */
export function tablesByFlavor(
	operands: ProgramTable["operands"],
	flags: Partial<Record<ProgramFlavor, FlagSpec>>,
	more: Partial<ProgramTable> = {},
): TablesByFlavor {
	return Object.fromEntries(Object.entries(flags).map(([flavor, known]) => [flavor, { ...more, operands, flags: known }]));
}

/** Programs that only read and print. */
export function readOnlyAssessors(programs: ProgramTables): AssessorTable {
	return Object.fromEntries(Object.entries(programs).map(([name, tables]) => [name, assessorFromTables(name, tables, READS)]));
}

const READS = { reads: true } as const;

/** `base` is the assessment that all tables of this kind share. */
export function assessorFromTables(name: string, tables: TablesByFlavor, base: Partial<Assessment>): Assessor {
	return (call) => {
		const table = tables[call.flavor];
		if (!table) return { asks: t("Troupe doesn't recognize the installed version of {0}.", name), line: true, operands: everyWord(call) };
		return assessKnown(name, table, base, call);
	};
}

function assessKnown(name: string, table: ProgramTable, base: Partial<Assessment>, call: Invocation): Assessment {
	const read = parseFlags(call.words, table.flags);
	const { reason, ...refinements } = table.check?.(read, call) ?? {};
	const flag = unknownFlag(table, call, read);
	const concern = flag === undefined ? reason : t("{0} with {1} may write files or run commands.", name, flag);
	const assessment: Assessment = {
		...base,
		class: name,
		operands: operandsOf(table, read),
		...(table.anyWords && { anyWords: true }),
		...refinements,
	};
	if (concern !== undefined) return requireApproval(concern, call, assessment);
	const hasUnknown = call.unknown.size > 0 && !assessment.anyWords;
	return hasUnknown ? requireApproval(t("An argument of {0} can only be determined by the shell.", name), call, assessment) : assessment;
}

/** Requires approval for a use of the program that is not known, so every word may be a path. */
function requireApproval(
	always: string,
	call: Invocation,
	{ reads: _, class: __, anyWords: ___, operands, ...rest }: Assessment,
): Assessment {
	const named = new Set(operands.map(({ word }) => word));
	return { ...rest, always, line: true, operands: [...operands, ...everyWord(call).filter(({ word }) => !named.has(word))] };
}

function unknownFlag(table: ProgramTable, { flavor }: Invocation, read: ParsedFlags): string | undefined {
	const anywhere = table.operands === "text" || (table.flags.anywhere ?? flavor === "gnu");
	const late = anywhere ? undefined : read.late;
	return read.unknown ?? late ?? (table.operands === "none" ? read.operands[0] : undefined);
}

function operandsOf({ operands }: ProgramTable, read: ParsedFlags): Operand[] {
	const files: Operand[] = read.reads.filter(isPath).map((word) => ({ word, use: "read" }));
	if (operands === "none" || operands === "text") return files;
	const reach: PathExtent = operands === "ripgrep" ? { kind: operands, flags: [] } : { kind: operands };
	return [...files, ...reading(read.operands, reach)];
}

function everyWord({ words, unknown }: Invocation): Operand[] {
	return words.flatMap((word, index) => (index === 0 || unknown.has(index) || !isPath(word) ? [] : [{ word, use: "read" }]));
}
