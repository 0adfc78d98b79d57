// The port of virtual files over files in memory, without an editor between.
import type { VirtualFileSystem } from "../../src/core/ports/workspace/files.ts";
import type { MemoryFiles } from "./memoryFileSystem.ts";

/** `of` turns a workspace path into one of the memory. */
export function virtualMemory(memory: MemoryFiles, of: (path: string) => string): VirtualFileSystem {
	const missing = (path: string) => Object.assign(new Error(`${path} is not there`), { code: "ENOENT" });
	return {
		async stat(path) {
			const at = of(path);
			const link = memory.links.has(at);
			const file = memory.files.get(at);
			if (file) return { type: "file", size: file.content.length, mtime: file.mtime, link };
			return memory.folders.has(at) ? { type: "directory", size: 0, mtime: 0, link } : undefined;
		},
		async readFile(path) {
			const file = memory.files.get(of(path));
			if (!file) throw missing(path);
			return file.content;
		},
		async writeFile(path, content) {
			memory.put(of(path), Uint8Array.from(content));
		},
		async readDirectory(path) {
			if (!memory.folders.has(of(path))) throw missing(path);
			return memory.list(of(path)).map(({ name, folder, link }) => ({ name, type: folder ? "directory" : "file", link }));
		},
		async createDirectory(path) {
			for (let at = of(path); !memory.folders.has(at); at = at.slice(0, at.lastIndexOf("/"))) memory.folders.add(at);
		},
		async delete(path) {
			memory.remove(of(path));
		},
		async rename(from, to) {
			const file = memory.files.get(of(from));
			if (!file) throw missing(from);
			memory.remove(of(from));
			memory.put(of(to), file.content);
		},
	};
}
