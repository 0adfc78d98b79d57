// Definition files in JSON, with comments: the entries in them, and on which line each field stands.
import type { Node, ParseError } from "jsonc-parser";
import { t } from "../l10n.ts";

export interface FileEntry {
	/** What stands there: a definition still to be checked. */
	value: unknown;
	/** The line of a field, or of what is nearest to it, from 1. */
	lineOf(field: readonly (string | number)[]): number | undefined;
	/** What of it does not count, a sentence each. */
	notes: readonly string[];
}

export type ReadFile = { entries: readonly FileEntry[] } | { problem: string; line?: number };

/** Deeper than any definition; a text nested without end would outgrow the stack of whoever walks it. */
const MOST_DEPTH = 24;
const MOST_ENTRIES = 500;

/** One definition, or `{ "agents": [ … ] }`. `text` has no byte order mark. */
export async function readJson(text: string): Promise<ReadFile> {
	if (deepest(text) > MOST_DEPTH) return { problem: t("it is nested deeper than {0} levels", MOST_DEPTH) };
	const { parseTree, findNodeAtLocation, printParseErrorCode } = await import("jsonc-parser");
	const errors: ParseError[] = [];
	const tree = parseTree(text, errors, { allowTrailingComma: true });
	const line = (offset: number): number => text.slice(0, offset).split(/\r\n|\r|\n/).length;
	const [error] = errors;
	if (error) return { problem: t("it is not JSON ({0})", printParseErrorCode(error.error)), line: line(error.offset) };
	if (!tree) return { problem: t("it is empty") };
	const twice = doubled(tree);
	if (twice) return { problem: t("the field {0} stands there twice", String(twice.value)), line: line(twice.offset) };
	const entry = (at: readonly (string | number)[]): FileEntry => ({
		value: asValue(findNodeAtLocation(tree, [...at]) as Node),
		lineOf(field) {
			const path = [...at, ...field];
			for (let length = path.length; length >= 0; length--) {
				const node = findNodeAtLocation(tree, path.slice(0, length));
				if (node) return line(node.parent?.type === "property" ? node.parent.offset : node.offset);
			}
			return undefined;
		},
		notes: [],
	});
	const list = findNodeAtLocation(tree, ["agents"]);
	if (list?.type !== "array") return { entries: [entry([])] };
	const length = list.children?.length ?? 0;
	if (length > MOST_ENTRIES) return { problem: t("it has more than {0} entries", MOST_ENTRIES), line: line(list.offset) };
	return { entries: Array.from({ length }, (_, index) => entry(["agents", index])) };
}

/** How deep brackets are nested, whatever else is wrong. */
function deepest(text: string): number {
	let [depth, most, quoted] = [0, 0, false];
	for (let at = 0; at < text.length; at++) {
		const character = text[at];
		if (quoted) {
			if (character === "\\") at++;
			else if (character === '"' || character === "\n") quoted = false;
		} else if (character === '"') quoted = true;
		else if (character === "{" || character === "[") most = Math.max(most, ++depth);
		else if (character === "}" || character === "]") depth--;
	}
	return most;
}

/** A field that a reader would find once more: which of the two counts is anybody's guess. */
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

/** As JSON.parse would give it: `__proto__` is a name like any other. */
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
