// Parses the flags of known programs, by exact name only.

// An abbreviated flag counts as unknown, because nobody has assessed it.
import type { Assessment, Invocation, Operand, PathExtent } from "./assessment.ts";

/** Names separated by spaces: `-a`, `--all`. Letters can be combined after one dash. */
export interface FlagSpec {
	/** Flags without a value. */
	alone?: string;
	/** Flags with a value that is not a path: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
	text?: string;
	/** Flags whose value is the next word, never attached: the letters after them are flags of their own (`tree -L 2`). */
	detached?: string;
	/** Flags with an optional value, attached only: `--color=never`, `-U3`. */
	optional?: string;
	/** Flags with a path that is read as one file. */
	reads?: string;
	/**
	 * Flags with a path of which only the name matters (`--exclude-dir`): text to us, but listed separately for the check against
	 * `--help`.
	 */
	pattern?: string;
	/** `-5` is a flag, too. */
	numeric?: boolean;
	/** Long names have one dash (`find`, `go test`). */
	oneDash?: boolean;
	/** Every word is an operand, even if it starts with a dash (`echo`). */
	wordsOnly?: boolean;
	/** Flags end at the first operand in every family: the following words belong to another command or a script. */
	stops?: boolean;
	/** Flags are also parsed after operands. If absent, only for GNU programs. */
	anywhere?: boolean;
}

export interface ParsedFlags {
	/** A flag that is not in the table. */
	unknown?: string;
	flags: ReadonlySet<string>;
	/** All flags in order, including those whose value is a file. */
	given: readonly { flag: string; value?: string }[];
	/** Values by flag, in order. */
	values: readonly { flag: string; value: string }[];
	/** Values that are paths to read. */
	reads: readonly string[];
	operands: readonly string[];
	/** Indices of the operands in the words. */
	places: readonly number[];
	/** The first flag after an operand, which counts as an operand if flags end at the first one. */
	late?: string;
	/** Index of the `--` that ends the flags. */
	end?: number;
}

/** Meaning of the operands. */
export type OperandKind = "none" | "text" | PathExtent["kind"];

export interface ProgramTable {
	flags: FlagSpec;
	operands: OperandKind;
	/** Arguments from elsewhere cannot make it do more than print names or its own text. */
	anyWords?: true;
	/** Refines the assessment: the result overrides the table's. `reason`, a sentence, makes it require approval. */
	check?(read: ParsedFlags, call: Invocation): Partial<Assessment> & { reason?: string };
}

export function parseFlags(words: readonly string[], table: FlagSpec): ParsedFlags {
	const readOperands = new Reading(compiled(table));
	for (let index = 1; index < words.length; index++) {
		const word = words[index] as string;
		if (table.wordsOnly || (table.stops && readOperands.operands.length > 0)) {
			readOperands.operand(word, index);
			continue;
		}
		if (word === "--") {
			readOperands.end = index;
			for (let at = index + 1; at < words.length; at++) readOperands.operand(words[at] as string, at);
			break;
		}
		if (!word.startsWith("-") || word === "-") readOperands.operand(word, index);
		else if (table.numeric && /^-\d+$/.test(word)) readOperands.given.push({ flag: word });
		else index += readOperands.flag(word, words[index + 1], table.oneDash === true);
	}
	return readOperands;
}

type Kind = "alone" | "takes" | "detached" | "optional" | "reads";

/** State while parsing the words. */
class Reading implements ParsedFlags {
	unknown?: string;
	late?: string;
	end?: number;
	readonly given: { flag: string; value?: string }[] = [];
	readonly flags = new Set<string>();
	readonly values: { flag: string; value: string }[] = [];
	readonly reads: string[] = [];
	readonly operands: string[] = [];
	readonly places: number[] = [];
	private readonly kinds: ReadonlyMap<string, Kind>;
	constructor(kinds: ReadonlyMap<string, Kind>) {
		this.kinds = kinds;
	}

	operand(word: string, place: number): void {
		this.operands.push(word);
		this.places.push(place);
	}

	/** Returns the number of following words that belong to the flag. */
	flag(word: string, next: string | undefined, oneDash: boolean): number {
		if (this.operands.length > 0) this.late ??= word;
		return word.startsWith("--") || oneDash ? this.long(word, next) : this.letters(word, next);
	}

	private long(word: string, next: string | undefined): number {
		const [, name = word, value] = /^(--?[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
		const kind = this.kinds.get(name);
		if (kind === "optional" || (kind === "alone" && value === undefined)) return this.keep(name, value);
		if (kind === "takes" || kind === "reads") return this.take(word, name, value, next);
		return this.refuse(word);
	}

	private letters(word: string, next: string | undefined): number {
		for (let at = 1; at < word.length; at++) {
			const name = `-${word[at]}`;
			const kind = this.kinds.get(name);
			const attached = at + 1 < word.length ? word.slice(at + 1) : undefined;
			if (kind === "optional") return this.keep(name, attached);
			if (kind === "detached" && attached === undefined) return this.take(word, name, undefined, next);
			if (kind === "takes" || kind === "reads") return this.take(word, name, attached, next);
			if (kind !== "alone") return this.refuse(word);
			this.keep(name);
		}
		return 0;
	}

	private take(word: string, name: string, attached: string | undefined, next: string | undefined): number {
		const value = attached ?? next;
		if (value === undefined) return this.refuse(word);
		this.keep(name, value);
		return attached === undefined ? 1 : 0;
	}

	private keep(name: string, value?: string): number {
		this.flags.add(name);
		this.given.push({ flag: name, ...(value !== undefined && { value }) });
		if (value !== undefined && this.kinds.get(name) === "reads") this.reads.push(value);
		else if (value !== undefined) this.values.push({ flag: name, value });
		return 0;
	}

	private refuse(word: string): number {
		this.unknown ??= word;
		return 0;
	}
}

const known = new WeakMap<FlagSpec, ReadonlyMap<string, Kind>>();

function compiled(table: FlagSpec): ReadonlyMap<string, Kind> {
	const found = known.get(table);
	if (found) return found;
	const kinds = new Map<string, Kind>();
	const add = (names: string | undefined, kind: Kind) => {
		for (const name of names?.split(" ") ?? []) if (name !== "") kinds.set(name, kind);
	};
	add(table.alone, "alone");
	add(table.text, "takes");
	add(table.pattern, "takes");
	add(table.detached, "detached");
	add(table.optional, "optional");
	add(table.reads, "reads");
	known.set(table, kinds);
	return kinds;
}

/** Path operands that are read, with the given extent. */
export function reading(words: readonly string[], reach: PathExtent): Operand[] {
	return words.filter(isPath).map((word) => ({ word, use: "read", reach }));
}

/** `-` is standard input or output. */
export function isPath(word: string): boolean {
	return word !== "-" && word !== "";
}
