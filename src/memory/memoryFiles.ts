// Finds, reads, and checks memory files: Markdown in two folders of Troupe's storage.

// Reading goes through the workspace, so that unsaved text of an editor counts.
import { join } from "node:path";
import type { Memory, MemoryFile } from "../core/ports/artifacts.ts";
import { type KeptFor, ToolError } from "../core/ports/tool.ts";
import type { FileVersion, WorkspaceFolder } from "../core/ports/workspace/files.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { toSingleLine } from "../core/prompt.ts";
import { sha256 } from "../shared/node/hash.ts";

const FOLDER = "memory";
/** Maximum bytes of a file. */
export const MAX_SIZE = 65_536;
/** Maximum number of files in a folder. */
export const MAX_FILES = 200;
/** Bytes at a file's beginning in which its first line is looked for. */
const FIRST_LINE = 1_024;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}\.md$/;
const KEPT_FOR: readonly KeptFor[] = ["person", "workspace"];

export type MemoryDisk = Pick<Workspace, "keptFolders" | "lstat" | "list" | "read" | "version">;

/** Folders by their names in display paths. `shared` and `root`: storage for all workspaces, and for this one. */
export function memoryFolders({ shared, root }: { shared: string; root: string }): WorkspaceFolder[] {
	return [
		{ name: nameOf("person"), path: join(shared, FOLDER) },
		{ name: nameOf("workspace"), path: join(root, FOLDER) },
	];
}

function nameOf(keptFor: KeptFor): string {
	return `${FOLDER}:${keptFor}`;
}

/** A path as tools take it. */
interface MemoryPath {
	keptFor: KeptFor;
	name: string;
}

export function parseMemoryPath(path: string): MemoryPath | undefined {
	const [folder, name = "", ...more] = path.split("/");
	const keptFor = KEPT_FOR.find((known) => known === folder);
	return keptFor && more.length === 0 && NAME.test(name) ? { keptFor, name } : undefined;
}

/** A memory file as it is now. */
export interface FoundMemory {
	/** Absolute path that a write goes to. */
	target: string;
	/** The file that was read; absent if there is none. It lies elsewhere if an earlier storage of the workspace has it. */
	file?: string;
	/** Display path of that file. */
	shown?: string;
	text: string;
	base?: FileVersion;
}

export interface MemoryFiles {
	/** Throws ToolError for what is no memory path, for a link, and for a file that is not UTF-8 text. */
	find(disk: MemoryDisk, path: string): Promise<FoundMemory>;
	list(disk: MemoryDisk): Promise<MemoryFile[]>;
}

/** `also`: earlier storages of the workspace's folders, which are read and never written. */
export function createMemoryFiles(also: readonly string[]): MemoryFiles {
	function foldersOf(disk: MemoryDisk, keptFor: KeptFor): [string, ...string[]] {
		const kept = disk.keptFolders?.().find(({ name }) => name === nameOf(keptFor));
		if (!kept) throw new ToolError("This session works in a copy of the workspace, which has no memory. Go on without it.");
		return [kept.path, ...(keptFor === "workspace" ? also.map((storage) => join(storage, FOLDER)) : [])];
	}

	return {
		async find(disk, path) {
			const parsed = parseMemoryPath(path);
			if (!parsed) throw badPath(path);
			const [own, ...others] = foldersOf(disk, parsed.keptFor);
			const target = join(own, parsed.name);
			for (const folder of [own, ...others]) {
				const file = join(folder, parsed.name);
				const [around, stat] = [await disk.lstat(folder), await disk.lstat(file)];
				if (around?.link !== undefined || stat?.link !== undefined) throw linkProblem(path);
				if (!stat) continue;
				if (stat.type !== "file") throw new ToolError(`${path} is not a file. Nothing was changed. Choose another name.`);
				const bytes = await disk.read(file);
				const version = await disk.version(file);
				return {
					target,
					file,
					shown: file === target ? `${nameOf(parsed.keptFor)}/${parsed.name}` : file,
					text: decode(bytes, path),
					base: { size: bytes.length, mtime: version?.mtime ?? stat.mtime, hash: sha256(bytes) },
				};
			}
			return { target, text: "" };
		},
		async list(disk) {
			const found = new Map<string, MemoryFile>();
			for (const keptFor of KEPT_FOR) {
				for (const folder of foldersOf(disk, keptFor)) {
					for (const file of await listFolder(disk, folder, keptFor)) if (!found.has(file.path)) found.set(file.path, file);
				}
			}
			return [...found.values()].sort((left, right) => (left.path < right.path ? -1 : 1));
		},
	};
}

/** Creates the memory port for the window's own disk. */
export function createMemory(files: MemoryFiles, disk: MemoryDisk): Memory {
	return { list: () => files.list(disk) };
}

async function listFolder(disk: MemoryDisk, folder: string, keptFor: KeptFor): Promise<MemoryFile[]> {
	const around = await disk.lstat(folder);
	if (around?.type !== "directory") return [];
	const entries = await disk.list(folder);
	const names = entries.flatMap(({ name, type, link }) => (type === "file" && !link && NAME.test(name) ? [name] : []));
	const files = names
		.sort()
		.slice(0, MAX_FILES)
		.map(async (name): Promise<MemoryFile[]> => {
			const file = join(folder, name);
			const stat = await disk.lstat(file);
			const head = stat && (await disk.read(file, { offset: 0, length: FIRST_LINE }).catch(() => undefined));
			// Deleted meanwhile.
			if (!head) return [];
			const { size, mtime } = stat;
			return [{ path: `${keptFor}/${name}`, keptFor, file, firstLine: firstLineOf(head), size, mtime }];
		});
	return (await Promise.all(files)).flat();
}

function firstLineOf(head: Uint8Array): string {
	const [line = ""] = new TextDecoder().decode(head).split("\n");
	return toSingleLine(line).trim();
}

function decode(bytes: Uint8Array, path: string): string {
	try {
		return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
	} catch {
		throw new ToolError(`${path} is not UTF-8 text. Nothing was changed. The person can open it in an editor and save it as UTF-8.`);
	}
}

function badPath(path: string): ToolError {
	return new ToolError(
		`“${toSingleLine(path)}” is no memory path. Nothing was changed. Use person/NAME.md or workspace/NAME.md: NAME has 1 to 64 of a-z, 0-9, _ and -, and begins with a letter or a digit.`,
	);
}

function linkProblem(path: string): ToolError {
	return new ToolError(`${path} leads elsewhere by a link, which memory does not follow. Nothing was changed. Choose another name.`);
}
