// Tests displayed diffs: they determine the written bytes, and subtle differences are made visible.
import assert from "node:assert/strict";
import { computeDiff } from "../../../src/platform/files/diffs.ts";
import { joinSegments } from "../../../src/shared/safeText.ts";
import { type DiffLine, parseDiffLines } from "../../../webview-ui/text/diffLines.ts";
import { hostileText, numbers, readLine, UNSEEN } from "../../fakes/hostileText.ts";

const SIGNS = { same: " ", added: "+", removed: "-", gap: "⋯" };

function shown(before: string | undefined, after: string | undefined): string[] {
	const bytes = (text: string | undefined) => (text === undefined ? undefined : Buffer.from(text));
	return parseDiffLines(computeDiff(bytes(before), bytes(after)).diff).map((line) => `${SIGNS[line.kind]}${joinSegments(line)}`);
}

describe("a diff as it is shown", () => {
	for (const [name, before, after, expected] of [
		["a line that changes", "a\nb\n", "a\nc\n", [" a", "-b", "+c"]],
		["a file that is new", undefined, "a\n", ["+a"]],
		["line ends that change", "a\r\n", "a\n", ["-a\\u{000d}", "+a"]],
		["a final line feed that goes", "a\n", "a", ["-a", "+a[no newline at end]"]],
		["a remark that stands in the file", "a\n", "a[no newline at end]\n", ["-a", "+a\\u{005b}no newline at end]"]],
		["spaces in place of a tab", "\tif x\n", "    if x\n", ["-\\u{0009}if x", "+[4 spaces]if x"]],
		["blanks between words", "a b\n", "a   b\n", ["-a b", "+a[3 spaces]b"]],
		["blanks at a line's end", "a\n", "a  \n", ["-a", "+a[2 spaces]"]],
		["a blank of another kind", "a b\n", "a\u00a0b\n", ["-a b", "+a\\u{00a0}b"]],
		["a zero width character", "ab\n", "a\u200bb\n", ["-ab", "+a\\u{200b}b"]],
		["a letter and its accent for one letter", "é=1\n", "e\u0301=1\n", ["-\\u{00e9}=1", "+e\\u{0301}=1"]],
		["letters of full width", "ab\n", "ａb\n", ["-ab", "+\\u{ff41}b"]],
		["other letters that change stay as they are", "é = 1;\n", "è = 1;\n", ["-é = 1;", "+è = 1;"]],
		[
			"a terminal's title, a lone carriage return and a NUL",
			"",
			"ls \x1b]0;x\x07\rrm\0\n",
			["+ls \\u{001b}]0;x\\u{0007}\\u{000d}rm\\u{0000}"],
		],
	] as const) {
		it(`shows ${name}`, () => assert.deepEqual(shown(before, after), expected));
	}

	it("numbers its lines, and leaves a gap between two hunks", () => {
		const lines = Array.from({ length: 20 }, (_, index) => `line ${index + 1}`);
		const after = lines.with(1, "two").toSpliced(17, 1);
		const numbered = parseDiffLines(computeDiff(Buffer.from(lines.join("\n")), Buffer.from(after.join("\n"))).diff);
		assert.deepEqual(
			numbered.map(({ kind, number }) => `${SIGNS[kind]}${number ?? ""}`),
			[" 1", "-2", "+2", " 3", " 4", " 5", "⋯", " 15", " 16", " 17", "-18", " 18", " 19"],
		);
	});

	it("can be read back into exactly the bytes that are written, whatever the files", () => {
		const next = numbers(Number(process.env["TROUPE_SEED"] ?? 14));
		for (let round = 0; round < 1_500; round += 1) {
			const [before, after] = filePair(next);
			const { diff, lineEnds, unshown } = computeDiff(before, after);
			assert.equal(unshown, undefined);
			const lines = parseDiffLines(diff);
			for (const line of lines) assert.doesNotMatch(joinSegments(line), UNSEEN);
			const read = applied(before.toString(), lines, lineEnds === "CRLF" ? "\r\n" : "\n");
			assert.equal(read, after.toString(), JSON.stringify([before.toString(), after.toString()]));
		}
	});
});

/** A hostile file, and what an edit of some of its lines makes of it. Half surrogate pairs have no bytes. */
function filePair(next: (limit: number) => number): [Buffer, Buffer] {
	const end = next(4) === 0 ? "\r\n" : "\n";
	const line = () =>
		hostileText(next, 4)
			.replaceAll("\n", " ")
			.replace(/\p{Surrogate}/gu, "?");
	const lines = Array.from({ length: next(30) + 1 }, line);
	const edited = lines.flatMap((old) => (next(6) > 0 ? [old] : next(3) === 0 ? [] : [next(2) ? line() : `${old} `]));
	const text = (all: string[]) => Buffer.from(all.join(end) + (next(3) === 0 ? "" : end));
	return [text(lines), text(edited)];
}

/** The text that a change leaves, as it can be read off its lines. */
function applied(before: string, lines: readonly DiffLine[], end: string): string {
	const old = before === "" ? [] : before.split(/(?<=\n)/);
	const after: string[] = [];
	let at = 0;
	for (const { kind, number = 0, ...line } of lines) {
		if (kind === "gap") continue;
		const text = joinSegments(line);
		const endless = text.endsWith("[no newline at end]");
		const content = readLine(endless ? text.slice(0, -"[no newline at end]".length) : text) + (endless ? "" : end);
		if (kind === "removed") {
			while (at < number - 1) after.push(old[at++] as string);
			assert.equal(old[at], content);
			at += 1;
			continue;
		}
		while (after.length < number - 1) after.push(old[at++] as string);
		if (kind === "same") assert.equal(old[at++], content);
		after.push(content);
	}
	return [...after, ...old.slice(at)].join("");
}
