// The read_file tool: returns a page of numbered lines, or an image.
import * as z from "zod";
import { checkImage, detectImageType, readImageSize } from "../core/images.ts";
import { defineTool, type PathFacts, type ToolContext, ToolError, type ToolOutput } from "../core/ports/tool.ts";
import { sha256 } from "../shared/node/hash.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { type LinePage, readLinePage, WHOLE } from "./shared/linePages.ts";
import { displayPath, fileNotFound, formatCount, pathFactOf, resultCounts, WorkspacePath, withToolProblem } from "./shared/toolHelpers.ts";

/** Maximum bytes of a file that can be edited. Hashing larger files would serve no purpose. */
const EDITABLE = 50 * 1024 * 1024;

export const readFile = defineTool({
	name: "read_file",
	plugin: "files",
	description: "Read a text file: numbered lines, a page at a time. An image is shown to you.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({
		path: WorkspacePath,
		start: z.number().int().positive().optional().describe("First line"),
		end: z.number().int().positive().optional().describe("Last line"),
	}),
	...summaryAndDone("read_file"),
	paths: ({ path }) => [{ path, use: "read" }],
	async run({ path, start, end }, context) {
		const { workspace, seen, signal } = context;
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, workspace);
		const first = start ?? 1;
		const last = end ?? Number.POSITIVE_INFINITY;
		if (last < first) throw new ToolError(`end=${last} lies before start=${first}. Give the first line as start.`);
		const stat = await workspace.stat(fact.real);
		if (!stat) throw fileNotFound(name);
		if (stat.type === "directory") throw new ToolError(`${name} is a folder. Use list_directory.`);
		if (stat.type !== "file") throw new ToolError(`${name} is neither a file nor a folder, so there is nothing to read.`);
		const unreadable = `${name} could not be read.`;
		const bytes = stat.size <= WHOLE ? await withToolProblem(signal, unreadable, () => workspace.read(fact.real)) : undefined;
		const head = bytes ?? (await workspace.peek(fact.real, 16)) ?? new Uint8Array();
		if (detectImageType(head)) return readImage(fact, name, { size: stat.size, bytes }, context);
		const version = bytes ? { hash: sha256(bytes) } : stat.size <= EDITABLE ? await workspace.version(fact.real) : undefined;
		const page = await withToolProblem(signal, unreadable, () =>
			readLinePage(workspace, { path: fact.real, size: stat.size, ...(bytes && { bytes }) }, { first, last }, signal),
		);
		if (!page) {
			const size = formatCount(stat.size, "byte");
			throw new ToolError(`${name} is a binary file of ${size}. It cannot be read as text; get_file_info tells what is known of it.`);
		}
		if (version) seen.set(fact.literal, version);
		if (page.lines.length === 0 && page.total > 0) {
			const much = page.gaveUp ? `more lines than the first ${page.total} that were searched` : formatCount(page.total, "line");
			throw new ToolError(`${name} has ${much}; line ${first} was not reached. Use a smaller start, or search_code.`);
		}
		return {
			output: formatPage(page),
			view: { kind: "file", path: name, line: first, figure: resultCounts.lines(page.lines.length) },
		};
	},
});

async function readImage(
	{ real, literal }: PathFacts,
	name: string,
	{ size, bytes: known }: { size: number; bytes: Uint8Array | undefined },
	{ workspace, seen, signal }: ToolContext,
): Promise<ToolOutput> {
	const smaller = "Make a smaller copy and read that, or ask the person.";
	if (size > EDITABLE) throw new ToolError(`${name} is an image of ${formatCount(size, "byte")}, too large to be shown. ${smaller}`);
	const bytes = known ?? (await withToolProblem(signal, `${name} could not be read.`, () => workspace.read(real)));
	const checked = checkImage(bytes);
	if ("refused" in checked) throw new ToolError(`${name} is an image that cannot be shown (${checked.refused}). ${smaller}`);
	seen.set(literal, { hash: sha256(bytes) });
	const { width, height } = readImageSize(bytes) ?? { width: 0, height: 0 };
	return {
		output: `[image, attached: ${checked.about}]`,
		images: [bytes],
		view: { kind: "file", path: name, figure: `${width} × ${height}` },
	};
}

function formatPage(page: LinePage): string {
	if (page.total === 0) return "[the file is empty]";
	const last = page.first + page.lines.length - 1;
	const output = page.lines.map((line, index) => `${page.first + index}\t${line}`);
	if (page.damaged) output.push("[some bytes are not text and read as \uFFFD; the edit tools will refuse this file]");
	if (page.gaveUp) output.push(`[line ${last} does not end within the part that was searched; use execute_command to read on]`);
	const whole = page.first === 1 && page.counted && last === page.total;
	if (whole) return output.join("\n");
	const total = page.counted ? String(page.total) : `${Math.max(page.total, last + 1)}+`;
	const more = !page.gaveUp && (!page.counted || last < page.total) ? `; go on with start=${last + 1}` : "";
	output.push(`[lines ${page.first}-${last} of ${total}${more}]`);
	return output.join("\n");
}
