// Edits a message in a terminal: keys in, rows out. Output of others is printed above it.
import { sanitizeForPrompt } from "../../shared/safeText.ts";
import { dim, findPosition, fitRow, splitGraphemes, toRows, wrapWords } from "./textRows.ts";

interface EditorActions {
	/** The message is complete. */
	submit(text: string): void;
	/** Ctrl+C without any text. */
	interrupt(): void;
	/** Ctrl+D without any text. */
	end(): void;
	/** More was typed or pasted than a message holds; the rest was left out. */
	full(): void;
}

export interface PrintStyle {
	/** Prefix of the first line: as many cells as `indent`, and colors. */
	first?: string;
	/** Prefix of the other lines. */
	indent?: string;
	/** Colors a line. */
	style?(line: string): string;
}

const PROMPT = "> ";
const INDENT = "  ";
/** Rows of a long message that are shown, those around the cursor. */
const SHOWN_ROWS = 20;
/** Characters of a message. */
export const LONGEST = 100_000;
const HISTORY = 100;
const PASTE = { begin: "\x1b[200~", end: "\x1b[201~" };
/** Asks the terminal to mark what is pasted. */
export const MARK_PASTES = "\x1b[?2004h";

/** One key: a control sequence, a line break, one control character, or text up to the next of these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: keys are control characters.
const KEY = /\x1b\r|\x1b\[[0-9;]*[~A-Za-z]|\x1bO[A-Za-z]|\x1b[bf]|\r\n|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

export class LineEditor {
	private readonly write: (text: string) => void;
	private readonly act: EditorActions;
	private columns: number;
	private text = "";
	/** Line that is shown above what is typed, and never among what was printed. */
	private status = "";
	/** Position in the text. */
	private at = 0;
	/** The last drawing: the widths of its rows, and the row and column of the cursor. */
	private drawn: { widths: number[]; row: number; column: number } | undefined;
	private pasting = false;
	/** The beginning of a sequence whose rest has not come yet. */
	private open = "";
	private readonly history: string[] = [];
	/** Position in the history, and what was typed before going there. */
	private past: { index: number; typed: string } | undefined;

	constructor(write: (text: string) => void, columns: number, act: EditorActions) {
		this.write = write;
		this.columns = Math.max(columns, 10);
		this.act = act;
	}

	/** Shows the prompt. */
	start(): void {
		this.draw();
	}

	/** Handles what the terminal sends. */
	handle(data: string): void {
		const input = this.open + data;
		this.open = "";
		// A marker may come in two parts; a single Escape is a key that does nothing.
		const cut = input.length > 1 ? findCutSequence(input) : input.length;
		this.open = input.slice(cut);
		let typed = "";
		for (const [key] of input.slice(0, cut).matchAll(KEY)) {
			const text = this.textOf(key);
			if (text !== undefined) typed += text;
			else {
				this.insert(typed);
				typed = "";
				this.press(key);
			}
		}
		this.insert(typed);
		this.draw();
	}

	/** Prints lines above the message that is being typed, wrapped at words. They contain no control characters but line breaks. */
	print(text: string, { first = "", indent = "", style = (line) => line }: PrintStyle = {}): void {
		const lines = wrapWords(text, Math.max(this.columns - indent.length, 1));
		this.erase();
		this.write(lines.map((line, index) => `${index === 0 ? first : line === "" ? "" : indent}${style(line)}\r\n`).join(""));
		this.draw();
	}

	/**
	 * Shows one line above what is typed, cut to the terminal's width, until another replaces it; "" removes it. It has no control
	 * characters.
	 */
	setStatus(line: string): void {
		if (line === this.status) return;
		this.status = line;
		this.draw();
	}

	/** The terminal has another width: it has wrapped the rows above the cursor's, and cut that one off. */
	resize(columns: number): void {
		const next = Math.max(columns, 10);
		if (this.drawn) {
			const { widths, row, column } = this.drawn;
			const above = widths.slice(0, row).reduce((sum, width) => sum + Math.max(1, Math.ceil(width / next)), 0);
			this.drawn = { widths, row: above, column };
		}
		this.columns = next;
		this.draw();
	}

	/** Returns the text that the key types; undefined if it does something else. */
	private textOf(key: string): string | undefined {
		if (key === "\n" || key === "\x1b\r" || (this.pasting && (key === "\r" || key === "\r\n"))) return "\n";
		return key === "\t" ? INDENT : isControl(key) ? undefined : key;
	}

	private press(key: string): void {
		if (key === PASTE.begin || key === PASTE.end) this.pasting = key === PASTE.begin;
		else if (!this.pasting) KEYS[key]?.(this);
	}

	private insert(typed: string): void {
		if (typed === "") return;
		const text = sanitizeForPrompt(typed);
		const room = LONGEST - this.text.length;
		const taken = text.length <= room ? text : wholeStart(text, room);
		if (taken.length < text.length) this.act.full();
		this.text = this.text.slice(0, this.at) + taken + this.text.slice(this.at);
		this.at += taken.length;
	}

	submit(): void {
		const { text } = this;
		this.leave("");
		if (text.trim() === "") return;
		if (this.history.at(-1) !== text) this.history.push(text);
		if (this.history.length > HISTORY) this.history.shift();
		this.act.submit(text);
	}

	interrupt(): void {
		if (this.text === "") {
			this.act.interrupt();
			return;
		}
		this.leave("^C");
	}

	/** Leaves what was typed on the screen; the next message begins below it. */
	private leave(mark: string): void {
		this.at = this.text.length;
		this.draw("");
		this.write(`${mark}\r\n`);
		this.drawn = undefined;
		this.clear();
	}

	end(): void {
		if (this.text === "") this.act.end();
	}

	private clear(): void {
		this.text = "";
		this.at = 0;
		this.past = undefined;
	}

	/** Moves to the row above or below; from the first and the last one to other messages. */
	go(step: -1 | 1): void {
		const columns = this.columns - PROMPT.length;
		const { rows, cursor } = toRows(this.text, this.at, columns);
		const row = cursor.row + step;
		if (row < 0 || row >= rows.length) this.recall(step);
		else this.at = findPosition(this.text, { row, column: cursor.column }, columns);
	}

	private recall(step: -1 | 1): void {
		const { index, typed } = this.past ?? { index: this.history.length, typed: this.text };
		const next = index + step;
		if (next < 0 || next > this.history.length) return;
		this.past = { index: next, typed };
		this.text = this.history[next] ?? typed;
		this.at = this.text.length;
	}

	/** Moves by a number of characters, or to the beginning or end of the line. */
	move(to: -1 | 1 | "start" | "end"): void {
		this.at = this.find(to);
	}

	/** Deletes from the cursor to there. */
	remove(to: -1 | 1 | "start" | "end" | "word"): void {
		const other = to === "word" ? this.text.slice(0, this.at).search(/\S+\s*$/) : this.find(to);
		const [from, until] = [Math.min(this.at, Math.max(other, 0)), Math.max(this.at, other)];
		this.text = this.text.slice(0, from) + this.text.slice(until);
		this.at = from;
	}

	private find(to: -1 | 1 | "start" | "end"): number {
		const [before, after] = [this.text.slice(0, this.at), this.text.slice(this.at)];
		if (to === "start") return before.lastIndexOf("\n") + 1;
		if (to === "end") return after.includes("\n") ? this.at + after.indexOf("\n") : this.text.length;
		if (to === -1) return this.at - (splitGraphemes(before.slice(-NEAR)).at(-1)?.length ?? 0);
		return this.at + (splitGraphemes(after.slice(0, NEAR))[0]?.length ?? 0);
	}

	/** Clears the screen. */
	wipe(): void {
		this.write("\x1b[2J\x1b[3J\x1b[H");
		this.drawn = undefined;
	}

	private erase(): void {
		const up = this.drawn?.row ?? 0;
		this.write(`${up > 0 ? `\x1b[${up}A` : ""}\r\x1b[J`);
		this.drawn = undefined;
	}

	private draw(status = this.status): void {
		const { rows, cursor } = toRows(this.text, this.at, this.columns - PROMPT.length);
		const first = Math.max(0, Math.min(cursor.row - Math.floor(SHOWN_ROWS / 2), rows.length - SHOWN_ROWS));
		const shown = rows.slice(first, first + SHOWN_ROWS);
		const above = status === "" ? [] : [fitRow(status, this.columns - 1)];
		const [row, column] = [cursor.row - first, cursor.column + PROMPT.length];
		this.erase();
		const up = shown.length - 1 - row;
		const lines = shown.map((line, index) => `${index === 0 && first === 0 ? PROMPT : INDENT}${line}`);
		this.write(`${[...above.map(dim), ...lines].join("\r\n")}${up > 0 ? `\x1b[${up}A` : ""}\r\x1b[${column}C`);
		this.drawn = {
			widths: [...above.map(cellsOfRow), ...shown.map((line) => PROMPT.length + cellsOfRow(line))],
			row: above.length + row,
			column,
		};
	}
}

function cellsOfRow(row: string): number {
	return toRows(row, row.length, Number.POSITIVE_INFINITY).cursor.column;
}

/** Characters in which the next or the last whole one is looked for. */
const NEAR = 64;

type Key = (editor: LineEditor) => void;

const KEYS: Readonly<Record<string, Key>> = {
	"\r": (editor) => editor.submit(),
	"\r\n": (editor) => editor.submit(),
	"\x03": (editor) => editor.interrupt(),
	"\x04": (editor) => editor.end(),
	"\x7f": (editor) => editor.remove(-1),
	"\b": (editor) => editor.remove(-1),
	"\x1b[3~": (editor) => editor.remove(1),
	"\x15": (editor) => editor.remove("start"),
	"\x0b": (editor) => editor.remove("end"),
	"\x17": (editor) => editor.remove("word"),
	"\x0c": (editor) => editor.wipe(),
	"\x01": (editor) => editor.move("start"),
	"\x05": (editor) => editor.move("end"),
	"\x1b[A": (editor) => editor.go(-1),
	"\x1bOA": (editor) => editor.go(-1),
	"\x1b[B": (editor) => editor.go(1),
	"\x1bOB": (editor) => editor.go(1),
	"\x1b[C": (editor) => editor.move(1),
	"\x1bOC": (editor) => editor.move(1),
	"\x1b[D": (editor) => editor.move(-1),
	"\x1bOD": (editor) => editor.move(-1),
	"\x1b[H": (editor) => editor.move("start"),
	"\x1bOH": (editor) => editor.move("start"),
	"\x1b[1~": (editor) => editor.move("start"),
	"\x1b[F": (editor) => editor.move("end"),
	"\x1bOF": (editor) => editor.move("end"),
	"\x1b[4~": (editor) => editor.move("end"),
};

function isControl(key: string): boolean {
	return key < " " || key === "\x7f";
}

/** Returns the beginning of a control sequence whose end is missing; the text's end if there is none. */
function findCutSequence(input: string): number {
	// biome-ignore lint/suspicious/noControlCharactersInRegex: a key.
	const found = input.search(/\x1b(?:\[[0-9;]*|O)?$/);
	return found < 0 ? input.length : found;
}

/** The beginning without half a character. */
function wholeStart(text: string, length: number): string {
	const start = text.slice(0, length);
	return /[\ud800-\udbff]$/.test(start) ? start.slice(0, -1) : start;
}
