// Reads and writes text files for edits: text, encoding, and the version that a change is based on.
import { type PathFacts, type ToolContext, ToolError } from "../../core/ports/tool.ts";
import type { FileStat, FileVersion } from "../../core/ports/workspace/files.ts";
import { sha256 } from "../../shared/node/hash.ts";
import { displayPath, fileNotFound, formatCount, withToolProblem } from "./toolHelpers.ts";

/** Bytes. */
export const MAX_EDITABLE_BYTES = 50 * 1024 * 1024;

/** Throws ToolError if an edit would damage the file: not text, too large, or changed since this session read it. */
export async function openForEdit(context: ToolContext, fact: PathFacts): Promise<TextFile & { base: FileVersion }> {
	const { workspace, signal } = context;
	const name = displayPath(fact.literal, workspace);
	const { mtime } = await requireEditableFile(context, fact);
	const bytes = await withToolProblem(signal, `${name} could not be read.`, () => workspace.read(fact.real));
	const base = { size: bytes.length, mtime, hash: sha256(bytes) };
	requireUnchanged(context, fact, base);
	const file = decodeText(bytes);
	if (file) return { ...file, base };
	if (isBinary(bytes)) throw new ToolError(`${name} is a binary file; it was not changed. Only text can be edited.`);
	throw new ToolError(
		`${name} is neither valid UTF-8 nor UTF-16 with a byte order mark, so an edit would change other bytes too. It was not changed.`,
	);
}

/** The version of a regular file within the size limit. Throws if it has changed since this session read it. */
export async function requireUnchangedFile(context: ToolContext, fact: PathFacts): Promise<FileVersion> {
	await requireEditableFile(context, fact);
	const version = await context.workspace.version(fact.real);
	if (!version) throw fileNotFound(displayPath(fact.literal, context.workspace));
	requireUnchanged(context, fact, version);
	return version;
}

async function requireEditableFile({ workspace }: ToolContext, fact: PathFacts): Promise<FileStat> {
	const name = displayPath(fact.literal, workspace);
	const stat = await workspace.stat(fact.real);
	if (!stat) throw fileNotFound(name);
	if (stat.type !== "file") throw new ToolError(`${name} is not a file; nothing was changed.`);
	if (stat.size > MAX_EDITABLE_BYTES) {
		throw new ToolError(`${name} has ${formatCount(stat.size, "byte")}; files over 50 MB are not changed. Use execute_command.`);
	}
	return stat;
}

function requireUnchanged({ workspace, seen }: ToolContext, { literal }: PathFacts, { hash }: FileVersion): void {
	const read = seen.get(literal);
	if (!read || read.hash === hash) return;
	const name = displayPath(literal, workspace);
	throw new ToolError(`${name} has changed since it was read, so nothing was changed. Read it again with read_file, then repeat the edit.`);
}

type Encoding = "UTF-8" | "UTF-8 with BOM" | "UTF-16 LE" | "UTF-16 BE";

interface TextFile {
	/** Text without the byte order mark, with the original line endings. */
	text: string;
	encoding: Encoding;
}

interface Codec {
	label: string;
	mark: readonly number[];
	encode(text: string): Uint8Array;
}

const codecs: Record<Encoding, Codec> = {
	"UTF-8": { label: "utf-8", mark: [], encode: (text) => Buffer.from(text, "utf8") },
	"UTF-8 with BOM": { label: "utf-8", mark: [0xef, 0xbb, 0xbf], encode: (text) => Buffer.from(text, "utf8") },
	"UTF-16 LE": { label: "utf-16le", mark: [0xff, 0xfe], encode: (text) => Buffer.from(text, "utf16le") },
	"UTF-16 BE": { label: "utf-16be", mark: [0xfe, 0xff], encode: (text) => Buffer.from(text, "utf16le").swap16() },
};

/** Number of bytes searched for NUL, as in editors. */
const PROBE = 8_192;

/** Detected by the byte order mark; without one, only UTF-8 is possible. */
export function encodingOf(bytes: Uint8Array): Encoding {
	const marked = (["UTF-8 with BOM", "UTF-16 LE", "UTF-16 BE"] as const).find((encoding) =>
		codecs[encoding].mark.every((byte, index) => bytes[index] === byte),
	);
	return marked ?? "UTF-8";
}

export function byteOrderMarkLength(encoding: Encoding): number {
	return codecs[encoding].mark.length;
}

/** Returns true if no tool here can show it as text. */
export function isBinary(bytes: Uint8Array): boolean {
	const encoding = encodingOf(bytes);
	if (encoding === "UTF-16 LE") return bytes[2] === 0 && bytes[3] === 0;
	return encoding !== "UTF-16 BE" && bytes.subarray(0, PROBE).includes(0);
}

/** Returns undefined unless all bytes are text in one of the four encodings; writing it back would otherwise change bytes. */
export function decodeText(bytes: Uint8Array): TextFile | undefined {
	if (isBinary(bytes)) return undefined;
	const encoding = encodingOf(bytes);
	try {
		const decoder = new TextDecoder(codecs[encoding].label, { fatal: true, ignoreBOM: true });
		return { text: decoder.decode(bytes.subarray(byteOrderMarkLength(encoding))), encoding };
	} catch {
		return undefined;
	}
}

/** A decoder for streamed content; invalid bytes become U+FFFD. */
export function lenientDecoder(encoding: Encoding): TextDecoder {
	return new TextDecoder(codecs[encoding].label, { ignoreBOM: true });
}

export function encodeText({ text, encoding }: TextFile): Uint8Array {
	const { mark, encode } = codecs[encoding];
	return mark.length === 0 ? encode(text) : Buffer.concat([Uint8Array.from(mark), encode(text)]);
}

/** Returns false if the text contains half of a surrogate pair, which cannot be encoded. */
export function isWellFormedText(text: string): boolean {
	return !/\p{Surrogate}/u.test(text);
}

/** A text without carriage returns before line feeds, and a mapping of positions to the original. */
interface NormalizedText {
	plain: string;
	/** Maps a position in `plain`; one before a line feed maps to before its carriage return. */
	original(position: number): number;
}

export function normalizeLineEndings(text: string): NormalizedText {
	const removed: number[] = [];
	for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) removed.push(at - removed.length);
	if (removed.length === 0) return { plain: text, original: (position) => position };
	return { plain: text.replaceAll("\r\n", "\n"), original: (position) => position + countBelow(removed, position) };
}

/** The most frequent line ending of a text; `fallback` if it has none. */
export function dominantLineEnding(text: string, fallback: "\n" | "\r\n" = "\n"): "\n" | "\r\n" {
	const windows = text.match(/\r\n/g)?.length ?? 0;
	const all = text.match(/\n/g)?.length ?? 0;
	if (all === 0) return fallback;
	return windows * 2 > all ? "\r\n" : "\n";
}

export function withLineEndings(text: string, end: "\n" | "\r\n"): string {
	const plain = text.replaceAll("\r\n", "\n");
	return end === "\n" ? plain : plain.replaceAll("\n", "\r\n");
}

/** Returns how many numbers of a sorted list are smaller than `limit`. */
function countBelow(sorted: readonly number[], limit: number): number {
	let low = 0;
	let high = sorted.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((sorted[middle] as number) < limit) low = middle + 1;
		else high = middle;
	}
	return low;
}
