// The list_directory and get_file_info tools: a folder's entries, and a file's metadata.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { filterVisible, protectedNote } from "./shared/protectedFilter.ts";
import { decodeText } from "./shared/textFile.ts";
import { childPath, displayPath, fileNotFound, pathFactOf, resultCounts, withToolProblem } from "./shared/toolHelpers.ts";

const SHOWN = 1_000;

export const listDirectory = defineTool({
	name: "list_directory",
	plugin: "files",
	description: "List one folder.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ path: z.string() }),
	...summaryAndDone("list_directory"),
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

function byName(left: string, right: string): number {
	if (left === right) return 0;
	return left < right ? -1 : 1;
}

/** Maximum bytes of files whose lines and encoding are reported. */
const LOOKED_INTO = 1024 * 1024;

export const getFileInfo = defineTool({
	name: "get_file_info",
	plugin: "files",
	description: "Size, time, encoding and line count of a file.",
	permissions: ["ReadFiles"],
	capabilities: ["files.read"],
	input: z.object({ path: z.string() }),
	...summaryAndDone("get_file_info"),
	paths: ({ path }) => [{ path, use: "read" }],
	async run({ path }, context) {
		const { workspace } = context;
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, workspace);
		const stat = await workspace.stat(fact.real);
		if (!stat) throw fileNotFound(name);
		const output = [`path: ${name}`, `type: ${stat.type}`, `size: ${stat.size} bytes`, `modified: ${new Date(stat.mtime).toISOString()}`];
		if (fact.real !== fact.literal) output.push(`leads to: ${displayPath(fact.real, workspace)}`);
		if (stat.type === "file" && stat.size <= LOOKED_INTO) output.push(...describeContent(await workspace.read(fact.real)));
		return { output: output.join("\n"), view: { kind: "file", path: name } };
	},
});

function describeContent(bytes: Uint8Array): string[] {
	const file = decodeText(bytes);
	if (!file) return ["content: binary"];
	const windows = file.text.match(/\r\n/g)?.length ?? 0;
	const all = file.text.match(/\n/g)?.length ?? 0;
	const lines = file.text === "" || file.text.endsWith("\n") ? all : all + 1;
	return [`lines: ${lines}`, `encoding: ${file.encoding}`, `line ends: ${lineEnds(windows, all - windows)}`];
}

function lineEnds(windows: number, unix: number): string {
	if (windows > 0 && unix > 0) return "mixed";
	if (windows > 0) return "CRLF";
	return unix > 0 ? "LF" : "none";
}
