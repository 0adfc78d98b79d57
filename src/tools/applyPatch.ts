// The apply_patch tool: changes several files, all or none.
import * as z from "zod";
import { defineTool, type ToolContext, ToolError } from "../core/ports/tool.ts";
import type { FileEdit } from "../core/ports/workspace/files.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { fileExists, requirePlainFile } from "./fileTools.ts";
import { applyHunks, type PatchSection, parsePatch, pathsOfPatch } from "./shared/patchFormat.ts";
import { encodeText, isWellFormedText, openForEdit } from "./shared/textFile.ts";
import { displayPath, pathFactOf } from "./shared/toolHelpers.ts";

export const applyPatch = defineTool({
	name: "apply_patch",
	plugin: "files",
	description:
		"Change several files, all or none. Format: `*** Begin Patch`, then `*** Add File: p` (+lines), `*** Delete File: p` or `*** Update File: p` (optional `*** Move to: p`, hunks of `@@ context line` and lines with ` `, `-`, `+`), then `*** End Patch`.",
	permissions: ["ReadFiles", "WriteFiles"],
	capabilities: ["files.write", "files.create", "files.delete"],
	input: z.object({ patch: z.string().min(1) }),
	...summaryAndDone("apply_patch"),
	paths: ({ patch }) => pathsOfPatch(patch),
	async edits({ patch }, context) {
		if (!isWellFormedText(patch))
			throw new ToolError("The patch holds half of a surrogate pair, which no file can hold. Write the whole character.");
		const sections = parsePatch(patch);
		refuseDuplicatePaths(sections, context);
		const edits: FileEdit[] = [];
		for (const section of sections) edits.push(await editOf(section, context));
		return edits;
	},
});

async function editOf(section: PatchSection, context: ToolContext): Promise<FileEdit> {
	const fact = pathFactOf(context, section.path);
	if (section.action === "add") {
		await requireFree(section.path, context);
		const content = section.lines.map((line) => `${line}\n`).join("");
		return { path: fact.literal, action: "create", content: Buffer.from(content, "utf8") };
	}
	if (section.action === "delete") {
		return { path: fact.literal, action: "delete", ...(await requirePlainFile(context, fact)) };
	}
	if (section.moveTo === undefined) return { path: fact.literal, action: "update", ...(await applySection(section, context)) };
	const version = await requirePlainFile(context, fact);
	await requireFree(section.moveTo, context);
	const to = pathFactOf(context, section.moveTo).literal;
	if (section.hunks.length === 0) return { path: fact.literal, action: "rename", to, ...version };
	return { path: fact.literal, action: "rename", to, ...(await applySection(section, context)) };
}

async function applySection(section: Extract<PatchSection, { action: "update" }>, context: ToolContext) {
	const fact = pathFactOf(context, section.path);
	const { text, encoding, base } = await openForEdit(context, fact);
	const changed = applyHunks(text, section.hunks, displayPath(fact.literal, context.workspace));
	return { content: encodeText({ text: changed, encoding }), base };
}

async function requireFree(path: string, context: ToolContext): Promise<void> {
	const fact = pathFactOf(context, path);
	const existing = await context.workspace.lstat(fact.literal);
	if (existing) throw fileExists(displayPath(fact.literal, context.workspace), existing.type === "directory");
}

/** Two sections for one file would each be based on the file's state before the other. */
function refuseDuplicatePaths(sections: readonly PatchSection[], context: ToolContext): void {
	const seen = new Set<string>();
	for (const section of sections) {
		const names = section.action === "update" && section.moveTo !== undefined ? [section.path, section.moveTo] : [section.path];
		for (const name of names) {
			const { literal, real } = pathFactOf(context, name);
			if (seen.has(literal) || seen.has(real)) {
				throw new ToolError(`The patch names ${name} more than once; nothing was changed. Put all its hunks into one section.`);
			}
			seen.add(literal).add(real);
		}
	}
}
