// Test fixture: a terminal's screen, as far as the line editor uses it.
import { cellsOf, splitGraphemes } from "../../../../src/vscode/terminalChat/textRows.ts";

export class Screen {
	/** Cells of each row; the second cell of a wide character is empty. */
	private rows: string[][] = [[]];
	private row = 0;
	private column = 0;
	private columns: number;
	/** What no line editor may send. */
	readonly unknown: string[] = [];

	constructor(columns: number) {
		this.columns = columns;
	}

	readonly write = (text: string): void => {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own.
		for (const [part] of text.matchAll(/\x1b\[[?0-9;]*[A-Za-z]|\x1b|[\x00-\x1f\x7f-\x9f]|[^\x00-\x1f\x7f-\x9f]+/g)) this.take(part);
	};

	/** Rows that no longer fit are wrapped, but for the cursor's, which is cut off. */
	resize(columns: number): void {
		const rows: string[][] = [];
		let cursor = 0;
		for (const [index, row] of this.rows.entries()) {
			if (index === this.row) cursor = rows.length;
			const last = index === this.row ? columns : Math.max(row.length, columns);
			for (let at = 0; at < last; at += columns) rows.push(row.slice(at, at + columns));
		}
		[this.rows, this.row, this.column, this.columns] = [rows, cursor, Math.min(this.column, columns - 1), columns];
	}

	private take(part: string): void {
		// biome-ignore lint/suspicious/noControlCharactersInRegex: a terminal's own.
		const [, count = "", command] = /^\x1b\[([?0-9;]*)([A-Za-z])$/.exec(part) ?? [];
		const number = Number(count || 1);
		if (part === "\r") this.column = 0;
		else if (part === "\n") this.down();
		else if (command === "A") this.row = Math.max(0, this.row - number);
		else if (command === "C") this.column = Math.min(this.columns - 1, this.column + number);
		else if (command === "J" && count === "") this.rows = [...this.rows.slice(0, this.row), this.current.slice(0, this.column)];
		else if (command === "J" || command === "H") this.rows = [[]];
		else if (command === "m" || part === "\x1b[?2004h") return;
		else if (part.startsWith("\x1b") || part < " ") this.unknown.push(part);
		else for (const one of splitGraphemes(part)) this.put(one);
		if (command === "H") [this.row, this.column] = [0, 0];
	}

	private get current(): string[] {
		return this.rows[this.row] ?? [];
	}

	private down(): void {
		this.row += 1;
		while (this.rows.length <= this.row) this.rows.push([]);
	}

	private put(one: string): void {
		const width = cellsOf(one);
		if (this.column + width > this.columns) {
			this.down();
			this.column = 0;
		}
		const row = [...this.current];
		while (row.length < this.column) row.push(" ");
		row.splice(this.column, width, one, ...Array.from({ length: width - 1 }, () => ""));
		this.rows[this.row] = row;
		this.column += width;
	}

	/** Text of the rows, with the cursor as `|`. */
	get shown(): string {
		return this.rows
			.map((row, index) => {
				if (index !== this.row) return row.join("").trimEnd();
				const cells = [...row];
				while (cells.length < this.column) cells.push(" ");
				return `${cells.slice(0, this.column).join("")}|${cells.slice(this.column).join("")}`;
			})
			.join("\n");
	}
}
