// Standing approvals as they are kept: records of what each covers, and the lists in which the person reads and changes them.
import type { Grant, Grantable } from "./ports/gate.ts";

/** A grant as it is on disk. */
export interface GrantRecord extends Grant {
	/** It counts only as long as its entry stands in the agent's list. */
	listed?: boolean;
	/** The person wrote the entry; this is what it meant when it was first met. */
	written?: boolean;
	/** Of an agent that a workspace defines: the hash of the definition it was given to. */
	definition?: string;
	/** The workspace by its folders' names, for the eye. */
	place?: string;
}

/** The workspace of what counts in every one. */
export const ANY_WORKSPACE = "*";

export interface GrantRecordStore {
	/**
	 * `whole` is false where some may be lost: the file is damaged, was damaged, or cannot be read. `unreadable` are records that
	 * are no approvals, a character for each byte; they stay in the file as they are until they are discarded.
	 */
	read(): Promise<{ grants: readonly GrantRecord[]; whole: boolean; unreadable: readonly string[] }>;
	/** Changes them as they are on disk now, at one stroke. `what` follows "could not". Rejects with StorageError; all is then as it was. */
	change(what: string, next: (grants: readonly GrantRecord[]) => GrantRecord[]): Promise<void>;
	/** Takes out one that cannot be read. Rejects as `change` does. */
	discard(what: string, unreadable: string): Promise<void>;
}

/** Where the list of an agent is. */
export type GrantListLocation = { kind: "preferences" } | { kind: "file"; agentId: string; path: string };

export interface GrantListStore {
	/** None where it cannot be read. */
	read(list: GrantListLocation): Promise<readonly string[]>;
	/** What of it is no text, as JSON: it counts for nothing and stays until it is discarded. */
	unreadable(list: GrantListLocation): Promise<readonly string[]>;
	/** Changes it as it is on disk now. Rejects with StorageError. */
	change(list: GrantListLocation, next: (entries: readonly string[]) => readonly string[]): Promise<void>;
	/** Takes out one that is no text. Rejects with StorageError. */
	discard(list: GrantListLocation, unreadable: string): Promise<void>;
}

/** `tool`, or `tool(class)` where the tool alone would say too much. */
export function formatGrantEntry({ tool, class: covered, external }: Grantable): string {
	return external || covered === tool ? tool : `${tool}(${covered})`;
}

/** What an entry names; undefined where it is none. */
export function parseGrantEntry(text: string): { tool: string; covers: string | undefined; entry: string } | undefined {
	const parts = text.length > 1_000 ? null : /^([A-Za-z0-9_-]{1,128})(?:\(([^\r\n]+)\))?$/.exec(text.trim());
	if (!parts) return undefined;
	const tool = parts[1] as string;
	const covers = parts[2]?.trim().replace(/\s+/g, " ");
	if (covers === "") return undefined;
	return { tool, covers, entry: covers === undefined ? tool : `${tool}(${covers})` };
}
