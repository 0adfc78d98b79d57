// Folds events into the files that are still changed, minus those the user kept or restored.

import type { ToolView } from "../eventData/toolView.ts";
import type { ChangedFile, EventOf, FileChange, TranscriptEvent } from "../events.ts";
import type { ChangedFiles, ChangeEntry, ChangeOutcome, ChangeOutcomes, FileState, Transcript } from "./state.ts";

export function changesInView(view: ToolView | undefined): readonly FileChange[] {
	if (view?.kind === "change") return view.changes;
	return view?.kind === "command" ? view.changed : [];
}

export function toChangedFiles(files: Iterable<ChangedFile>): ChangedFiles {
	return new Map([...files].map((file) => [file.path, { ...file }]));
}

/** Applies one event's file changes. With `all`, also applies the user's own changes to files that no agent has changed. */
export function foldChangedFiles(files: ChangedFiles, event: TranscriptEvent, all = false): void {
	if (event.type === "result") for (const change of changesInView(event.view)) addChange(files, change, event);
	if (event.type === "compacted") for (const file of event.carried?.changed ?? []) files.set(file.path, { ...file });
	if (event.type !== "status") return;
	for (const change of event.changes ?? []) if (all || countsAsChange(files, change, event)) addChange(files, change, event);
	for (const { path, original } of event.reviewed ?? []) {
		const file = files.get(path);
		if (!original || !file) files.delete(path);
		else putFile(files, omitField({ ...file, original }, "created"));
	}
}

/** A restored file counts only if it is listed as changed: a file that is unchanged or was kept belongs to the user. */
function countsAsChange(files: ChangedFiles, { path, from = path }: FileChange, { reviewed = [], redo }: EventOf<"status">): boolean {
	return redo === true || files.has(path) || files.has(from) || reviewed.some((mark) => mark.path === path);
}

/** Records what a call changed, for the session and for its turn. */
export function recordChanges(state: Transcript, event: EventOf<"result">): void {
	if (changesInView(event.view).length === 0) return;
	foldChangedFiles(state.changed, event);
	if (event.turn === undefined) return;
	const files: ChangedFiles = state.changedIn.get(event.turn) ?? new Map();
	foldChangedFiles(files, event);
	state.changedIn.set(event.turn, files);
}

type When = { at: string; turn?: string };

function addChange(files: ChangedFiles, change: FileChange, when: When): void {
	if (change.action === "rename" && change.from !== undefined) {
		moveFile(files, change, change.from, when);
		return;
	}
	const known = files.get(change.path);
	const file = applyChange(known, change, when);
	files.delete(change.path);
	// A file that had been created no longer exists; a file that had been moved is missing at its original path.
	if (change.action === "delete" && known?.created) return;
	const moved = change.action === "delete" && known?.was !== undefined;
	putFile(files, moved ? atOriginalPath(files, { ...omitField(file, "was"), path: known.was as string }) : file);
}

function moveFile(files: ChangedFiles, change: FileChange, from: string, when: When): void {
	const known = files.get(from);
	const target = files.get(change.path);
	const file = applyChange(known, change, when);
	files.delete(from);
	const originalPath = known?.was ?? from;
	if (target) {
		// The moved file replaces a deleted one: that one has changed, and the moved file is missing at its old path.
		putFile(files, { ...target, after: change.after, until: when.at, turns: file.turns });
		if (!file.created) putFile(files, atOriginalPath(files, { ...omitField(file, "was"), path: originalPath, after: "" }));
		return;
	}
	if (file.created || originalPath === change.path) putFile(files, { ...omitField(file, "was"), path: change.path });
	else putFile(files, { ...file, path: change.path, was: originalPath });
}

function applyChange(known: ChangedFile | undefined, change: FileChange, { at, turn }: When): ChangedFile {
	const file: ChangedFile = known
		? { ...known }
		: {
				path: change.path,
				after: "",
				added: 0,
				removed: 0,
				at,
				until: at,
				turns: [],
				...(change.action === "create" ? { created: true } : change.before && { original: change.before }),
			};
	const contentBefore = change.before?.blob ?? (change.action === "create" ? "" : undefined);
	if (known && contentBefore !== undefined && contentBefore !== known.after) file.mixed = true;
	if (turn !== undefined && !file.turns.includes(turn)) file.turns = [...file.turns, turn];
	return { ...file, after: change.after, until: at, added: file.added + change.added, removed: file.removed + change.removed };
}

