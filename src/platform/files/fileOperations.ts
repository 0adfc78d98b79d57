// Performs one file operation (overwrite, create, delete, move) and records how to undo it.

// What another program writes meanwhile is never overwritten or removed: the last comparison and the write that follows it
// are synchronous.
import { constants, fstatSync, ftruncateSync, lstatSync, readSync, unlinkSync, writeSync } from "node:fs";
import { type FileHandle, link, lstat, rename, unlink } from "node:fs/promises";
import { sha256 } from "../../shared/node/hash.ts";
import { errorCode, readRange } from "./files.ts";
import {
	type ApplyEdit,
	changedMeanwhile,
	type FileOperationContext,
	findUnsaved,
	type OpenHandles,
	type PreparedEdit,
	type Revert,
	replaceInEditor,
} from "./preconditions.ts";
import { type AnchoredPath, openAnchoredPath, removeEmptyFolder } from "./safeOpen.ts";

/** Each step is undone through the same open folder and file. */
export const applyEdit: ApplyEdit = async (prepared, handles, reverts, { buffers, moveToTrash: trash }) => {
	const { edit, realPath: real, before = new Uint8Array() } = prepared;
	if (edit.action === "create") return create(await openPlace(real, handles, reverts, true), edit, handles, reverts);
	const place = await openPlace(real, handles, reverts, false);
	const editor = findUnsaved(prepared, buffers);
	if (editor !== undefined && buffers) {
		if (edit.action !== "update") throw changedMeanwhile(real);
		await place.assertNotMoved();
		return replaceInEditor(buffers, editor, { before, content: edit.content }, reverts);
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
	if (!same) throw changedMeanwhile(real);
	return file;
}

/** Writes in place, so that the file keeps its inode and mode, and editors that show it reload the text. */
async function overwrite(place: AnchoredPath, file: FileHandle, content: Uint8Array, before: Uint8Array, reverts: Revert[]): Promise<void> {
	await place.assertNotMoved();
	replaceContent(place, file, before, content);
	reverts.push(async () => replaceContent(place, file, content, before));
	await place.assertNotMoved();
}

function replaceContent(place: AnchoredPath, { fd }: FileHandle, expected: Uint8Array, content: Uint8Array): void {
	if (!hasContent(fd, expected)) throw changedMeanwhile(place.realPath);
	try {
		fill(fd, content);
	} catch (error) {
		fill(fd, expected);
		throw error;
	}
}

function hasContent(fd: number, expected: Uint8Array): boolean {
	if (fstatSync(fd).size !== expected.length) return false;
	const bytes = Buffer.allocUnsafe(expected.length);
	let filled = 0;
	for (let read = -1; read !== 0 && filled < bytes.length; filled += read)
		read = readSync(fd, bytes, filled, bytes.length - filled, filled);
	return filled === bytes.length && bytes.equals(expected);
}

/** Throws FileConflict unless the path still leads to the opened file, and the file has one of these contents. */
function removeKnown(place: AnchoredPath, { fd }: FileHandle, contents: readonly Uint8Array[]): void {
	const found = lstatSync(place.path, { throwIfNoEntry: false });
	if (!found) return;
	if (found.ino !== fstatSync(fd).ino || !contents.some((content) => hasContent(fd, content))) throw changedMeanwhile(place.realPath);
	unlinkSync(place.path);
}

async function create(
	place: AnchoredPath,
	edit: { content: Uint8Array; mode?: number; executable?: true },
	handles: OpenHandles,
	reverts: Revert[],
): Promise<void> {
	await place.assertNotMoved();
	const file = await place.open(constants.O_RDWR | constants.O_CREAT | constants.O_EXCL, edit.executable ? 0o777 : 0o666);
	handles.push(file);
	reverts.push(async () => removeKnown(place, file, [EMPTY, edit.content]));
	await place.assertNotMoved();
	replaceContent(place, file, EMPTY, edit.content);
	if (edit.mode !== undefined) await file.chmod(edit.mode);
	await place.assertNotMoved();
}

const EMPTY = new Uint8Array();

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
	const trashed = "trash" in prepared.edit && (await trash?.(prepared.realPath).catch(() => false));
	if (!trashed) removeKnown(place, file, [before]);
	reverts.push(async () => {
		const again = await place.open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
		try {
			fill(again.fd, before);
		} finally {
			await again.close();
		}
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

/** Returns false if the file system has no hard links and the target does not exist. */
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

function fill(fd: number, content: Uint8Array): void {
	let written = 0;
	while (written < content.length) written += writeSync(fd, content, written, content.length - written, written);
	ftruncateSync(fd, content.length);
}
