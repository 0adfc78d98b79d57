// Parses a unified diff into lines; differences that are hard to see are escaped. Pure.
import type { FileChange } from "../../src/core/events.ts";
import { removeHidden } from "../../src/core/hiddenText.ts";
import { t } from "../../src/shared/l10n.ts";
import { createNote, type EscapeOptions, type SafeLine, segmentLine } from "../../src/shared/safeText.ts";

export type DiffKind = "same" | "added" | "removed" | "gap";

/** `number`: the line in the new file; for a removed line, in the old one. */
export interface DiffLine extends SafeLine {
	kind: DiffKind;
}

interface RawLine {
	kind: DiffKind;
	number: number;
	text: string;
	/** The file ends here without a newline. */
	endless?: true;
}

/** The lines of all hunks with a gap between hunks. */
export function parseDiffLines(diff: string): DiffLine[] {
	const lines = rawLines(diff);
	const lookalikes = findLookalikes(lines);
	return lines.map((line) => {
		if (line.kind === "gap") return { kind: "gap", segments: [] };
		const segments = segmentLine(line.text, lookalikes.get(line));
		if (line.endless) segments.push(createNote(t("no newline at end")));
		return { kind: line.kind, number: line.number, segments };
	});
}

/** The highest line number in a diff; 1 if it has no lines. */
export function highestNumber(diff: string): number {
	return rawLines(diff).reduce((most, { number }) => Math.max(most, number), 1);
}

/** The hunks of a diff, each a diff of its own. */
export function splitHunks(diff: string): string[] {
	return diff === "" ? [] : diff.split(/\n(?=@@ )/);
}

const KINDS: Readonly<Record<string, DiffKind>> = { "+": "added", "-": "removed", " ": "same" };

function rawLines(diff: string): RawLine[] {
	const lines: RawLine[] = [];
	let [before, after] = [0, 0];
	for (const line of diff.split("\n")) {
		const header = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/.exec(line);
		if (header) {
			if (lines.length > 0) lines.push({ kind: "gap", number: 0, text: "" });
			before = firstOf(header[1], header[2]);
			after = firstOf(header[3], header[4]);
			continue;
		}
		const kind = KINDS[line.charAt(0)];
		const last = lines.at(-1);
		if (line.startsWith("\\") && last) last.endless = true;
		if (kind === undefined) continue;
		lines.push({ kind, number: kind === "removed" ? before : after, text: line.slice(1) });
		if (kind !== "added") before += 1;
		if (kind !== "removed") after += 1;
	}
	return lines;
}

/** An empty range names the preceding line. */
function firstOf(start = "0", count = "1"): number {
	return Number(start) + (count === "0" ? 1 : 0);
}

/** Finds removed and added lines that would look alike; their differences are escaped. */
function findLookalikes(lines: readonly RawLine[]): Map<RawLine, EscapeOptions> {
	const lookalikes = new Map<RawLine, EscapeOptions>();
	for (const { removed, added } of blocks(lines)) {
		for (const [ownLines, otherLines] of [
			[removed, added],
			[added, removed],
		] as const) {
			const drawn = new Set(otherLines.map(({ text }) => normalizeAppearance(text)));
			const letters = new Set(otherLines.map(({ text }) => stripInvisible(text)));
			for (const line of ownLines) {
				if (drawn.has(normalizeAppearance(line.text)))
					lookalikes.set(line, { blanks: true, ascii: !letters.has(stripInvisible(line.text)) });
			}
		}
	}
	return lookalikes;
}

function* blocks(lines: readonly RawLine[]): Generator<{ removed: RawLine[]; added: RawLine[] }> {
	let [removed, added]: [RawLine[], RawLine[]] = [[], []];
	for (const line of [...lines, undefined]) {
		if (line?.kind === "removed" && added.length === 0) removed.push(line);
		else if (line?.kind === "added") added.push(line);
		else {
			if (removed.length > 0 && added.length > 0) yield { removed, added };
			[removed, added] = [line?.kind === "removed" ? [line] : [], []];
		}
	}
}

function stripInvisible(text: string): string {
	return removeHidden(text).replace(/\p{Zs}/gu, "");
}

function normalizeAppearance(text: string): string {
	return stripInvisible(text.normalize("NFKC"));
}

/** Label for an empty diff. `waits`: the change is not made yet. */
export function emptyChangeLabel({ action, diff }: Pick<FileChange, "action" | "diff">, waits: boolean): string | undefined {
	if (diff !== "") return undefined;
	if (action === "delete") return waits ? t("Will be deleted") : t("Deleted");
	return action === "create" ? t("The file is empty.") : undefined;
}
