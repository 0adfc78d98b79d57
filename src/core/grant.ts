// Standing approvals: stored records, the lists that the user reads and edits, and approval modes.

import type { Grant, Grantable } from "./ports/gate.ts";
import { APPROVAL_MODES, type ApprovalMode } from "./role.ts";
import type { Transcript } from "./transcript/state.ts";

/** An approval as stored on disk. */
export interface GrantRecord extends Grant {
	/** Valid only while its entry is in the agent's list. */
	listed?: boolean;
	/** The user wrote the entry; the record stores what it meant when it was first used. */
	written?: boolean;
	/** Hash of the definition that was approved, for an agent defined in a workspace. */
	definition?: string;
	/** The workspace's folder names, for display. */
	place?: string;
}

/** Workspace value of approvals that apply in every workspace. */
export const ANY_WORKSPACE = "*";

export interface GrantRecordStore {
	/**
	 * `isWhole` resolves to false if records may be missing: the file is or was damaged, or cannot be read. `unreadable` lists invalid
	 * records, one character per byte; they stay in the file unchanged until they are discarded.
	 */
	read(): Promise<{ grants: readonly GrantRecord[]; unreadable: readonly string[]; isWhole(): Promise<boolean> }>;
	/** Atomically changes the records currently on disk. `what` follows "could not". Rejects with StorageError and then changes nothing. */
	change(what: string, next: (grants: readonly GrantRecord[]) => GrantRecord[]): Promise<void>;
	/** Removes an unreadable record. Rejects as `change` does. */
	discard(what: string, unreadable: string): Promise<void>;
}

/** The location of an agent's list. */
export type GrantListLocation = { kind: "preferences" } | { kind: "file"; agentId: string; path: string };

export interface GrantListStore {
	/** Empty if it cannot be read. */
	read(list: GrantListLocation): Promise<readonly string[]>;
	/** Entries that are not strings, as JSON: they have no effect and stay until they are discarded. */
	unreadable(list: GrantListLocation): Promise<readonly string[]>;
	/** Changes the list currently on disk. Rejects with StorageError. */
	change(list: GrantListLocation, next: (entries: readonly string[]) => readonly string[]): Promise<void>;
	/** Removes an entry that is not a string. Rejects with StorageError. */
	discard(list: GrantListLocation, unreadable: string): Promise<void>;
}

/** `tool`, or `tool(class)` if the tool alone would cover too much. */
export function formatGrantEntry({ tool, class: covered, external }: Grantable): string {
	return external || covered === tool ? tool : `${tool}(${covered})`;
}

/** Parses an entry; returns undefined if it is invalid. */
export function parseGrantEntry(text: string): { tool: string; covers: string | undefined; entry: string } | undefined {
	const parts = text.length > 1_000 ? null : /^([A-Za-z0-9_-]{1,128})(?:\(([^\r\n]+)\))?$/.exec(text.trim());
	if (!parts) return undefined;
	const tool = parts[1] as string;
	const covers = parts[2]?.trim().replace(/\s+/g, " ");
	if (covers === "") return undefined;
	return { tool, covers, entry: covers === undefined ? tool : `${tool}(${covers})` };
}

/** Returns the strictest of the modes. */
export function strictestMode(first: ApprovalMode, ...others: readonly ApprovalMode[]): ApprovalMode {
	return others.reduce((least, mode) => (isWithinCeiling(mode, least) ? mode : least), first);
}

/** Returns true if the mode is at least as strict as the ceiling. */
export function isWithinCeiling(mode: ApprovalMode, ceiling: ApprovalMode): boolean {
	return APPROVAL_MODES.indexOf(mode) <= APPROVAL_MODES.indexOf(ceiling);
}

/** The session's mode, or the default mode, limited by the ceiling. */
export function effectiveApprovalMode(
	{ approval: chosen }: Pick<Transcript, "approval">,
	{ approval, approvalCeiling = "auto" }: { approval: ApprovalMode; approvalCeiling?: ApprovalMode },
): ApprovalMode {
	return strictestMode(chosen ?? approval, approvalCeiling);
}
