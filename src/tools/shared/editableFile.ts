// A file as an edit finds it: its text, how it is encoded, and the version the change rests on.
import type { PathFact } from "../../core/ports/pathFact.ts";
import { type ToolContext, ToolProblem } from "../../core/ports/tool.ts";
import type { FileVersion } from "../../core/ports/workspace.ts";
import { counted } from "./limits.ts";
import { decodeText, isBinary, type TextFile } from "./textFile.ts";
import { missing, orProblem } from "./toolErrors.ts";
import { shownPath } from "./workspacePath.ts";

/** Bytes. */
export const EDITABLE = 50 * 1024 * 1024;

/** Throws ToolProblem where an edit would harm the file: not text, too big, or changed since this session read it. */
export async function openForEdit(context: ToolContext, fact: PathFact): Promise<TextFile & { base: FileVersion }> {
	const { workspace, signal } = context;
	const name = shownPath(fact.literal, workspace);
	const base = await unchangedFile(context, fact);
	const bytes = await orProblem(signal, `${name} could not be read.`, () => workspace.read(fact.real));
	const file = decodeText(bytes);
	if (file) return { ...file, base };
	if (isBinary(bytes)) throw new ToolProblem(`${name} is a binary file; it was not changed. Only text can be edited.`);
	throw new ToolProblem(
		`${name} is neither valid UTF-8 nor UTF-16 with a byte order mark, so an edit would change other bytes too. It was not changed.`,
	);
}

/** The version of a plain file of bearable size that is still as this session read it, if it did. */
export async function unchangedFile(context: ToolContext, fact: PathFact): Promise<FileVersion> {
	const { workspace, seen } = context;
	const name = shownPath(fact.literal, workspace);
	const stat = await workspace.stat(fact.real);
	if (!stat) throw missing(name);
	if (stat.type !== "file") throw new ToolProblem(`${name} is not a file; nothing was changed.`);
	if (stat.size > EDITABLE) {
		throw new ToolProblem(`${name} has ${counted(stat.size, "byte")}; files over 50 MB are not changed. Use execute_command.`);
	}
	const version = await workspace.version(fact.real);
	if (!version) throw missing(name);
	const read = seen.get(fact.literal);
	if (read && read.hash !== version.hash) {
		throw new ToolProblem(
			`${name} has changed since it was read, so nothing was changed. Read it again with read_file, then repeat the edit.`,
		);
	}
	return version;
}
