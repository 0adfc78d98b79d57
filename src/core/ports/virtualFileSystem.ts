// The port to a file system that only an editor can reach: whole files, by the path of a workspace folder that stands for it.
import type { FileStat } from "./workspace.ts";

export interface VirtualFileStat extends Pick<FileStat, "type" | "size" | "mtime"> {
	/** Where it leads cannot be seen. */
	link: boolean;
}

/** Rejects with an error whose `code` is that of Node's: ENOENT, EEXIST, EISDIR, ENOTDIR, EACCES. */
export interface VirtualFileSystem {
	/** Undefined when there is nothing. */
	stat(path: string): Promise<VirtualFileStat | undefined>;
	readFile(path: string): Promise<Uint8Array>;
	/** Creates the file or replaces its content; its folder is there. */
	writeFile(path: string, content: Uint8Array): Promise<void>;
	/** Names as the file system gives them. */
	readDirectory(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/** With the folders above it. */
	createDirectory(path: string): Promise<void>;
	/** `trash` where the file system has one. */
	delete(path: string, trash: boolean): Promise<void>;
	/** Rejects with EEXIST where the target is there. */
	rename(from: string, to: string): Promise<void>;
}
