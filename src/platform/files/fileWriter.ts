// Applies a set of file edits completely or not at all, only at checked locations, with undo.
import type { FileChange } from "../../core/events.ts";
import { formatDisplayPath, relativePathWithin } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict } from "../../core/ports/workspace/files.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import { t } from "../../shared/l10n.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { Serial } from "../../shared/node/serial.ts";
import { hasReason, modelReasonOf } from "../../shared/reasonOf.ts";
import { computeDiff, invertChange } from "./diffs.ts";
import { applyEdit } from "./fileOperations.ts";
import { errorCode } from "./files.ts";
import {
	type CheckedEdit,
	type FileOperationContext,
	type OpenHandles,
	type PreparedEdit,
	prepareEdit,
	type Revert,
	refuseDuplicatePaths,
	resolveRealPath,
} from "./preconditions.ts";

type Log = FileOperationContext["log"];

export type FileWriter = Pick<Workspace, "apply" | "preview" | "undo">;

export function createFileWriter(context: FileOperationContext & { blobs: BlobStore }): FileWriter {
	/** Two changes at once could each read the files before the other one. */
	const changes = new Serial();
	/** File modes of deleted files, which a change does not include. */
	const modes = new Map<string, number>();
	/** Authorized locations written since startup; outside the workspace, Undo writes only to these. */
	const written = new Set<string>();

	async function apply(edits: readonly CheckedEdit[], real: ReadonlyMap<string, string>): Promise<FileChange[]> {
		refuseDuplicatePaths(edits, context.folders);
		const prepared: PreparedEdit[] = [];
		for (const edit of edits) prepared.push(await withUnchangedNote(() => prepareEdit(edit, real, context)));
		const blobs: string[] = [];
		for (const { before } of prepared) blobs.push(before ? await context.blobs.put(before) : "");
		await writeAll(prepared, context);
		for (const { edit, mode } of prepared) if (mode !== undefined) modes.set(edit.path, mode);
		for (const { realPath: at, realTarget: realTo = at } of prepared) written.add(at).add(realTo);
		return Promise.all(prepared.map((each, index) => report(each, blobs[index] ?? "", context)));
	}

	async function undo(change: FileChange): Promise<FileChange> {
		const inverse = await withUnchangedNote(() => invertChange(change, context), t("Nothing was changed."));
		const mode = modes.get(change.path);
		const edit = inverse.action === "create" && mode !== undefined ? { ...inverse, mode } : inverse;
		const paths = edit.action === "rename" ? [edit.path, edit.to] : [edit.path];
		const real = new Map<string, string>();
		for (const path of paths) real.set(path, await authorizeUndoPath(path, context, written));
		const [done] = await apply([edit], real);
		return done as FileChange;
	}

	return {
		apply: (edits, real) => changes.run(() => apply(edits, real)),
		undo: (change) => changes.run(() => undo(change)),
		async preview(edits) {
			refuseDuplicatePaths(edits, context.folders);
			const prepared: PreparedEdit[] = [];
			for (const edit of edits) prepared.push(await prepareEdit(edit, undefined, context));
			return prepared.map((each) => changeOf(each, contentAfter(each)));
		},
	};
}

async function writeAll(prepared: readonly PreparedEdit[], context: FileOperationContext): Promise<void> {
	const handles: OpenHandles = [];
	const reverts: Revert[] = [];
	let current: PreparedEdit | undefined;
	try {
		for (current of prepared) await (context.applyEdit ?? applyEdit)(current, handles, reverts, context);
	} catch (error) {
		const failed = await revertAll(reverts, context.log);
		throw createWriteError(error, formatDisplayPath(current?.edit.path ?? "", context.folders()), failed, context.log);
	} finally {
		for (const one of handles.toReversed()) await one.close().catch(() => undefined);
	}
}

/** The reasons why some steps could not be undone. */
async function revertAll(reverts: readonly Revert[], log: Log): Promise<string[]> {
	const failed: string[] = [];
	for (const revert of reverts.toReversed()) await revert().catch((error: unknown) => failed.push(modelReasonOf(error, log)));
	return failed;
}

function createWriteError(error: unknown, name: string, failed: readonly string[], log: Log): Error {
	const outcome =
		failed.length === 0
			? UNCHANGED
			: `Putting everything back failed in part (${failed.join("; ")}); the earlier contents are kept. Read the files again.`;
	if (errorCode(error) === "EEXIST") return new FileConflict(`${name}: a file of that name has just appeared. ${outcome}`);
	if (errorCode(error) === "ENOENT") return new FileConflict(`${name} has just disappeared. ${outcome}`);
	if (error instanceof FileConflict) return new FileConflict(`${error.message} ${outcome}`);
	return new ToolError(
		`${name} could not be written: ${WRITE_PROBLEMS[errorCode(error) ?? ""] ?? modelReasonOf(error, log).replace(/\.$/, "")}. ${outcome}`,
	);
}

const UNCHANGED = "Nothing was changed.";

const WRITE_PROBLEMS: Record<string, string> = {
	ENOSPC: "the disk is full",
	EDQUOT: "the disk quota is used up",
	EACCES: "the operating system does not allow it (a read-only file or folder)",
	EPERM: "the operating system does not allow it",
	EROFS: "the file system is read-only",
	EMFILE: "too many files are open; make the change in smaller parts",
	ENAMETOOLONG: "its name is too long",
	EISDIR: "a folder has that name",
};

async function report(prepared: PreparedEdit, blob: string, context: FileOperationContext): Promise<FileChange> {
	const after = prepared.editorPath === undefined ? contentAfter(prepared) : await context.files.read(prepared.realPath);
	const change = changeOf(prepared, after);
	return prepared.before ? { ...change, before: { blob, size: prepared.before.length } } : change;
}

function contentAfter({ edit, before }: PreparedEdit): Uint8Array | undefined {
	return edit.action === "delete" ? undefined : (edit.content ?? before);
}

function changeOf({ edit, before }: PreparedEdit, after: Uint8Array | undefined): FileChange {
	const place = edit.action === "rename" ? { path: edit.to, from: edit.path } : { path: edit.path };
	return { ...place, action: edit.action, ...computeDiff(before, after), after: after ? sha256(after) : "" };
}

/** Changes in the workspace are undone only within it; elsewhere only at `written` locations, because a transcript is not proof. */
async function authorizeUndoPath(path: string, { files, folders }: FileOperationContext, written: ReadonlySet<string>): Promise<string> {
	const real = await resolveRealPath(path, files);
	if (real === path && written.has(real)) return real;
	for (const folder of folders()) {
		const realFolder = await files.realpath(folder.path);
		if (realFolder !== undefined && relativePathWithin(realFolder, real) !== undefined) return real;
	}
	const name = formatDisplayPath(path, folders());
	if (real !== path) throw new FileConflict(t("{0} now points outside the workspace ({1}). Nothing was changed.", name, real));
	throw new FileConflict(
		t(
			"{0} is outside the workspace, and Troupe hasn't changed the file since the editor started. Nothing was changed. Restore the file manually.",
			name,
		),
	);
}

/** `unchanged` is a message for the user or, by default, for the model. */
async function withUnchangedNote<T>(check: () => Promise<T>, unchanged = UNCHANGED): Promise<T> {
	try {
		return await check();
	} catch (error) {
		if (error instanceof FileConflict) throw new FileConflict(`${error.message} ${unchanged}`);
		if (!hasReason(error)) throw error;
		throw new ToolError(`${modelReasonOf(error, undefined)} ${unchanged}`);
	}
}
