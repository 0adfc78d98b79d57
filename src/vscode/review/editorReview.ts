// Keeps the Source Control view, quick diff and review commands in sync with unreviewed changes.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { PendingChanges } from "../../sessions/pendingChanges.ts";
import { Serial } from "../../shared/node/serial.ts";
import { pathForUri } from "../adapters/virtualFileSystem.ts";
import { BaselineContentProvider } from "./baselines.ts";
import { createReviewCommands, type ReviewCommands } from "./commands.ts";
import { type ReviewedFile, ReviewSourceControl } from "./sourceControl.ts";

interface EditorReviewOptions {
	review: PendingChanges;
	blobs: BlobStore;
	workspace: Workspace;
	/** Records whether the next window has changes to show. */
	recordUnreviewed(hasChanges: boolean): PromiseLike<void>;
	log(line: string): void;
}

interface EditorReview extends vscode.Disposable {
	commands: ReviewCommands;
}

export function createEditorReview({ review, blobs, workspace, recordUnreviewed, log }: EditorReviewOptions): EditorReview {
	const originals = new BaselineContentProvider(blobs);
	const control = new ReviewSourceControl();
	let shown: ReadonlyMap<string, ReviewedFile> = new Map();
	let watcher: vscode.FileSystemWatcher | undefined;
	let timer: NodeJS.Timeout | undefined;
	const refreshing = new Serial((error) => log(`the review could not be shown: ${String(error)}`));
	let ended = false;

	async function refresh(): Promise<void> {
		const files = new Map<string, ReviewedFile>();
		for (const file of review.files()) {
			const now = await workspace.version(file.absolute);
			// Already restored, by whatever means.
			if (file.was === undefined && now?.hash === file.original?.blob && (file.created ? !now : file.original)) continue;
			const is = now ? (file.created ? "created" : file.was === undefined ? "changed" : "moved") : "deleted";
			files.set(file.absolute, { ...file, state: is });
		}
		if (ended) return;
		if (files.size > 0 !== shown.size > 0) {
			watch(files.size > 0);
			await vscode.commands.executeCommand("setContext", "troupe.hasChanges", files.size > 0);
			await recordUnreviewed(files.size > 0);
		}
		shown = files;
		originals.setFiles(files);
		control.setFiles(files);
	}

	function now(): Promise<void> {
		clearTimeout(timer);
		refreshing.add(refresh);
		return refreshing.whenSettled();
	}

	function refreshSoon(): void {
		clearTimeout(timer);
		timer = setTimeout(() => void now(), REFRESH_DELAY);
	}

	function watch(wanted: boolean): void {
		watcher?.dispose();
		watcher = undefined;
		if (!wanted) return;
		watcher = vscode.workspace.createFileSystemWatcher("**/*");
		const look = (uri: vscode.Uri): void => void (shown.has(pathForUri(uri) ?? "") && refreshSoon());
		watcher.onDidChange(look);
		watcher.onDidCreate(look);
		watcher.onDidDelete(look);
	}

	const ends = [
		originals,
		control,
		review.onChange(refreshSoon),
		vscode.workspace.onDidSaveTextDocument(({ uri }) => void (shown.has(pathForUri(uri) ?? "") && refreshSoon())),
	];
	void review.load().then(refreshSoon);
	return {
		commands: createReviewCommands({ review, originals, workspace, blobs, shown: () => now().then(() => shown) }),
		dispose() {
			ended = true;
			clearTimeout(timer);
			watcher?.dispose();
			for (const end of ends) end.dispose();
		},
	};
}

/** Milliseconds to batch changes into one refresh. */
const REFRESH_DELAY = 60;
