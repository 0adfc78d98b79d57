// Computes file diffs as unified hunks with three lines of context, and inverts changes.

// Every written byte must be recognizable in the diff.
import { structuredPatch } from "diff";
import type { FileChange } from "../../core/events.ts";
import { formatDisplayPath } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import { FileConflict, type FileVersion } from "../../core/ports/workspace/files.ts";
import { t } from "../../shared/l10n.ts";
import type { CheckedEdit, FileOperationContext } from "./preconditions.ts";

export type FileDiff = Pick<FileChange, "diff" | "added" | "removed" | "lineEnds" | "encoding" | "unshown">;

/** Undefined means that the file does not exist. */
export function computeDiff(before: Uint8Array | undefined, after: Uint8Array | undefined): FileDiff {
	const [old, now] = [textOf(before), textOf(after)];
	const size = (after ?? before)?.length ?? 0;
	if (before && after && Buffer.compare(before, after) === 0) return UNCHANGED;
	if (!old || !now) return { ...UNCHANGED, unshown: { why: "binary", size } };
	const crlf = [old.text, now.text].every((text) => !/(?<!\r)\n/.test(text)) && /\r\n/.test(old.text + now.text);
	const [left, right] = [old.text, now.text].map((text) => (crlf ? text.replaceAll("\r\n", "\n") : text)) as [string, string];
	const hunks =
		structuredPatch("", "", left, right, "", "", { context: CONTEXT, timeout: EXACT_MILLISECONDS })?.hunks ??
		createRoughHunk(linesOf(left), linesOf(right));
	const lines = hunks.flatMap((hunk) => hunk.lines);
	const [added, removed] = ["+", "-"].map((sign) => lines.filter((line) => line.startsWith(sign)).length) as [number, number];
	const diff = hunks.map((hunk) => [header(hunk), ...hunk.lines].join("\n")).join("\n");
	if (diff.length > LARGEST) return { diff: "", added, removed, unshown: { why: "large", size } };
	const encoding = encodingOf(before && old.encoding, after && now.encoding);
	return { diff, added, removed, ...(crlf && { lineEnds: "CRLF" as const }), ...(encoding !== undefined && { encoding }) };
}

/**
 * The bytes of `before` with some hunks of their diff to `after`, named by index. Undefined if the diff doesn't show how the one
 * becomes the other, or their encodings differ.
 */
export function applyHunks(before: Uint8Array, after: Uint8Array, diff: string, chosen: readonly number[]): Uint8Array | undefined {
	const encoding = textOf(before)?.encoding;
	if (encoding === undefined || encoding !== textOf(after)?.encoding) return undefined;
	const [old, now] = [before, after].map((bytes) => splitLines(bytes, encoding)) as [Buffer[], Buffer[]];
	const hunks = [...diff.matchAll(/^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@$/gm)].map(([, a, b = "1", c, d = "1"]) => ({
		old: lineRange(Number(a), Number(b)),
		now: lineRange(Number(c), Number(d)),
	}));
	const merge = (isChosen: (index: number) => boolean): Buffer => {
		const pieces: Buffer[][] = [];
		let at = 0;
		for (const [index, hunk] of hunks.entries()) {
			pieces.push(old.slice(at, hunk.old.from));
			pieces.push(isChosen(index) ? now.slice(hunk.now.from, hunk.now.to) : old.slice(hunk.old.from, hunk.old.to));
			at = hunk.old.to;
		}
		return Buffer.concat([...pieces, old.slice(at)].flat());
	};
	if (chosen.some((index) => !hunks[index]) || !merge(() => true).equals(after)) return undefined;
	return merge((index) => chosen.includes(index));
}

/** Indexes of lines, from the numbers in a hunk's header. */
function lineRange(start: number, count: number): { from: number; to: number } {
	const from = count === 0 ? start : start - 1;
	return { from, to: from + count };
}

/** Splits a text into lines, including their line feeds. */
function splitLines(bytes: Uint8Array, encoding: string): Buffer[] {
	const [width, low] = encoding === "UTF-16 LE" ? [2, 0] : encoding === "UTF-16 BE" ? [2, 1] : [1, 0];
	const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
	const lines: Buffer[] = [];
	let start = 0;
	for (let at = 0; at < buffer.length; at += width) {
		if (buffer[at + low] !== LINE_FEED || (width === 2 && buffer[at + 1 - low] !== 0)) continue;
		lines.push(buffer.subarray(start, at + width));
		start = at + width;
	}
	if (start < buffer.length) lines.push(buffer.subarray(start));
	return lines;
}

const LINE_FEED = 10;

const UNCHANGED: FileDiff = { diff: "", added: 0, removed: 0 };
/** Maximum characters of hunks: more than a page can render or a user can read. */
const LARGEST = 1_000_000;

