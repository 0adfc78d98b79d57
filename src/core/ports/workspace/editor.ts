// The port to what the editor has open and selected.

/** Open documents. Unsaved text takes precedence over the disk, and a change to it goes through its editor. */
export interface OpenBuffers {
	/** Bytes that a dirty document would be saved as; undefined if the file is clean or not open. */
	dirty(path: string): Uint8Array | undefined;
	/** Returns why a file cannot be written directly while it is open in an editor (a notebook, for example). */
	refusal(path: string): string | undefined;
	/** Replaces a document's text through its editor, unsaved. */
	setText(path: string, content: Uint8Array): Promise<void>;
	/** Resolves once the document is on disk; rejects if it stays unsaved. */
	save(path: string): Promise<void>;
}

export interface EditorFacts {
	/** Selection of the last used editor; undefined if there is none. Without a selection, `text` is "". */
	selection(): { path: string; lines: [number, number]; text: string } | undefined;
	/** Absolute paths of open files, last used first. */
	open(): readonly string[];
	/** Terminal output since activation, newest last, without escape sequences; "" if there is none. */
	terminal(): string;
	/** Uncommitted changes, staged or not, in files that `shown` accepts. Undefined outside git; `hidden` counts the omitted files. */
	changes(shown: (path: string) => Promise<boolean>): Promise<{ diff: string; untracked: string[]; hidden: number } | undefined>;
}
