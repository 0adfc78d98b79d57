// What a change looks like: unified hunks with three lines of context, and how many lines came and went.
import { structuredPatch } from "diff";

export interface Difference {
	/** Hunks without a file header; "" for binary content and for no difference. */
	diff: string;
	added: number;
	removed: number;
}

/** Undefined stands for a file that is not there. */
export function difference(before: Uint8Array | undefined, after: Uint8Array | undefined): Difference {
	const [old, now] = [textOf(before), textOf(after)];
	if (old === undefined || now === undefined) return { diff: "", added: 0, removed: 0 };
	const hunks =
		structuredPatch("", "", old, now, "", "", { context: CONTEXT, timeout: EXACT_MILLISECONDS })?.hunks ??
		roughHunks(linesOf(old), linesOf(now));
	const lines = hunks.flatMap((hunk) => hunk.lines);
	return {
		diff: hunks.map((hunk) => [header(hunk), ...hunk.lines].join("\n")).join("\n"),
		added: lines.filter((line) => line.startsWith("+")).length,
		removed: lines.filter((line) => line.startsWith("-")).length,
	};
}

const CONTEXT = 3;
/** The exact search can take minutes on two large files that have little in common. */
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

/** An empty range names the line before it. */
function range(start: number, count: number): string {
	return count === 1 ? `${start}` : `${count === 0 && start > 0 ? start - 1 : start},${count}`;
}

/** One hunk from the first line that differs to the last. */
function roughHunks(old: string[], now: string[]): Hunk[] {
	const shorter = Math.min(old.length, now.length);
	let head = 0;
	while (head < shorter && old[head] === now[head]) head += 1;
	let tail = 0;
	while (tail < shorter - head && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
	const start = Math.max(0, head - CONTEXT);
	const kept = Math.max(0, tail - CONTEXT);
	const lines = [
		...old.slice(start, head).map((line) => ` ${line}`),
		...old.slice(head, old.length - tail).map((line) => `-${line}`),
		...now.slice(head, now.length - tail).map((line) => `+${line}`),
		...old.slice(old.length - tail, old.length - kept).map((line) => ` ${line}`),
	];
	return [{ oldStart: start + 1, oldLines: old.length - kept - start, newStart: start + 1, newLines: now.length - kept - start, lines }];
}

function linesOf(text: string): string[] {
	const lines = text.split("\n");
	if (lines.at(-1) === "") lines.pop();
	return lines;
}

/** Text in the encoding its bytes speak of, undefined for binary content. */
function textOf(bytes: Uint8Array | undefined): string | undefined {
	if (!bytes) return "";
	if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder("utf-16le").decode(bytes);
	if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder("utf-16be").decode(bytes);
	if (bytes.includes(0)) return undefined;
	try {
		return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
	} catch {
		return new TextDecoder("latin1").decode(bytes);
	}
}
