// Reads a file of lines of any size in bounded memory.
import { constants } from "node:fs";
import { isNotFound, type StorageFileSystem } from "../fileSystem.ts";

/** Longer lines are skipped without being kept in memory. */
export const MAX_LINE_BYTES = 8 * 1024 * 1024;
const CHUNK = 256 * 1024;
const NEWLINE = 10;

const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0);

export interface LineBatch {
	/** Lines that ended within one chunk, without newlines, valid until the next batch; undefined for a line that is too long. */
	lines: (Buffer | undefined)[];
	/** Offset after the last newline so far. */
	end: number;
	/** True on the last batch if the file does not end with a newline: `lines` then contains only the rest. */
	torn?: true;
}

/** Complete lines from an offset on, read in chunks of `size` bytes. A file that does not exist has none. */
export async function* readLines(files: StorageFileSystem, path: string, from = 0, size = CHUNK): AsyncGenerator<LineBatch> {
	const handle = await files.open(path, READ_FLAGS).catch((cause: unknown) => {
		if (isNotFound(cause)) return undefined;
		throw cause;
	});
	if (!handle) return;
	try {
		const assembly = createAssembly();
		const chunk = Buffer.allocUnsafe(size);
		let position = from;
		let end = from;
		for (;;) {
			const { bytesRead } = await handle.read(chunk, 0, size, position);
			if (bytesRead === 0) break;
			const last = chunk.subarray(0, bytesRead).lastIndexOf(NEWLINE);
			const lines = assembly.take(chunk.subarray(0, bytesRead));
			if (last >= 0) end = position + last + 1;
			position += bytesRead;
			if (lines.length > 0) yield { lines, end };
		}
		const rest = assembly.rest();
		if (rest) yield { lines: [rest.line], end, torn: true };
	} finally {
		await handle.close();
	}
}

function createAssembly(): { take(bytes: Buffer): (Buffer | undefined)[]; rest(): { line: Buffer | undefined } | undefined } {
	let pieces: Buffer[] = [];
	let length = 0;
	let tooLong = false;

	function addPiece(piece: Buffer): void {
		if (tooLong || piece.length === 0) return;
		length += piece.length;
		if (length > MAX_LINE_BYTES) {
			tooLong = true;
			pieces = [];
			return;
		}
		pieces.push(Buffer.from(piece));
	}

	function finish(): Buffer | undefined {
		const line = tooLong ? undefined : pieces.length === 1 ? pieces[0] : Buffer.concat(pieces);
		pieces = [];
		length = 0;
		tooLong = false;
		return line;
	}

	return {
		take(bytes) {
			const lines: (Buffer | undefined)[] = [];
			let start = 0;
			for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, start)) {
				const line = bytes.subarray(start, at);
				start = at + 1;
				if (length === 0) {
					lines.push(line);
					continue;
				}
				addPiece(line);
				lines.push(finish());
			}
			addPiece(bytes.subarray(start));
			return lines;
		},
		rest() {
			return length > 0 ? { line: finish() } : undefined;
		},
	};
}
