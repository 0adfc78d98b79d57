// Calls a built-in tool on a real folder as the host would: input parsed, paths judged, edits written.
import { cp, mkdtemp, readdir, readFile, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, relative, resolve } from "node:path";
import {
	type FileAccessLog,
	type PathFacts,
	type Tool,
	type ToolContext,
	ToolError,
	type ToolOutput,
} from "../../../src/core/ports/tool.ts";
import type { FileVersion } from "../../../src/core/ports/workspace/files.ts";
import type { Workspace } from "../../../src/core/ports/workspace.ts";
import { protectedName } from "../../../src/gate/hostProtection.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";
import { diskWorkspace, type KnownCode } from "../../fakes/diskWorkspace.ts";

export interface Bench {
	root: string;
	workspace: Workspace;
	/** Paths that reads noted with a version, and paths that were only shown. */
	read: Map<string, Pick<FileVersion, "hash">>;
	shown: Set<string>;
	progress: string[];
	call(tool: string | Tool, input: unknown, more?: Partial<ToolContext>): Promise<ToolOutput>;
}

/** A fresh folder, a copy of `from` where that is given. */
export async function bench(from?: string, known?: KnownCode): Promise<Bench> {
	const root = await realpath(await mkdtemp(join(tmpdir(), "troupe-tools-")));
	if (from) await cp(from, root, { recursive: true });
	return benchOn([root], known);
}

export function benchOn(roots: readonly string[], known?: KnownCode): Bench {
	const root = roots[0] as string;
	const workspace = diskWorkspace(roots, known);
	const read = new Map<string, Pick<FileVersion, "hash">>();
	const shown = new Set<string>();
	const seen: FileAccessLog = {
		get: (path) => read.get(path),
		set: (path, version) => read.set(path, version),
		show: (path) => shown.add(path),
	};
	const progress: string[] = [];
	return {
		root,
		workspace,
		read,
		shown,
		progress,
		async call(named, input, more = {}) {
			const tool = typeof named === "string" ? toolNamed(named) : named;
			const parsed = tool.input.parse(input);
			const paths = new Map<string, PathFacts>();
			for (const { path, use } of tool.paths?.(parsed) ?? []) paths.set(path, { ...(await judge(path, roots)), use });
			const context: ToolContext = {
				workspace,
				signal: new AbortController().signal,
				call: "call-1",
				paths,
				visible: async (path) => isVisible(path, roots),
				allows: () => true,
				seen,
				progress: (text) => progress.push(text),
				permitUrl: async () => true,
				delegated: async () => undefined,
				peers: () => [],
				...more,
			};
			if (tool.run) return tool.run(parsed, context);
			const edits = (await tool.edits?.(parsed, context)) ?? [];
			await workspace.apply(edits, new Map([...paths.values()].map((fact) => [fact.literal, fact.real])));
			return { output: "done" };
		},
	};
}

export function toolNamed(name: string): Tool {
	const tool = builtinTools().find((candidate) => candidate.name === name);
	if (!tool) throw new Error(`There is no tool ${name}.`);
	return tool;
}

/** The problem a call ends with. */
export async function problemOf(call: Promise<unknown>): Promise<ToolError> {
	try {
		await call;
	} catch (error) {
		if (error instanceof ToolError) return error;
		throw error;
	}
	throw new Error("The call succeeded, though it should not have.");
}

/** Every file of a folder by its relative path, as Latin-1 so that each byte counts. */
export async function filesOf(folder: string): Promise<Record<string, string>> {
	const entries = await readdir(folder, { withFileTypes: true, recursive: true });
	const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
	const contents = await Promise.all(files.map(async (file) => [relative(folder, file), await readFile(file, "latin1")] as const));
	return Object.fromEntries(contents.sort(([one], [other]) => (one < other ? -1 : 1)));
}

async function judge(given: string, roots: readonly string[]): Promise<Omit<PathFacts, "use">> {
	const literal = resolve(roots[0] as string, given);
	const real = await realpath(literal).catch(async () =>
		join(await realpath(dirname(literal)).catch(() => dirname(literal)), literal.slice(dirname(literal).length + 1)),
	);
	const exists = await realpath(literal).then(
		() => true,
		() => false,
	);
	return { given, literal, real, exists };
}

/** By the gate's own names. */
function isVisible(path: string, roots: readonly string[]): boolean {
	const root = roots.find((candidate) => path === candidate || path.startsWith(`${candidate}/`));
	return root !== undefined && protectedName(path.slice(root.length + 1), "read") === undefined;
}
