// delete_file: one file goes.
import * as z from "zod";
import { defineTool, type PathFacts, type ToolContext, ToolError } from "../core/ports/tool.ts";
import type { FileVersion } from "../core/ports/workspace.ts";
import { t } from "../shared/l10n.ts";
import { MAX_EDITABLE_BYTES, requireUnchangedFile } from "./shared/editableFile.ts";
import { fileNotFound } from "./shared/toolErrors.ts";
import { displayPath, pathFactOf, WorkspacePath } from "./shared/workspacePath.ts";

export const deleteFile = defineTool({
	name: "delete_file",
	plugin: "files",
	description: "Delete one file.",
	permissions: ["ReadFiles", "DeleteFiles"],
	capabilities: ["files.delete"],
	input: z.object({ path: WorkspacePath }),
	summary: ({ path }) => t("Delete {0}", path),
	done: ({ path }) => t("Deleted {0}", path),
	paths: ({ path }) => [{ path, use: "delete" }],
	async edits({ path }, context) {
		const fact = pathFactOf(context, path);
		return [{ path: fact.literal, action: "delete", ...(await requirePlainFile(context, fact)) }];
	},
});

/**
 * A file of its own that has not changed since it was read: a link's target is not what the path names, a folder is more.
 * Its version is what the person is shown; what it has become meanwhile is left alone.
 */
export async function requirePlainFile(context: ToolContext, fact: PathFacts): Promise<{ base?: FileVersion }> {
	const { workspace, seen } = context;
	const name = displayPath(fact.literal, workspace);
	const there = await workspace.lstat(fact.literal);
	if (!there) throw fileNotFound(name);
	if (there.link !== undefined)
		throw new ToolError(`${name} is a link; nothing was changed. Use execute_command to remove or move the link itself.`);
	if (there.type === "directory") throw new ToolError(`${name} is a folder; nothing was changed. Use execute_command for folders.`);
	if (seen.get(fact.literal)) return { base: await requireUnchangedFile(context, fact) };
	const base = there.size > MAX_EDITABLE_BYTES ? undefined : await workspace.version(fact.real);
	return base ? { base } : {};
}
