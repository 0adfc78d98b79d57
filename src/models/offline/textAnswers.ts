// Answers in text: search results, a file's outline, and help.

import { type OfflineTask, requestCalls } from "./generator.ts";
import type { OfflineIntent } from "./intents.ts";
import { NEEDS_LANGUAGE_MODEL_PATTERN } from "./parseMessage.ts";
import { findFilesByPath } from "./proposeFiles.ts";
import {
	createSearchCall,
	findAllHits,
	LIST_ROOT_CALL,
	type OfferedTools,
	parsePaths,
	parseSearchHits,
	readWholeFiles,
	type SearchHit,
} from "./search.ts";
import { formatCount, formatList, inlineCode, isIdentifier, looksLikePath } from "./textParsing.ts";

const FILES_SHOWN = 15;
const LINES_SHOWN = 4;

export function* answerFind({ query, files, scope }: Extract<OfflineIntent, { do: "find" }>, tools: OfferedTools): OfflineTask<string> {
	if (files) {
		const glob = /[*?]/.test(query) ? (query.includes("/") ? query : `**/${query}`) : looksLikePath(query) ? query : `*${query}*`;
		const found = yield* findFilesByPath(glob.replace(/^(?!\*\*\/)(?=\*)/, "**/"));
		if (found.length === 0) return `No file fits ${inlineCode(query)}.`;
		const rest = found.length > 30 ? `\n- … and ${found.length - 30} more` : "";
		return `${formatCount(found.length, "file")}${query === "*" ? "" : ` for ${inlineCode(query)}`}:\n\n${found
			.slice(0, 30)
			.map((path) => `- ${inlineCode(path)}`)
			.join("\n")}${rest}`;
	}
	const where = scope.in === undefined ? {} : /[*?{]/.test(scope.in) ? { glob: scope.in } : { path: scope.in };
	const [first] = yield* requestCalls(`Searching ${inlineCode(query)}.`, [createSearchCall(query, tools, where)]);
	if (first?.status !== "ok") return `The search did not work: ${first?.output ?? "no answer"}`;
	const hits = yield* findAllHits(first, query, tools, where);
	if (hits.length === 0) return `${inlineCode(query)} stands nowhere${scope.in ? ` in ${inlineCode(scope.in)}` : " in this workspace"}.`;
	const byFile = groups(hits);
	const rows = [...byFile].slice(0, FILES_SHOWN).map(([path, found]) => {
		const lines = found.slice(0, LINES_SHOWN).map((hit) => `  - line ${hit.line}: ${inlineCode(hit.text.trim().slice(0, 160) || " ")}`);
		const more = found.length > LINES_SHOWN ? [`  - … ${found.length - LINES_SHOWN} more`] : [];
		return [`- ${inlineCode(path)}`, ...lines, ...more].join("\n");
	});
	const rest = byFile.size > FILES_SHOWN ? `\n- … and ${byFile.size - FILES_SHOWN} more files` : "";
	return `${inlineCode(query)} stands at ${formatCount(hits.length, "line")} in ${formatCount(byFile.size, "file")}:\n\n${rows.join("\n")}${rest}`;
}

function groups(hits: readonly SearchHit[]): Map<string, SearchHit[]> {
	const byFile = new Map<string, SearchHit[]>();
	for (const hit of hits) byFile.set(hit.path, [...(byFile.get(hit.path) ?? []), hit]);
	return byFile;
}

export function* answerExplain({ subject }: Extract<OfflineIntent, { do: "explain" }>, tools: OfferedTools): OfflineTask<string> {
	const path = looksLikePath(subject) ? yield* fileFor(subject) : yield* definerOf(subject, tools);
	if (typeof path !== "string") return path.text;
	const files = yield* readWholeFiles([path], `Reading ${inlineCode(path)}.`);
	const lines = files.get(path);
	if (!Array.isArray(lines)) return `${inlineCode(path)} could not be read: ${lines?.problem ?? "no answer"}`;
	return outline(path, lines);
}

function* fileFor(subject: string): OfflineTask<string | { text: string }> {
	const clean = subject.replace(/^\.\//, "");
	const found = yield* findFilesByPath(clean);
	if (found.includes(clean)) return clean;
	if (found.length === 1) return found[0] as string;
	if (found.length === 0) return { text: `I found no file ${inlineCode(subject)} in this workspace.` };
	return { text: `${formatCount(found.length, "file")} fit ${inlineCode(subject)}: ${formatList(found)}. Say which one to explain.` };
}

function* definerOf(name: string, tools: OfferedTools): OfflineTask<string | { text: string }> {
	const [result] = yield* requestCalls(`Looking for ${inlineCode(name)}.`, [createSearchCall(name, tools)]);
	const hits = result ? parseSearchHits(result) : [];
	const defining = hits.find((hit) => isIdentifier(name) && DECLARATION.exec(hit.text)?.[2] === name) ?? hits[0];
	return defining ? defining.path : { text: `${inlineCode(name)} stands nowhere in this workspace.` };
}

const DECLARATION =
	/^\s*(?:export\s+(?:default\s+)?|pub\s+|public\s+|async\s+|abstract\s+)*(function\*?|class|interface|type|enum|const|let|def|fn|func|struct|trait)\s+([\p{ID_Start}_$][\p{ID_Continue}$]*)/u;

/** Describes a file without understanding it: size, first comment, imports and declarations. */
function outline(path: string, lines: readonly string[]): string {
	const first = lines.find((line) => /^\s*(?:\/\/|#(?!!)|\*|\/\*\*?|<!--|"""|--)\s*\S/.test(line) || /^#+ /.test(line));
	const imports = lines.flatMap(
		(line) => /^\s*(?:import\b.*?from\s+|import\s+|from\s+|(?:const|let|var) .*require\()["']?([^"';()\s]+)/.exec(line)?.[1] ?? [],
	);
	const declared = lines.flatMap((line, index) => {
		const [, kind, name] = DECLARATION.exec(line) ?? [];
		return kind && name && !/^\s/.test(line) ? [{ kind, name, line: index + 1, exported: /\bexport\b|\bpub(?:lic)?\b/.test(line) }] : [];
	});
	const headings = /\.mdx?$/.test(path) ? lines.filter((line) => /^#{1,3} /.test(line)).map((line) => line.replace(/^#+ /, "")) : [];
	const parts = [`${inlineCode(path)} has ${formatCount(lines.length, "line")}.`];
	if (first && headings.length === 0) parts.push(`It begins with the comment: “${first.replace(/^[\s/*#<!"-]+|[\s*/>-]+$/g, "")}”`);
	if (headings.length > 0) parts.push(`Its headings: ${headings.slice(0, 12).join(" · ")}.`);
	if (imports.length > 0) parts.push(`It uses ${formatList([...new Set(imports)], 10)}.`);
	if (declared.length > 0) {
		const rows = declared
			.slice(0, 25)
			.map(({ kind, name, line, exported }) => `- ${exported ? "exported " : ""}${kind} ${inlineCode(name)} (line ${line})`);
		parts.push(`It declares:\n\n${rows.join("\n")}${declared.length > 25 ? `\n- … and ${declared.length - 25} more` : ""}`);
	}
	return parts.join("\n\n");
}

/** Lists supported requests, with examples from this workspace. */
export function* answerHelp(text: string, tools: OfferedTools): OfflineTask<string> {
	const [root, found] =
		tools.has("list_directory") && tools.has("find_files")
			? yield* requestCalls("", [LIST_ROOT_CALL, { name: "find_files", input: { glob: "**/*.{ts,tsx,js,jsx,mjs,py,go,rs,java}" } }])
			: [];
	const source = found ? parsePaths(found).filter((path) => !/test|spec|\.d\.ts$/.test(path)) : [];
	const [file = "src/example.ts"] = source;
	const hasFile = source.length > 0 && tools.has("read_file");
	const lines = hasFile ? (yield* readWholeFiles([file], "")).get(file) : undefined;
	const name = Array.isArray(lines)
		? (lines.map((line) => DECLARATION.exec(line)?.[2]).find((found) => found !== undefined) ?? "oldName")
		: "oldName";
	const runs = root && parsePaths(root).includes("package.json") ? "\n- run the tests" : "";
	return `${misunderstood(text)}I can rename, replace, create, delete, find, explain and run. For example:

- rename ${name} to ${suggestion(name)} everywhere
- replace “old text” with “new text” in ${file.includes("/") ? file.split("/")[0] : file}
- create notes.md with the text “Hello”
- delete the file ${file}
- find ${name}
- explain ${file}${runs}`;
}

function misunderstood(text: string): string {
	if (text.trim() === "" || CHAT.test(text)) return "";
	return NEEDS_LANGUAGE_MODEL_PATTERN.test(text) ? "Problems in code take a language model to understand. " : "I did not understand that. ";
}

const CHAT = /^(?:hi|hello|hey|thanks?|thank you|thx|help|good \w+|what can you do)\b/i;

function suggestion(name: string): string {
	return name === "oldName" ? "newName" : `${name}New`;
}
