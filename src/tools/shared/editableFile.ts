// A file as an edit finds it: its text, how it is encoded, and the version the change rests on.
import { type PathFacts, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import type { FileVersion } from "../../core/ports/workspace.ts";
import { formatCount } from "./limits.ts";
import { decodeText, isBinary, type TextFile } from "./textFile.ts";
import { fileNotFound, withToolProblem } from "./toolErrors.ts";
import { displayPath } from "./workspacePath.ts";

/** Bytes. */
export const MAX_EDITABLE_BYTES = 50 * 1024 * 1024;

/** Throws ToolProblem where an edit would harm the file: not text, too big, or changed since this session read it. */
export async function openForEdit(context: ToolContext, fact: PathFacts): Promise<TextFile & { base: FileVersion }> {
	const { workspace, signal } = context;
	const name = displayPath(fact.literal, workspace);
	const base = await requireUnchangedFile(context, fact);
	const bytes = await withToolProblem(signal, `${name} could not be read.`, () => workspace.read(fact.real));
	const file = decodeText(bytes);
	if (file) return { ...file, base };
	if (isBinary(bytes)) throw new ToolError(`${name} is a binary file; it was not changed. Only text can be edited.`);
	throw new ToolError(
		`${name} is neither valid UTF-8 nor UTF-16 with a byte order mark, so an edit would change other bytes too. It was not changed.`,
	);
}

/** The version of a plain file of bearable size that is still as this session read it, if it did. */
export async function requireUnchangedFile(context: ToolContext, fact: PathFacts): Promise<FileVersion> {
	const { workspace, seen } = context;
	const name = displayPath(fact.literal, workspace);
	const stat = await workspace.stat(fact.real);
	if (!stat) throw fileNotFound(name);
	if (stat.type !== "file") throw new ToolError(`${name} is not a file; nothing was changed.`);
	if (stat.size > MAX_EDITABLE_BYTES) {
		throw new ToolError(`${name} has ${formatCount(stat.size, "byte")}; files over 50 MB are not changed. Use execute_command.`);
	}
	const version = await workspace.version(fact.real);
	if (!version) throw fileNotFound(name);
	const read = seen.get(fact.literal);
	if (read && read.hash !== version.hash) {
		throw new ToolError(
			`${name} has changed since it was read, so nothing was changed. Read it again with read_file, then repeat the edit.`,
		);
	}
	return version;
}
