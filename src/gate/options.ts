// Reads the flags of a program whose flags are known. Exact names only: an abbreviation is a flag nobody has judged.

/** `short` letters stand alone, `values` letters take a value; a long name ends in `=` where it takes a value, in `?` where it may. */
export interface Options {
	short: string;
	values: string;
	long: string;
	/** Flags whose value is a path. */
	paths?: string;
}

export interface ReadOptions {
	/** A flag that is not known to be harmless. */
	unknown?: string;
	flags: string[];
	operands: string[];
	/** Values that are paths. */
	paths: string[];
	/** Values of every other flag, by flag. */
	others: { flag: string; value: string }[];
}

export function readOptions(words: readonly string[], options: Options): ReadOptions {
	const read: ReadOptions = { flags: [], operands: [], paths: [], others: [] };
	const longs = options.long.split(" ");
	const pathFlags = options.paths?.split(" ") ?? [];
	const keep = (flag: string, value: string | undefined) => {
		read.flags.push(flag);
		if (value === undefined) return;
		if (pathFlags.includes(flag)) read.paths.push(value);
		else read.others.push({ flag, value });
	};
	for (let index = 1; index < words.length; index++) {
		const word = words[index] as string;
		if (word === "--") {
			read.operands.push(...words.slice(index + 1));
			break;
		}
		if (!word.startsWith("-") || word === "-") {
			read.operands.push(word);
			continue;
		}
		if (word.startsWith("--")) {
			const [, name = word, value] = /^(--[^=]*)(?:=(.*))?$/s.exec(word) ?? [];
			if (longs.includes(`${name}=`)) keep(name, value ?? words[++index] ?? "");
			else if (longs.includes(`${name}?`) || (value === undefined && longs.includes(name))) keep(name, value);
			else read.unknown ??= word;
			continue;
		}
		for (let at = 1; at < word.length; at++) {
			const letter = word[at] as string;
			if (options.values.includes(letter)) {
				keep(`-${letter}`, at + 1 < word.length ? word.slice(at + 1) : (words[++index] ?? ""));
				break;
			}
			if (options.short.includes(letter)) keep(`-${letter}`, undefined);
			else read.unknown ??= word;
		}
	}
	return read;
}
