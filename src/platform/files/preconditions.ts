// Checks before a write that files have not changed since they were read and that paths still resolve as checked.
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatDisplayPath } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import { FileConflict, type FileEdit } from "../../core/ports/workspace/files.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { type GetWorkspaceFolders, WHOLE_FILE_LIMIT, type WorkspaceFiles } from "./files.ts";

/** Undo restores the file's mode. */
export type CheckedEdit = FileEdit | { path: string; action: "create"; content: Uint8Array; mode: number };

/** An edit that passed the checks. */
export interface PreparedEdit {
	edit: CheckedEdit;
	/** The path with links resolved. */
	realPath: string;
	/** The rename's target with links resolved. */
	realTarget?: string;
	/** The bytes before the edit, including unsaved editor content. */
	before?: Uint8Array;
	/** The mode of a deleted file. */
	mode?: number;
	/** The path under which an editor had unsaved text. */
	editorPath?: string;
}

/** Undoes one step. */
export type Revert = () => Promise<void>;

/** Handles that stay open until the whole change is applied or undone. */
export type OpenHandles = { close(): Promise<void> }[];

/** Applies one edit; adds to `reverts` before each step that changes anything. */
export type ApplyEdit = (prepared: PreparedEdit, held: OpenHandles, reverts: Revert[], around: FileOperationContext) => Promise<void>;

export interface FileOperationContext {
	files: WorkspaceFiles;
	folders: GetWorkspaceFolders;
	buffers?: OpenBuffers | undefined;
	/** Moves a file that Undo deletes to where the user can recover it; false if there is no such place. */
	moveToTrash?: ((path: string) => Promise<boolean>) | undefined;
	/** Logs errors whose reason nobody can be told. */
	log?: ((line: string) => void) | undefined;
	/** Applies edits on disk if absent. */
	applyEdit?: ApplyEdit;
}

/** Creates the error for a change that is found when the edit is applied. */
export function changedMeanwhile(path: string): FileConflict {
	return new FileConflict(`${path} has changed while the change was being made. Read it again and repeat the change.`);
}

/** The path under which an editor has unsaved text now: it may have been saved, or typed, since the edit was checked. */
export function findUnsaved({ edit, realPath }: PreparedEdit, buffers: OpenBuffers | undefined): string | undefined {
	return [edit.path, realPath].find((path) => buffers?.dirty(path) !== undefined);
}

/** Changes unsaved text through its editor and saves it. Throws FileConflict unless it is still `before`. */
export async function replaceInEditor(
	buffers: OpenBuffers,
	path: string,
	{ before, content }: { before: Uint8Array; content: Uint8Array },
	reverts: Revert[],
): Promise<void> {
	const holds = (expected: Uint8Array) => {
		const unsaved = buffers.dirty(path);
		return unsaved !== undefined && sha256(unsaved) === sha256(expected);
	};
	if (!holds(before)) throw changedMeanwhile(path);
	let saved = false;
	reverts.push(async () => {
		if (!saved && holds(before)) return;
		if (saved ? buffers.dirty(path) !== undefined : !holds(content)) throw changedMeanwhile(path);
		await buffers.setText(path, before);
		if (saved) await buffers.save(path);
	});
	await buffers.setText(path, content);
	await buffers.save(path);
	saved = true;
}

