// Assesses programs that run project-defined code.

// With known flags, an approval covers the whole class; with an unknown flag, it covers exactly one command line.
import { t } from "../../../shared/l10n.ts";
import type { ApprovalBinding, Assessment, Assessor, Invocation, Operand } from "../assessment.ts";
import { type FlagSpec, type ParsedFlags, parseFlags } from "../flags.ts";

export interface ProjectRunnerTable {
	/** None of these flags names a program, a configuration, or a path to write to. */
	flags: FlagSpec;
	/** The definition that an approval is bound to. */
	bindings: readonly ApprovalBinding[];
	/** Flags of the table with which it changes files itself: `--fix`. */
	writes?: readonly string[];
	/** Allowed values of flags whose values could also name code. */
	takes?: Readonly<Record<string, RegExp>>;
	/** Known subcommands; the class consists of program and subcommand. Without any, the class is the program. */
	subcommands?: string;
	/** Subcommands that serve or download. */
	network?: string;
	/** It downloads missing dependencies, except for these subcommands or with one of these flags. */
	fetches?: { except?: string; unless?: readonly string[] };
	/** Subcommands that change files themselves. */
	writers?: string;
	/** Flags with which its operands are projects, each with its own configuration. */
	projects?: readonly string[];
	/**
	 * It prints the files that it is given, including those in folders and those matching its own patterns, unless one of these flags
	 * is set.
	 */
	prints?: readonly string[];
}

const PATTERN = /[*?[\]{}()!]/;
/** A pattern that may match names starting with a dot. */
const HIDDEN = /(?:^|\/)(?:[[{(]|[@!?+*]\(|\.[^/]*[*?[{(])/;

export function projectRunner(table: ProjectRunnerTable): Assessor {
	const subcommands = new Set(table.subcommands?.split(" "));
	return (call) => {
		const [program = "", ...rest] = call.words;
		const read = parseFlags(call.words, table.flags);
		const bindings = withOperandFolders(table.bindings, rest);
		const sub = subcommands.size > 0 ? rest.find((word) => !word.startsWith("-")) : undefined;
		if (subcommands.size > 0 && (sub === undefined || !subcommands.has(sub))) {
			return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", program, sub ?? rest.join(" ")), bindings);
		}
		const has = (flags: readonly string[] | undefined) => flags?.some((flag) => read.flags.has(flag)) === true;
		const prints = table.prints !== undefined && !has(table.prints);
		const unknownArgument =
			unknownWord(call, read) ??
			unknownFlagAfterSeparator(call.words, table.flags) ??
			read.values.find(({ flag, value }) => table.takes?.[flag]?.test(value) === false)?.value ??
			read.operands.find((word) => word.startsWith("@") || (table.prints && (prints ? PATTERN : HIDDEN).test(word))) ??
			(has(table.projects) ? read.operands[0] : undefined);
		if (unknownArgument !== undefined)
			return askForExactLine(call, t("Troupe doesn't know what {0} does with {1}.", program, unknownArgument), bindings);
		const includesSubcommand = (list: string | undefined) => list?.split(" ").includes(sub ?? program) === true;
		const writes = includesSubcommand(table.writers) || has(table.writes);
		const operands = pathOperands(
			read.operands.filter((word) => word !== sub),
			writes ? "write" : "read",
		);
		return {
			class: sub === undefined ? program : `${program} ${sub}`,
			bindings,
			operands: prints ? operands.map(({ reach: _, ...operand }) => operand) : operands,
			...(writes && { permissions: ["WriteFiles"] }),
			...(includesSubcommand(table.network) && { network: true }),
			...(table.fetches && !includesSubcommand(table.fetches.except) && !has(table.fetches.unless) && { fetches: true }),
		};
	};
}

/** Tools also read configuration from the folders of the files they are given. */
function withOperandFolders(bindings: readonly ApprovalBinding[], words: readonly string[]): readonly ApprovalBinding[] {
	const beside = words.filter((word) => word !== "" && !word.startsWith("-"));
	if (beside.length === 0) return bindings;
	return bindings.map((binding) => (binding.nearest || binding.upwards ? { ...binding, beside } : binding));
}

/** Arguments after `--` are for the program that is run, which has its own flags. */
function unknownFlagAfterSeparator(words: readonly string[], flags: FlagSpec): string | undefined {
	const end = words.indexOf("--");
	return end < 0 ? undefined : parseFlags(words.slice(end), flags).unknown;
}

/** A flag that is in no table, or a word that only the shell can resolve. */
export function unknownWord({ words, unknown }: Invocation, { unknown: flag }: ParsedFlags): string | undefined {
	const [place] = unknown;
	return flag ?? (place === undefined ? undefined : words[place]);
}

/** Requires approval in every mode; a standing approval covers exactly this line while its definition is unchanged. */
export function askForExactLine({ words }: Pick<Invocation, "words">, asks: string, bindings: readonly ApprovalBinding[] = []): Assessment {
	return { asks, line: true, bindings, operands: words.slice(1).map((word) => ({ word, use: "create" })) };
}

/** Requires approval every time; no standing approval is possible. */
export function askEveryTime({ words }: Pick<Invocation, "words">, asks: string): Assessment {
	return { asks, operands: words.slice(1).map((word) => ({ word, use: "create" })) };
}

/** Arguments that may be paths. The program receives the path itself, so its content is not checked. */
export function pathOperands(words: readonly string[], use: Operand["use"] = "read"): Operand[] {
	return words.filter((word) => word !== "" && !/^https?:\/\//i.test(word)).map((word) => ({ word, use, reach: { kind: "itself" } }));
}
