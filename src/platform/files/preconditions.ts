// Checks before a write that files are unchanged since read and paths still lead where checked.
import { lstat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { formatDisplayPath } from "../../core/paths.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict, type FileEdit, type OpenBuffers } from "../../core/ports/workspace.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { type GetWorkspaceFolders, WHOLE_FILE_LIMIT, type WorkspaceFiles } from "./files.ts";

/** Undo gives back the mode a file had. */
export type CheckedEdit = FileEdit | { path: string; action: "create"; content: Uint8Array; mode: number };

/** An edit that was found possible. */
export interface PreparedEdit {
	edit: CheckedEdit;
	/** Where the path leads, links resolved. */
	realPath: string;
	/** The same of a rename's target. */
	realTarget?: string;
	/** The bytes before, as an editor holds them where it holds unsaved ones. */
	before?: Uint8Array;
	/** The mode of a file that was deleted. */
	mode?: number;
	/** The path under which an editor holds unsaved text. */
	editorPath?: string;
}

/** Takes one step back. */
export type Revert = () => Promise<void>;

/** What must stay open until the whole change stands or is taken back. */
export type OpenHandles = { close(): Promise<void> }[];

/** Carries out one edit; `reverts` grows before each step that changes anything. */
export type ApplyEdit = (prepared: PreparedEdit, held: OpenHandles, reverts: Revert[], around: FileOperationContext) => Promise<void>;

export interface FileOperationContext {
	files: WorkspaceFiles;
	folders: GetWorkspaceFolders;
	buffers?: OpenBuffers | undefined;
	/** Moves a file that Undo removes to where the person can find it again; false where there is no such place. */
	moveToTrash?: ((path: string) => Promise<boolean>) | undefined;
	/** On the disk when absent. */
	applyEdit?: ApplyEdit;
}

/** Throws FileConflict or ToolError; the sentence says what was found, not yet that nothing was changed. */
export async function prepareEdit(
	edit: CheckedEdit,
	real: ReadonlyMap<string, string> | undefined,
	around: FileOperationContext,
): Promise<PreparedEdit> {
	const name = formatDisplayPath(edit.path, around.folders());
	const target = await judged(edit.path, real, around);
	refuseHeldOrLarge(edit, target, name, around);
	const found = await around.files.lstat(edit.path);
	if (edit.action === "create") {
		if (found) throw new FileConflict(`${name} exists already. Use update_file to change it.`);
		return { edit, realPath: target };
	}
	if (!found) throw new FileConflict(`${name} does not exist any more.`);
	if (found.link !== undefined && edit.action !== "update") {
		throw new ToolError(`${name} is a symbolic link, which is neither deleted nor renamed here. Use a command for that.`);
	}
	const stats = await around.files.stat(target);
	if (!stats) throw new FileConflict(`${name} does not exist any more.`);
	if (stats.type !== "file") throw new ToolError(`${name} is not a file. Only files can be changed here; use a command for folders.`);
	if (stats.size > WHOLE_FILE_LIMIT)
		throw new ToolError(`${name} has ${stats.size} bytes; files over 50 MB are not changed here. Use a command.`);

	const prepared: PreparedEdit = { edit, realPath: target };
	const editor = [edit.path, target].find((path) => around.buffers?.dirty(path) !== undefined);
	if (editor !== undefined) prepared.editorPath = editor;
	if (editor !== undefined && edit.action !== "update") {
		throw new FileConflict(`${name} has unsaved changes in an editor. Ask the person to save or revert it first.`);
	}
	prepared.before = await around.files.read(editor ?? target);
	if ("base" in edit && edit.base && edit.base.hash !== sha256(prepared.before)) {
		throw new FileConflict(`${name} has changed since it was read. Read it again and repeat the change on what it is now.`);
	}
	if (edit.action === "rename") {
		const newName = formatDisplayPath(edit.to, around.folders());
		prepared.realTarget = await judged(edit.to, real, around);
		if (await taken(prepared.realPath, edit.to, around)) throw new FileConflict(`${newName} exists already; choose another name.`);
	}
	return prepared;
}

/** Where the path leads now; with a judgement, it must be where it led then. */
async function judged(path: string, real: ReadonlyMap<string, string> | undefined, around: FileOperationContext): Promise<string> {
	const leads = await resolveRealPath(path, around.files);
	if (!real || real.get(path) === leads) return leads;
	throw new FileConflict(`${formatDisplayPath(path, around.folders())} no longer leads where it did when the change was approved.`);
}

/** The links of every existing ancestor followed; what does not exist yet is appended. */
export async function resolveRealPath(path: string, files: Pick<WorkspaceFiles, "realpath">): Promise<string> {
	const real = await files.realpath(path);
	if (real !== undefined || dirname(path) === path) return real ?? path;
	return join(await resolveRealPath(dirname(path), files), basename(path));
}

/** Where letter case does not count, a file may be renamed to another spelling of its own name. */
async function taken(from: string, to: string, { files, applyEdit: carryOut }: FileOperationContext): Promise<boolean> {
	if (!(await files.lstat(to))) return false;
	if (carryOut || from.toLowerCase() !== to.toLowerCase()) return true;
	const [one, other] = await Promise.all([lstat(from), lstat(to)]);
	return one.ino !== other.ino || one.nlink > 1;
}

function refuseHeldOrLarge(edit: CheckedEdit, real: string, name: string, around: FileOperationContext): void {
	const refusal = around.buffers?.refusal(edit.path) ?? around.buffers?.refusal(real);
	if (refusal !== undefined) throw new ToolError(`${name} cannot be changed: ${refusal}`);
	if ("content" in edit && edit.content && edit.content.length > WHOLE_FILE_LIMIT) {
		throw new ToolError(
			`${name} would have ${edit.content.length} bytes; files over 50 MB are not written here. Write less or use a command.`,
		);
	}
}

/** Two edits of one file in one go have no order that both were judged in. */
export function refuseDuplicatePaths(edits: readonly FileEdit[], folders: GetWorkspaceFolders): void {
	const seen = new Set<string>();
	for (const path of edits.flatMap((edit) => (edit.action === "rename" ? [edit.path, edit.to] : [edit.path]))) {
		if (seen.has(path)) throw new ToolError(`${formatDisplayPath(path, folders())} is changed twice in one go. Make it one change.`);
		seen.add(path);
	}
}
