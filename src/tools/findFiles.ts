// The find_files tool: finds files by glob.
import * as z from "zod";
import { defineTool, type ToolContext } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { filterVisible, protectedNote } from "./shared/protectedFilter.ts";
import { childPath, displayPath, fileNotFound, fittingLines, pathFactOf, resultCounts, withToolProblem } from "./shared/toolHelpers.ts";

const SHOWN = 500;
/** Maximum number of files counted. */
const COUNTED = 5_000;

export const findFiles = defineTool({
	name: "find_files",
	plugin: "files",
	description: "Find files by glob, e.g. src/**/*.ts. Ignored files are left out.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ glob: z.string().min(1).max(256), path: z.string().optional() }),
	...summaryAndDone("find_files"),
	paths: ({ path }) => (path === undefined ? [] : [{ path, use: "read" }]),
	async run({ glob, path }, context) {
		const roots = await rootsOf(context, path);
		const found: string[] = [];
		const shown: string[] = [];
		let more = false;
		let searchLimit: number | undefined;
		for (const root of roots) {
			const {
				paths,
				more: unseen,
				bounded,
			} = await withToolProblem(context.signal, "The files could not be searched.", () =>
				context.workspace.find(glob, { under: root.real, limit: COUNTED, signal: context.signal }),
			);
			const literal = paths.map((name) => childPath(root.literal, name));
			found.push(...literal);
			shown.push(...(await filterVisible(context, literal, (file) => file, root.literal)));
			more ||= unseen;
			searchLimit ??= bounded;
		}
		const names = shown.map((file) => displayPath(file, context.workspace)).sort();
		const output = fittingLines(names.slice(0, SHOWN));
		const rest = names.length - output.length;
		if (more) output.push(`[more than ${rest} more; narrow the glob]`);
		else if (rest > 0) output.push(`[${rest} more]`);
		if (searchLimit !== undefined) output.push(`[no more than ${searchLimit} files were looked at; narrow with path or glob]`);
		output.push(...protectedNote(found.length - shown.length, "entries not shown"));
		return {
			output: output.join("\n") || `No file matches ${glob}. Ignored files are not searched; ** matches folders.`,
			view: { kind: "text", figure: more ? t("{0} or more files", names.length) : resultCounts.files(names.length) },
		};
	},
});

/** The roots of a search: the given folder, else all workspace folders. */
async function rootsOf(context: ToolContext, path: string | undefined): Promise<{ literal: string; real: string }[]> {
	const { workspace } = context;
	if (path === undefined) return workspace.folders().map((folder) => ({ literal: folder.path, real: folder.path }));
	const fact = pathFactOf(context, path);
	if (!(await workspace.stat(fact.real))) throw fileNotFound(displayPath(fact.literal, workspace));
	return [fact];
}
