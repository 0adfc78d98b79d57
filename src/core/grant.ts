// Standing approvals: stored records, the lists that the user reads and edits, and approval modes.

import type { EventOf } from "./events.ts";
import type { Grant, Grantable } from "./ports/gate.ts";
import type { ApprovalMode } from "./role.ts";
import type { Transcript } from "./transcript/state.ts";

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

export const APPROVAL_MODES: readonly ApprovalMode[] = ["ask", "plan", "edits", "auto"];

/** The one of them that asks most. */
export function strictestMode(first: ApprovalMode, ...others: readonly ApprovalMode[]): ApprovalMode {
	return others.reduce((least, mode) => (isWithinCeiling(mode, least) ? mode : least), first);
}

/** It asks at least as much as the ceiling. */
export function isWithinCeiling(mode: ApprovalMode, ceiling: ApprovalMode): boolean {
	return APPROVAL_MODES.indexOf(mode) <= APPROVAL_MODES.indexOf(ceiling);
}

/** What the person chose for the session, else the default; never more than the ceiling allows. */
export function effectiveApprovalMode(
	{ approval: chosen }: Pick<Transcript, "approval">,
	{ approval, approvalCeiling = "auto" }: { approval: ApprovalMode; approvalCeiling?: ApprovalMode },
): ApprovalMode {
	return strictestMode(chosen ?? approval, approvalCeiling);
}

/** Part of the one fold. Only the person chooses a mode; one that nobody knows asks for everything. */
export function foldApprovalMode(state: Transcript, { approval, by }: EventOf<"status">): void {
	if (approval === undefined || by !== "person") return;
	if (approval === "default") delete state.approval;
	else state.approval = APPROVAL_MODES.includes(approval) ? approval : "ask";
}
