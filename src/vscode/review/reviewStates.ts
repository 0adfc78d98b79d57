// Reads how the files under review are on disk: all of them once, then those that have changed.
import type { FileVersion } from "../../core/ports/workspace/files.ts";
import type { FileUnderReview } from "../../sessions/pendingChanges.ts";

/** A file under review with its state on disk. */
export interface ReviewedFile extends FileUnderReview {
	state: "created" | "deleted" | "moved" | "changed";
}

/** Milliseconds that a state counts unless something is heard of its file: no watcher sees all, nor a document that is closed unsaved. */
const MAX_AGE = 5_000;

export class ReviewStates {
	private readonly version: (path: string) => Promise<Pick<FileVersion, "hash"> | undefined>;
	private readonly now: () => number;
	/** The states that were read or are being read, each with the record of the file at that time, by absolute path. */
	private readonly known = new Map<string, { record: string; at: number; reviewed: Promise<ReviewedFile | undefined> }>();

	/** `now`: in milliseconds. */
	constructor(version: (path: string) => Promise<Pick<FileVersion, "hash"> | undefined>, now = () => performance.now()) {
		this.version = version;
		this.now = now;
	}

	/** That file is read again the next time: something besides the sessions may have changed it. Returns false if it was not read. */
	forget(path: string): boolean {
		return this.known.delete(path);
	}

	forgetAll(): void {
		this.known.clear();
	}

	/** By absolute path, without those that are restored already, by whatever means. Rejects if one can't be read. */
	async read(files: readonly FileUnderReview[]): Promise<ReadonlyMap<string, ReviewedFile>> {
		const listed = new Set(files.map(({ absolute }) => absolute));
		for (const path of this.known.keys()) if (!listed.has(path)) this.known.delete(path);
		const states = new Map<string, ReviewedFile>();
		for (const file of files) {
			const reviewed = await this.find(file);
			if (reviewed) states.set(file.absolute, reviewed);
		}
		return states;
	}

	private find(file: FileUnderReview): Promise<ReviewedFile | undefined> {
		const record = JSON.stringify(file);
		const known = this.known.get(file.absolute);
		if (known?.record === record && this.now() - known.at < MAX_AGE) return known.reviewed;
		const reviewed = this.look(file);
		this.known.set(file.absolute, { record, at: this.now(), reviewed });
		reviewed.catch(() => this.forget(file.absolute));
		return reviewed;
	}

	private async look(file: FileUnderReview): Promise<ReviewedFile | undefined> {
		const now = await this.version(file.absolute);
		if (file.was === undefined && now?.hash === file.original?.blob && (file.created ? !now : file.original)) return undefined;
		const state = now ? (file.created ? "created" : file.was === undefined ? "changed" : "moved") : "deleted";
		return { ...file, state };
	}
}
