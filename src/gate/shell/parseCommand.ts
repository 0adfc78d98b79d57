// Parses a command line with the bash grammar and requires agreement with the plain shell reader.

// A command line outside the plain subset is parsed only roughly.
import type { Node, Parser } from "web-tree-sitter";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { MAX_SPLIT_LENGTH, mentionedCommands } from "./mentionedCommands.ts";
import { type PlainCommand, parsePlainShell } from "./plainShell.ts";

export interface ParsedCommand {
	/** Reason why it is not a plain command line, as a sentence. */
	odd?: string;
	plain: PlainCommand[];
	/** Every command that it may contain; empty if the text is too long to split. */
	mentioned: string[][];
}

const plainKinds = new Set(
	(
		"program list pipeline command command_name word string string_content raw_string concatenation number extglob_pattern " +
		"redirected_statement file_redirect file_descriptor variable_assignment variable_name simple_expansion special_variable_name expansion"
	).split(" "),
);
/** Maximum nodes per line: a plain one has far fewer, and takes far less time. */
const MAX_NODES = 10_000;
/** Steps of the parser, each about 0.1 ms; counted, not timed, so that a busy computer doesn't make plain lines ask. */
const MAX_STEPS = 400;

/** Parsers by folder, for all gates: a second one would free the memory of the first with its own when that is collected. */
const parsers = new Map<string, Promise<Parser>>();

/** `folder` contains web-tree-sitter.wasm and tree-sitter-bash.wasm; loaded once. */
export async function parseCommand(folder: string, text: string, log?: (line: string) => void): Promise<ParsedCommand> {
	try {
		const parser = parsers.get(folder) ?? import("./bashParser.ts").then(({ createBashParser }) => createBashParser(folder));
		parsers.set(folder, parser);
		return parseWith(await parser, text);
	} catch (error) {
		parsers.delete(folder);
		return { odd: t("The command can't be parsed. {0}", reasonOf(error, log)), plain: [], mentioned: [] };
	}
}

/**
 * The grammar explores every interpretation of an odd line and can take seconds, so only plain lines, which parse in linear time, are
 * passed to it.
 */
function parseWith(parser: Parser, text: string): ParsedCommand {
	const plain = parsePlainShell(text);
	if ("odd" in plain) {
		return { odd: plain.odd, plain: [], mentioned: text.length > MAX_SPLIT_LENGTH ? [] : mentionedCommands(text) };
	}
	const mentioned = plain.commands.map(({ words }) => words.map(({ text: word }) => word));
	const found = commandsIn(parser, text);
	const agreed = JSON.stringify(found) === JSON.stringify(plain.commands.map(bareWords));
	return { ...(!agreed && { odd: t("The command can't be parsed reliably.") }), plain: plain.commands, mentioned };
}

/** All simple commands of a text in order; undefined if it contains anything else. */
function commandsIn(parser: Parser, text: string): string[][] | undefined {
	let steps = 0;
	// The declared type has no result, but a truthy one stops the parse.
	const tree = parser.parse(text, null, { progressCallback: () => ++steps > MAX_STEPS });
	if (!tree) {
		parser.reset();
		return undefined;
	}
	try {
		if (tree.rootNode.hasError) return undefined;
		const commands: string[][] = [];
		const open: Node[] = [tree.rootNode];
		let nodes = 0;
		for (let node = open.pop(); node; node = open.pop()) {
			const bracket = bracketWords(node);
			if (bracket) {
				commands.push(bracket);
				continue;
			}
			if (node.isMissing || (node.isNamed && !plainKinds.has(node.type)) || ++nodes > MAX_NODES) return undefined;
			const words = commandWords(node);
			if (words && words.length > 0) commands.push(words);
			for (let index = node.childCount - 1; index >= 0; index--) {
				const child = node.child(index);
				if (child) open.push(child);
			}
		}
		return commands;
	} finally {
		tree.delete();
	}
}

function bareWords({ words }: PlainCommand): string[] {
	return words.map(({ bare }) => bare);
}

/** `[ … ]`: the grammar parses an expression there and does not keep its words. */
function bracketWords(node: Node): string[] | undefined {
	if (node.type !== "test_command" || !node.text.startsWith("[ ")) return undefined;
	const plain = parsePlainShell(node.text);
	const [only, ...more] = "odd" in plain ? [] : plain.commands;
	return only && more.length === 0 ? bareWords(only) : undefined;
}

/** Returns undefined for a node that is not a command. */
function commandWords(node: Node): string[] | undefined {
	if (node.type !== "command") return undefined;
	return node.children.flatMap((child) => {
		if (!child?.isNamed || child.type === "variable_assignment" || child.type.endsWith("_redirect")) return [];
		return [unquoted(child)];
	});
}

/** Text that only the shell can resolve becomes "". */
function unquoted(node: Node): string {
	switch (node.type) {
		case "word":
		case "number":
			return node.childCount > 0 ? joined(node) : node.text.replace(/\\(.)/gs, "$1");
		case "raw_string":
			return node.text.slice(1, -1);
		case "string":
			return quotedText(node);
		case "simple_expansion":
		case "expansion":
			return "";
		default:
			return node.childCount > 0 ? joined(node) : node.text;
	}
}

function joined(node: Node): string {
	return node.children.map((child) => (child ? unquoted(child) : "")).join("");
}

/** The grammar may omit spaces of a string from its parts, so the text between two parts is taken from the source. */
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
