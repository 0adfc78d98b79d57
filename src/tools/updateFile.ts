// The update_file tool: replaces one exact piece of text and leaves every other byte unchanged.
import * as z from "zod";
import { defineTool, ToolError } from "../core/ports/tool.ts";
import { summaryAndDone } from "../shared/toolWords.ts";
import { describeClosestMatch } from "./shared/closestMatch.ts";
import { dominantLineEnding, encodeText, isWellFormedText, normalizeLineEndings, openForEdit, withLineEndings } from "./shared/textFile.ts";
import { displayPath, pathFactOf, WorkspacePath } from "./shared/toolHelpers.ts";

const NAMED_LINES = 20;

export const updateFile = defineTool({
	name: "update_file",
	plugin: "files",
	description: "Replace one exact piece of text in a file. `old` must occur exactly once.",
	permissions: ["ReadFiles", "WriteFiles"],
	capabilities: ["files.write"],
	input: z.object({ path: WorkspacePath, old: z.string().min(1), new: z.string() }),
	...summaryAndDone("update_file"),
	paths: ({ path }) => [{ path, use: "write" }],
	async edits({ path, old, new: replacement }, context) {
		const fact = pathFactOf(context, path);
		const name = displayPath(fact.literal, context.workspace);
		if (!isWellFormedText(replacement))
			throw new ToolError("`new` holds half of a surrogate pair, which no file can hold. Write the whole character.");
		const { text, encoding, base } = await openForEdit(context, fact);
		const changed = replaceOnce(text, old, replacement, name);
		return [{ path: fact.literal, action: "update", content: encodeText({ text: changed, encoding }), base }];
	},
});

/** Throws ToolError, which quotes the text, unless `old` occurs exactly once. Line endings of `old` and `new` are ignored. */
export function replaceOnce(text: string, old: string, replacement: string, name: string): string {
	const { plain, original } = normalizeLineEndings(text);
	const wanted = normalizeLineEndings(old).plain;
	const replacementText = normalizeLineEndings(replacement).plain;
	if (wanted === replacementText) throw new ToolError("`old` and `new` are the same; nothing was changed.");
	const places = placesOf(plain, wanted);
	const at = places[0];
	if (at === undefined) {
		const brief = `\`old\` was not found in ${name}; nothing was changed.`;
		throw new ToolError(
			`${brief} ${describeClosestMatch(plain, wanted, "`old`")}\nCopy the text exactly as read_file shows it, without line numbers.`,
			brief,
		);
	}
	if (places.length > 1) throw tooMany(plain, places, name);
	const head = sharedStart(wanted, replacementText);
	const tail = sharedEnd(wanted.slice(head), replacementText.slice(head));
	const start = original(at + head);
	const end = original(at + wanted.length - tail);
	const region = text.slice(original(at), original(at + wanted.length));
	const lineEnd = dominantLineEnding(region, neighboringLineEnd(text, start));
	return text.slice(0, start) + withLineEndings(replacementText.slice(head, replacementText.length - tail), lineEnd) + text.slice(end);
}

function tooMany(plain: string, places: readonly number[], name: string): ToolError {
	const lines = [...new Set(linesOf(plain, places.slice(0, NAMED_LINES)))];
	const where = lines.length === 1 ? `all in line ${lines[0]}` : `at lines ${lines.join(", ")}`;
	const more = places.length > NAMED_LINES ? " and more" : "";
	return new ToolError(
		`\`old\` occurs ${places.length} times in ${name}, ${where}${more}; nothing was changed. Add lines around it to \`old\` and \`new\` until it occurs once.`,
		`\`old\` occurs ${places.length} times in ${name}; nothing was changed.`,
	);
}

/** Includes overlapping occurrences, because which one was meant would be a guess. */
function placesOf(text: string, wanted: string): number[] {
	const places: number[] = [];
	for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) places.push(at);
	return places;
}

function linesOf(text: string, places: readonly number[]): number[] {
	let line = 1;
	let from = 0;
	return places.map((place) => {
		for (let at = text.indexOf("\n", from); at >= 0 && at < place; at = text.indexOf("\n", at + 1)) line += 1;
		from = place;
		return line;
	});
}

/** The line ending before a position, else the first one after it. */
function neighboringLineEnd(text: string, position: number): "\n" | "\r\n" {
	const before = text.lastIndexOf("\n", position - 1);
	const at = position > 0 && before >= 0 ? before : text.indexOf("\n", position);
	return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

function sharedStart(left: string, right: string): number {
	let length = 0;
	while (length < left.length && length < right.length && left[length] === right[length]) length += 1;
	return length;
}

function sharedEnd(left: string, right: string): number {
	let length = 0;
	while (length < left.length && length < right.length && left[left.length - 1 - length] === right[right.length - 1 - length]) length += 1;
	return length;
}
