// The port to the files of a workspace, and to file systems that are not on this computer.
import type { FileChange } from "../../events.ts";
import { ExplainedError } from "../../userError.ts";

export interface WorkspaceFolder {
	name: string;
	path: string;
}

export interface FileStat {
	type: "file" | "directory" | "other";
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtime: number;
	/** Number of hard links. */
	links: number;
	/**
	 * Identifies a folder with the names in it, by its times: another one once a name is added or removed, where the disk dates folders.
	 * Absent where that can't be told. Nothing that lets an agent write may depend on it.
	 */
	names?: string;
}

/** A file's state when it was read. A write passes it back and is refused if the file has changed since. */
export interface FileVersion {
	size: number;
	mtime: number;
	/** SHA-256 of the bytes. */
	hash: string;
}

export interface Disk {
	/** Returns undefined if nothing exists there; links are not followed. */
	lstat(path: string): Promise<(FileStat & { link?: string }) | undefined>;
	/** Returns undefined if the target does not exist. Throws on a link cycle. */
	realpath(path: string): Promise<string | undefined>;
	/** Reads at most `limit` bytes of a small file; undefined if it cannot be read. */
	peek(path: string, limit: number): Promise<Uint8Array | undefined>;
	/** Entries of a folder, unsorted. If this method is absent, a folder's content counts as unknown. */
	list?(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Lists everything below a folder without following links, up to the limits. If `enter` returns false, a folder's content is
	 * skipped. Returns undefined if something could not be read or a limit was reached.
	 */
	walk?(folder: string, options: WalkOptions): Promise<WalkEntry[] | undefined>;
	/** Returns the types of these paths without following links; omits paths that do not exist. */
	inspect?(paths: readonly string[]): Promise<WalkEntry[]>;
}

export interface WalkOptions {
	/** Maximum number of entries. */
	entries: number;
	/** Maximum time in milliseconds. */
	time: number;
	enter(name: string, path: string): boolean;
}

export interface WalkEntry {
	path: string;
	type: FileStat["type"];
	/** It is a symbolic link. */
	link: boolean;
	/** Number of hard links; 1 for anything but a file. */
	links: number;
}

/** A change to one file that the workspace performs and reports. */
export type FileEdit =
	| { path: string; action: "create"; content: Uint8Array; executable?: true }
	| { path: string; action: "update"; content: Uint8Array; base: FileVersion }
	/** `trash`: into the trash where there is one, where what is written to it meanwhile goes too. */
	| { path: string; action: "delete"; base?: FileVersion; trash?: true }
	| { path: string; action: "rename"; to: string; content?: Uint8Array; base?: FileVersion };

/** The file has changed since it was read, or the path resolves to another location than when it was checked. */
export class FileConflict extends ExplainedError {
	override readonly name = "FileConflict";
}

export interface VirtualFileStat extends Pick<FileStat, "type" | "size" | "mtime"> {
	/** A link whose target cannot be determined. */
	link: boolean;
}

/** Methods reject with an error whose `code` is a Node.js code: ENOENT, EEXIST, EISDIR, ENOTDIR, EACCES. */
export interface VirtualFileSystem {
	/** Returns undefined if nothing exists there. */
	stat(path: string): Promise<VirtualFileStat | undefined>;
	readFile(path: string): Promise<Uint8Array>;
	/** Creates the file or replaces its content; its folder must exist. */
	writeFile(path: string, content: Uint8Array): Promise<void>;
	/** Names as the file system reports them. */
	readDirectory(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/** Creates missing parent folders, too. */
	createDirectory(path: string): Promise<void>;
	/** Uses the trash if `trash` is set and the file system has one. */
	delete(path: string, trash: boolean): Promise<void>;
	/** Rejects with EEXIST if the target exists. */
	rename(from: string, to: string): Promise<void>;
}

/** Paths are absolute, and already checked by the gate. */
export interface WorkspaceFiles extends Disk {
	folders(): readonly WorkspaceFolder[];
	/**
	 * Folders in Troupe's storage whose files tools change without naming paths, such as memory. Display paths in them begin with the
	 * folder's name. None if absent.
	 */
	keptFolders?(): readonly WorkspaceFolder[];
	/** A stable identity that approvals are bound to. */
	identity(): string;
	stat(path: string): Promise<FileStat | undefined>;
	/** Reads a file or a part of it; unsaved editor content takes precedence. Throws with a sentence for the model. */
	read(path: string, range?: { offset: number; length: number }): Promise<Uint8Array>;
	version(path: string): Promise<FileVersion | undefined>;
	/** Entries of a folder, unsorted. */
	list(path: string): Promise<{ name: string; type: FileStat["type"]; link: boolean }[]>;
	/**
	 * Applies all edits or none. `real` maps each path to the location that the gate resolved: the write goes there or is refused
	 * with FileConflict. Returns what changed, including changes by save participants; previous content is stored as blobs.
	 */
	apply(edits: readonly FileEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]>;
	/** The changes that `apply` would make, without writing or storing anything. */
	preview(edits: readonly FileEdit[]): Promise<FileChange[]>;
	/** Restores the bytes from before a change and returns the resulting change; throws FileConflict if the file has changed since. */
	undo(change: FileChange): Promise<FileChange>;
	/** Returns true if an editor has unsaved text of the file. */
	unsaved?(path: string): boolean;
	/** Takes a snapshot of the workspace; the returned function lists the changes since. */
	watch(): Promise<() => Promise<FileChange[]>>;
	/** The commit that HEAD points to; undefined outside git. */
	commit(): Promise<string | undefined>;
}
