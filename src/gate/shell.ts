// Parses a command line with the real grammar: to agree with the plain reading, and to find every command an odd line holds.
import type { Node, Parser } from "web-tree-sitter";
import { t } from "../l10n.ts";
import { type PlainCommand, readPlain } from "./plain.ts";
import { hidden } from "./wrappers.ts";

export interface Parsed {
	/** Why it cannot be taken as plain words, for a sentence that begins with "it". */
	odd?: string;
	plain: PlainCommand[];
	/** Every command found, those behind wrappers too. */
	all: string[][];
}

export type Shell = (text: string) => Parsed;

const plainKinds = new Set(
	(
		"program list pipeline command command_name word string string_content raw_string concatenation number " +
		"redirected_statement file_redirect file_descriptor"
	).split(" "),
);
const LONGEST_PARSED = 20_000;
const DEEPEST = 5;
const MOST_FOUND = 500;

/** `folder` holds web-tree-sitter.wasm and tree-sitter-bash.wasm. */
export async function loadShell(folder: string): Promise<Shell> {
	const { bashParser } = await import("./bashParser.ts");
	const parser = await bashParser(folder);
	return (text) => parse(parser, text);
}

function parse(parser: Parser, text: string): Parsed {
	const found = scan(parser, text);
	const all: string[][] = [];
	const joined = text.includes("\\\n") ? scan(parser, text.replaceAll("\\\n", "")).commands : [];
	for (const words of [...found.commands, ...joined]) addWithHidden(parser, words, all, 0);
	const plain = readPlain(text);
	if ("odd" in plain) return { odd: plain.odd, plain: [], all };
	const agreed = !found.strange && JSON.stringify(found.commands) === JSON.stringify(plain.commands.map(({ words }) => words));
	return { ...(!agreed && { odd: t("could not be read with certainty") }), plain: plain.commands, all };
}

function addWithHidden(parser: Parser, words: string[], all: string[][], depth: number): void {
	if (words.length === 0 || all.length >= MOST_FOUND) return;
	all.push(words);
	if (depth >= DEEPEST) return;
	for (const inner of hidden(words)) {
		const commands = typeof inner === "string" ? scan(parser, inner).commands : [inner];
		for (const command of commands) addWithHidden(parser, command, all, depth + 1);
	}
}

/** All simple commands of a text in order, and whether it holds anything beyond plain ones. */
function scan(parser: Parser, text: string): { commands: string[][]; strange: boolean } {
	const commands: string[][] = [];
	const tree = parser.parse(text.slice(0, LONGEST_PARSED));
	if (!tree) return { commands: roughly(text), strange: true };
	try {
		let strange = tree.rootNode.hasError || text.length > LONGEST_PARSED;
		const open: Node[] = [tree.rootNode];
		for (let node = open.pop(); node; node = open.pop()) {
			if (node.isMissing || (node.isNamed && !plainKinds.has(node.type))) strange = true;
			const words = wordsOf(node);
			if (words && words.length > 0) commands.push(words);
			if (node.type === "heredoc_body" || node.type === "herestring_redirect") commands.push(...roughly(node.text.replace(/^<+/, "")));
			for (let index = node.childCount - 1; index >= 0; index--) {
				const child = node.child(index);
				if (child) open.push(child);
			}
		}
		if (strange && (tree.rootNode.hasError || commands.length === 0)) commands.push(...roughly(text));
		return { commands, strange };
	} finally {
		tree.delete();
	}
}

function wordsOf(node: Node): string[] | undefined {
	if (node.type === "declaration_command" || node.type === "unset_command" || node.type === "test_command") {
		return node.text.split(/\s+/).filter((word) => word !== "");
	}
	if (node.type !== "command") return undefined;
	return node.children.flatMap((child) => {
		if (!child?.isNamed || child.type === "variable_assignment" || child.type.endsWith("_redirect")) return [];
		return braced(child) ?? [unquoted(child)];
	});
}

/** `{touch,x}` in the place of words. */
function braced(node: Node): string[] | undefined {
	const parts = /^\{([^{}]*,[^{}]*)\}$/.exec(node.text);
	return parts ? (parts[1] as string).split(",") : undefined;
}

/** A word after quote removal; what only the shell could know counts as nothing. */
function unquoted(node: Node): string {
	switch (node.type) {
		case "word":
		case "number":
			return node.childCount > 0 ? joined(node) : node.text.replace(/\\\n/g, "").replace(/\\(.)/gs, "$1");
		case "raw_string":
			return node.text.slice(1, -1);
		case "string":
			return quotedText(node);
		case "ansi_c_string":
			return ansi(node.text.slice(2, -1));
		case "simple_expansion":
		case "expansion":
		case "command_substitution":
		case "process_substitution":
		case "arithmetic_expansion":
			return "";
		default:
			return node.childCount > 0 ? joined(node) : node.text;
	}
}

function joined(node: Node): string {
	return node.children.map((child) => (child ? unquoted(child) : "")).join("");
}

/** The grammar may leave blanks of a string out of its parts, so the text between two parts is taken as it stands. */
function quotedText(node: Node): string {
	let text = "";
	let at = node.startIndex + 1;
	const between = (to: number) => node.text.slice(at - node.startIndex, to - node.startIndex).replace(/\\(["\\$`])/g, "$1");
	for (const child of node.namedChildren) {
		if (!child || child.type === "string_content") continue;
		text += between(child.startIndex) + unquoted(child);
		at = child.endIndex;
	}
	return text + between(node.endIndex - 1);
}

const escapes: Record<string, string> = { n: "\n", t: "\t", r: "\r", a: "\x07", b: "\b", e: "\x1b", f: "\f", v: "\v" };

function ansi(text: string): string {
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

/** Where the grammar gives up: whatever stands where a command could stand, for the rules that deny. */
function roughly(text: string): string[][] {
	const parts = text.slice(0, LONGEST_PARSED).split(/[\n;&|(){}`]+/);
	const braced = text.includes("{") ? parts.map((part) => part.replaceAll(",", " ")) : [];
	return [...new Set([...parts, ...braced])]
		.map((part) =>
			part
				.replace(/['"\\]/g, "")
				.split(/\s+/)
				.filter((word) => word !== ""),
		)
		.filter((words) => words.length > 0);
}
