// Tracks the files a session has read or been shown, for write checks and plans.

import type { AccessedFile, FileChange, FileHash } from "../../core/events.ts";
import { toAbsoluteChange, toAbsolutePath, toDisplayPath } from "../../core/paths.ts";
import type { FileAccessLog } from "../../core/ports/tool.ts";
import type { FileVersion } from "../../core/ports/workspace/files.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { changesInView } from "../../core/transcript/changes.ts";
import { visibleEvents } from "../../core/transcript/fold.ts";
import type { Transcript } from "../../core/transcript/state.ts";

/** Maximum number of files in a plan's basis; further ones are left out. */
const BASIS_LIMIT = 500;

/** Maximum number of files recorded per call. */
const KEPT = 100;

export class FileVersions implements FileAccessLog {
	private readonly versions = new Map<string, Pick<FileVersion, "hash">>();
	/** True if the transcript has been applied. */
	private known = false;
	/** Files shown since the last plan, and whether they were read. */
	private readonly sincePlan = new Map<string, boolean>();

	get(path: string): Pick<FileVersion, "hash"> | undefined {
		return this.versions.get(path);
	}

	set(path: string, version: Pick<FileVersion, "hash">): void {
		this.versions.set(path, version);
		this.note(path, true);
	}

	show(path: string): void {
		this.note(path, this.sincePlan.get(path) ?? false);
	}

	private note(path: string, read: boolean): void {
		if (this.sincePlan.has(path) || this.sincePlan.size < BASIS_LIMIT) this.sincePlan.set(path, read);
	}

	/** The user has undone changes: the model's knowledge of these files is outdated, and it is told so. */
	undone(workspace: Workspace, changes: readonly FileChange[]): void {
		for (const { path, from } of changes)
			for (const each of from === undefined ? [path] : [path, from]) this.versions.delete(toAbsolutePath(workspace, each));
	}

	/** Called after our own write, with absolute paths: the model knows the new content. */
	written({ path, from, after }: FileChange): void {
		if (from !== undefined) this.versions.delete(from);
		if (after === "") this.versions.delete(path);
		else this.versions.set(path, { hash: after });
	}

	/** Another window has continued the session. */
	moved(): void {
		this.known = false;
	}

	/** Restores the state from the visible events, once. The model has seen them, in whichever window. */
	resume(workspace: Workspace, state: Transcript): void {
		if (this.known) return;
		this.known = true;
		this.forget();
		for (const event of visibleEvents(state)) {
			if (event.type === "plan") this.sincePlan.clear();
			if (event.type === "status") this.undone(workspace, event.changes ?? []);
			if (event.type !== "result") continue;
			for (const { path, hash } of event.seen ?? []) {
				if (hash === undefined) this.show(toAbsolutePath(workspace, path));
				else this.set(toAbsolutePath(workspace, path), { hash });
			}
			for (const change of event.view?.kind === "change" ? changesInView(event.view) : [])
				this.written(toAbsoluteChange(workspace, change));
		}
	}

	/** An access log for one call that also records the call's own accesses. */
	during(workspace: Workspace): { seen: FileAccessLog; kept(): AccessedFile[] } {
		const read = new Map<string, string | undefined>();
		const seen: FileAccessLog = {
			get: (path) => this.get(path),
			set: (path, version) => {
				read.set(path, version.hash);
				this.set(path, version);
			},
			show: (path) => {
				if (!read.has(path)) read.set(path, undefined);
				this.show(path);
			},
		};
		const kept = () => [...read].slice(0, KEPT).map(([path, hash]) => ({ path: toDisplayPath(workspace, path), ...(hash && { hash }) }));
		return { seen, kept };
	}

	/** Called when what the model was shown is hidden from it. */
	forget(): void {
		this.versions.clear();
		this.sincePlan.clear();
	}

	/** The files the next plan is based on: as they were read or, if only shown, as they are now. Resets the list for the next plan. */
	async takeBasis(workspace: Workspace): Promise<FileHash[]> {
		const read = new Map(this.sincePlan);
		const paths = [...read.keys()].sort();
		this.sincePlan.clear();
		const shown = paths.map((path) => toDisplayPath(workspace, path));
		const now = await hashFiles(workspace, shown);
		return now.map((file, index) => {
			const path = paths[index] as string;
			return { ...file, hash: (read.get(path) && this.versions.get(path)?.hash) || file.hash };
		});
	}
}

/** `paths` are display paths. */
export async function hashFiles(workspace: Workspace, paths: readonly string[]): Promise<FileHash[]> {
	return Promise.all(
		paths.map(async (path) => {
			const version = await workspace.version(toAbsolutePath(workspace, path)).catch(() => undefined);
			return { path, hash: version?.hash ?? "" };
		}),
	);
}
