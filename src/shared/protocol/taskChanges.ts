// Types of the changes in a background task's copy of the workspace, as the chat displays them.
import type { FileChange } from "../../core/events.ts";

/** The copy of a background task that waits or is over, and how much is left to take from it. */
export interface TaskCopy {
	/** Id of the task. */
	task: string;
	/** `gone`: it was taken, discarded, or lost. `unreadable`: `problem` says why. */
	state: "present" | "gone" | "unreadable";
	/** Number of changed files, without those that Git ignores. */
	files: number;
	added: number;
	removed: number;
	/** Some of it is being taken now, so the rest is as it was before. */
	taking?: true;
	/** Sentences about what differs although `files` is 0, and keeps the copy; absent if nothing does. */
	left?: string[];
	problem?: string;
}

/** `conflict`: the user's file has changed too. `apart`: taken only by name. `refused`: never taken. */
export type TaskChangeGroup = "takeable" | "conflict" | "apart" | "refused";

export interface ShownTaskChange extends Pick<FileChange, "diff" | "added" | "removed" | "lineEnds" | "encoding" | "unshown"> {
	/** Display path in the workspace. */
	path: string;
	action: "create" | "update" | "delete";
	group: TaskChangeGroup;
	/** Sentence on why it isn't takeable with the others. */
	reason?: string;
	/** Identifies what is shown of the change. */
	shown: string;
}

export interface TaskChangeList {
	/** Id of the task. */
	task: string;
	/** Changes sorted by folder and path. */
	changes: ShownTaskChange[];
	/** Sentences about what was left out of the copy, and what isn't listed. */
	notes: string[];
	/** Identifies what is shown of all changes. */
	shown: string;
}
