// Shared helpers of the tools: paths, pages of output, counts and errors. The gate authorizes paths; nothing here does.
import * as z from "zod";
import { formatDisplayPath as shownIn } from "../../core/paths.ts";
import { type PathFacts, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { formatNumber as shown, t } from "../../shared/l10n.ts";
import { hasReason, modelReasonOf } from "../../shared/reasonOf.ts";
import { characterStart } from "../../shared/utf8.ts";

/** The prompt says the same; where a file is changed or read whole, it is said again. */
export const WorkspacePath = z.string().describe("Relative to the workspace folder");

/** The gate's facts about a path of this call. Throws for a path that the gate has not checked. */
export function pathFactOf(context: Pick<ToolContext, "paths">, given: string): PathFacts {
	const fact = context.paths.get(given);
	if (!fact) throw new ToolError(`The path ${given} was not judged, so it was not touched. Name it as an argument of its own.`);
	if (fact.refused !== undefined) throw new ToolError(`The path ${given} is refused: ${fact.refused}`);
	return fact;
}

/** Formats an absolute path for users and models. */
export function displayPath(path: string, workspace: Pick<Workspace, "folders">): string {
	return shownIn(path, workspace.folders());
}

/** The path of a folder's child. */
export function childPath(folder: string, name: string): string {
	return withSlash(folder) + name;
}

function withSlash(path: string): string {
	return path.endsWith("/") ? path : `${path}/`;
}

/** Bytes of one page of output; with its notes, it stays within the 32 KB that a model gets at once. */
export const PAGE_BYTES = 31 * 1024;

/** Truncates a line at a character boundary and notes by how much. `length` is that of the whole line. */
export function truncateLine(line: string, limit: number, length = line.length): string {
	if (length <= limit) return line;
	const visible = wholeCharacters(line, limit);
	return `${visible} … [${length - visible.length} more characters]`;
}

/** The lines that fit on a page, at least one. */
export function fittingLines(lines: readonly string[], bytes = PAGE_BYTES): string[] {
	let left = bytes;
	const end = lines.findIndex((line, index) => {
		left -= Buffer.byteLength(line) + 1;
		return left < 0 && index > 0;
	});
	return end < 0 ? [...lines] : lines.slice(0, end);
}

/** A page of text from a byte offset, with a last line on how to continue if there is more. */
export function textPage(text: string, start: number): string {
	const bytes = Buffer.from(text);
	if (start >= bytes.length) return start === 0 ? "" : `[nothing from byte ${start} on: there are ${bytes.length} bytes]`;
	const from = characterStart(bytes, start);
	const end = characterStart(bytes, Math.min(bytes.length, from + PAGE_BYTES));
	const page = bytes.subarray(from, end).toString();
	if (from === 0 && end === bytes.length) return page;
	const next = end < bytes.length ? `; go on with start=${end}` : "";
	return `${page}\n[bytes ${from}-${end} of ${bytes.length}${next}]`;
}

export function formatCount(count: number, singular: string, plural = `${singular}s`): string {
	return `${count.toLocaleString("en-US")} ${count === 1 ? singular : plural}`;
}

function wholeCharacters(text: string, length: number): string {
	const last = text.charCodeAt(length - 1);
	return text.slice(0, last >= 0xd800 && last < 0xdc00 ? length - 1 : length);
}

export const resultCounts = {
	bytes: (count: number) => (count === 1 ? t("1 byte") : t("{0} bytes", shown(count))),
	entries: (count: number) => (count === 1 ? t("1 entry") : t("{0} entries", shown(count))),
	files: (count: number) => (count === 1 ? t("1 file") : t("{0} files", shown(count))),
	lines: (count: number) => (count === 1 ? t("1 line") : t("{0} lines", shown(count))),
	problems: (count: number) => (count === 1 ? t("1 problem") : t("{0} problems", shown(count))),
	steps: (count: number) => (count === 1 ? t("1 step") : t("{0} steps", shown(count))),
	symbols: (count: number) => (count === 1 ? t("1 symbol") : t("{0} symbols", shown(count))),
};

/** Runs a step and turns its errors into messages for the model; cancellation and bugs are passed on. */
export async function withToolProblem<T>(signal: AbortSignal, brief: string, step: () => Promise<T>): Promise<T> {
	try {
		return await step();
	} catch (error) {
		if (signal.aborted || error instanceof ToolError || !hasReason(error)) throw error;
		throw new ToolError(modelReasonOf(error, undefined), brief);
	}
}

export function fileNotFound(name: string): ToolError {
	return new ToolError(`There is no ${name}. Look for it with find_files or list_directory.`);
}
