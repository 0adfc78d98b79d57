// Parses JSON definition files with comments, and locates fields by line.

import type { Node, ParseError } from "jsonc-parser";
import { isRecord } from "../core/isRecord.ts";
import { t } from "../shared/l10n.ts";

export interface DefinitionEntry {
	/** An unvalidated definition. */
	value: unknown;
	/** The line of a field or its nearest parent, starting at 1. */
	lineOf(field: readonly (string | number)[]): number | undefined;
	/** Ignored parts, one sentence each. */
	notes: readonly string[];
}

export type ParsedDefinitionFile = { entries: readonly DefinitionEntry[] } | { problem: string; line?: number };

/** Deeper than any valid definition; limits recursion. */
const MOST_DEPTH = 24;
const MOST_ENTRIES = 500;

/** Messages for the parser's error names. */
const WHY_NOT: Partial<Record<string, () => string>> = {
	PropertyNameExpected: () => t("Invalid JSON: field name expected"),
	ValueExpected: () => t("Invalid JSON: value expected"),
	ColonExpected: () => t("Invalid JSON: colon expected"),
	CommaExpected: () => t("Invalid JSON: comma expected"),
	CloseBraceExpected: () => t("Invalid JSON: closing brace expected"),
	CloseBracketExpected: () => t("Invalid JSON: closing bracket expected"),
	EndOfFileExpected: () => t("Invalid JSON: end of file expected"),
	UnexpectedEndOfString: () => t("Invalid JSON: closing quotation mark expected"),
};

const whyNot = (name = ""): string => WHY_NOT[name]?.() ?? t("Invalid JSON: unexpected symbol");

/** Parses one definition, or `{ "agents": [ … ] }`. `text` has no byte order mark. */
export async function parseDefinitionJson(text: string): Promise<ParsedDefinitionFile> {
	const { depth, colons } = shapeOf(text);
	if (depth > MOST_DEPTH) return { problem: t("Nested more than {0} levels deep", MOST_DEPTH) };
	const { parseTree, findNodeAtLocation, printParseErrorCode } = await import("jsonc-parser");
	const line = (offset: number): number => text.slice(0, offset).split(/\r\n|\r|\n/).length;
	const errors: ParseError[] = [];
	let parsed: Node | undefined;
	const tree = (): Node | undefined => {
		parsed ??= parseTree(text, errors, { allowTrailingComma: true });
		return parsed;
	};
	let value = plainJson(text);
	// With duplicate fields there are more colons than fields.
	if (value === undefined || fieldsIn(value) !== colons) {
		const root = tree();
		const [error] = errors;
		if (text.trim() === "") return { problem: t("Must not be empty"), line: 1 };
		if (error || !root) return { problem: whyNot(error && printParseErrorCode(error.error)), line: line(error?.offset ?? 0) };
		const twice = doubled(root);
		if (twice) return { problem: t("Duplicate field {0}", String(twice.value)), line: line(twice.offset) };
		value = asValue(root);
	}
	const entry = (one: unknown, at: readonly (string | number)[]): DefinitionEntry => ({
		value: one,
		lineOf(field) {
			const [root, path] = [tree(), [...at, ...field]];
			for (let length = path.length; root && length >= 0; length--) {
				const node = findNodeAtLocation(root, path.slice(0, length));
				if (node) return line(node.parent?.type === "property" ? node.parent.offset : node.offset);
			}
			return undefined;
		},
		notes: [],
	});
	const list = isRecord(value) && Object.hasOwn(value, "agents") ? value["agents"] : undefined;
	if (!Array.isArray(list)) return { entries: [entry(value, [])] };
	if (list.length > MOST_ENTRIES) return { problem: t("Must have {0} entries or fewer", MOST_ENTRIES) };
	return { entries: list.map((one: unknown, index) => entry(one, ["agents", index])) };
}

/** Faster than the parser with positions and comments; returns undefined if that one is needed. */
function plainJson(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function fieldsIn(value: unknown): number {
	if (typeof value !== "object" || value === null) return 0;
	const parts = Object.values(value);
	return parts.reduce((sum: number, part) => sum + fieldsIn(part), Array.isArray(value) ? 0 : parts.length);
}

/** Returns the nesting depth of brackets, even in invalid JSON, and the number of colons outside strings. */
function shapeOf(text: string): { depth: number; colons: number } {
	let [depth, most, colons, quoted] = [0, 0, 0, false];
	for (let at = 0; at < text.length; at++) {
		const character = text.charCodeAt(at);
		if (quoted) {
			if (character === BACKSLASH) at++;
			else if (character === QUOTE || character === NEWLINE) quoted = false;
		} else if (character === QUOTE) quoted = true;
		else if (character === COLON) colons++;
		else if (character === BRACE || character === BRACKET) most = Math.max(most, ++depth);
		else if (character === BRACE + 2 || character === BRACKET + 2) depth--;
	}
	return { depth: most, colons };
}

const [NEWLINE, QUOTE, COLON, BRACKET, BACKSLASH, BRACE] = [0x0a, 0x22, 0x3a, 0x5b, 0x5c, 0x7b];

/** Finds a duplicate field, whose value would be ambiguous. */
function doubled(node: Node): Node | undefined {
	const seen = new Set<unknown>();
	for (const child of node.children ?? []) {
		const key = child.type === "property" ? child.children?.[0] : undefined;
		if (key && seen.has(key.value)) return key;
		if (key) seen.add(key.value);
		const inside = doubled(key ? (child.children?.[1] ?? key) : child);
		if (inside) return inside;
	}
	return undefined;
}

/** Returns the same result as JSON.parse: `__proto__` is an ordinary name. */
function asValue(node: Node): unknown {
	if (node.type === "array") return (node.children ?? []).map(asValue);
	if (node.type !== "object") return node.value as unknown;
	return Object.fromEntries(
		(node.children ?? []).flatMap(({ children }) => {
			const [key, value] = children ?? [];
			return key && value ? [[key.value as string, asValue(value)]] : [];
		}),
	);
}
