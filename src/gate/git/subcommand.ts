// Types and helpers for the tables of git subcommands.
import { t } from "../../shared/l10n.ts";
import type { Assessment, GitChecks, GitContent, Operand } from "../programs/assessment.ts";
import type { FlagSpec, ParsedFlags } from "../programs/flags.ts";
import { selectionFlags } from "./historyFlags.ts";

/** `reason` requires approval even if a rule allows the command; `asks` requires approval in every mode, unless a rule allows it. */
export type SubcommandAssessment = Partial<Omit<Assessment, "git" | "always" | "line">> & { git?: Partial<GitChecks>; reason?: string };

export interface Subcommand {
	flags: FlagSpec;
	/** Assesses the flags and operands. `words` starts with the subcommand's name. */
	judge(read: ParsedFlags, words: readonly string[]): SubcommandAssessment;
}

/** Changes nothing and prints names, numbers, and messages. */
export const printOnly: SubcommandAssessment = { reads: true, git: { use: "read" } };

export function contentOf(kind: GitContent["kind"], read: ParsedFlags, more: Partial<GitContent> = {}): GitContent {
	const { operands, paths } = splitAtSeparator(read);
	return { kind, flags: selectionFlags(read), operands, ...(paths && { paths }), ...more };
}

/** Operands before and after `--`. */
export function splitAtSeparator({ operands, places, end }: ParsedFlags): { operands: string[]; paths?: string[] } {
	if (end === undefined) return { operands: [...operands] };
	const before = places.filter((place) => place < end).length;
	return { operands: operands.slice(0, before), paths: operands.slice(before) };
}

/** Words that may name files. Each stands for one file, because git is asked for the content of folders. */
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
	return unknown === undefined ? undefined : t("The format {0} can do more than print text.", unknown);
}

export function unusualUseReason(name: string): string {
	return t("This use of git {0} isn't known to be safe.", name);
}

export function discardsReason(name: string): string {
	return t("git {0} can overwrite or discard work.", name);
}

export type RevisionArgument =
	/** `peeled` is the same revision in a form with which git fails unless it is a commit. */
	| { kind: "revision"; peeled: string; commits: number }
	/** `HEAD:path`; `peeled` is absent for an object in the index. */
	| { kind: "object"; peeled?: string; path: string }
	/** `also` is the name in the index that the word would stand for if it is not a pattern. */
	| { kind: "path"; also?: string };

const name = /^(?:@(?!\{)|[^\s~^:?*[\\@{}.-](?:(?!\.\.|@\{)[^\s~^:?*[\\{}])*)/;
const suffix = /^(?:@\{[^}]*\}|~\d*|\^\d+|\^\{(?:commit|tree|tag|object)?\}|\^(?![!@\-{]))/;

/** A single revision, not a range: `main`, `HEAD~2`, `@{u}`, `v1^{commit}`. */
function peel(word: string): string | undefined {
	let rest = word.replace(name, "");
	if (rest === word && !rest.startsWith("@{")) return undefined;
	for (let match = suffix.exec(rest); match; match = suffix.exec(rest)) rest = rest.slice(match[0].length);
	if (!/^(?:\^[!@]|\^-\d*)?$/.test(rest)) return undefined;
	return `${word.slice(0, word.length - rest.length)}^{commit}${rest}`;
}

function revision(word: string): RevisionArgument | undefined {
	const range = /^(.*?)(\.\.\.?)(.*)$/.exec(word);
	if (range) {
		const [, from = "", dots = "", to = ""] = range;
		const [one, other] = [peel(from || "HEAD"), peel(to || "HEAD")];
		if (from === "" && to === "") return undefined;
		return one === undefined || other === undefined ? undefined : { kind: "revision", peeled: `${one}${dots}${other}`, commits: 2 };
	}
	const excluded = word.startsWith("^") ? "^" : "";
	const peeled = peel(word.slice(excluded.length));
	return peeled === undefined
		? undefined
		: { kind: "revision", peeled: `${excluded}${peeled}`, commits: /\^[!@]$|\^-\d*$/.test(word) ? 2 : 1 };
}

/** Parses a word before `--`; `exists` tells whether a file of that name exists, in which case git treats the word as a path. */
export function parseRevisionArgument(word: string, exists: boolean): RevisionArgument | undefined {
	if (exists) return { kind: "path" };
	if (word.startsWith(":")) return fromIndex(word);
	const colon = word.indexOf(":");
	if (colon > 0) {
		const peeled = peel(word.slice(0, colon));
		return peeled === undefined ? undefined : { kind: "object", peeled, path: word.slice(colon + 1) };
	}
	return revision(word) ?? (/[*?[]/.test(word) ? { kind: "path" } : undefined);
}

/** `:name` and `:2:name` are objects; `:!name` and `:(top)name` are patterns unless an object of that name exists; `:/text` is a commit. */
function fromIndex(word: string): RevisionArgument | undefined {
	const [, path] = /^:(?:[0-3]:)?([^(!^/:].*)$/s.exec(word) ?? [];
	if (path !== undefined) return { kind: "object", path };
	return /^:[(!^]/.test(word) ? { kind: "path", also: word.slice(1) } : undefined;
}
