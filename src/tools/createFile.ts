// create_file: a file where there was none.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { isWellFormedText } from "./shared/textFile.ts";
import { displayPath, pathFactOf, WorkspacePath } from "./shared/workspacePath.ts";

export const createFile = defineTool({
	name: "create_file",
	plugin: "files",
	description: "Create a file, with its folders.",
	permissions: ["WriteFiles", "CreateFiles"],
	capabilities: ["files.create"],
	input: z.object({ path: WorkspacePath, content: z.string() }),
	summary: ({ path }) => t("Create {0}", path),
	done: ({ path }) => t("Created {0}", path),
	paths: ({ path }) => [{ path, use: "create" }],
	async edits({ path, content }, context) {
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, context.workspace);
		if (!isWellFormedText(content))
			throw new ToolError("`content` holds half of a surrogate pair, which no file can hold. Write the whole character.");
		const there = await context.workspace.lstat(fact.literal);
		if (there) throw fileExists(name, there.type === "directory");
		return [{ path: fact.literal, action: "create", content: Buffer.from(content, "utf8") }];
	},
});

export function fileExists(name: string, folder: boolean): ToolError {
	if (folder) return new ToolError(`${name} is a folder; nothing was changed. Choose another path.`);
	return new ToolError(`${name} exists already; nothing was changed. Use update_file to change it, or choose another path.`);
}
