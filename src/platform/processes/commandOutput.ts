// Collects one command's output in a capped file, with bounded text for the model.
import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { StringDecoder } from "node:string_decoder";
import { characterStart, nextCharacterStart } from "../../shared/utf8.ts";
import { readRange } from "../files/files.ts";
import { looksBinary, toPlainText } from "./terminalText.ts";

/** Maximum bytes of text for the model. */
const TEXT_LIMIT = 32 * 1024;
/** Maximum bytes stored of a command's output; the rest is only counted. */
const KEPT_LIMIT = 256 * 1024 * 1024;

export class CommandOutput {
	/** Bytes the command has written. */
	totalBytes = 0;
	/** Bytes in the file. */
	keptBytes = 0;
	private head = Buffer.alloc(0);
	private tail: Buffer[] = [];
	private tailBytes = 0;
	/** True if all output so far is stored. */
	private whole = true;
	private readonly id: string;
	private readonly path: string;
	private readonly file: FileHandle;
	private readonly limit: number;

	private constructor(id: string, path: string, file: FileHandle, limit: number) {
		this.limit = limit;
		this.id = id;
		this.path = path;
		this.file = file;
	}

	/** Creates a new private file; never follows a link. */
	static async open(id: string, path: string, limit = KEPT_LIMIT): Promise<CommandOutput> {
		const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
		return new CommandOutput(id, path, await open(path, flags, 0o600), limit);
	}

	/** Resolves when the chunk is in the file, so that a fast producer waits. A full disk stops storing, not the command. */
	async append(chunk: Buffer): Promise<void> {
		this.totalBytes += chunk.length;
		if (this.head.length < TEXT_LIMIT) this.head = Buffer.concat([this.head, chunk.subarray(0, TEXT_LIMIT - this.head.length)]);
		this.tail.push(chunk);
		this.tailBytes += chunk.length;
		while (this.tailBytes - (this.tail[0]?.length ?? 0) >= TEXT_LIMIT) this.tailBytes -= this.tail.shift()?.length ?? 0;
		if (this.tail.length > 256) this.tail = [Buffer.concat(this.tail)];
		// After the first gap nothing more is stored, so that the file is a prefix of the output.
		const wanted = this.whole ? chunk.subarray(0, this.limit - this.keptBytes) : chunk.subarray(0, 0);
		if (wanted.length === 0) return;
		const written = await this.file.write(wanted, 0, wanted.length, this.keptBytes).catch(() => ({ bytesWritten: 0 }));
		this.keptBytes += written.bytesWritten;
		if (this.keptBytes < this.totalBytes) this.whole = false;
	}

	lastBytes(count: number): Buffer {
		return Buffer.concat(this.tail).subarray(-count);
	}

	/** Returns at most TEXT_LIMIT bytes with `notice` at the end: all output, or its head and tail with a line that counts the rest. */
	text(notice = ""): string {
		return this.bounded(TEXT_LIMIT - Buffer.byteLength(notice)) + notice;
	}

	private bounded(limit: number): string {
		if (this.totalBytes > 0 && looksBinary(this.head.subarray(0, 8_192))) {
			return `[binary output, ${this.totalBytes} bytes, not shown; redirect it to a file or make the command print text]`;
		}
		const all = this.totalBytes <= TEXT_LIMIT ? toPlainText(this.head.toString("utf8")) : undefined;
		if (all !== undefined && Buffer.byteLength(all) <= limit) return all;
		for (let share = TEXT_LIMIT / 2 - 256; ; share = Math.floor(share * 0.7)) {
			const text = this.headAndTail(share);
			if (Buffer.byteLength(text) <= limit) return text;
		}
	}

	/** One page of the stored output. Never throws: past the end it is empty. */
	async readPage(offset: number): Promise<{ text: string; next?: number }> {
		const start = Math.max(0, Math.min(Math.floor(offset), this.keptBytes));
		// One extra byte shows whether the last code point is complete.
		const read = await readRange(this.file, start, Math.min(TEXT_LIMIT + 1, this.keptBytes - start));
		const from = start === 0 ? 0 : nextCharacterStart(read, 0);
		let end = read.length > TEXT_LIMIT ? characterStart(read, TEXT_LIMIT) : read.length;
		if (looksBinary(read.subarray(0, 8_192))) return this.withNext(`[binary output, ${end - from} bytes, not shown]`, start + end);
		let text = toPlainText(read.subarray(from, end).toString("utf8"));
		while (Buffer.byteLength(text) > TEXT_LIMIT) {
			end = characterStart(read, Math.floor(end * 0.7));
			text = toPlainText(read.subarray(from, end).toString("utf8"));
		}
		return this.withNext(text, start + end);
	}

	async remove(): Promise<void> {
		await this.file.close();
		await rm(this.path, { force: true });
	}

