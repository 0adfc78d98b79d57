// The get_diagnostics and search_symbol tools, backed by the editor's language services.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import type { Diagnostic } from "../core/ports/workspace/language.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { filterVisible } from "./shared/protectedFilter.ts";
import { displayPath, fittingLines, pathFactOf, resultCounts, truncateLine, withToolProblem } from "./shared/toolHelpers.ts";

const MAX_DIAGNOSTICS = 200;
const MESSAGE_LIMIT = 500;
const bySeverity: Record<Diagnostic["severity"], number> = { error: 0, warning: 1, info: 2, hint: 3 };

export const getDiagnostics = defineTool({
	name: "get_diagnostics",
	plugin: "files",
	description: "Errors and warnings of the editor's language services.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ path: z.string().optional() }),
	...summaryAndDone("get_diagnostics"),
	paths: ({ path }) => (path === undefined ? [] : [{ path, use: "read" }]),
	async run({ path }, context) {
		const { workspace, signal } = context;
		const fact = path === undefined ? undefined : pathFactOf(context, path);
		const all = await withToolProblem(signal, "The problems could not be listed.", () => workspace.diagnostics(fact?.literal));
		const visible = await filterVisible(context, all, (diagnostic) => diagnostic.path, fact?.literal);
		visible.sort((one, other) => bySeverity[one.severity] - bySeverity[other.severity]);
		const output = fittingLines(
			visible.slice(0, MAX_DIAGNOSTICS).map((diagnostic) => {
				const message = truncateLine(diagnostic.message.replace(/\s*\n\s*/g, " "), MESSAGE_LIMIT);
				return `${displayPath(diagnostic.path, workspace)}:${diagnostic.line}: ${diagnostic.severity}: ${message}`;
			}),
		);
		if (output.length < visible.length) output.push(`[${visible.length - output.length} more]`);
		return {
			output: output.join("\n") || "No problems reported.",
			view: { kind: "text", figure: resultCounts.problems(visible.length) },
		};
	},
});

const MAX_SYMBOLS = 100;

export const searchSymbol = defineTool({
	name: "search_symbol",
	plugin: "files",
	description: "Find where a function, class or other symbol is defined.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ query: z.string().min(1) }),
	...summaryAndDone("search_symbol"),
	async run({ query }, context) {
		const { workspace, signal, seen } = context;
		const hits = await withToolProblem(signal, "The symbols could not be searched.", () => workspace.symbols(query, signal));
		const visible = await filterVisible(context, hits, (hit) => hit.path);
		const shown = visible.slice(0, MAX_SYMBOLS);
		for (const hit of shown) seen.show(hit.path);
		const output = shown.map((hit) => `${displayPath(hit.path, workspace)}:${hit.line}: ${hit.kind} ${hit.name}`);
		if (visible.length > MAX_SYMBOLS) output.push(`[${visible.length - MAX_SYMBOLS} more]`);
		return {
			output: output.join("\n") || `No symbol matches ${query}. The language services may not know this language: try search_code.`,
			view: { kind: "text", figure: resultCounts.symbols(visible.length) },
		};
	},
});
