// Reads the flags of a program whose flags are known. Exact names only: an abbreviation is a flag nobody has judged.
import type { Call, Judgement, Operand, Reach } from "./judgement.ts";

/** Names separated by spaces: `-a`, `--all`. Letters may stand together behind one dash. */
export interface Flags {
	/** Take no value. */
	alone?: string;
	/** Take a value that names nothing on disk: `-n 5`, `-n5`, `--lines 5`, `--lines=5`. */
	text?: string;
	/** May have a value, attached only: `--color=never`, `-U3`. */
	optional?: string;
	/** Take a path that is read as one file. */
	reads?: string;
	/** Take a path of which only the name counts (`--exclude-dir`): text to us, listed apart for the check against `--help`. */
	pattern?: string;
	/** `-5`, and `+5` as an operand that is no path. */
	numeric?: boolean;
	/** Long names have one dash (`find`, `go test`). */
	oneDash?: boolean;
}

export interface ReadFlags {
	/** A flag that is not in the table. */
	unknown?: string;
	flags: ReadonlySet<string>;
	/** Values by flag, in order. */
	values: readonly { flag: string; value: string }[];
	/** Values that are paths to be read. */
	reads: readonly string[];
	operands: readonly string[];
	/** Places of the operands in the words. */
	places: readonly number[];
}

/** What the words that are no flags are. */
export type OperandKind = "none" | "text" | Reach["kind"];

export interface ProgramTable {
	flags: Flags;
	operands: OperandKind;
	/** Looks closer: what it returns is laid over what the table says. */
	check?(read: ReadFlags, call: Call): Partial<Judgement> & { reason?: string };
}

export function readFlags(words: readonly string[], table: Flags): ReadFlags {
	const kinds = compiled(table);
	const flags = new Set<string>();
	const values: { flag: string; value: string }[] = [];
	const reads: string[] = [];
	const operands: string[] = [];
	const places: number[] = [];
	let unknown: string | undefined;
	const keep = (flag: string, value?: string) => {
		flags.add(flag);
		if (value === undefined) return;
		if (kinds.get(flag) === "reads") reads.push(value);
		else values.push({ flag, value });
	};
	for (let index = 1; index < words.length; index++) {
		const word = words[index] as string;
		if (word === "--") {
			for (let at = index + 1; at < words.length; at++) {
				operands.push(words[at] as string);
				places.push(at);
			}
			break;
		}
		if (!word.startsWith("-") || word === "-") {
			if (table.numeric && /^\+\d+$/.test(word)) continue;
			operands.push(word);
			places.push(index);
			continue;
		}
		if (table.numeric && /^-\d+$/.test(word)) continue;
		if (word.startsWith("--") || table.oneDash) {
			const [, name = word, value] = /^(--?[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
			const kind = kinds.get(name);
			if (kind === "alone" && value === undefined) keep(name);
			else if (kind === "optional") keep(name, value);
			else if (kind === "takes" || kind === "reads") {
				const taken = value ?? words[++index];
				if (taken === undefined) unknown ??= word;
				else keep(name, taken);
			} else unknown ??= word;
			continue;
		}
		for (let at = 1; at < word.length; at++) {
			const name = `-${word[at]}`;
			const kind = kinds.get(name);
			const attached = word.slice(at + 1);
			if (kind === "alone") keep(name);
			else if (kind === "optional") {
				keep(name, attached === "" ? undefined : attached);
				break;
			} else if (kind === "takes" || kind === "reads") {
				const taken = attached !== "" ? attached : words[++index];
				if (taken === undefined) unknown ??= word;
				else keep(name, taken);
				break;
			} else {
				unknown ??= word;
				break;
			}
		}
	}
	return { ...(unknown !== undefined && { unknown }), flags, values, reads, operands, places };
}

type Kind = "alone" | "takes" | "optional" | "reads";

const known = new WeakMap<Flags, ReadonlyMap<string, Kind>>();

function compiled(table: Flags): ReadonlyMap<string, Kind> {
	const found = known.get(table);
	if (found) return found;
	const kinds = new Map<string, Kind>();
	const add = (names: string | undefined, kind: Kind) => {
		for (const name of names?.split(" ") ?? []) if (name !== "") kinds.set(name, kind);
	};
	add(table.alone, "alone");
	add(table.text, "takes");
	add(table.pattern, "takes");
	add(table.optional, "optional");
	add(table.reads, "reads");
	known.set(table, kinds);
	return kinds;
}

/** Paths that are read, with how far each reaches. */
export function reading(words: readonly string[], reach: Reach): Operand[] {
	return words.map((word) => ({ word, use: "read", reach }));
}
