// The review in the editor: keeps the Source Control view, the marks beside the lines and the commands at what stands changed.
import * as vscode from "vscode";
import type { Blobs } from "../../core/ports/sessions.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { PendingChanges } from "../../session/history/pendingChanges.ts";
import { pathOf } from "../adapters/folderUris.ts";
import { Originals } from "./baselines.ts";
import { registerReviewCommands } from "./commands.ts";
import { ReviewSourceControl, type Shown } from "./sourceControl.ts";
import { UNREVIEWED } from "./unreviewed.ts";

export interface ReviewParts {
	review: PendingChanges;
	blobs: Blobs;
	workspace: Workspace;
	/** Where it is noted that the next window has something to show. */
	state: vscode.Memento;
	log(line: string): void;
}

export function reviewInEditor({ review, blobs, workspace, state, log }: ReviewParts): vscode.Disposable {
	const originals = new Originals(blobs);
	const control = new ReviewSourceControl();
	let shown: ReadonlyMap<string, Shown> = new Map();
	let watcher: vscode.FileSystemWatcher | undefined;
	let timer: NodeJS.Timeout | undefined;
	let work: Promise<void> = Promise.resolve();
	let ended = false;

	async function refresh(): Promise<void> {
		const files = new Map<string, Shown>();
		for (const file of review.files()) {
			const now = await workspace.version(file.absolute);
			// Whoever did it, it is as it was before.
			if (file.was === undefined && now?.hash === file.original?.blob && (file.created ? !now : file.original)) continue;
			const is = now ? (file.created ? "created" : file.was === undefined ? "changed" : "moved") : "deleted";
			files.set(file.absolute, { ...file, state: is });
		}
		if (ended) return;
		if (files.size > 0 !== shown.size > 0) {
			watch(files.size > 0);
			await vscode.commands.executeCommand("setContext", "troupe.hasChanges", files.size > 0);
			await state.update(UNREVIEWED, files.size > 0 || undefined);
		}
		shown = files;
		originals.show(files);
		control.show(files);
	}

	function now(): Promise<void> {
		clearTimeout(timer);
		work = work.then(refresh).catch((error: unknown) => log(`the review could not be shown: ${String(error)}`));
		return work;
	}

	function soon(): void {
		clearTimeout(timer);
		timer = setTimeout(() => void now(), SOON);
	}

	function watch(wanted: boolean): void {
		watcher?.dispose();
		watcher = undefined;
		if (!wanted) return;
		watcher = vscode.workspace.createFileSystemWatcher("**/*");
		const look = (uri: vscode.Uri): void => void (shown.has(pathOf(uri) ?? "") && soon());
		watcher.onDidChange(look);
		watcher.onDidCreate(look);
		watcher.onDidDelete(look);
	}

	const ends = [
		originals,
		control,
		review.onChange(soon),
		vscode.workspace.onDidSaveTextDocument(({ uri }) => void (shown.has(pathOf(uri) ?? "") && soon())),
		...registerReviewCommands({ review, originals, workspace, blobs, log, shown: () => now().then(() => shown) }),
	];
	void review.load().then(soon);
	return {
		dispose() {
			ended = true;
			clearTimeout(timer);
			watcher?.dispose();
			for (const end of ends) end.dispose();
		},
	};
}

/** Milliseconds in which several changes come to one look at the files. */
const SOON = 60;
