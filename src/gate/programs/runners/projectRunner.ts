// Assesses programs that run project-defined code.

// With known flags an approval covers the whole class; with an unknown flag it covers exactly one command line.
import { t } from "../../../shared/l10n.ts";
import type { ApprovalBinding, Assessment, Assessor, Invocation, Operand } from "../assessment.ts";
import { type FlagSpec, type ParsedFlags, parseFlags } from "../flags.ts";

export interface ProjectRunnerTable {
	/** None of them names a program, a configuration, or a place to write to. */
	flags: FlagSpec;
	/** The definition that an approval is bound to. */
	bindings: readonly ApprovalBinding[];
	/** Flags of the table by which it changes files itself: `--fix`. */
	writes?: readonly string[];
	/** What flags may be given whose values could name code, too. */
	takes?: Readonly<Record<string, RegExp>>;
	/** Subcommands that are known; the class names program and subcommand. Without any, the class is the program. */
	subcommands?: string;
	/** Of the subcommands, those that serve or fetch. */
	network?: string;
	/** It fetches what it lacks, by all but these subcommands, and unless one of these flags is there. */
	fetches?: { except?: string; unless?: readonly string[] };
	/** Of the subcommands, those that change files themselves. */
	writers?: string;
	/** Flags by which its words name projects, each with a configuration of its own. */
	projects?: readonly string[];
	/** It prints what is in the files it is given, those in folders and those of its own patterns, too, unless one of these flags is there. */
	prints?: readonly string[];
}

const PATTERN = /[*?[\]{}()!]/;
/** A pattern that may stand for names which begin with a dot. */
const HIDDEN = /(?:^|\/)(?:[[{(]|[@!?+*]\(|\.[^/]*[*?[{(])/;

export function projectRunner(table: ProjectRunnerTable): Assessor {
	const subcommands = new Set(table.subcommands?.split(" "));
	return (call) => {
		const [program = "", ...rest] = call.words;
		const read = parseFlags(call.words, table.flags);
		const bindings = besides(table.bindings, rest);
		const sub = subcommands.size > 0 ? rest.find((word) => !word.startsWith("-")) : undefined;
		if (subcommands.size > 0 && (sub === undefined || !subcommands.has(sub))) {
			return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", program, sub ?? rest.join(" ")), bindings);
		}
		const has = (flags: readonly string[] | undefined) => flags?.some((flag) => read.flags.has(flag)) === true;
		const prints = table.prints !== undefined && !has(table.prints);
		const strange =
			unknownWord(call, read) ??
			strangeBehind(call.words, table.flags) ??
			read.values.find(({ flag, value }) => table.takes?.[flag]?.test(value) === false)?.value ??
			read.operands.find((word) => word.startsWith("@") || (table.prints && (prints ? PATTERN : HIDDEN).test(word))) ??
			(has(table.projects) ? read.operands[0] : undefined);
		if (strange !== undefined) return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", program, strange), bindings);
		const named = (list: string | undefined) => list?.split(" ").includes(sub ?? program) === true;
		const writes = named(table.writers) || has(table.writes);
		const operands = pathOperands(
			read.operands.filter((word) => word !== sub),
			writes ? "write" : "read",
		);
		return {
			class: sub === undefined ? program : `${program} ${sub}`,
			bindings,
			operands: prints ? operands.map(({ reach: _, ...operand }) => operand) : operands,
			...(writes && { permissions: ["WriteFiles"] }),
			...(named(table.network) && { network: true }),
			...(table.fetches && !named(table.fetches.except) && !has(table.fetches.unless) && { fetches: true }),
		};
	};
}

/** Tools take their configuration from where the files lie that they are given, too. */
function besides(bindings: readonly ApprovalBinding[], words: readonly string[]): readonly ApprovalBinding[] {
	const beside = words.filter((word) => word !== "" && !word.startsWith("-"));
	if (beside.length === 0) return bindings;
	return bindings.map((binding) => (binding.nearest || binding.upwards ? { ...binding, beside } : binding));
}

/** What stands behind `--` is for the program that is run, which takes flags, too. */
function strangeBehind(words: readonly string[], flags: FlagSpec): string | undefined {
	const end = words.indexOf("--");
	return end < 0 ? undefined : parseFlags(words.slice(end), flags).unknown;
}

/** A flag that is in no table, or a word that only the shell knows. */
export function unknownWord({ words, unknown }: Invocation, { unknown: flag }: ParsedFlags): string | undefined {
	const [place] = unknown;
	return flag ?? (place === undefined ? undefined : words[place]);
}

/** Asks in every mode; an approval for good covers this line alone, as long as its definition stays. */
export function askForExactLine({ words }: Pick<Invocation, "words">, asks: string, bindings: readonly ApprovalBinding[] = []): Assessment {
	return { asks, line: true, bindings, operands: words.slice(1).map((word) => ({ word, use: "create" })) };
}

/** Asks every time: nothing that could be said beforehand would cover it. */
export function askEveryTime({ words }: Pick<Invocation, "words">, asks: string): Assessment {
	return { asks, operands: words.slice(1).map((word) => ({ word, use: "create" })) };
}

/** Words that may be paths: such a program gets the place, not our word for what is in it. */
export function pathOperands(words: readonly string[], use: Operand["use"] = "read"): Operand[] {
	return words.filter((word) => word !== "" && !/^https?:\/\//i.test(word)).map((word) => ({ word, use, reach: { kind: "itself" } }));
}
