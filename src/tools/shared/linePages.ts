// Reads one page of numbered lines from a file of any size without loading it whole.
import type { Workspace } from "../../core/ports/workspace.ts";
import { byteOrderMarkLength, encodingOf, isBinary, lenientDecoder } from "./textFile.ts";
import { PAGE_BYTES, truncateLine } from "./toolHelpers.ts";

const PAGE_LINES = 2_000;
/** Maximum characters shown of a line. */
const LINE_LIMIT = 2_000;
/** Files up to this size are read at once, as an editor shows them. */
export const WHOLE = 1024 * 1024;
const FIRST_CHUNK = 64 * 1024;
const CHUNK = 1024 * 1024;
/** Files up to this size are read to the end to count their lines. */
const COUNTED = 16 * 1024 * 1024;
/** Maximum bytes scanned for a page; also limits a line that never ends. */
const SCANNED = 64 * 1024 * 1024;

export interface LinePage {
	lines: string[];
	/** Number of the first line, 1-based. */
	first: number;
	/** Number of lines seen; all of the file's if `counted`. */
	total: number;
	counted: boolean;
	/** The scan limit was reached before the page was complete. */
	gaveUp: boolean;
	/** Some bytes are invalid text and shown as U+FFFD. */
	damaged: boolean;
}

interface PagedFile {
	path: string;
	size: number;
	/** The file's content, if it has been read already. */
	bytes?: Uint8Array;
}

/** Returns undefined if the file is binary. Lines are 1-based, and `last` is inclusive. */
export async function readLinePage(
	workspace: Workspace,
	file: PagedFile,
	range: { first: number; last: number },
	signal: AbortSignal,
): Promise<LinePage | undefined> {
	const page = new PageOfLines(range.first, range.last);
	let decoder: TextDecoder | undefined;
	let scanned = 0;
	for await (const chunk of chunksOf(workspace, file, signal)) {
		let bytes = chunk;
		if (!decoder) {
			if (isBinary(chunk)) return undefined;
			const encoding = encodingOf(chunk);
			decoder = lenientDecoder(encoding);
			bytes = chunk.subarray(byteOrderMarkLength(encoding));
		}
		page.take(decoder.decode(bytes, { stream: true }));
		scanned += chunk.length;
		if (page.full && file.size > COUNTED) return page.result(false, false);
		if (scanned >= SCANNED && file.size > COUNTED) return page.result(false, true);
	}
	page.take(decoder?.decode() ?? "");
	page.finish();
	return page.result(true, false);
}

async function* chunksOf(workspace: Workspace, file: PagedFile, signal: AbortSignal): AsyncGenerator<Uint8Array> {
	if (file.bytes || file.size <= WHOLE) {
		yield file.bytes ?? (await workspace.read(file.path));
		return;
	}
	let offset = 0;
	while (offset < file.size) {
		signal.throwIfAborted();
		const chunk = await workspace.read(file.path, { offset, length: offset === 0 ? FIRST_CHUNK : CHUNK });
		if (chunk.length === 0) return;
		yield chunk;
		offset += chunk.length;
	}
}

/** Collects the lines of one page from streamed text. */
class PageOfLines {
	full = false;
	private readonly lines: string[] = [];
	private readonly first: number;
	private readonly last: number;
	private number = 0;
	private bytes = 0;
	private damaged = false;
	/** The beginning of the incomplete line, and its full length. */
	private open = "";
	private openLength = 0;

	constructor(first: number, last: number) {
		this.first = first;
		this.last = Math.min(last, first + PAGE_LINES - 1);
	}

	take(text: string): void {
		let from = 0;
		for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
			this.extend(text, from, end);
			this.close();
			from = end + 1;
		}
		this.extend(text, from, text.length);
	}

	finish(): void {
		if (this.openLength > 0) this.close();
	}

	result(counted: boolean, gaveUp: boolean): LinePage {
		const unfinished =
			gaveUp && this.openLength > LINE_LIMIT && this.wants(this.number + 1) ? [truncateLine(this.open, LINE_LIMIT, this.openLength)] : [];
		const lines = [...this.lines, ...unfinished];
		return { lines, first: this.first, total: this.number + unfinished.length, counted, gaveUp, damaged: this.damaged };
	}

	private wants(number: number): boolean {
		return !this.full && number >= this.first;
	}

	private extend(text: string, from: number, end: number): void {
		this.openLength += end - from;
		if (!this.wants(this.number + 1)) return;
		const remaining = LINE_LIMIT + 2 - this.open.length;
		if (remaining > 0) this.open += text.slice(from, Math.min(end, from + remaining));
	}

	private close(): void {
		this.number += 1;
		if (this.wants(this.number)) this.keep(this.open.length === this.openLength ? this.open.replace(/\r$/, "") : this.open);
		this.open = "";
		this.openLength = 0;
	}

	private keep(line: string): void {
		const shown = truncateLine(line, LINE_LIMIT, line.length < LINE_LIMIT ? line.length : this.openLength);
		this.bytes += Buffer.byteLength(shown) + String(this.number).length + 2;
		if (this.bytes > PAGE_BYTES && this.lines.length > 0) {
			this.full = true;
			return;
		}
		this.damaged ||= shown.includes("\uFFFD");
		this.lines.push(shown);
		if (this.number >= this.last) this.full = true;
	}
}
