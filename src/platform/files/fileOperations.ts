// Performs one file operation (overwrite, create, delete, move) and records how to undo it.
import { constants } from "node:fs";
import { type FileHandle, link, lstat, rename, rm, unlink } from "node:fs/promises";
import { FileConflict } from "../../core/ports/workspace.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, readRange } from "./files.ts";
import type { ApplyEdit, FileOperationContext, OpenHandles, PreparedEdit, Revert } from "./preconditions.ts";
import { type AnchoredPath, openAnchoredPath, removeEmptyFolder } from "./safeOpen.ts";

/** Each step is undone through the same open folder and file. */
export const applyEdit: ApplyEdit = async (prepared, handles, reverts, { buffers, moveToTrash: trash }) => {
	const { edit, realPath: real, before = new Uint8Array(), editorPath: editor } = prepared;
	if (edit.action === "create") return create(await openPlace(real, handles, reverts, true), edit, handles, reverts);
	const place = await openPlace(real, handles, reverts, false);
	if (edit.action === "update" && editor !== undefined && buffers) {
		await place.assertNotMoved();
		reverts.push(() => buffers.replace(editor, before));
		return buffers.replace(editor, edit.content);
	}
	const file = await openUnchanged(place, real, before, handles, edit.action === "delete" ? constants.O_RDONLY : constants.O_RDWR);
	if (edit.action === "update") return overwrite(place, file, edit.content, before, reverts);
	if (edit.action === "delete") return remove(place, file, { prepared, before, trash }, reverts);
	if (edit.content) await overwrite(place, file, edit.content, before, reverts);
	const target = await openPlace(prepared.realTarget ?? edit.to, handles, reverts, true);
	return move(place, target, real.toLowerCase() === prepared.realTarget?.toLowerCase(), reverts);
};

async function openPlace(real: string, handles: OpenHandles, reverts: Revert[], make: boolean): Promise<AnchoredPath> {
	const place = await openAnchoredPath(real, make);
	handles.push(place);
	if (place.createdFolders.length > 0) {
		reverts.push(async () => {
			// Best effort: an extra empty folder is harmless, and someone may have put a file into it.
			for (const folder of place.createdFolders.toReversed()) await removeEmptyFolder(folder).catch(() => undefined);
		});
	}
	return place;
}

/** Throws FileConflict unless the opened file is still the one that was checked. */
async function openUnchanged(
	place: AnchoredPath,
	real: string,
	expected: Uint8Array,
	handles: OpenHandles,
	flags: number,
): Promise<FileHandle> {
	const file = await place.open(flags);
	handles.push(file);
	const stats = await file.stat();
	const same = stats.isFile() && stats.size === expected.length && sha256(await readRange(file, 0, expected.length)) === sha256(expected);
	if (!same) throw new FileConflict(`${real} has changed while the change was being made. Read it again and repeat the change.`);
	return file;
}

/** Writes in place, so that the file keeps its inode and mode, and editors that show it reload the text. */
async function overwrite(place: AnchoredPath, file: FileHandle, content: Uint8Array, before: Uint8Array, reverts: Revert[]): Promise<void> {
	await place.assertNotMoved();
	reverts.push(() => fill(file, before));
	await fill(file, content);
	await place.assertNotMoved();
}

async function create(
	place: AnchoredPath,
	edit: { content: Uint8Array; mode?: number },
	handles: OpenHandles,
	reverts: Revert[],
): Promise<void> {
	await place.assertNotMoved();
	const file = await place.open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
	handles.push(file);
	reverts.push(() => rm(place.path, { force: true }));
	await place.assertNotMoved();
	await fill(file, edit.content);
	if (edit.mode !== undefined) await file.chmod(edit.mode);
	await place.assertNotMoved();
}

interface Removal {
	prepared: PreparedEdit;
	before: Uint8Array;
	trash: FileOperationContext["moveToTrash"];
}

async function remove(place: AnchoredPath, file: FileHandle, { prepared, before, trash }: Removal, reverts: Revert[]): Promise<void> {
	const mode = (await file.stat()).mode & 0o7777;
	prepared.mode = mode;
	await place.assertNotMoved();
	// The trash is used only for files that Undo deletes.
	const trashed = "base" in prepared.edit && (await trash?.(prepared.realPath).catch(() => false));
	if (!trashed || (await lstat(place.path).catch(() => undefined))) await unlink(place.path);
	reverts.push(async () => {
		const again = await place.open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
		await fill(again, before).finally(() => again.close());
	});
}

/** Links first and unlinks afterwards, because a plain rename would overwrite a file that has just appeared. */
async function move(from: AnchoredPath, to: AnchoredPath, caseOnly: boolean, reverts: Revert[]): Promise<void> {
	await from.assertNotMoved();
	await to.assertNotMoved();
	if (caseOnly || !(await tryLink(from, to))) {
		await rename(from.path, to.path);
		reverts.push(() => rename(to.path, from.path));
		return;
	}
	reverts.push(() => unlink(to.path));
	await unlink(from.path);
	reverts.push(() => link(to.path, from.path));
}

/** False if the file system has no hard links and the target does not exist. */
async function tryLink(from: AnchoredPath, to: AnchoredPath): Promise<boolean> {
	try {
		await link(from.path, to.path);
		return true;
	} catch (error) {
		const unsupported = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(errorCode(error) ?? "");
		if (unsupported && !(await lstat(to.path).catch(() => undefined))) return false;
		throw error;
	}
}

async function fill(file: FileHandle, content: Uint8Array): Promise<void> {
	let written = 0;
	while (written < content.length) written += (await file.write(content, written, content.length - written, written)).bytesWritten;
	await file.truncate(content.length);
}
