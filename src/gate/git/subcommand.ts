// What a table of git's subcommands says of one of them, and the pieces that its entries are made of.
import { t } from "../../shared/l10n.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import type { Assessment, GitChecks, GitContent, Operand } from "../programs/judgement.ts";
import { selectionFlags } from "./historyFlags.ts";

/** `reason` makes it ask even where a rule allows it; `asks` in every mode, but a rule lets it go ahead. */
export type SubcommandAssessment = Partial<Omit<Assessment, "git" | "always" | "line">> & { git?: Partial<GitChecks>; reason?: string };

export interface Subcommand {
	flags: FlagSpec;
	/** What it is with these flags and operands. Its words begin with its own name. */
	judge(read: ParsedFlags, words: readonly string[]): SubcommandAssessment;
}

/** Changes nothing and prints names, numbers and messages. */
export const printOnly: SubcommandAssessment = { reads: true, git: { use: "read" } };

export function contentOf(kind: GitContent["kind"], read: ParsedFlags, more: Partial<GitContent> = {}): GitContent {
	const { operands, paths } = splitAtSeparator(read);
	return { kind, flags: selectionFlags(read), operands, ...(paths && { paths }), ...more };
}

/** Operands before and behind `--`. */
export function splitAtSeparator({ operands, places, end }: ParsedFlags): { operands: string[]; paths?: string[] } {
	if (end === undefined) return { operands: [...operands] };
	const before = places.filter((place) => place < end).length;
	return { operands: operands.slice(0, before), paths: operands.slice(before) };
}

/** Words that may name files, each taken as that one file: what is below a folder is asked of git. */
export function fileOperands(words: readonly string[], use: Operand["use"] = "read"): Operand[] {
	return words
		.filter((word) => word !== "" && word !== "-" && !word.startsWith(":"))
		.map((word) => ({ word, use, reach: { kind: "itself" } }));
}

export function flagValues({ values }: ParsedFlags, ...flags: string[]): string[] {
	return values.filter(({ flag }) => flags.includes(flag)).map(({ value }) => value);
}

export function hasAnyFlag({ flags }: ParsedFlags, names: string): boolean {
	return names.split(" ").some((name) => flags.has(name));
}

export function formatProblem(read: ParsedFlags, isKnown: (format: string) => boolean): string | undefined {
	const unknown = flagValues(read, "--format", "--pretty").find((format) => !isKnown(format));
	return unknown === undefined ? undefined : t("the format {0} may do more than print", unknown);
}

export function unusualUseReason(name: string): string {
	return t("git {0} is used in a way that is not known to be harmless", name);
}

export function discardsReason(name: string): string {
	return t("git {0} can overwrite or discard work", name);
}
