// The create_file, delete_file and rename_file tools.
import * as z from "zod";
import { defineTool, type PathFacts, type ToolContext, ToolError } from "../core/ports/tool.ts";
import type { FileVersion } from "../core/ports/workspace/files.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { isWellFormedText, MAX_EDITABLE_BYTES, requireUnchangedFile } from "./shared/textFile.ts";
import { displayPath, fileNotFound, pathFactOf, WorkspacePath } from "./shared/toolHelpers.ts";

export const createFile = defineTool({
	name: "create_file",
	plugin: "files",
	description: "Create a file, with its folders.",
	permissions: ["WriteFiles", "CreateFiles"],
	capabilities: ["files.create"],
	input: z.object({ path: WorkspacePath, content: z.string() }),
	...summaryAndDone("create_file"),
	paths: ({ path }) => [{ path, use: "create" }],
	async edits({ path, content }, context) {
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, context.workspace);
		if (!isWellFormedText(content))
			throw new ToolError("`content` holds half of a surrogate pair, which no file can hold. Write the whole character.");
		const existing = await context.workspace.lstat(fact.literal);
		if (existing) throw fileExists(name, existing.type === "directory");
		return [{ path: fact.literal, action: "create", content: Buffer.from(content, "utf8") }];
	},
});

export function fileExists(name: string, folder: boolean): ToolError {
	if (folder) return new ToolError(`${name} is a folder; nothing was changed. Choose another path.`);
	return new ToolError(`${name} exists already; nothing was changed. Use update_file to change it, or choose another path.`);
}

export const deleteFile = defineTool({
	name: "delete_file",
	plugin: "files",
	description: "Delete one file.",
	permissions: ["ReadFiles", "DeleteFiles"],
	capabilities: ["files.delete"],
	input: z.object({ path: WorkspacePath }),
	...summaryAndDone("delete_file"),
	paths: ({ path }) => [{ path, use: "delete" }],
	async edits({ path }, context) {
		const fact = pathFactOf(context, path);
		return [{ path: fact.literal, action: "delete", ...(await requirePlainFile(context, fact)) }];
	},
});

/**
 * Requires a regular file, neither a link nor a folder, that has not changed since it was read. The returned version is the
 * one shown to the user, so that later changes are not overwritten.
 */
export async function requirePlainFile(context: ToolContext, fact: PathFacts): Promise<{ base?: FileVersion }> {
	const { workspace, seen } = context;
	const name = displayPath(fact.literal, workspace);
	const existing = await workspace.lstat(fact.literal);
	if (!existing) throw fileNotFound(name);
	if (existing.link !== undefined)
		throw new ToolError(`${name} is a link; nothing was changed. Use execute_command to remove or move the link itself.`);
	if (existing.type === "directory") throw new ToolError(`${name} is a folder; nothing was changed. Use execute_command for folders.`);
	if (seen.get(fact.literal)) return { base: await requireUnchangedFile(context, fact) };
	const base = existing.size > MAX_EDITABLE_BYTES ? undefined : await workspace.version(fact.real);
	return base ? { base } : {};
}

export const renameFile = defineTool({
	name: "rename_file",
	plugin: "files",
	description: "Rename or move one file.",
	permissions: ["ReadFiles", "WriteFiles", "CreateFiles"],
	capabilities: ["files.write", "files.create"],
	input: z.object({ from: WorkspacePath, to: WorkspacePath }),
	...summaryAndDone("rename_file"),
	paths: ({ from, to }) => [
		{ path: from, use: "write" },
		{ path: to, use: "create" },
	],
	async edits({ from, to }, context) {
		const source = pathFactOf(context, from);
		const target = pathFactOf(context, to);
		const version = await requirePlainFile(context, source);
		const existing = await context.workspace.lstat(target.literal);
		// On case-insensitive file systems, a file exists under its own new name.
		const isSameFile =
			target.literal !== source.literal && target.literal.toLowerCase() === source.literal.toLowerCase() && target.real === source.real;
		if (existing && !isSameFile) throw fileExists(displayPath(target.literal, context.workspace), existing.type === "directory");
		return [{ path: source.literal, action: "rename", to: target.literal, ...version }];
	},
});
