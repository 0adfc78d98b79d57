// An in-memory file system with the operations of VS Code's FileSystemProvider.

// Needs no `vscode` module.
import { posix } from "node:path";

export interface MemoryFile {
	content: Uint8Array;
	mtime: number;
}

export class MemoryFiles {
	readonly files = new Map<string, MemoryFile>();
	readonly folders = new Set<string>(["/"]);
	readonly links = new Set<string>();
	private clock = 1_000;

	put(path: string, content: Uint8Array | string): void {
		for (let at = posix.dirname(path); !this.folders.has(at); at = posix.dirname(at)) this.folders.add(at);
		this.clock += 1;
		this.files.set(path, { content: typeof content === "string" ? new TextEncoder().encode(content) : content, mtime: this.clock });
	}

	has(path: string): boolean {
		return this.files.has(path) || this.folders.has(path);
	}

	/** Names with whether each is a folder. */
	list(folder: string): { name: string; folder: boolean; link: boolean }[] {
		const below = (paths: Iterable<string>) => [...paths].filter((path) => path !== "/" && posix.dirname(path) === folder);
		const named = (folders: boolean) => (path: string) => ({ name: posix.basename(path), folder: folders, link: this.links.has(path) });
		return [...below(this.folders).map(named(true)), ...below(this.files.keys()).map(named(false))];
	}

	remove(path: string): void {
		for (const each of [...this.files.keys()]) if (each === path || each.startsWith(`${path}/`)) this.files.delete(each);
		for (const each of [...this.folders]) if (each === path || each.startsWith(`${path}/`)) this.folders.delete(each);
	}

	text(path: string): string | undefined {
		const file = this.files.get(path);
		return file && new TextDecoder().decode(file.content);
	}
}
