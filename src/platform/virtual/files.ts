// Reads files of virtual file systems: whole each time, within limits, and never through links.
import { posix } from "node:path";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import type { VirtualFileStat, VirtualFileSystem } from "../../core/ports/workspace/files.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, type GetWorkspaceFolders, toReadProblem, WHOLE_FILE_LIMIT, type WorkspaceFiles } from "../files/files.ts";
import { type ApplyEdit, changedMeanwhile, findUnsaved, type Revert, replaceInEditor } from "../files/preconditions.ts";

export function createVirtualFiles(fs: VirtualFileSystem, folders: GetWorkspaceFolders, buffers?: OpenBuffers): WorkspaceFiles {
	const shown = (path: string) => formatDisplayPath(path, folders());
	const pages = cacheBriefly();

	/** Throws on a link, because its target cannot be checked. */
	async function statOf(path: string): Promise<VirtualFileStat | undefined> {
		if (folders().some((folder) => path !== folder.path && relativePathWithin(path, folder.path) !== undefined)) return ABOVE;
		const found = await fs.stat(path).catch((error: unknown) => {
			if (["ENOENT", "ENOTDIR"].includes(errorCode(error) ?? "")) return undefined;
			throw error;
		});
		if (found?.link) throw Object.assign(new Error("it is a symbolic link, and where it leads cannot be seen"), { code: "ELINK" });
		return found;
	}

	async function bytesOf(path: string): Promise<Uint8Array> {
		const found = await statOf(path);
		if (!found) throw Object.assign(new Error("not there"), { code: "ENOENT" });
		if (found.type !== "file") throw Object.assign(new Error("not a file"), { code: found.type === "directory" ? "EISDIR" : "ENOTFILE" });
		if (found.size > WHOLE_FILE_LIMIT)
			throw new ToolError(`${shown(path)} has ${found.size} bytes; files over 50 MB that are on no disk are not read.`);
		return fs.readFile(path);
	}

	/** Every folder between the workspace folder and the path. */
	function above(path: string): string[] {
		const root = folders().find((folder) => relativePathWithin(folder.path, path) !== undefined)?.path;
		const found: string[] = [];
		for (let at = posix.dirname(path); root !== undefined && at.length > root.length; at = posix.dirname(at)) found.push(at);
		return found;
	}

	return {
		async lstat(path) {
			const found = await statOf(path);
			return found && { type: found.type, size: found.size, mtime: found.mtime, links: 1 };
		},
		async realpath(path) {
			const [own] = await Promise.all([path, ...above(path)].map(statOf));
			return own && path;
		},
		async peek(path, limit) {
			return bytesOf(path).then(
				(bytes) => bytes.subarray(0, limit),
				() => undefined,
			);
		},
		async stat(path) {
			const found = await statOf(path);
			return found && { type: found.type, size: found.size, mtime: found.mtime, links: 1 };
		},
		async read(path, range) {
			const unsaved = buffers?.dirty(path);
			try {
				if (!range) return unsaved ?? (await bytesOf(path));
				const bytes = unsaved ?? (await pages(path, () => bytesOf(path)));
				return bytes.subarray(range.offset, range.offset + range.length);
			} catch (error) {
				throw toReadProblem(shown(path), error);
			}
		},
		async version(path) {
			try {
				const found = await statOf(path);
				if (found?.type !== "file") return undefined;
				const bytes = buffers?.dirty(path) ?? (found.size > WHOLE_FILE_LIMIT ? undefined : await fs.readFile(path));
				if (bytes) return { size: bytes.length, mtime: found.mtime, hash: sha256(bytes) };
				return { size: found.size, mtime: found.mtime, hash: sha256(Buffer.from(`${found.size} ${found.mtime}`)) };
			} catch {
				return undefined;
			}
		},
		async list(path) {
			try {
				const entries = await fs.readDirectory(path);
				return entries.filter(({ name }) => isSafeFileName(name)).map((entry) => (entry.link ? { ...entry, type: "other" } : entry));
			} catch (error) {
				throw toReadProblem(shown(path), error);
			}
		},
	};
}

