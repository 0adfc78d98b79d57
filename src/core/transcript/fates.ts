// What became of each change that a call made: undone, kept, or still standing. Told from contents, so old sessions know it, too.

import type { EventOf, FileChange, TranscriptEvent } from "../events.ts";
import { changesInView } from "./changes.ts";
import type { ChangeEntry, ChangeOutcome, ChangeOutcomes, FileState } from "./state.ts";

export function foldChangeOutcomes(fates: ChangeOutcomes, event: TranscriptEvent): void {
	if (event.type === "result") for (const change of changesInView(event.view)) made(fates, event.call, change);
	if (event.type === "status") settled(fates, event);
}

/** Whether it can be done again: it is undone, and nothing else was done to the file since or has to be done again first. */
export interface ChangeStatus {
	fate: ChangeOutcome | undefined;
	again: boolean;
}

export function findChangeStatus(fates: ChangeOutcomes, call: string, path: string): ChangeStatus {
	for (const entries of fates.values()) {
		const at = entries.findIndex((entry) => entry.call === call && entry.path === path);
		if (at < 0) continue;
		const fate = entries[at]?.fate;
		const again = fate === "undone" && entries[at - 1]?.fate !== "undone" && entries.slice(at).every((entry) => entry.fate === "undone");
		return { fate, again };
	}
	return { fate: undefined, again: false };
}

/** The fate that all changes of these calls share; "kept" where the rest of them was undone. */
export function findSharedOutcome(fates: ChangeOutcomes, own: (call: string) => boolean): ChangeOutcome | undefined {
	const all = [...fates.values()].flat().filter(({ call }) => own(call));
	if (all.length === 0 || all.some(({ fate }) => fate === undefined)) return undefined;
	return all.every(({ fate }) => fate === "undone") ? "undone" : "kept";
}

function made(fates: ChangeOutcomes, call: string, change: FileChange): void {
	const { from, to } = ends(change);
	put(fates, from.path, to.path, [...(fates.get(from.path) ?? []), { call, path: change.path, from, to }]);
}

function settled(fates: ChangeOutcomes, { changes = [], reviewed = [], redo }: EventOf<"status">): void {
	for (const change of changes) {
		const { from, to } = ends(change);
		const entries = fates.get(from.path);
		if (!entries) continue;
		if (redo) done(entries, to);
		else undone(entries, to);
		put(fates, from.path, to.path, entries);
	}
	for (const { path, original, undone: back } of reviewed) {
		if (original) continue;
		for (const entry of fates.get(path) ?? []) entry.fate ??= back ? "undone" : "kept";
	}
}

/** The file is as it was before one of the changes: that one and those after it are undone. */
function undone(entries: ChangeEntry[], now: FileState): void {
	const first = entries.findLastIndex(({ fate, from }) => fate !== "undone" && same(from, now));
	if (first >= 0) for (const entry of entries.slice(first)) entry.fate = "undone";
}

function done(entries: ChangeEntry[], now: FileState): void {
	const last = entries.findIndex(({ fate, to }) => fate === "undone" && same(to, now));
	for (const entry of entries.slice(0, last + 1)) if (entry.fate === "undone") delete entry.fate;
}

function ends({ path, from = path, action, before, after }: FileChange): { from: FileState; to: FileState } {
	const hash = action === "create" ? "" : (before?.blob ?? (action === "rename" ? after : undefined));
	return { from: { path: from, hash }, to: { path, hash: after } };
}

function same(one: FileState, other: FileState): boolean {
	return one.path === other.path && one.hash === other.hash;
}

function put(fates: ChangeOutcomes, from: string, to: string, entries: ChangeEntry[]): void {
	if (from !== to) fates.delete(from);
	fates.set(to, from === to ? entries : [...(fates.get(to) ?? []), ...entries]);
}