const CONTEXT = 3;
/** Time limit, because an exact diff of two large, very different files can take minutes. */
const EXACT_MILLISECONDS = 50;

interface Hunk {
	oldStart: number;
	oldLines: number;
	newStart: number;
	newLines: number;
	lines: string[];
}

function header(hunk: Hunk): string {
	return `@@ -${range(hunk.oldStart, hunk.oldLines)} +${range(hunk.newStart, hunk.newLines)} @@`;
}

/** An empty range is given by the line before it. */
function range(start: number, count: number): string {
	return count === 1 ? `${start}` : `${count === 0 && start > 0 ? start - 1 : start},${count}`;
}

/** One hunk from the first differing line to the last. */
function createRoughHunk(old: string[], now: string[]): Hunk[] {
	const shorter = Math.min(old.length, now.length);
	let head = 0;
	while (head < shorter && old[head] === now[head]) head += 1;
	let tail = 0;
	while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
	const start = Math.max(0, head - CONTEXT);
	const skipped = Math.max(0, tail - CONTEXT);
	const lines = [
		...old.slice(start, head).flatMap((line) => signed(" ", line)),
		...old.slice(head, old.length - tail).flatMap((line) => signed("-", line)),
		...now.slice(head, now.length - tail).flatMap((line) => signed("+", line)),
		...old.slice(old.length - tail, old.length - skipped).flatMap((line) => signed(" ", line)),
	];
	return [
		{ oldStart: start + 1, oldLines: old.length - skipped - start, newStart: start + 1, newLines: now.length - skipped - start, lines },
	];
}

function signed(sign: string, line: string): string[] {
	return line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, NO_LINE_END];
}

const NO_LINE_END = "\\ No newline at end of file";

/** Splits a text into lines, including their line feeds. */
function linesOf(text: string): string[] {
	return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

interface Decoded {
	text: string;
	encoding: string;
}

/** Decodes every byte, including a byte order mark, to text; undefined if the bytes are not text. */
function textOf(bytes: Uint8Array = new Uint8Array()): Decoded | undefined {
	const marked = MARKS.find(({ mark }) => mark.every((byte, index) => bytes[index] === byte));
	// Text with NUL bytes may hide something, so it is not decoded leniently.
	const encodings = marked ? [marked.encoding] : ["UTF-8", ...(bytes.includes(0) ? [] : ["windows-1252"])];
	for (const encoding of encodings) {
		try {
			return { text: new TextDecoder(encoding.toLowerCase().replace(" ", ""), { fatal: true, ignoreBOM: true }).decode(bytes), encoding };
		} catch {
			// Try the next encoding.
		}
	}
	return undefined;
}

const MARKS = [
	{ mark: [0xff, 0xfe], encoding: "UTF-16 LE" },
	{ mark: [0xfe, 0xff], encoding: "UTF-16 BE" },
];

/** Returns undefined if the file is UTF-8 before and after. */
function encodingOf(before: string | undefined, after: string | undefined): string | undefined {
	const known = [before, after].filter((encoding) => encoding !== undefined);
	const named = [...new Set(known)];
	return named.length === 0 || (named.length === 1 && named[0] === "UTF-8") ? undefined : named.join(" → ");
}

/** Throws FileConflict if the file has changed since, ToolError if its earlier bytes were not saved. */
export async function invertChange(change: FileChange, context: FileOperationContext & { blobs: BlobStore }): Promise<CheckedEdit> {
	const { path } = change;
	const name = formatDisplayPath(path, context.folders());
	const now = await context.files.version(path);
	const createConflict = () => new FileConflict(t("Can't undo: {0} has changed since.", name));
	if (change.action === "delete") {
		if (now) throw new FileConflict(t("Can't undo: {0} was created again after it was deleted.", name));
		return { path, action: "create", content: await loadEarlierContent(change, name, context.blobs) };
	}
	if (now?.hash !== change.after) throw createConflict();
	const base: FileVersion = now;
	if (change.action === "create") return { path, action: "delete", base, trash: true };
	if (change.action === "update") return { path, action: "update", content: await loadEarlierContent(change, name, context.blobs), base };
	if (change.from === undefined) throw new ToolError(t("The previous location of {0} is unknown. Rename the file manually.", name));
	if (!change.before || change.before.blob === change.after) return { path, action: "rename", to: change.from, base };
	return { path, action: "rename", to: change.from, base, content: await loadEarlierContent(change, name, context.blobs) };
}

async function loadEarlierContent(change: FileChange, name: string, blobs: BlobStore): Promise<Uint8Array> {
	const bytes = change.before && (await blobs.get(change.before.blob));
	if (!bytes) throw new ToolError(t("Can't undo: the earlier content of {0} wasn't saved. Use version control to restore the file.", name));
	return bytes;
}
