// What a table of git's subcommands says of one of them, and the pieces that its entries are made of.
import { t } from "../../shared/l10n.ts";
import type { Flags, ReadFlags } from "../programs/flags.ts";
import type { GitContent, GitNeed, Judgement, Operand } from "../programs/judgement.ts";
import { choices } from "./historyFlags.ts";

/** `reason` makes it ask even where a rule allows it; `asks` in every mode, but a rule lets it go ahead. */
export type Seen = Partial<Omit<Judgement, "git" | "always" | "line">> & { git?: Partial<GitNeed>; reason?: string };

export interface Subcommand {
	flags: Flags;
	/** What it is with these flags and operands. Its words begin with its own name. */
	judge(read: ReadFlags, words: readonly string[]): Seen;
}

/** Changes nothing and prints names, numbers and messages. */
export const printing: Seen = { reads: true, git: { use: "read" } };

export function contentOf(kind: GitContent["kind"], read: ReadFlags, more: Partial<GitContent> = {}): GitContent {
	const { operands, paths } = aroundDashes(read);
	return { kind, flags: choices(read), operands, ...(paths && { paths }), ...more };
}

/** Operands before and behind `--`. */
export function aroundDashes({ operands, places, end }: ReadFlags): { operands: string[]; paths?: string[] } {
	if (end === undefined) return { operands: [...operands] };
	const before = places.filter((place) => place < end).length;
	return { operands: operands.slice(0, before), paths: operands.slice(before) };
}

/** Words that may name files, each taken as that one file: what is below a folder is asked of git. */
export function named(words: readonly string[], use: Operand["use"] = "read"): Operand[] {
	return words
		.filter((word) => word !== "" && word !== "-" && !word.startsWith(":"))
		.map((word) => ({ word, use, reach: { kind: "itself" } }));
}

export function valuesOf({ values }: ReadFlags, ...flags: string[]): string[] {
	return values.filter(({ flag }) => flags.includes(flag)).map(({ value }) => value);
}

export function hasAny({ flags }: ReadFlags, names: string): boolean {
	return names.split(" ").some((name) => flags.has(name));
}

export function formatProblem(read: ReadFlags, isKnown: (format: string) => boolean): string | undefined {
	const unknown = valuesOf(read, "--format", "--pretty").find((format) => !isKnown(format));
	return unknown === undefined ? undefined : t("the format {0} may do more than print", unknown);
}

export function unusual(name: string): string {
	return t("git {0} is used in a way that is not known to be harmless", name);
}

export function discards(name: string): string {
	return t("git {0} can overwrite or discard work", name);
}
