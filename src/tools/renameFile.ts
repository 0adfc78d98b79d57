// rename_file: a file moves, its bytes stay.
import * as z from "zod";
import { defineTool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { fileExists } from "./createFile.ts";
import { requirePlainFile } from "./deleteFile.ts";
import { displayPath, pathFactOf, WorkspacePath } from "./shared/workspacePath.ts";

export const renameFile = defineTool({
	name: "rename_file",
	plugin: "files",
	description: "Rename or move one file.",
	permissions: ["ReadFiles", "WriteFiles", "CreateFiles"],
	capabilities: ["files.write", "files.create"],
	input: z.object({ from: WorkspacePath, to: WorkspacePath }),
	summary: ({ from, to }) => t("Rename {0} to {1}", from, to),
	done: ({ from, to }) => t("Renamed {0} to {1}", from, to),
	paths: ({ from, to }) => [
		{ path: from, use: "write" },
		{ path: to, use: "create" },
	],
	async edits({ from, to }, context) {
		const source = pathFactOf(context, from);
		const target = pathFactOf(context, to);
		const version = await requirePlainFile(context, source);
		const there = await context.workspace.lstat(target.literal);
		// On a disk that ignores case, a file stands in the way of its own new name.
		const itself =
			target.literal !== source.literal && target.literal.toLowerCase() === source.literal.toLowerCase() && target.real === source.real;
		if (there && !itself) throw fileExists(displayPath(target.literal, context.workspace), there.type === "directory");
		return [{ path: source.literal, action: "rename", to: target.literal, ...version }];
	},
});
