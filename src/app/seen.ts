// Which files a session has read or been shown: what a write must find unchanged, and what its next plan rests on.
import type { FileHash } from "../core/events.ts";
import type { SeenFiles } from "../core/tool.ts";
import type { FileVersion, Workspace } from "../core/workspace.ts";
import { absolutePath, shownPath } from "./shownPaths.ts";

/** Files a plan's basis holds at most; a search that shows more rests on the first ones. */
const BASIS_LIMIT = 500;

export class SessionFiles implements SeenFiles {
	private readonly versions = new Map<string, FileVersion>();
	private readonly sincePlan = new Set<string>();

	get(path: string): FileVersion | undefined {
		return this.versions.get(path);
	}

	set(path: string, version: FileVersion): void {
		this.versions.set(path, version);
		this.show(path);
	}

	show(path: string): void {
		if (this.sincePlan.size < BASIS_LIMIT) this.sincePlan.add(path);
	}

	/** After a write of our own: what is there now is known. */
	async refresh(workspace: Workspace, path: string): Promise<void> {
		const version = await workspace.version(path);
		if (version) this.versions.set(path, version);
		else this.versions.delete(path);
	}

	/** What the model was shown is hidden from it now. */
	forget(): void {
		this.versions.clear();
		this.sincePlan.clear();
	}

	/** The files the next plan rests on: as they were when they were read, as they are now where only shown. Begins anew for the plan after it. */
	async takeBasis(workspace: Workspace): Promise<FileHash[]> {
		const paths = [...this.sincePlan].sort();
		this.sincePlan.clear();
		const shown = paths.map((path) => shownPath(workspace, path));
		const now = await hashFiles(workspace, shown);
		return now.map((file, index) => ({ ...file, hash: this.versions.get(paths[index] as string)?.hash ?? file.hash }));
	}
}

/** Of paths as events hold them. */
export async function hashFiles(workspace: Workspace, paths: readonly string[]): Promise<FileHash[]> {
	return Promise.all(
		paths.map(async (path) => {
			const version = await workspace.version(absolutePath(workspace, path)).catch(() => undefined);
			return { path, hash: version?.hash ?? "" };
		}),
	);
}