/** Throws FileConflict or ToolError with the reason; the caller adds that nothing was changed. */
export async function prepareEdit(
	edit: CheckedEdit,
	real: ReadonlyMap<string, string> | undefined,
	context: FileOperationContext,
): Promise<PreparedEdit> {
	const name = formatDisplayPath(edit.path, context.folders());
	const target = await resolveAuthorized(edit.path, real, context);
	refuseHeldOrLarge(edit, target, name, context);
	if (edit.action === "create") {
		if (await context.files.lstat(edit.path)) throw new FileConflict(`${name} exists already. Use update_file to change it.`);
		return { edit, realPath: target };
	}
	if (edit.action !== "update" && (await context.files.lstat(edit.path))?.link !== undefined) {
		throw new ToolError(`${name} is a symbolic link, which is neither deleted nor renamed here. Use a command for that.`);
	}
	const stats = await context.files.stat(target);
	if (!stats) throw new FileConflict(`${name} does not exist any more.`);
	if (stats.type !== "file") throw new ToolError(`${name} is not a file. Only files can be changed here; use a command for folders.`);
	if (stats.size > WHOLE_FILE_LIMIT)
		throw new ToolError(`${name} has ${stats.size} bytes; files over 50 MB are not changed here. Use a command.`);

	const prepared: PreparedEdit = { edit, realPath: target };
	const editor = findUnsaved(prepared, context.buffers);
	if (editor !== undefined) prepared.editorPath = editor;
	if (editor !== undefined && edit.action !== "update") {
		throw new FileConflict(`${name} has unsaved changes in an editor. Ask the person to save or revert it first.`);
	}
	prepared.before = await context.files.read(editor ?? target);
	if ("base" in edit && edit.base && edit.base.hash !== sha256(prepared.before)) {
		throw new FileConflict(`${name} has changed since it was read. Read it again and repeat the change on what it is now.`);
	}
	if (edit.action === "rename") {
		const newName = formatDisplayPath(edit.to, context.folders());
		prepared.realTarget = await resolveAuthorized(edit.to, real, context);
		if (await taken(prepared.realPath, edit.to, context)) throw new FileConflict(`${newName} exists already; choose another name.`);
	}
	return prepared;
}

/** The resolved path; if the path was authorized before, it must still resolve the same. */
async function resolveAuthorized(
	path: string,
	real: ReadonlyMap<string, string> | undefined,
	context: FileOperationContext,
): Promise<string> {
	const resolved = await resolveRealPath(path, context.files);
	if (!real || real.get(path) === resolved) return resolved;
	throw new FileConflict(`${formatDisplayPath(path, context.folders())} no longer leads where it did when the change was approved.`);
}

/** Resolves the links of every existing ancestor and appends the missing rest. */
export async function resolveRealPath(path: string, files: Pick<WorkspaceFiles, "realpath">): Promise<string> {
	const real = await files.realpath(path);
	if (real !== undefined || dirname(path) === path) return real ?? path;
	return join(await resolveRealPath(dirname(path), files), basename(path));
}

/** On case-insensitive file systems, a file may be renamed to a different case of its own name. */
async function taken(from: string, to: string, { files, applyEdit: carryOut }: FileOperationContext): Promise<boolean> {
	if (!(await files.lstat(to))) return false;
	if (carryOut || from.toLowerCase() !== to.toLowerCase()) return true;
	const [source, target] = await Promise.all([lstat(from), lstat(to)]);
	return source.ino !== target.ino || source.nlink > 1;
}

function refuseHeldOrLarge(edit: CheckedEdit, real: string, name: string, context: FileOperationContext): void {
	const refusal = context.buffers?.refusal(edit.path) ?? context.buffers?.refusal(real);
	if (refusal !== undefined) throw new ToolError(`${name} cannot be changed: ${refusal}`);
	if ("content" in edit && edit.content && edit.content.length > WHOLE_FILE_LIMIT) {
		throw new ToolError(
			`${name} would have ${edit.content.length} bytes; files over 50 MB are not written here. Write less or use a command.`,
		);
	}
}

/** Two edits of one file in one change were not checked in any order. */
export function refuseDuplicatePaths(edits: readonly FileEdit[], folders: GetWorkspaceFolders): void {
	const seen = new Set<string>();
	for (const path of edits.flatMap((edit) => (edit.action === "rename" ? [edit.path, edit.to] : [edit.path]))) {
		if (seen.has(path)) throw new ToolError(`${formatDisplayPath(path, folders())} is changed twice in one go. Make it one change.`);
		seen.add(path);
	}
}
