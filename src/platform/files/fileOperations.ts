// The single strokes of a change: write in place, create, remove, move. Each returns how to take it back.
import { constants } from "node:fs";
import { type FileHandle, link, lstat, rename, rm, unlink } from "node:fs/promises";
import { FileConflict } from "../../core/ports/workspace.ts";
import { codeOf, hashOf, readRange } from "./files.ts";
import type { CarryOut, Held, Prepared, Revert, Surroundings } from "./preconditions.ts";
import { openPlace, type Place, removeFolder } from "./safeOpen.ts";

/** Each step is taken back through the same open folder and file. */
export const carryOut: CarryOut = async (prepared, held, reverts, { buffers, trash }) => {
	const { edit, real, before = new Uint8Array(), editor } = prepared;
	if (edit.action === "create") return create(await hold(real, held, reverts, true), edit, held, reverts);
	const place = await hold(real, held, reverts, false);
	if (edit.action === "update" && editor !== undefined && buffers) {
		await place.assertUnmoved();
		reverts.push(() => buffers.replace(editor, before));
		return buffers.replace(editor, edit.content);
	}
	const file = await openKnown(place, real, before, held, edit.action === "delete" ? constants.O_RDONLY : constants.O_RDWR);
	if (edit.action === "update") return overwrite(place, file, edit.content, before, reverts);
	if (edit.action === "delete") return remove(place, file, { prepared, before, trash }, reverts);
	if (edit.content) await overwrite(place, file, edit.content, before, reverts);
	const target = await hold(prepared.realTo ?? edit.to, held, reverts, true);
	return move(place, target, real.toLowerCase() === prepared.realTo?.toLowerCase(), reverts);
};

async function hold(real: string, held: Held, reverts: Revert[], make: boolean): Promise<Place> {
	const place = await openPlace(real, make);
	held.push(place);
	if (place.made.length > 0) {
		reverts.push(async () => {
			// Best effort: an empty folder more does no harm, and somebody may have put something into it.
			for (const folder of place.made.toReversed()) await removeFolder(folder).catch(() => undefined);
		});
	}
	return place;
}

/** The file that is opened must still be the one that was checked. */
async function openKnown(place: Place, real: string, known: Uint8Array, held: Held, flags: number): Promise<FileHandle> {
	const file = await place.open(flags);
	held.push(file);
	const stats = await file.stat();
	const same = stats.isFile() && stats.size === known.length && hashOf(await readRange(file, 0, known.length)) === hashOf(known);
	if (!same) throw new FileConflict(`${real} has changed while the change was being made. Read it again and repeat the change.`);
	return file;
}

/** In place, so that the file keeps its inode and mode, and an editor that shows it takes the new text over. */
async function overwrite(place: Place, file: FileHandle, content: Uint8Array, before: Uint8Array, reverts: Revert[]): Promise<void> {
	await place.assertUnmoved();
	reverts.push(() => fill(file, before));
	await fill(file, content);
	await place.assertUnmoved();
}

async function create(place: Place, edit: { content: Uint8Array; mode?: number }, held: Held, reverts: Revert[]): Promise<void> {
	await place.assertUnmoved();
	const file = await place.open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o666);
	held.push(file);
	reverts.push(() => rm(place.at, { force: true }));
	await place.assertUnmoved();
	await fill(file, edit.content);
	if (edit.mode !== undefined) await file.chmod(edit.mode);
	await place.assertUnmoved();
}

interface Removal {
	prepared: Prepared;
	before: Uint8Array;
	trash: Surroundings["trash"];
}

async function remove(place: Place, file: FileHandle, { prepared, before, trash }: Removal, reverts: Revert[]): Promise<void> {
	const mode = (await file.stat()).mode & 0o7777;
	prepared.mode = mode;
	await place.assertUnmoved();
	// Only Undo knows what it removes.
	const trashed = "base" in prepared.edit && (await trash?.(prepared.real).catch(() => false));
	if (!trashed || (await lstat(place.at).catch(() => undefined))) await unlink(place.at);
	reverts.push(async () => {
		const again = await place.open(constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, mode);
		await fill(again, before).finally(() => again.close());
	});
}

/** Linked first and unlinked then, because a plain rename would overwrite what has just come to be there. */
async function move(from: Place, to: Place, spelling: boolean, reverts: Revert[]): Promise<void> {
	await from.assertUnmoved();
	await to.assertUnmoved();
	if (spelling || !(await linked(from, to))) {
		await rename(from.at, to.at);
		reverts.push(() => rename(to.at, from.at));
		return;
	}
	reverts.push(() => unlink(to.at));
	await unlink(from.at);
	reverts.push(() => link(to.at, from.at));
}

/** False where the file system has no hard links and the target is free. */
async function linked(from: Place, to: Place): Promise<boolean> {
	try {
		await link(from.at, to.at);
		return true;
	} catch (error) {
		const unsupported = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(codeOf(error) ?? "");
		if (unsupported && !(await lstat(to.at).catch(() => undefined))) return false;
		throw error;
	}
}

async function fill(file: FileHandle, content: Uint8Array): Promise<void> {
	let written = 0;
	while (written < content.length) written += (await file.write(content, written, content.length - written, written)).bytesWritten;
	await file.truncate(content.length);
}
