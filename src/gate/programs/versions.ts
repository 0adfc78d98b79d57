// Asks a program for its version: `gcc --version`. It goes before every table.
import type { Call, Judgement } from "./judgement.ts";

/** Undefined unless the whole command asks for nothing but a version. */
export function judgeVersion({ words, unknown }: Call): Judgement | undefined {
	const [program = "", flag] = words;
	if (words.length !== 2 || unknown.size > 0 || flag !== "--version") return undefined;
	return { reads: true, sandboxed: true, class: `${program} ${flag}`, operands: [] };
}
