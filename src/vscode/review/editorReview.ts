// Keeps the Source Control view, quick diff and review commands in sync with unreviewed changes.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { PendingChanges } from "../../sessions/pendingChanges.ts";
import { Serial } from "../../shared/node/serial.ts";
import { pathForUri } from "../adapters/virtualFileSystem.ts";
import { BaselineContentProvider } from "./baselines.ts";
import { createReviewCommands, type ReviewCommands } from "./commands.ts";
import { type ReviewedFile, ReviewStates } from "./reviewStates.ts";
import { ReviewSourceControl } from "./sourceControl.ts";

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
	const states = new ReviewStates((path) => workspace.version(path));
	let shown: ReadonlyMap<string, ReviewedFile> = new Map();
	let watcher: vscode.FileSystemWatcher | undefined;
	let timer: NodeJS.Timeout | undefined;
	const refreshing = new Serial((error) => log(`the review could not be shown: ${String(error)}`));
	let ended = false;

	async function refresh(): Promise<void> {
		const listed = review.files();
		// What happens to a file while the others are read is heard.
		watch(listed.length > 0);
		const files = await states.read(listed);
		if (ended) return;
		if (files.size > 0 !== shown.size > 0) {
			await vscode.commands.executeCommand("setContext", "troupe.hasChanges", files.size > 0);
			await recordUnreviewed(files.size > 0);
		}
		shown = files;
		originals.setFiles(files);
		control.setFiles(files);
	}

	function start(): Promise<void> {
		clearTimeout(timer);
		timer = undefined;
		refreshing.add(refresh);
		return refreshing.whenSettled();
	}

	/** Before a command acts: what a watcher doesn't see is read too. */
	function now(): Promise<void> {
		states.forgetAll();
		return start();
	}

	function refreshSoon(): void {
		timer ??= setTimeout(() => void start(), REFRESH_DELAY);
	}

	/** Also of a file that is not shown, because it was restored. */
	function noteChange(uri: vscode.Uri): void {
		if (states.forget(pathForUri(uri) ?? "")) refreshSoon();
	}

	function watch(wanted: boolean): void {
		if (wanted === (watcher !== undefined)) return;
		watcher?.dispose();
		watcher = undefined;
		if (!wanted || ended) return;
		watcher = vscode.workspace.createFileSystemWatcher("**/*");
		watcher.onDidChange(noteChange);
		watcher.onDidCreate(noteChange);
		watcher.onDidDelete(noteChange);
	}

	const ends = [originals, control, review.onChange(refreshSoon), vscode.workspace.onDidSaveTextDocument(({ uri }) => noteChange(uri))];
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
const REFRESH_DELAY = 100;
