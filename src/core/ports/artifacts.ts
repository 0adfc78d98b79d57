// The ports to what users and agents keep beside sessions: notes, lists, and views (artifacts), and memory.

import { ExplainedError } from "../userError.ts";
import type { KeptFor } from "./tool.ts";

export const ARTIFACT_KINDS = ["note", "list", "view"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export interface ArtifactSummary {
	kind: ArtifactKind;
	/** `[A-Za-z0-9_-]{1,64}`, derived from the first name and never changed. */
	id: string;
	/** One line. */
	name: string;
	tags: readonly string[];
	/** ISO time of the last change. */
	updatedAt: string;
	/** Changes with every byte; a write passes the version it is based on. */
	version: string;
	/** Set for lists only. */
	items?: { total: number; done: number };
	/** Set for views only. */
	query?: string;
}

export interface ArtifactCatalog {
	/** Sorted by kind, then by name. */
	artifacts: readonly ArtifactSummary[];
	/** Unreadable files that were set aside. */
	damaged: readonly DamagedArtifact[];
}

export interface DamagedArtifact {
	kind: ArtifactKind;
	/** The current file name. */
	file: string;
	/** Absolute. */
	path: string;
	/** The problem, in English, for the model. */
	problem: string;
}

/** An artifact as editable text: a note as is, a list as a checklist, a view as its current results. */
export interface ArtifactText {
	text: string;
	/** Milliseconds; the file's time if a file backs the text. */
	mtime: number;
	ctime: number;
}

/** `md`: readable form; `json`: the file behind a list or a view. */
export type ArtifactFormat = "md" | "json";

export interface TrashedArtifact {
	/** Its file in the trash; for an item, its location in the list's file. */
	file: string;
	kind: ArtifactKind | "item";
	name: string;
	/** The list that an item was removed from. */
	list?: string;
	/** ISO time. */
	at: string;
}

/** All methods reject with ArtifactProblem, or with StorageError if the disk fails. */
export interface Artifacts {
	catalog(): Promise<ArtifactCatalog>;
	get(kind: ArtifactKind, id: string): Promise<ArtifactSummary>;
	/** `text` is the initial content: Markdown for a note or a list, the query for a view. `id` is used if it is free. */
	create(kind: ArtifactKind, name: string, text?: string, id?: string): Promise<ArtifactSummary>;
	rename(kind: ArtifactKind, id: string, name: string): Promise<ArtifactSummary>;
	/** Notes and lists only. */
	retag(kind: ArtifactKind, id: string, tags: readonly string[]): Promise<ArtifactSummary>;
	/** Changes a view's query. */
	requery(id: string, query: string): Promise<ArtifactSummary>;
	/** The first part of a query that cannot be parsed; undefined if all of it can. */
	misreads(query: string): string | undefined;
	/** Moves it to the trash; resolves with its file there. */
	remove(kind: ArtifactKind, id: string): Promise<string>;
	/** Deleted artifacts and items removed from lists, latest first. */
	trash(): Promise<readonly TrashedArtifact[]>;
	/** Uses another id if the original one is taken; an item returns to its place and resolves with its list. */
	restore(file: string): Promise<ArtifactSummary>;
	read(kind: ArtifactKind, id: string, format: ArtifactFormat): Promise<ArtifactText>;
	/** Saves editor content without a version check: the editor has already compared the times. */
	write(kind: ArtifactKind, id: string, format: ArtifactFormat, text: string): Promise<void>;
	/** Ids of the items on these lines of a list's checklist, from 1; none for new lines. The list must have been read before. */
	itemsAt(id: string, text: string, lines: readonly [number, number]): readonly string[];
	/** Starts watching the folder on the first listener; also reports changes from other windows. */
	onChange(listener: () => void): { dispose(): void };
	dispose(): void;
}

export type ArtifactErrorCode = "missing" | "changed" | "full" | "large" | "invalid";

/** The operation failed and nothing was changed. `message` is for the model; `code` is for callers with their own message. */
export class ArtifactError extends ExplainedError {
	override readonly name = "ArtifactProblem";
	readonly code: ArtifactErrorCode;
	/** The invalid part of the input, if any. */
	readonly part: string | undefined;
	constructor(code: ArtifactErrorCode, message: string, part?: string) {
		super(message);
		this.code = code;
		this.part = part;
	}
}

export interface MemoryFile {
	/** `person/NAME.md` or `workspace/NAME.md`. */
	path: string;
	keptFor: KeptFor;
	/** Absolute. */
	file: string;
	/** One line of at most 120 characters, without hidden characters; "" for an empty file. */
	firstLine: string;
	/** Bytes. */
	size: number;
	/** Milliseconds since the epoch. */
	mtime: number;
}

export interface Memory {
	/** Sorted by path; at most 200 of each folder. Files of other names, and links, are left out. */
	list(): Promise<readonly MemoryFile[]>;
}
