// Creates search and read calls, and parses their output.

import { type OfflineCall, type OfflineCallResult, type OfflineTask, requestCalls } from "./generator.ts";
import { inlineCode } from "./textParsing.ts";

export interface SearchHit {
	path: string;
	line: number;
	text: string;
}

/** Offered tools and their parameters. */
export interface OfferedTools {
	has(name: string): boolean;
	hasParameter(name: string, argument: string): boolean;
}

/** One `path:line:text` per line; notes in brackets are omitted. */
export function parseSearchHits({ status, output }: OfflineCallResult): SearchHit[] {
	if (status !== "ok") return [];
	return output.split("\n").flatMap((row) => {
		const [, path, line, text] = /^(.+?):(\d+):(.*)$/.exec(row) ?? [];
		return path === undefined ? [] : [{ path, line: Number(line), text: text ?? "" }];
	});
}

/** One path or entry per line. */
export function parsePaths({ status, output }: OfflineCallResult): string[] {
	if (status !== "ok") return [];
	return output.split("\n").filter((row) => row !== "" && !row.startsWith("[") && !row.startsWith("No file matches"));
}

export interface FilePage {
	lines: string[];
	/** First line of the next page. */
	nextStart?: number;
}

export function parseFilePage({ output }: OfflineCallResult): FilePage {
	const lines = output.split("\n").flatMap((row) => /^\d+\t([\s\S]*)$/.exec(row)?.[1] ?? []);
	const next = /; go on with start=(\d+)\]$/.exec(output.trimEnd())?.[1];
	return next === undefined ? { lines } : { lines, nextStart: Number(next) };
}

export function createSearchCall(text: string, tools: OfferedTools, where: { path?: string; glob?: string } = {}): OfflineCall {
	const literal = tools.hasParameter("search_code", "literal");
	const plain = /^[\w -]+$/.test(text);
	const pattern = plain || literal ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	return { name: "search_code", input: { pattern, ...(literal && !plain ? { literal: true } : {}), ...where } };
}

const TRUNCATED = /^\[more matches than are shown/m;

/** Returns every hit; searches folder by folder if one result is truncated. */
export function* findAllHits(
	first: OfflineCallResult,
	text: string,
	tools: OfferedTools,
	where: { path?: string; glob?: string } = {},
): OfflineTask<SearchHit[]> {
	if (!TRUNCATED.test(first.output)) return parseSearchHits(first);
	const folder = where.path ?? ".";
	const [listing] = yield* requestCalls("", [{ name: "list_directory", input: { path: folder } }]);
	const entries = listing ? parsePaths(listing).map((entry) => entry.replace(/\/$/, "")) : [];
	if (entries.length === 0) return parseSearchHits(first);
	const calls = entries.map((entry) => createSearchCall(text, tools, { ...where, path: folder === "." ? entry : `${folder}/${entry}` }));
	const results = yield* requestCalls("There are many; looking folder by folder.", calls);
	const hits: SearchHit[] = [];
	for (const [index, result] of results.entries()) {
		hits.push(...(yield* findAllHits(result, text, tools, calls[index]?.input as { path: string; glob?: string })));
	}
	return hits;
}

/** Reads files completely; a file that cannot be read has the tool's error message. */
export function* readWholeFiles(
	paths: readonly string[],
	say: string,
	before: OfflineCall[] = [],
): OfflineTask<Map<string, string[] | { problem: string }>> {
	const files = new Map<string, string[] | { problem: string }>();
	const calls = paths.map((path): OfflineCall => ({ name: "read_file", input: { path } }));
	const results = (yield* requestCalls(say, [...before, ...calls])).slice(before.length);
	for (const [index, path] of paths.entries()) {
		let result = results[index] as OfflineCallResult;
		const lines: string[] = [];
		for (;;) {
			if (result.status !== "ok") {
				files.set(path, { problem: result.output });
				break;
			}
			const page = parseFilePage(result);
			lines.push(...page.lines);
			files.set(path, lines);
			if (page.nextStart === undefined) break;
			[result] = (yield* requestCalls("", [{ name: "read_file", input: { path, start: page.nextStart } }])) as [OfflineCallResult];
		}
	}
	return files;
}

/** A workspace's test command and scripts, from the files in its root. */
export interface ProjectScripts {
	testCommand?: string;
	/** Returns the command for a package.json script. */
	scriptCommand(name: string): string | undefined;
	entries: string[];
}

export const LIST_ROOT_CALL: OfflineCall = { name: "list_directory", input: { path: "." } };

const RUNNERS: readonly [RegExp, string][] = [
	[/^Cargo\.toml$/, "cargo test"],
	[/^go\.mod$/, "go test ./..."],
	[/^(?:pytest\.ini|conftest\.py|tox\.ini|pyproject\.toml)$/, "pytest"],
	[/^deno\.jsonc?$/, "deno test"],
];

export function* readProjectScripts(listing: OfflineCallResult | undefined): OfflineTask<ProjectScripts> {
	const entries = listing ? parsePaths(listing) : [];
	const manager = entries.includes("pnpm-lock.yaml") ? "pnpm" : entries.includes("yarn.lock") ? "yarn" : "npm";
	let scripts: Record<string, unknown> = {};
	if (entries.includes("package.json")) {
		const files = yield* readWholeFiles(["package.json"], `Reading ${inlineCode("package.json")} for its scripts.`);
		scripts = scriptsIn(files.get("package.json"));
	}
	const script = (name: string) => {
		if (typeof scripts[name] !== "string") return undefined;
		return name === "test" ? `${manager} test` : `${manager} run ${name}`;
	};
	const placeholder = /no test specified/.test(String(scripts["test"] ?? ""));
	const test = (placeholder ? undefined : script("test")) ?? RUNNERS.find(([file]) => entries.some((entry) => file.test(entry)))?.[1];
	return { scriptCommand: script, entries, ...(test === undefined ? {} : { testCommand: test }) };
}

function scriptsIn(lines: string[] | { problem: string } | undefined): Record<string, unknown> {
	try {
		const parsed = JSON.parse(Array.isArray(lines) ? lines.join("\n") : "{}") as { scripts?: Record<string, unknown> };
		return parsed.scripts ?? {};
	} catch {
		return {};
	}
}