/** A file that is missing at its original path, where another file may have been created since. */
function atOriginalPath(files: ChangedFiles, missing: ChangedFile): ChangedFile {
	const existing = files.get(missing.path);
	if (!existing) return missing;
	const { created: _, ...rest } = existing;
	return { ...rest, ...(missing.original && { original: missing.original }) };
}

/** Removes files that are back in their original state. */
function putFile(files: ChangedFiles, file: ChangedFile): void {
	if (file.was === undefined && file.original?.blob === file.after) files.delete(file.path);
	else files.set(file.path, file);
}

function omitField<Field extends "was" | "created">(file: ChangedFile, field: Field): ChangedFile {
	const { [field]: _, ...rest } = file;
	return rest as ChangedFile;
}

export function foldChangeOutcomes(fates: ChangeOutcomes, event: TranscriptEvent): void {
	if (event.type === "result") for (const change of changesInView(event.view)) addChangeEntry(fates, event.call, change);
	if (event.type === "status") applyStatus(fates, event);
}

/** `again`: the change can be redone, because it is undone, the file has not changed since, and no earlier change must be redone first. */
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

/** The outcome that all changes of these calls share; "kept" if some were kept and the others undone. */
export function findSharedOutcome(fates: ChangeOutcomes, own: (call: string) => boolean): ChangeOutcome | undefined {
	const all = [...fates.values()].flat().filter(({ call }) => own(call));
	if (all.length === 0 || all.some(({ fate }) => fate === undefined)) return undefined;
	return all.every(({ fate }) => fate === "undone") ? "undone" : "kept";
}

function addChangeEntry(fates: ChangeOutcomes, call: string, change: FileChange): void {
	const { from, to } = fileStatesOf(change);
	addEntries(fates, from.path, to.path, [...(fates.get(from.path) ?? []), { call, path: change.path, from, to }]);
}

function applyStatus(fates: ChangeOutcomes, { changes = [], reviewed = [], redo }: EventOf<"status">): void {
	for (const change of changes) {
		const { from, to } = fileStatesOf(change);
		const entries = fates.get(from.path);
		if (!entries) continue;
		if (redo) markRedone(entries, to);
		else markUndone(entries, to);
		addEntries(fates, from.path, to.path, entries);
	}
	for (const { path, original, undone: back } of reviewed) {
		if (original) continue;
		for (const entry of fates.get(path) ?? []) entry.fate ??= back ? "undone" : "kept";
	}
}

/** The file is back in the state before one of the changes: that change and all later ones are undone. */
function markUndone(entries: ChangeEntry[], now: FileState): void {
	const first = entries.findLastIndex(({ fate, from }) => fate !== "undone" && isSameState(from, now));
	if (first >= 0) for (const entry of entries.slice(first)) entry.fate = "undone";
}

function markRedone(entries: ChangeEntry[], now: FileState): void {
	const last = entries.findIndex(({ fate, to }) => fate === "undone" && isSameState(to, now));
	for (const entry of entries.slice(0, last + 1)) if (entry.fate === "undone") delete entry.fate;
}

function fileStatesOf({ path, from = path, action, before, after }: FileChange): { from: FileState; to: FileState } {
	const hash = action === "create" ? "" : (before?.blob ?? (action === "rename" ? after : undefined));
	return { from: { path: from, hash }, to: { path, hash: after } };
}

function isSameState(left: FileState, right: FileState): boolean {
	return left.path === right.path && left.hash === right.hash;
}

function addEntries(fates: ChangeOutcomes, from: string, to: string, entries: ChangeEntry[]): void {
	if (from !== to) fates.delete(from);
	fates.set(to, from === to ? entries : [...(fates.get(to) ?? []), ...entries]);
}
