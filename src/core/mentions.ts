// The port to what a mention can bring along beside files: the editor's selection, what terminals showed, what git sees.
import type { Attachment } from "./events.ts";

export interface EditorFacts {
	/** Of the editor that was used last; undefined where there is none. Without a selection `text` is "". */
	selection(): { path: string; lines: [number, number]; text: string } | undefined;
	/** Files in editors, the one used last first; absolute. */
	open(): readonly string[];
	/** What terminals have shown since the extension started, the newest last, without escape sequences; "" for nothing. */
	terminal(): string;
	/**
	 * What differs from the last commit, staged or not, in files that `shown` lets through. Undefined outside git;
	 * `hidden` counts the files left out.
	 */
	changes(shown: (path: string) => Promise<boolean>): Promise<{ diff: string; untracked: string[]; hidden: number } | undefined>;
}

/** One line of the list that opens at an @. */
export interface MentionSuggestion {
	kind: Attachment["kind"];
	/** What stands in the message when it is chosen: "@src/cart.ts", "@problems". */
	insert: string;
	label: string;
	/** The folder it lies in, or what it brings. */
	detail: string;
	/** Characters of the label that matched, for the eye. */
	marks?: number[];
	/** Choosing it goes on with the list: a folder's files, an address to type. */
	more?: boolean;
}
