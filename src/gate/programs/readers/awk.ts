// Assesses `awk`: read-only as long as its program can only print and compute.
import { t } from "../../../shared/l10n.ts";
import { forAllFlavors, type ProgramTables } from "../assessByTable.ts";
import type { Assessment } from "../assessment.ts";
import { type ParsedFlags, reading } from "../flags.ts";

/** An allowed assignment in a value or operand: a variable of the program's own, or a separator. */
const ASSIGNMENT = /^(?:[a-z_]\w*|FS|OFS|RS|ORS)=/;

function checkProgram({ values, operands: [program = "", ...rest] }: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const invalidAssignment = values.find(({ flag, value }) => flag === "-v" && !ASSIGNMENT.test(value));
	const operands = reading(
		rest.filter((word) => !ASSIGNMENT.test(word)),
		{ kind: "tree" },
	);
	const isSafe = invalidAssignment === undefined && isSafeAwkProgram(program);
	return { operands, ...(!isSafe && { reason: t("The {0} script may do more than print text.", "awk") }) };
}

/** `-f` reads an unknown program file; all other flags of gawk and mawk are excluded. */
const awk = forAllFlavors({ operands: "tree", flags: { text: "-F -v", stops: true }, check: checkProgram });

export const awkPrograms: ProgramTables = { awk, gawk: awk, mawk: awk, nawk: awk };

const keywords = new Set("BEGIN END if else for while do in next exit delete break continue return print printf".split(" "));
const functions = new Set(
	"length substr index split sub gsub match tolower toupper sprintf int sqrt log exp sin cos atan2 rand srand gensub strftime systime asort asorti".split(
		" ",
	),
);
const variables = new Set("NF NR FNR FS OFS RS ORS FILENAME SUBSEP RSTART RLENGTH CONVFMT OFMT IGNORECASE".split(" "));
/** Names that some awk implementation does not treat as a variable. */
const reserved = new Set(
	"getline system close fflush func function nextfile switch case default include load namespace printf print".split(" "),
);

const TOKEN =
	/[ \t\n]+|(?<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+)|(?<name>[A-Za-z_]\w*)|(?<text>"(?:[^"\\\n]|\\[^\n])*")|(?<sign>&&|\|\||\+\+|--|[-+*%^]=|[=!<>]=|!~|[-+*%^=<>!~?:,;{}()[\]$])/y;

/** After these tokens a slash divides; after a token in neither list it is ambiguous. */
const DIVIDES = /^(?:number|variable|\])$/;
const MATCHES = /^(?:start|keyword|&&|\|\||!|~|!~|[({},;]|\n)$/;

export function isSafeAwkProgram(program: string): boolean {
	let before = "start";
	let printing = false;
	for (let at = 0; at < program.length; ) {
		if (program[at] === "/") {
			const end = DIVIDES.test(before) ? at + 1 : MATCHES.test(before) ? endOfPattern(program, at) : undefined;
			if (end === undefined) return false;
			before = DIVIDES.test(before) ? "/" : "pattern";
			at = end;
			continue;
		}
		TOKEN.lastIndex = at;
		const token = TOKEN.exec(program);
		if (!token) return false;
		at = TOKEN.lastIndex;
		const { name, number, text, sign } = token.groups ?? {};
		if (name !== undefined) {
			const kind = kindOf(name, /^[ \t]*\(/.test(program.slice(at, at + 40)));
			if (kind === undefined) return false;
			printing ||= name === "print" || name === "printf";
			before = kind;
		} else if (number !== undefined) before = "number";
		else if (text !== undefined) before = "text";
		else if (sign !== undefined) {
			if (printing && sign.startsWith(">")) return false;
			if (";{}".includes(sign)) printing = false;
			before = sign;
		} else if (token[0].includes("\n") && before !== "start") before = "\n";
	}
	return true;
}

/** Returns undefined for a name that may run, read, or write something. */
function kindOf(name: string, called: boolean): "keyword" | "function" | "variable" | undefined {
	if (keywords.has(name)) return "keyword";
	if (functions.has(name)) return "function";
	if (called || reserved.has(name)) return undefined;
	return variables.has(name) || /^[a-z_]/.test(name) ? "variable" : undefined;
}

/** Brackets in which no awk implementation sees a slash or another end; a bracket with any of these requires approval. */
const BRACKET = /\[(?!\^?\])\^?(?:\[:[a-z]+:\]|\\[^\][\n]|[^\][\\/\n])+\]/y;

function endOfPattern(program: string, start: number): number | undefined {
	for (let at = start + 1; at < program.length; at++) {
		const character = program[at];
		if (character === "\n") return undefined;
		if (character === "/") return at + 1;
		if (character === "\\") at++;
		if (character !== "[") continue;
		BRACKET.lastIndex = at;
		if (!BRACKET.test(program)) return undefined;
		at = BRACKET.lastIndex - 1;
	}
	return undefined;
}