	private withNext(text: string, next: number): { text: string; next?: number } {
		if (next < this.keptBytes) return { text, next };
		const lost = this.totalBytes - this.keptBytes;
		return { text: lost > 0 ? `${text}\n[${lost} further bytes were not kept]\n` : text };
	}

	private headAndTail(share: number): string {
		const head = this.head.subarray(0, endOfHead(this.head, Math.min(share, Math.floor(this.totalBytes / 2))));
		const last = this.lastBytes(Math.min(share, this.totalBytes - head.length));
		const tail = last.subarray(startOfTail(last));
		const omitted = this.totalBytes - head.length - tail.length;
		const keptNote = this.keptBytes < this.totalBytes ? `; the first ${this.keptBytes} bytes are kept` : "";
		const line = `[${omitted} bytes omitted here${keptNote}: read_command_output with id "${this.id}" and offset ${head.length} shows them]`;
		return `${toPlainText(head.toString("utf8")).replace(/\n?$/, "\n")}${line}\n${toPlainText(tail.toString("utf8"))}`;
	}
}

/** The head or tail ends at a line break if one is this close. */
const NEAR = 2_048;
const NEWLINE = 0x0a;

function endOfHead(bytes: Buffer, length: number): number {
	const line = bytes.lastIndexOf(NEWLINE, length - 1) + 1;
	return line > length - NEAR && line > 0 ? line : characterStart(bytes, length);
}

function startOfTail(bytes: Buffer): number {
	const line = bytes.indexOf(NEWLINE) + 1;
	return line > 0 && line < Math.min(NEAR, bytes.length) ? line : nextCharacterStart(bytes, 0);
}

export interface OutputThrottle {
	push(chunk: Buffer): void;
	/** Flushes buffered output. */
	end(): void;
}

/** Sends the first chunk at once and then ten updates a second; of very large output, only the newest part. */
export function createOutputThrottle(show: (text: string) => void): OutputThrottle {
	let decoder = new StringDecoder("utf8");
	let pending: Buffer[] = [];
	let bytes = 0;
	let dropped = 0;
	let timer: NodeJS.Timeout | undefined;

	function flush(): void {
		timer = undefined;
		if (bytes === 0) return;
		const lost = dropped > 0 ? `\n[… ${dropped} bytes not shown …]\n` : "";
		if (dropped > 0) decoder = new StringDecoder("utf8");
		const text = decoder.write(Buffer.concat(pending));
		[pending, bytes, dropped] = [[], 0, 0];
		show(lost + (lost ? text.replace(/^\uFFFD{1,3}/, "") : text));
		timer = setTimeout(flush, PAUSE);
	}

	return {
		push(chunk) {
			pending.push(chunk);
			bytes += chunk.length;
			while (bytes > AT_ONCE && pending.length > 1) {
				const oldest = pending.shift()?.length ?? 0;
				bytes -= oldest;
				dropped += oldest;
			}
			if (!timer) flush();
		},
		end() {
			clearTimeout(timer);
			flush();
			clearTimeout(timer);
			const rest = decoder.end();
			if (rest) show(rest);
		},
	};
}

/** Milliseconds between two flushes. */
const PAUSE = 100;
const AT_ONCE = 64 * 1024;

const HIDDEN = Buffer.from("[hidden]");

/** Buffers the end of a chunk only while it may be the beginning of a secret. */
export async function* redactStream(chunks: AsyncIterable<unknown>, secrets: readonly string[]): AsyncGenerator<Buffer> {
	const hidden = secrets.filter((secret) => secret !== "").map((secret) => Buffer.from(secret));
	let rest: Buffer = Buffer.alloc(0);
	for await (const chunk of chunks) {
		if (hidden.length === 0) {
			yield chunk as Buffer;
			continue;
		}
		const bytes = redact(Buffer.concat([rest, chunk as Buffer]), hidden);
		const buffered = Math.max(...hidden.map((secret) => trailingPrefixLength(bytes, secret)));
		rest = bytes.subarray(bytes.length - buffered);
		if (bytes.length > buffered) yield bytes.subarray(0, bytes.length - buffered);
	}
	if (rest.length > 0) yield rest;
}

function redact(bytes: Buffer, secrets: readonly Buffer[]): Buffer {
	let text = bytes;
	for (const secret of secrets) {
		for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + HIDDEN.length)) {
			text = Buffer.concat([text.subarray(0, at), HIDDEN, text.subarray(at + secret.length)]);
		}
	}
	return text;
}

/** Number of trailing bytes that are a prefix of the secret. */
function trailingPrefixLength(bytes: Buffer, secret: Buffer): number {
	for (let length = Math.min(secret.length - 1, bytes.length); length > 0; length -= 1) {
		if (bytes.subarray(bytes.length - length).equals(secret.subarray(0, length))) return length;
	}
	return 0;
}
