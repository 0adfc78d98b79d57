// Repairs an incomplete last line of a transcript: terminates a complete record and moves anything else aside.
import type { FileHandle } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";
import { FILE_MODE, type StorageFileSystem } from "../fileSystem.ts";
import { MAX_LINE_BYTES } from "./lines.ts";
import { isCompleteEvent } from "./transcriptFile.ts";

const NEWLINE = 10;
const CHUNK = 64 * 1024;
/** Milliseconds in which a live writer completes its record. */
const STILL = 10;

/** Resolves to true if the byte before `size` is not a newline. */
export async function hasTornTail(handle: FileHandle, size: number): Promise<boolean> {
	if (size === 0) return false;
	const last = Buffer.alloc(1);
	await handle.read(last, 0, 1, size - 1);
	return last[0] !== NEWLINE;
}

/** Repairs the end of a transcript that nobody else is writing. Does nothing while the file is growing. */
export async function repairTail(files: StorageFileSystem, handle: FileHandle, path: string): Promise<void> {
	const { size } = await handle.stat();
	await wait(STILL);
	if ((await handle.stat()).size !== size || !(await hasTornTail(handle, size))) return;
	const start = await lastLineStart(handle, size);
	if (size - start <= MAX_LINE_BYTES) {
		const tail = Buffer.alloc(size - start);
		await handle.read(tail, 0, tail.length, start);
		if (isCompleteEvent(tail)) {
			await handle.write("\n");
			await handle.datasync();
			return;
		}
	}
	await copyAside(files, handle, `${path}.corrupt`, start, size);
	await handle.truncate(start);
	await handle.datasync();
}

async function lastLineStart(handle: FileHandle, size: number): Promise<number> {
	const chunk = Buffer.alloc(CHUNK);
	for (let end = size; end > 0; end -= CHUNK) {
		const start = Math.max(0, end - CHUNK);
		const { bytesRead } = await handle.read(chunk, 0, end - start, start);
		const newline = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
		if (newline >= 0) return start + newline + 1;
	}
	return 0;
}

async function copyAside(files: StorageFileSystem, handle: FileHandle, target: string, start: number, end: number): Promise<void> {
	const aside = await files.open(target, "a", FILE_MODE);
	try {
		const chunk = Buffer.alloc(CHUNK);
		for (let at = start; at < end; ) {
			const { bytesRead } = await handle.read(chunk, 0, Math.min(CHUNK, end - at), at);
			if (bytesRead === 0) break;
			await aside.writeFile(chunk.subarray(0, bytesRead));
			at += bytesRead;
		}
		await aside.writeFile("\n");
		await aside.sync();
	} finally {
		await aside.close();
	}
}
