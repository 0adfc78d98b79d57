// Commands to keep or undo a hunk, files or all changes, and to review everything at once.
import * as vscode from "vscode";
import { describeRestorePlan } from "../../chat/historyActions.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { UserError } from "../../core/userError.ts";
import type { SkippedFile } from "../../session/history/restoreFiles.ts";
import { formatSkippedFiles } from "../../session/history/rewind.ts";
import type { PendingChanges } from "../../sessions/pendingChanges.ts";
import { t } from "../../shared/l10n.ts";
import { pathForUri, uriForPath } from "../adapters/virtualFileSystem.ts";
import { showConfirmation } from "../dialogs.ts";
import { showNotification } from "../notifications.ts";
import { type BaselineContentProvider, encodeDocument } from "./baselines.ts";
import { findReplacement, keepHunkInText, type LineChange, undoHunkInText } from "./hunks.ts";
import type { ReviewedFile } from "./reviewStates.ts";
import { diffUris, type ReviewResourceState } from "./sourceControl.ts";

interface Parts {
	review: PendingChanges;
	originals: BaselineContentProvider;
	workspace: Workspace;
	blobs: BlobStore;
	/** Current files by absolute path. */
	shown(): Promise<ReadonlyMap<string, ReviewedFile>>;
}

/** Arguments from Source Control menus, or `paths` from the chat. */
type Called = (ReviewResourceState | vscode.SourceControlResourceGroup | { paths: string[] } | undefined)[];

export type ReviewCommands = Readonly<Record<keyof ReturnType<typeof createReviewCommands>, (...called: never[]) => unknown>>;

export function createReviewCommands(parts: Parts) {
	const { review, shown } = parts;
	const all = async () => [...(await shown()).values()];
	return {
		reviewChanges: async (called?: { paths?: string[] }) => reviewAll(await all(), called?.paths),
		keepChange: (...called: Called) => review.keep(pathsOf(called)),
		undoChange: async (...called: Called) => notifySkipped(await review.undo(pathsOf(called)), await all()),
		keepAllChanges: async () => review.keep((await all()).map(({ path }) => path)),
		undoAllChanges: async () => undoAll(review, await all()),
		keepHunk: (uri: vscode.Uri, changes: LineChange[], index: number) => keepHunk(parts, uri, changes[index]),
		undoHunk: (uri: vscode.Uri, changes: LineChange[], index: number) => undoHunk(parts, uri, changes[index]),
	} satisfies Record<string, (...called: never[]) => unknown>;
}

function pathsOf(called: Called): string[] {
	return called.flatMap((target) => (target && "file" in target ? [target.file.path] : []));
}

async function reviewAll(files: readonly ReviewedFile[], paths?: readonly string[]): Promise<void> {
	const wanted = paths ? files.filter(({ path }) => paths.includes(path)) : files;
	if (wanted.length === 0) {
		void showNotification("info", t("Nothing to review. All changes have been kept or undone."));
		return;
	}
	const rows = wanted.map((file) => {
		const [before, now] = diffUris(file);
		return [uriForPath(file.absolute), file.created ? undefined : before, file.state === "deleted" ? undefined : now];
	});
	await vscode.commands.executeCommand("vscode.changes", t("Changes by Troupe"), rows);
}

async function undoAll(review: PendingChanges, files: readonly ReviewedFile[]): Promise<void> {
	const paths = files.map(({ path }) => path);
	const plan = await review.planUndo(paths);
	const [first, ...more] = plan.files.filter(({ change }) => change);
	if (first) {
		const undo = t("Undo All");
		const question =
			more.length === 0 ? t("Undo the changes to {0}?", first.file.path) : t("Undo the changes to {0} files?", more.length + 1);
		if ((await showConfirmation(question, describeRestorePlan(plan), undo)) !== undo) return;
	}
	const progress = { location: vscode.ProgressLocation.Notification, title: t("Undoing changes…") };
	await notifySkipped(await vscode.window.withProgress(progress, () => review.undo(paths)), files);
}

/** Reports files not undone and offers to undo them part by part. */
async function notifySkipped(skipped: readonly SkippedFile[], files: readonly ReviewedFile[]): Promise<void> {
	if (skipped.length === 0) return;
	const parts = t("Undo Part by Part");
	if ((await showNotification("warning", formatSkippedFiles(skipped).trim(), parts)) !== parts) return;
	const file = files.find(({ path }) => path === skipped[0]?.path);
	if (!file) return;
	await vscode.window.showTextDocument(uriForPath(file.absolute));
	await vscode.commands.executeCommand("editor.action.dirtydiff.next");
}

async function keepHunk({ review, originals, shown }: Parts, uri: vscode.Uri, change: LineChange | undefined): Promise<void> {
	const file = (await shown()).get(pathForUri(uri) ?? "");
	if (!file || !change) return;
	const document = await vscode.workspace.openTextDocument(uri);
	const newBaseline = keepHunkInText(await originals.readBaseline(file), document.getText(), change);
	await review.keepPart(file.path, await encodeDocument(newBaseline, document));
}

/** Undoes by an edit, which Ctrl+Z reverts. Saves if the document had no other unsaved changes. */
async function undoHunk(parts: Parts, uri: vscode.Uri, change: LineChange | undefined): Promise<void> {
	const { review, originals, workspace, blobs, shown } = parts;
	const file = (await shown()).get(pathForUri(uri) ?? "");
	if (!file || !change) return;
	const document = await vscode.workspace.openTextDocument(uri);
	const clean = !document.isDirty;
	const before = await workspace.version(file.absolute);
	const bytes = clean && before?.hash === file.after ? await workspace.read(file.absolute) : undefined;
	const text = document.getText();
	const { from, to, text: replacement } = findReplacement(text, undoHunkInText(await originals.readBaseline(file), text, change));
	const edit = new vscode.WorkspaceEdit();
	edit.replace(uri, new vscode.Range(document.positionAt(from), document.positionAt(to)), replacement);
	if (!(await vscode.workspace.applyEdit(edit)))
		throw new UserError(t("Could not undo this part of {0}. The file wasn't changed. Try again.", file.path));
	if (!clean || !(await document.save())) return;
	const after = await workspace.version(file.absolute);
	if (!bytes || !after) return;
	const known = { blob: await blobs.put(bytes), size: bytes.length };
	await review.partUndone(file.path, {
		path: file.path,
		action: "update",
		diff: "",
		added: 0,
		removed: 0,
		before: known,
		after: after.hash,
	});
}
