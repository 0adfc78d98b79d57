// Parses front matter: YAML between two lines of --- at the start of a Markdown text.
import type { Document } from "yaml";

/**
 * `head` is the text between the two fences, including line endings. Returns undefined if the text has no front matter. Accepts a
 * byte order mark, spaces after a fence, and both kinds of line endings.
 */
export function splitFrontMatter(text: string): { head: string; body: string } | undefined {
	const parts = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)(?<=\n)---[ \t]*(?:\r?\n|$)/.exec(text);
	return parts ? { head: parts[1] ?? "", body: text.slice(parts[0].length) } : undefined;
}

/** Size limit in KB, because parsing YAML takes quadratic time. */
export const MAX_FRONT_MATTER = 16;

interface FrontMatter {
	value: unknown;
	/** The line of a field in the whole text, from 1. */
	lineOf(field: string): number | undefined;
}

type FrontMatterProblem =
	| { problem: "long" }
	| { problem: "aliases" }
	/** `detail` is the parser's message, in English; `line` is the line in the whole text, from 1. */
	| { problem: "syntax"; detail: string; line?: number };

/** Parses front matter. If it is not valid YAML, it is parsed again after `repair`. */
export async function parseFrontMatter(head: string, repair?: (head: string) => string): Promise<FrontMatter | FrontMatterProblem> {
	if (head.length > MAX_FRONT_MATTER * 1024) return { problem: "long" };
	const { parseDocument, LineCounter, isMap } = await import("./yaml.ts");
	const parse = (text: string): { document: Document; lines: InstanceType<typeof LineCounter> } => {
		const lines = new LineCounter();
		return { document: parseDocument(text, { lineCounter: lines, schema: "core", logLevel: "error" }), lines };
	};
	let parsed = parse(head);
	if (parsed.document.errors.length > 0 && repair) {
		const again = parse(repair(head));
		if (again.document.errors.length === 0) parsed = again;
	}
	const { document, lines } = parsed;
	const [error] = document.errors;
	if (error) {
		const detail = error.message.split("\n")[0]?.replace(/ at line \d.*$/, "") ?? "";
		const line = error.linePos?.[0].line;
		return { problem: "syntax", detail, ...(line !== undefined && { line: line + 1 }) };
	}
	let value: unknown;
	try {
		value = document.toJS({ maxAliasCount: 0 });
	} catch {
		return { problem: "aliases" };
	}
	const { contents } = document;
	return {
		value,
		lineOf(field) {
			const pair = isMap(contents) ? contents.items.find(({ key }) => String(key) === field) : undefined;
			const range = (pair?.key as { range?: [number, number, number] } | undefined)?.range;
			return range ? lines.linePos(range[0]).line + 1 : undefined;
		},
	};
}
