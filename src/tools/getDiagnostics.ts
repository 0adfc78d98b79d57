// get_diagnostics: errors and warnings that the editor shows.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import type { Diagnostic } from "../core/ports/workspace.ts";
import { t } from "../shared/l10n.ts";
import { fittingLines, truncateLine } from "./shared/limits.ts";
import { filterVisible } from "./shared/protectedFilter.ts";
import { resultCounts } from "./shared/resultCounts.ts";
import { withToolProblem } from "./shared/toolErrors.ts";
import { displayPath, pathFactOf, WorkspacePath } from "./shared/workspacePath.ts";

const SHOWN = 200;
const MESSAGE_LIMIT = 500;
const bySeverity: Record<Diagnostic["severity"], number> = { error: 0, warning: 1, info: 2, hint: 3 };

export const getDiagnostics = defineTool({
	name: "get_diagnostics",
	plugin: "files",
	description: "Errors and warnings of the editor's language services.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ path: WorkspacePath.optional() }),
	summary: ({ path }) => (path === undefined ? t("Check for problems") : t("Check {0} for problems", path)),
	done: ({ path }) => (path === undefined ? t("Checked for problems") : t("Checked {0} for problems", path)),
	paths: ({ path }) => (path === undefined ? [] : [{ path, use: "read" }]),
	async run({ path }, context) {
		const { workspace, signal } = context;
		const fact = path === undefined ? undefined : pathFactOf(context, path);
		const all = await withToolProblem(signal, "The problems could not be listed.", () => workspace.diagnostics(fact?.literal));
		const visible = await filterVisible(context, all, (diagnostic) => diagnostic.path, fact?.literal);
		visible.sort((one, other) => bySeverity[one.severity] - bySeverity[other.severity]);
		const output = fittingLines(
			visible.slice(0, SHOWN).map((diagnostic) => {
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
