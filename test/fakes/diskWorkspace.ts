// A minimal workspace on real folders for testing tools.

// It has no editor, ripgrep, ignored files or undo.
import { spawn } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { lstat, mkdir, open, readdir, readFile, readlink, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { minimatch } from "minimatch";
import type { FileChange } from "../../src/core/events.ts";
import { ToolError } from "../../src/core/ports/tool.ts";
import type { RunResult } from "../../src/core/ports/workspace/commands.ts";
import { FileConflict, type FileEdit, type FileStat } from "../../src/core/ports/workspace/files.ts";
import type { Diagnostic, SymbolMatch } from "../../src/core/ports/workspace/language.ts";
import type { SearchMatch } from "../../src/core/ports/workspace/search.ts";
import type { Workspace } from "../../src/core/ports/workspace.ts";

/** What the language services would say. */
export interface KnownCode {
	diagnostics?: Diagnostic[];
	symbols?: SymbolMatch[];
}

export function diskWorkspace(roots: readonly string[], known: KnownCode = {}): Workspace {
	const folders = roots.map((path) => ({ name: basename(path), path }));
	const outputs = new Map<string, { bytes: Buffer; exitCode: number | undefined }>();
	return {
		folders: () => folders,
		identity: () => roots.join(":"),
		async lstat(path) {
			const found = await lstat(path).catch(() => undefined);
			if (!found) return undefined;
			return { ...statOf(found), ...(found.isSymbolicLink() ? { link: await readlink(path) } : {}) };
		},
		realpath: (path) => realpath(path).catch(() => undefined),
		peek: async (path, limit) => (await readFile(path).catch(() => undefined))?.subarray(0, limit),
		stat: async (path) => {
			const found = await stat(path).catch(() => undefined);
			return found && statOf(found);
		},
		async read(path, range) {
			if (!range) return readFile(path);
			const handle = await open(path);
			try {
				const { buffer, bytesRead } = await handle.read(Buffer.alloc(range.length), 0, range.length, range.offset);
				return buffer.subarray(0, bytesRead);
			} finally {
				await handle.close();
			}
		},
		version: versionOf,
		async list(path) {
			const entries = await readdir(path, { withFileTypes: true });
			return entries.map((entry) => ({
				name: entry.name,
				type: entry.isDirectory() ? ("directory" as const) : ("file" as const),
				link: entry.isSymbolicLink(),
			}));
		},
		async find(glob, { under, limit }) {
			const base = under ?? (roots[0] as string);
			const files = (await filesBelow(base)).map((path) => relative(base, path));
			const matching = files.filter((path) => [glob].flat().some((one) => minimatch(path, one, { dot: true, matchBase: true })));
			return { paths: matching.slice(0, limit), more: matching.length > limit };
		},
		async search({ pattern, under, glob, literal, ignoreCase, context = 0, limit }) {
			const source = literal ? pattern.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") : pattern;
			const expression = expressionOf(source, ignoreCase ? "i" : "");
			const files = (await Promise.all((under ? [under] : roots).map(filesBelow))).flat();
			const matches: SearchMatch[] = [];
			let hits = 0;
			for (const path of files) {
				if (glob !== undefined && !minimatch(path, glob, { dot: true, matchBase: true })) continue;
				const lines = (await readFile(path, "utf8")).split("\n");
				const found = lines.flatMap((line, index) => (expression.test(line) ? [index] : [])).slice(0, limit - hits);
				hits += found.length;
				const shown = new Set(found);
				const around = new Set(found.flatMap((hit) => Array.from({ length: 2 * context + 1 }, (_, step) => hit - context + step)));
				for (const [index, text] of lines.entries()) {
					if (shown.has(index)) matches.push({ path, line: index + 1, text });
					else if (around.has(index)) matches.push({ path, line: index + 1, text, context: true });
				}
			}
			return { matches, more: hits >= limit };
		},
		async apply(edits, real) {
			const changes = await previewOf(edits);
			for (const edit of edits) await write(edit, real);
			return changes;
		},
		preview: previewOf,
		undo: () => Promise.reject(new FileConflict("There is no undo here.")),
		async run(command, { cwd, signal, timeout = 2 ** 31 - 1, background, onOutput }) {
			const id = randomUUID();
			const started = Date.now();
			const child = spawn("bash", ["--noprofile", "--norc", "-c", command], { cwd, stdio: ["ignore", "pipe", "pipe"] });
			const entry = { bytes: Buffer.alloc(0), exitCode: undefined as number | undefined };
			outputs.set(id, entry);
			let stopped: RunResult["stopped"];
			const stop = (why: NonNullable<RunResult["stopped"]>) => {
				stopped = why;
				child.kill("SIGKILL");
			};
			const timer = setTimeout(() => stop("timeout"), timeout);
			signal.addEventListener("abort", () => stop("cancelled"), { once: true });
			for (const stream of [child.stdout, child.stderr]) {
				stream.on("data", (chunk: Buffer) => {
					entry.bytes = Buffer.concat([entry.bytes, chunk]);
					onOutput?.(chunk.toString());
				});
			}
			const ended = new Promise<RunResult>((done) => {
				child.on("close", (code, killed) => {
					clearTimeout(timer);
					if (code !== null) entry.exitCode = code;
					done({
						id,
						output: entry.bytes.toString(),
						bytes: entry.bytes.length,
						duration: Date.now() - started,
						...(code === null ? {} : { exitCode: code }),
						...(killed === null ? {} : { signal: killed }),
						...(stopped === undefined ? {} : { stopped }),
					});
				});
			});
			return background ? { id, running: true, output: "", bytes: 0, duration: 0 } : ended;
		},
		async output(id, offset) {
			const entry = outputs.get(id);
			if (!entry) throw new ToolError(`There is no output ${id}.`);
			const text = entry.bytes.subarray(offset).toString();
			return {
				text,
				bytes: entry.bytes.length,
				running: entry.exitCode === undefined,
				...(entry.exitCode === undefined ? {} : { exitCode: entry.exitCode }),
			};
		},
		async watch() {
			const before = await picture(roots);
			return async () => differences(before, await picture(roots));
		},
		commit: async () => undefined,
		diagnostics: async (path) => (known.diagnostics ?? []).filter((entry) => path === undefined || entry.path.startsWith(path)),
		symbols: async (query) => (known.symbols ?? []).filter((hit) => hit.name.includes(query)),
	};
}

async function write(edit: FileEdit, real: ReadonlyMap<string, string>): Promise<void> {
	const target = real.get(edit.path) ?? edit.path;
	if (edit.action === "delete") {
		await rm(target);
		return;
	}
	if (edit.action === "rename") {
		if (edit.content) await writeFile(target, edit.content);
		await mkdir(dirname(edit.to), { recursive: true });
		await rename(target, edit.to);
		return;
	}
	if (edit.action === "update" && (await versionOf(target))?.hash !== edit.base.hash) throw new FileConflict(`${edit.path} has changed.`);
	await mkdir(dirname(target), { recursive: true });
	await writeFile(target, edit.content, { flag: edit.action === "create" ? "wx" : "w" });
}

async function previewOf(edits: readonly FileEdit[]): Promise<FileChange[]> {
	return edits.map((edit) => ({ path: edit.path, action: edit.action, diff: "", added: 0, removed: 0, after: "" }));
}

async function versionOf(path: string) {
	const bytes = await readFile(path).catch(() => undefined);
	return bytes && { size: bytes.length, mtime: (await stat(path)).mtimeMs, hash: createHash("sha256").update(bytes).digest("hex") };
}

function statOf(found: Awaited<ReturnType<typeof stat>>): FileStat {
	const type = found.isFile() ? "file" : found.isDirectory() ? "directory" : "other";
	return { type, size: Number(found.size), mtime: Number(found.mtimeMs), links: Number(found.nlink) };
}

async function filesBelow(path: string): Promise<string[]> {
	if ((await stat(path)).isFile()) return [path];
	const entries = await readdir(path, { withFileTypes: true, recursive: true });
	return entries
		.filter((entry) => entry.isFile())
		.map((entry) => join(entry.parentPath, entry.name))
		.sort();
}

async function picture(roots: readonly string[]): Promise<Map<string, string>> {
	const files = (await Promise.all(roots.map(filesBelow))).flat();
	return new Map(await Promise.all(files.map(async (path) => [path, (await versionOf(path))?.hash ?? ""] as const)));
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): FileChange[] {
	const same = { diff: "", added: 0, removed: 0 };
	const written = [...after].flatMap(([path, hash]): FileChange[] => {
		if (before.get(path) === hash) return [];
		return [{ path, action: before.has(path) ? "update" : "create", ...same, after: hash }];
	});
	const gone = [...before.keys()].filter((path) => !after.has(path));
	return [...written, ...gone.map((path): FileChange => ({ path, action: "delete", ...same, after: "" }))];
}

/** An invalid one is the model's mistake, as it is to ripgrep. */
function expressionOf(source: string, flags: string): RegExp {
	try {
		return new RegExp(source, flags);
	} catch (error) {
		throw new ToolError((error as SyntaxError).message);
	}
}
