// search_symbol: where something is defined, as the language services know it.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { filterVisible } from "./shared/protectedFilter.ts";
import { resultCounts } from "./shared/resultCounts.ts";
import { withToolProblem } from "./shared/toolErrors.ts";
import { displayPath } from "./shared/workspacePath.ts";

const SHOWN = 100;

export const searchSymbol = defineTool({
	name: "search_symbol",
	plugin: "files",
	description: "Find where a function, class or other symbol is defined.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ query: z.string().min(1) }),
	summary: ({ query }) => t("Find symbol {0}", query),
	done: ({ query }) => t("Found symbol {0}", query),
	async run({ query }, context) {
		const { workspace, signal, seen } = context;
		const hits = await withToolProblem(signal, "The symbols could not be searched.", () => workspace.symbols(query, signal));
		const visible = await filterVisible(context, hits, (hit) => hit.path);
		const shown = visible.slice(0, SHOWN);
		for (const hit of shown) seen.show(hit.path);
		const output = shown.map((hit) => `${displayPath(hit.path, workspace)}:${hit.line}: ${hit.kind} ${hit.name}`);
		if (visible.length > SHOWN) output.push(`[${visible.length - SHOWN} more]`);
		return {
			output: output.join("\n") || `No symbol matches ${query}. The language services may not know this language: try search_code.`,
			view: { kind: "text", figure: resultCounts.symbols(visible.length) },
		};
	},
});
