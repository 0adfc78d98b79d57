// Finds every command that a text may contain, for deny rules: possibly more than would run, never fewer.
import { setImmediate } from "node:timers/promises";

/** A longer text always requires approval, and is not split into commands. */
export const MAX_SPLIT_LENGTH = 20_000;
const PIECE = 20_000;
const LONGEST_NAME = 4_096;
const MAX_COMMANDS = 2_000;

/** Every word sequence at a position where a command could be, in linear time. */
export function mentionedCommands(text: string): string[][] {
	const variables = /\$(?:\w+|\{\w+\}|[?*@#])/g;
	const variants = text.includes("$") ? [text, text.replace(variables, ""), text.replace(variables, " ")].map(unquoted) : [unquoted(text)];
	const found = new Map<string, string[]>();
	const add = (part: string): void => {
		const words = part.split(/\s+/).filter((word) => word !== "");
		if (words.length > 0) found.set(words.join(" "), words);
	};
	for (const variant of variants) {
		for (const part of variant
			.replace(/<<+-?/g, ";")
			.replace(/\d*[<>]+[&|]?\s*[^\s<>;&|()]*/g, " ")
			.split(/[\n;&|(){}`]+/)) {
			add(part);
			if (part.includes(",")) add(part.replaceAll(",", " "));
			if (found.size > MAX_COMMANDS) return [["?", ...wordsOf(text)]];
		}
	}
	return [...found.values()];
}

/**
 * Collects the programs of a text that is too long to split: any word may be a program, so each is added as written and as a bare program
 * name. Yields to the event loop between pieces.
 */
export async function possiblePrograms(text: string): Promise<ReadonlySet<string>> {
	const found = new Set<string>();
	let partialWord = "";
	for (let from = 0; from < text.length; from += PIECE) {
		const words = wordsOf(partialWord + text.slice(from, from + PIECE));
		// A word may continue in the next piece; no program name is longer than the limit.
		partialWord = from + PIECE < text.length ? (words.pop() ?? "").slice(-LONGEST_NAME) : "";
		for (const word of words) {
			found.add(word);
			found.add(bareName(word));
		}
		await setImmediate();
	}
	return found;
}

/** The form in which programs are compared with rules: without folder, in lowercase. */
function bareName(program: string): string {
	return program.slice(program.lastIndexOf("/") + 1).toLowerCase();
}

function wordsOf(text: string): string[] {
	return text.replace(/['"\\]+/g, "").split(/[^\w./+-]+/);
}

/** Removes quotes and backslashes and decodes `$'…'`; an unclosed quote continues to the end. */
function unquoted(text: string): string {
	return text
		.replace(/\\\r?\n/g, "")
		.replace(/\$'((?:[^'\\]|\\.)*)'?|\$?["']|\\(.)/gs, (_, coded: string | undefined, escaped: string | undefined) => {
			return coded === undefined ? (escaped ?? "") : decoded(coded);
		});
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", f: "\f", v: "\v" };

/** Decodes the content of `$'…'`. */
function decoded(text: string): string {
	return text.replace(
		/\\(?:x([0-9a-f]{1,2})|u([0-9a-f]{1,4})|U([0-9a-f]{1,8})|([0-7]{1,3})|(.))/gis,
		(_, x, u, U, octal, other: string) => {
			const hex: string | undefined = x ?? u ?? U;
			if (hex === undefined && octal === undefined) return escapes[other] ?? other;
			const code = Number.parseInt(hex ?? octal, hex === undefined ? 8 : 16);
			return code <= 0x10ffff ? String.fromCodePoint(code) : "";
		},
	);
}
