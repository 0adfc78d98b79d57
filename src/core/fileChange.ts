// Types for file changes in events: the diff to display and the data to undo it.

/** Bytes kept beside the transcript under their SHA-256. */
export interface BlobRef {
	blob: string;
	/** Size in bytes. */
	size: number;
	mime?: string;
}

export interface FileChange {
	path: string;
	action: "update" | "create" | "delete" | "rename";
	/** Where a renamed file was before. */
	from?: string;
	/** Unified diff hunks with three lines of context; "" where no byte changes, and where they cannot be shown. */
	diff: string;
	/** The hunks leave this out: every line, before and after, ends in CRLF. */
	lineEnds?: "CRLF";
	/** How the bytes were read as text, where that is not UTF-8 before and after: "UTF-16 LE", "windows-1252 → UTF-8". */
	encoding?: string;
	/** Why there are no hunks although bytes change, and how many bytes the file then has. */
	unshown?: { why: "binary" | "large"; size: number };
	added: number;
	removed: number;
	/** The bytes before the change; absent for a created file. */
	before?: BlobRef;
	/** SHA-256 of the bytes after the change, "" when the file is gone: Undo refuses when the file has moved on. */
	after: string;
	/** While a plan ran: why this change was not foreseen by its running step. */
	deviation?: string;
}

/** All that happened to one file, as one change. */
export interface ChangedFile {
	/** Where it is now; where it was last, when it is gone. */
	path: string;
	/** Where it was before, for a file that was moved. */
	was?: string;
	/** Its bytes before; absent for a file that was not there, and where they are not kept. */
	original?: BlobRef;
	/** There was no such file before. */
	created?: boolean;
	/** SHA-256 as the last change left it, "" when it is gone. */
	after: string;
	/** Lines, summed over the changes. */
	added: number;
	removed: number;
	/** Somebody else changed it between two of the changes. */
	mixed?: boolean;
	/** When the first and the last of the changes were made. */
	at: string;
	until: string;
	/** The turns that changed it. */
	turns: string[];
}

/** A file that the person has looked at: with `original`, what they kept of it is what it is compared with from now on. */
export interface ReviewMark {
	path: string;
	original?: BlobRef;
	/** It was put back, maybe in another session. */
	undone?: true;
}
