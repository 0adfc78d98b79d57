// Creates the tool calls that replace text in a file: exact edits, or one patch.
import type { OfflineCall } from "./generator.ts";

/** A text replacement. A whole name is not replaced inside longer names. */
export interface Replacement {
	from: string;
	to: string;
	wholeName: boolean;
}

export function replacementPattern({ from, wholeName: whole }: Replacement): RegExp {
	const escaped = from.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&").replace(/-/g, "\\x2d");
	return whole ? new RegExp(`(?<![\\p{ID_Continue}$])${escaped}(?![\\p{ID_Continue}$])`, "gu") : new RegExp(escaped, "gu");
}

export function countReplacements(text: string, replacement: Replacement): number {
	return text.match(replacementPattern(replacement))?.length ?? 0;
}

export interface FileEdits {
	calls: OfflineCall[];
	/** Occurrences replaced by the calls. */
	occurrences: number;
	/** Occurrences in truncated lines that cannot be identified uniquely. */
	unreachableOccurrences: number;
}

/** Lines of context around a hunk. */
const CONTEXT = 2;
const CUT = / … \[\d+ more characters\]$/;

/** `patch`: apply_patch may be used. */
export function createFileEdits(path: string, lines: readonly string[], replacement: Replacement, patch: boolean): FileEdits {
	const after = lines.map((line) => line.replace(replacementPattern(replacement), () => replacement.to));
	const changed = lines.flatMap((line, index) => (line === after[index] ? [] : [index]));
	const edits: FileEdits = { calls: [], occurrences: 0, unreachableOccurrences: 0 };
	const cut = changed.filter((index) => CUT.test(lines[index] as string));
	for (const index of cut) editCutLine(path, lines, index, replacement, edits);
	const runs = runsOf(
		changed.filter((index) => !cut.includes(index)),
		patch ? 2 * CONTEXT : 0,
	);
	const places = runs
		.flatMap(([start, end]) => lines.slice(start, end + 1))
		.reduce((sum, line) => sum + countReplacements(line, replacement), 0);
	edits.occurrences += places;
	const first = runs[0];
	if (!first) return edits;
	const together = runs.length === 1 ? exactEdit(path, lines, after, first) : undefined;
	if (together) edits.calls.push(together);
	else if (patch) edits.calls.push({ name: "apply_patch", input: { patch: patchOf(path, lines, after, runs) } });
	else {
		for (const run of runs) {
			const call = exactEdit(path, lines, after, run);
			if (call) edits.calls.push(call);
		}
	}
	return edits;
}

type Run = [start: number, end: number];

/** Merges lines into runs, with at most `gap` lines between neighbors. */
function runsOf(indices: readonly number[], gap: number): Run[] {
	const runs: Run[] = [];
	for (const index of indices) {
		const last = runs.at(-1);
		if (last && index - last[1] <= gap + 1) last[1] = index;
		else runs.push([index, index]);
	}
	return runs;
}

/** Adds neighboring lines until the old text occurs once; returns undefined if it never does. */
function exactEdit(path: string, lines: readonly string[], after: readonly string[], [start, end]: Run): OfflineCall | undefined {
	const text = lines.join("\n");
	let [from, to] = [start, end];
	for (;;) {
		const old = lines.slice(from, to + 1).join("\n");
		const at = text.indexOf(old);
		if (text.indexOf(old, at + 1) < 0 && !lines.slice(from, to + 1).some((line) => CUT.test(line))) {
			return {
				name: "update_file",
				input: {
					path,
					old,
					new: [...lines.slice(from, start), ...after.slice(start, end + 1), ...lines.slice(end + 1, to + 1)].join("\n"),
				},
			};
		}
		if (from === 0 && to === lines.length - 1) return undefined;
		from = Math.max(0, from - 1);
		to = Math.min(lines.length - 1, to + 1);
	}
}

function patchOf(path: string, lines: readonly string[], after: readonly string[], runs: readonly Run[]): string {
	const rows = ["*** Begin Patch", `*** Update File: ${path}`];
	for (const [start, end] of runs) {
		rows.push("@@");
		let index = Math.max(0, start - CONTEXT);
		const last = Math.min(lines.length - 1, end + CONTEXT);
		while (index <= last) {
			const block = index;
			while (index <= last && lines[index] !== after[index]) index += 1;
			rows.push(...lines.slice(block, index).map((line) => `-${line}`), ...after.slice(block, index).map((line) => `+${line}`));
			if (index <= last) rows.push(` ${lines[index++]}`);
		}
	}
	return [...rows, "*** End Patch"].join("\n");
}

/** Only the beginning of such a line is known, so each occurrence is replaced individually with its surrounding text. */
function editCutLine(path: string, lines: readonly string[], index: number, replacement: Replacement, edits: FileEdits): void {
	const line = (lines[index] as string).replace(CUT, "");
	const text = lines.join("\n");
	for (const match of line.matchAll(replacementPattern(replacement))) {
		const before = line.slice(Math.max(0, match.index - 40), match.index);
		const behind = line.slice(match.index + match[0].length, match.index + match[0].length + 40);
		const old = before + match[0] + behind;
		const at = text.indexOf(old);
		if (text.indexOf(old, at + 1) >= 0 || countReplacements(old, replacement) > 1) edits.unreachableOccurrences += 1;
		else {
			edits.calls.push({ name: "update_file", input: { path, old, new: before + replacement.to + behind } });
			edits.occurrences += 1;
		}
	}
}
