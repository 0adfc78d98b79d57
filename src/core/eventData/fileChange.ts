// Types for file changes in events: the diff to display and the data to undo it.

/** Bytes stored beside the transcript under their SHA-256. */
export interface BlobRef {
	blob: string;
	/** Size in bytes. */
	size: number;
	mime?: string;
}

export interface FileChange {
	path: string;
	action: "update" | "create" | "delete" | "rename";
	/** Previous path of a renamed file. */
	from?: string;
	/** Unified diff hunks with three lines of context; "" if no byte changes or if the hunks cannot be displayed. */
	diff: string;
	/** Every line ends in CRLF before and after, which the hunks omit. */
	lineEnds?: "CRLF";
	/** The text encoding, unless it is UTF-8 before and after: "UTF-16 LE", "windows-1252 → UTF-8". */
	encoding?: string;
	/** Reason why there are no hunks although bytes change, and the resulting file size in bytes. */
	unshown?: { why: "binary" | "large"; size: number };
	added: number;
	removed: number;
	/** The bytes before the change; absent for a created file. */
	before?: BlobRef;
	/** SHA-256 of the bytes after the change, or "" if the file was deleted. Undo refuses if the file has changed since. */
	after: string;
	/** Reason why this change deviates from the running plan step. */
	deviation?: string;
}

/** All changes to one file, combined into one. */
export interface ChangedFile {
	/** Current path, or last path if the file was deleted. */
	path: string;
	/** Previous path of a file that was moved. */
	was?: string;
	/** Its bytes before the changes; absent for a new file, or if they were not stored. */
	original?: BlobRef;
	/** The file did not exist before. */
	created?: boolean;
	/** SHA-256 after the last change, or "" if the file was deleted. */
	after: string;
	/** Lines, summed over the changes. */
	added: number;
	removed: number;
	/** Someone else changed it between two of the changes. */
	mixed?: boolean;
	/** Times of the first and the last change. */
	at: string;
	until: string;
	/** The turns that changed it. */
	turns: string[];
}

/** A file that the user has reviewed. `original` is the accepted content that later changes are compared with. */
export interface ReviewMark {
	path: string;
	original?: BlobRef;
	/** It was undone, possibly in another session. */
	undone?: true;
}
