// Looking around with the tools that read, and reading what they answer.

import { perform, type Work, type WorkCall, type WorkResult } from "./generator.ts";
import { code } from "./words.ts";

export interface Hit {
	path: string;
	line: number;
	text: string;
}

/** Which tools are offered, and whether one of them takes an argument. */
export interface Tools {
	has(name: string): boolean;
	takes(name: string, argument: string): boolean;
}

/** `path:line:text` each; notes in brackets are left out. */
export function hitsIn({ status, output }: WorkResult): Hit[] {
	if (status !== "ok") return [];
	return output.split("\n").flatMap((row) => {
		const [, path, line, text] = /^(.+?):(\d+):(.*)$/.exec(row) ?? [];
		return path === undefined ? [] : [{ path, line: Number(line), text: text ?? "" }];
	});
}

/** One path or entry a line. */
export function pathsIn({ status, output }: WorkResult): string[] {
	if (status !== "ok") return [];
	return output.split("\n").filter((row) => row !== "" && !row.startsWith("[") && !row.startsWith("No file matches"));
}

export interface Page {
	lines: string[];
	/** Where the next page starts. */
	next?: number;
}

export function pageIn({ output }: WorkResult): Page {
	const lines = output.split("\n").flatMap((row) => /^\d+\t([\s\S]*)$/.exec(row)?.[1] ?? []);
	const next = /; go on with start=(\d+)\]$/.exec(output.trimEnd())?.[1];
	return next === undefined ? { lines } : { lines, next: Number(next) };
}

export function searchCall(text: string, tools: Tools, where: { path?: string; glob?: string } = {}): WorkCall {
	const literal = tools.takes("search_code", "literal");
	const plain = /^[\w -]+$/.test(text);
	const pattern = plain || literal ? text : text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
	return { name: "search_code", input: { pattern, ...(literal && !plain ? { literal: true } : {}), ...where } };
}

const TRUNCATED = /^\[more matches than are shown/m;

/** Every hit, also where there are more than one answer holds: then folder by folder. */
export function* everyHit(first: WorkResult, text: string, tools: Tools, where: { path?: string; glob?: string } = {}): Work<Hit[]> {
	if (!TRUNCATED.test(first.output)) return hitsIn(first);
	const folder = where.path ?? ".";
	const [listing] = yield* perform("", [{ name: "list_directory", input: { path: folder } }]);
	const entries = listing ? pathsIn(listing).map((entry) => entry.replace(/\/$/, "")) : [];
	if (entries.length === 0) return hitsIn(first);
	const calls = entries.map((entry) => searchCall(text, tools, { ...where, path: folder === "." ? entry : `${folder}/${entry}` }));
	const results = yield* perform("There are many; looking folder by folder.", calls);
	const hits: Hit[] = [];
	for (const [index, result] of results.entries()) {
		hits.push(...(yield* everyHit(result, text, tools, calls[index]?.input as { path: string; glob?: string })));
	}
	return hits;
}

/** The whole of each file; undefined where it could not be read, with the tool's words. */
export function* wholeFiles(
	paths: readonly string[],
	say: string,
	before: WorkCall[] = [],
): Work<Map<string, string[] | { problem: string }>> {
	const files = new Map<string, string[] | { problem: string }>();
	const calls = paths.map((path): WorkCall => ({ name: "read_file", input: { path } }));
	const results = (yield* perform(say, [...before, ...calls])).slice(before.length);
	for (const [index, path] of paths.entries()) {
		let result = results[index] as WorkResult;
		const lines: string[] = [];
		for (;;) {
			if (result.status !== "ok") {
				files.set(path, { problem: result.output });
				break;
			}
			const page = pageIn(result);
			lines.push(...page.lines);
			files.set(path, lines);
			if (page.next === undefined) break;
			[result] = (yield* perform("", [{ name: "read_file", input: { path, start: page.next } }])) as [WorkResult];
		}
	}
	return files;
}

/** How a workspace runs its tests and scripts, told by the files in its root. */
export interface Project {
	test?: string;
	/** A script of package.json as a command. */
	script(name: string): string | undefined;
	entries: string[];
}

export const LIST_ROOT: WorkCall = { name: "list_directory", input: { path: "." } };

const RUNNERS: readonly [RegExp, string][] = [
	[/^Cargo\.toml$/, "cargo test"],
	[/^go\.mod$/, "go test ./..."],
	[/^(?:pytest\.ini|conftest\.py|tox\.ini|pyproject\.toml)$/, "pytest"],
	[/^deno\.jsonc?$/, "deno test"],
];

export function* projectOf(listing: WorkResult | undefined): Work<Project> {
	const entries = listing ? pathsIn(listing) : [];
	const manager = entries.includes("pnpm-lock.yaml") ? "pnpm" : entries.includes("yarn.lock") ? "yarn" : "npm";
	let scripts: Record<string, unknown> = {};
	if (entries.includes("package.json")) {
		const files = yield* wholeFiles(["package.json"], `Reading ${code("package.json")} for its scripts.`);
		scripts = scriptsIn(files.get("package.json"));
	}
	const script = (name: string) => {
		if (typeof scripts[name] !== "string") return undefined;
		return name === "test" ? `${manager} test` : `${manager} run ${name}`;
	};
	const placeholder = /no test specified/.test(String(scripts["test"] ?? ""));
	const test = (placeholder ? undefined : script("test")) ?? RUNNERS.find(([file]) => entries.some((entry) => file.test(entry)))?.[1];
	return { script, entries, ...(test === undefined ? {} : { test }) };
}

function scriptsIn(lines: string[] | { problem: string } | undefined): Record<string, unknown> {
	try {
		const parsed = JSON.parse(Array.isArray(lines) ? lines.join("\n") : "{}") as { scripts?: Record<string, unknown> };
		return parsed.scripts ?? {};
	} catch {
		return {};
	}
}