/** Rejects names from a file system provider that would lead elsewhere. */
export function isSafeFileName(name: string): boolean {
	return name !== "" && name !== "." && name !== ".." && !/[/\\\0]/.test(name);
}

const ABOVE: VirtualFileStat = { type: "directory", size: 0, mtime: 0, link: false };

/** Caches one file briefly, because its pages are read one after the other and each read fetches all of it. */
function cacheBriefly(): (path: string, read: () => Promise<Uint8Array>) => Promise<Uint8Array> {
	let cached: { path: string; at: number; bytes: Promise<Uint8Array> } | undefined;
	return (path, read) => {
		if (cached?.path !== path || performance.now() - cached.at > CACHE_TIME) cached = { path, at: performance.now(), bytes: read() };
		const current = cached;
		current.bytes.catch(() => {
			if (cached === current) cached = undefined;
		});
		return current.bytes;
	};
}

/** Milliseconds. */
const CACHE_TIME = 500;

export function createVirtualEditApplier(fs: VirtualFileSystem): ApplyEdit {
	/** Creates missing folders. */
	async function folderOf(path: string, reverts: Revert[]): Promise<void> {
		const missing: string[] = [];
		for (let at = posix.dirname(path); !(await fs.stat(at)); at = posix.dirname(at)) missing.push(at);
		const [folder] = missing;
		if (folder === undefined) return;
		// Best effort: an extra empty folder is harmless, and someone may have put a file into it.
		reverts.push(async () => {
			for (const made of missing) {
				const left = await fs.readDirectory(made).catch(() => [made]);
				if (left.length === 0) await fs.delete(made, false).catch(() => undefined);
			}
		});
		await fs.createDirectory(folder);
	}

	async function assertFree(path: string): Promise<void> {
		if (await fs.stat(path)) throw Object.assign(new Error(`${path} is there`), { code: "EEXIST" });
	}

	async function assertKnown(path: string, expected: Uint8Array): Promise<void> {
		if (sha256(await fs.readFile(path)) !== sha256(expected)) throw changedMeanwhile(path);
	}

	async function put(path: string, content: Uint8Array, before: Uint8Array, reverts: Revert[]): Promise<void> {
		await assertKnown(path, before);
		reverts.push(async () => {
			await assertKnown(path, content);
			await fs.writeFile(path, before);
		});
		await fs.writeFile(path, content);
	}

	return async (prepared, _held, reverts, { buffers }) => {
		const { edit, realPath: real, realTarget: realTo, before = new Uint8Array() } = prepared;
		if (edit.action === "create") {
			await folderOf(real, reverts);
			await assertFree(real);
			reverts.push(async () => {
				if (!(await fs.stat(real))) return;
				await assertKnown(real, edit.content);
				await fs.delete(real, false);
			});
			return fs.writeFile(real, edit.content);
		}
		const editor = findUnsaved(prepared, buffers);
		if (editor !== undefined && buffers) {
			if (edit.action !== "update") throw changedMeanwhile(real);
			return replaceInEditor(buffers, editor, { before, content: edit.content }, reverts);
		}
		if (edit.action === "update") return put(real, edit.content, before, reverts);
		await assertKnown(real, before);
		if (edit.action === "delete") {
			reverts.push(async () => {
				await assertFree(real);
				await fs.writeFile(real, before);
			});
			// The trash is used only for files that Undo deletes.
			return fs.delete(real, edit.trash === true);
		}
		if (edit.content) await put(real, edit.content, before, reverts);
		const target = realTo ?? edit.to;
		await assertFree(target);
		await folderOf(target, reverts);
		reverts.push(() => fs.rename(target, real));
		return fs.rename(real, target);
	};
}
