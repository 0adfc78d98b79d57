// `awk` as long as its program can only print and compute.
import { t } from "../../../shared/l10n.ts";
import { type ParsedFlags, reading } from "../flags.ts";
import type { Assessment } from "../judgement.ts";
import { forAllFlavors, type ProgramTables } from "../table.ts";
import { isSafeAwkProgram } from "./awkProgram.ts";

/** What a value or operand may set: a variable of the program's own, or a separator. */
const ASSIGNMENT = /^(?:[a-z_]\w*|FS|OFS|RS|ORS)=/;

function judged({ values, operands: [program = "", ...rest] }: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const strange = values.find(({ flag, value }) => flag === "-v" && !ASSIGNMENT.test(value));
	const operands = reading(
		rest.filter((word) => !ASSIGNMENT.test(word)),
		{ kind: "tree" },
	);
	const fine = strange === undefined && isSafeAwkProgram(program);
	return { operands, ...(!fine && { reason: t("its awk program may do more than print") }) };
}

/** `-f` reads a program that nobody has seen; all else of gawk and mawk is left out. */
const awk = forAllFlavors({ operands: "tree", flags: { text: "-F -v", stops: true }, check: judged });

export const awkPrograms: ProgramTables = { awk, gawk: awk, mawk: awk, nawk: awk };
