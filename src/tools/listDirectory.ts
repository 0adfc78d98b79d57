// list_directory: what lies in one folder.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { filterVisible, protectedNote } from "./shared/protectedFilter.ts";
import { resultCounts } from "./shared/resultCounts.ts";
import { fileNotFound, withToolProblem } from "./shared/toolErrors.ts";
import { childPath, displayPath, pathFactOf, WorkspacePath } from "./shared/workspacePath.ts";

const SHOWN = 1_000;

export const listDirectory = defineTool({
	name: "list_directory",
	plugin: "files",
	description: "List one folder.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ path: WorkspacePath }),
	summary: ({ path }) => t("List {0}", path),
	done: ({ path }) => t("Listed {0}", path),
	paths: ({ path }) => [{ path, use: "read" }],
	async run({ path }, context) {
		const { workspace, signal } = context;
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, workspace);
		const stat = await workspace.stat(fact.real);
		if (!stat) throw fileNotFound(name);
		if (stat.type !== "directory") throw new ToolError(`${name} is a file. Use read_file.`);
		const entries = await withToolProblem(signal, `${name} could not be listed.`, () => workspace.list(fact.real));
		const visible = await filterVisible(context, entries, (entry) => childPath(fact.literal, entry.name), fact.literal);
		const folders = visible.filter((entry) => entry.type === "directory").map((entry) => `${entry.name}/`);
		const files = visible.filter((entry) => entry.type !== "directory").map((entry) => entry.name);
		const names = [...folders.sort(byName), ...files.sort(byName)];
		const output = names.slice(0, SHOWN);
		if (names.length > SHOWN) output.push(`[${names.length - SHOWN} more; narrow with find_files]`);
		output.push(...protectedNote(entries.length - visible.length, "entries not shown"));
		return {
			output: output.join("\n") || "[the folder is empty]",
			view: { kind: "text", figure: resultCounts.entries(names.length) },
		};
	},
});

function byName(one: string, other: string): number {
	if (one === other) return 0;
	return one < other ? -1 : 1;
}
