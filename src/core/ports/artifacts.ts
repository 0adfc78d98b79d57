// The port to artifacts: notes, lists and views that people and agents keep beside the workspace's sessions.

export const ARTIFACT_KINDS = ["note", "list", "view"] as const;
export type ArtifactKind = (typeof ARTIFACT_KINDS)[number];

export interface ArtifactSummary {
	kind: ArtifactKind;
	/** `[A-Za-z0-9_-]{1,64}`, made from the first name and kept ever after. */
	id: string;
	/** One line. */
	name: string;
	tags: readonly string[];
	/** ISO time of the last change. */
	updatedAt: string;
	/** Changes with every byte: what a write names as the state it was made from. */
	version: string;
	/** Of a list. */
	items?: { total: number; done: number };
	/** Of a view. */
	query?: string;
}

export interface ArtifactCatalog {
	/** By kind, then by name. */
	artifacts: readonly ArtifactSummary[];
	/** Files that could not be read and were set aside. */
	damaged: readonly DamagedArtifact[];
}

export interface DamagedArtifact {
	kind: ArtifactKind;
	/** The file's name as it is now. */
	file: string;
	/** Absolute. */
	path: string;
	/** What is wrong with it: a model's words, in English. */
	problem: string;
}

/** An artifact as a text to be edited: a note as it is, a list as a checklist, a view as what it finds now. */
export interface ArtifactText {
	text: string;
	/** Milliseconds; that of the file, where there is one behind the text. */
	mtime: number;
	ctime: number;
}

/** `md`: as a person reads it; `json`: the file behind a list or a view. */
export type ArtifactFormat = "md" | "json";

export interface TrashedArtifact {
	/** Its file in the trash; of an item, where its list keeps it. */
	file: string;
	kind: ArtifactKind | "item";
	name: string;
	/** Name of the list that an item was removed from. */
	list?: string;
	/** ISO time. */
	at: string;
}

/** All reject with ArtifactProblem, or with StorageError where the disk refuses. */
export interface Artifacts {
	catalog(): Promise<ArtifactCatalog>;
	get(kind: ArtifactKind, id: string): Promise<ArtifactSummary>;
	/** Empty, or with what `text` says: Markdown of a note or a list, the query of a view. Under `id` where that is given and free. */
	create(kind: ArtifactKind, name: string, text?: string, id?: string): Promise<ArtifactSummary>;
	rename(kind: ArtifactKind, id: string, name: string): Promise<ArtifactSummary>;
	/** Of notes and lists. */
	retag(kind: ArtifactKind, id: string, tags: readonly string[]): Promise<ArtifactSummary>;
	/** Gives a view another query. */
	requery(id: string, query: string): Promise<ArtifactSummary>;
	/** The first part of a query that is not understood; undefined where all of it is. */
	misreads(query: string): string | undefined;
	/** Moves it to the trash; resolves with its file there. */
	remove(kind: ArtifactKind, id: string): Promise<string>;
	/** What was deleted, and items that were removed from lists, the latest first. */
	trash(): Promise<readonly TrashedArtifact[]>;
	/** Under another id where its own has been taken since; an item goes where it was, and resolves with its list. */
	restore(file: string): Promise<ArtifactSummary>;
	read(kind: ArtifactKind, id: string, format: ArtifactFormat): Promise<ArtifactText>;
	/** Takes what a person has written in an editor, whatever it was made from: the editor has compared the times. */
	write(kind: ArtifactKind, id: string, format: ArtifactFormat, text: string): Promise<void>;
	/** Ids of the items that lines of a list's checklist belong to, none where they are new; of a list that was read. From 1. */
	itemsAt(id: string, text: string, lines: readonly [number, number]): readonly string[];
	/** The folder they lie in is looked at from the first listener on; other windows' changes are heard of, too. */
	onChange(listener: () => void): { dispose(): void };
	dispose(): void;
}

export type ArtifactErrorCode = "missing" | "changed" | "full" | "large" | "invalid";

/** It could not be done, and nothing was changed: `message` says why to a model, the code to whoever has words of their own. */
export class ArtifactError extends Error {
	override readonly name = "ArtifactProblem";
	readonly code: ArtifactErrorCode;
	/** The part of what was given that is wrong, where there is one. */
	readonly part: string | undefined;
	constructor(code: ArtifactErrorCode, message: string, part?: string) {
		super(message);
		this.code = code;
		this.part = part;
	}
}
