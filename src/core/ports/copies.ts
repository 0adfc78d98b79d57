// The port to isolated copies of the workspace, in which background tasks work.

import type { FileChange } from "../eventData/fileChange.ts";
import type { FileEdit, WorkspaceFolder } from "./workspace/files.ts";

export interface CopyFolder extends WorkspaceFolder {
	/** The workspace folder that it is a copy of; `path` is in the copy. */
	original: string;
}

export interface WorkspaceCopy {
	id: string;
	/** Its own folder, with links resolved. `folders` are below it. */
	home: string;
	/** Folders in the order of the workspace. Those that are on no disk are not among them. */
	folders: readonly CopyFolder[];
	/** ISO 8601. */
	createdAt: string;
	/** Sentences for the user about what was left out or is different in the copy. */
	notes: readonly string[];
}

export interface ListedCopy extends Pick<WorkspaceCopy, "id" | "createdAt"> {
	/** The user has deleted its task, or was about to. */
	abandoned?: true;
}

export interface CopyOptions {
	signal: AbortSignal;
	/** Globs of ignored files and folders that are copied too, relative to each workspace folder. */
	copyIgnored: readonly string[];
	/** Resolves to true if an absolute path may be read without approval. Others are left out. */
	isReadable(path: string): Promise<boolean>;
}

/** A file that differs in the copy from the workspace as it was when it was copied, or when the file was last taken from the copy. */
export interface CopyChange extends Pick<FileChange, "diff" | "added" | "removed" | "lineEnds" | "encoding" | "unshown"> {
	/** Name of the workspace folder. */
	folder: string;
	/** Relative to the folder, with slashes. */
	path: string;
	/** Absolute path in the workspace. */
	real: string;
	/** Absolute path in the copy. */
	copied: string;
	action: "create" | "update" | "delete";
	/** SHA-256 of the bytes that the diff starts from, "" if there was no file; absent if it was not read. */
	base?: string;
	/** SHA-256 of the bytes in the copy, "" if it was deleted; absent if it was not read. */
	now?: string;
	/** The workspace's file is neither as it was copied nor as it was taken: it has to be merged. */
	changedMeanwhile: boolean;
	/** Git ignores the file. Its content is not compared and has no diff. */
	ignored?: true;
	/** Set for an ignored file that package managers write, such as one in node_modules. */
	dependency?: true;
	/** It is or was a symbolic link and cannot be taken; where it leads, "" if it is gone. */
	link?: string;
}

export interface CopyChanges {
	/** Sorted by folder and path. A moved file is one deleted and one created. */
	changes: readonly CopyChange[];
	/** Sentences for the user about what was not compared, or differs and isn't among the changes. */
	notes: readonly string[];
}

/** The three versions of a file that a merge needs; undefined means that there is no such file, or not as readable bytes. */
export interface CopyVersions {
	base: Uint8Array | undefined;
	copied: Uint8Array | undefined;
	/** The workspace's version, with unsaved text if an editor has any. */
	original: Uint8Array | undefined;
}

/**
 * Effect of taking a change. `write`: the edit for `Workspace.apply`, which still has to pass the gate; its FileConflict means the same as
 * `conflict`. `same`: the workspace has it already. `conflict`: the user's file has changed and is left alone.
 */
export type CopyTake =
	| { kind: "write"; edit: Exclude<FileEdit, { action: "rename" }> }
	| { kind: "same" }
	| { kind: "conflict" | "refused"; reason: string };

/** A change that is written to the workspace, with its display path. */
export interface TakenWrite {
	change: FileChange;
	/** The write is only a part of the copy's change. */
	isPart?: true;
	/** Time at which the write began, as ISO 8601. */
	at: string;
}

export interface WorkspaceCopies {
	/**
	 * Copies the workspace folders that are on a disk, as they are now, with unsaved text. Rejects with a sentence for the user,
	 * or with the signal's reason, and leaves nothing behind then.
	 */
	create(id: string, options: CopyOptions): Promise<WorkspaceCopy>;
	/** Undefined if there is no such copy, or if it is damaged. */
	find(id: string): Promise<WorkspaceCopy | undefined>;
	/** All copies, oldest first. */
	list(): Promise<readonly ListedCopy[]>;
	/** Notes that the user deletes its task, so that a copy is removed later if this window ends before it is. */
	abandon(id: string): Promise<void>;
	/** Resolves once nothing of it is left, also if there was none. */
	remove(id: string): Promise<void>;
	/** Removes what windows left that ended while they created or removed a copy. */
	sweep(): Promise<void>;
	/** Compares all files of the copy, ignored ones too. Commits made in the copy do not matter. */
	changes(copy: WorkspaceCopy): Promise<CopyChanges>;
	versions(copy: WorkspaceCopy, change: CopyChange): Promise<CopyVersions>;
	/**
	 * Judges again what taking a listed change would write; writes nothing. `hunks` are indexes of hunks in its diff; all of the
	 * change if absent.
	 */
	take(copy: WorkspaceCopy, change: CopyChange, hunks?: readonly number[]): Promise<CopyTake>;
	/** Keeps from before a write until it is recorded for Undo that it may have happened, even if the window dies. Returns its id. */
	beginWrite(copy: WorkspaceCopy, write: TakenWrite): Promise<string>;
	/** The write is recorded, or did not happen. */
	endWrite(copy: WorkspaceCopy, id: string): Promise<void>;
	/** Writes that have begun and not ended, by id, in their order. */
	openWrites(copy: WorkspaceCopy): Promise<ReadonlyMap<string, TakenWrite>>;
	/** From now on, a change is not listed, unless its file changes again in the copy. Rejects if its content was not read. */
	discard(copy: WorkspaceCopy, change: CopyChange): Promise<void>;
}
