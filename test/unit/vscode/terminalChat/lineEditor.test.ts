// Tests how a message is typed in a terminal, on a screen that draws as a terminal does.
import assert from "node:assert/strict";
import { LineEditor, LONGEST } from "../../../../src/vscode/terminalChat/lineEditor.ts";
import { Screen } from "./screen.ts";

const [UP, DOWN, LEFT, RIGHT] = ["\x1b[A", "\x1b[B", "\x1b[D", "\x1b[C"];

function editor(columns = 30) {
	const screen = new Screen(columns);
	const sent: string[] = [];
	const done: string[] = [];
	const line = new LineEditor(screen.write, columns, {
		submit: (text) => sent.push(text),
		interrupt: () => done.push("interrupt"),
		end: () => done.push("end"),
		full: () => done.push("full"),
	});
	line.start();
	return { screen, sent, done, line, type: (...keys: string[]) => keys.forEach((key) => void line.handle(key)) };
}

describe("a message that is typed in a terminal", () => {
	it("is sent with Enter, and the next one begins", () => {
		const { screen, sent, type } = editor();
		type("hello", "\r", "next");
		assert.deepEqual(sent, ["hello"]);
		assert.equal(screen.shown, "> hello\n> next|");
	});

	it("is edited with the keys of a shell", () => {
		const { screen, sent, type } = editor();
		type("one two three", "\x17", "\x7f", "\x01", "X", RIGHT ?? "", "\x1b[3~", "\x05", "!", LEFT ?? "", LEFT ?? "", "\x0b");
		assert.equal(screen.shown, "> Xoe tw|");
		type("\x15", "\r");
		assert.deepEqual(sent, []);
	});

	it("comes back with the arrow keys, after what was being typed", () => {
		const { screen, type } = editor();
		type("first\r", "second\r", "thi", UP ?? "", UP ?? "", UP ?? "");
		assert.ok(screen.shown.endsWith("\n> first|"));
		type(DOWN ?? "", DOWN ?? "", DOWN ?? "");
		assert.ok(screen.shown.endsWith("\n> thi|"));
	});

	it("is left for earlier messages with the arrow keys only from its first row, and comes back from its last one", () => {
		const { screen, type } = editor(14);
		type("first\r", "one\x1b\rtwo words here", UP ?? "", UP ?? "");
		assert.ok(screen.shown.endsWith("\n> on|e\n  two words he\n  re"), screen.shown);
		type(UP ?? "");
		assert.ok(screen.shown.endsWith("\n> first|"));
		type(DOWN ?? "");
		assert.ok(screen.shown.endsWith("\n> one\n  two words he\n  re|"));
		type(UP ?? "", UP ?? "", "X", DOWN ?? "", "Y");
		assert.ok(screen.shown.endsWith("\n> onXe\n  twoY| words h\n  ere"), screen.shown);
	});

	it("has what is printed above it wrapped between words, below its indent", () => {
		const { screen, line } = editor(16);
		line.print("A reply with some words\n\n  - indented items\nunbreakablelongword 你好吗，再见了吧。", { first: "* ", indent: "  " });
		assert.deepEqual(screen.shown.split("\n"), [
			"* A reply with",
			"  some words",
			"",
			"    - indented",
			"    items",
			"  unbreakablelon",
			"  gword 你好吗，",
			"  再见了吧。",
			"> |",
		]);
		line.print("Exactly sixteen. And more", { style: (text) => `\x1b[2m${text}\x1b[22m` });
		assert.ok(screen.shown.endsWith("\nExactly sixteen.\nAnd more\n> |"), screen.shown);
		assert.deepEqual(screen.unknown, []);
	});

	it("may have several lines, typed or pasted, and a paste sends nothing", () => {
		const { screen, sent, type } = editor();
		type("a", "\x1b\r", "b");
		assert.equal(screen.shown, "> a\n  b|");
		type("\x1b[200~c\rd\r\ne\x03\x1b[20", "1~");
		assert.deepEqual(sent, []);
		assert.equal(screen.shown, "> a\n  bc\n  d\n  e|");
		type("\r");
		assert.deepEqual(sent, ["a\nbc\nd\ne"]);
	});

	it("wraps at the terminal's width, with wide characters whole and the cursor in its place", () => {
		const { screen, type } = editor(12);
		type("abcdefg你好吗");
		assert.equal(screen.shown, "> abcdefg你\n  好吗|");
		type(LEFT ?? "", LEFT ?? "");
		assert.equal(screen.shown, "> abcdefg你\n  |好吗");
		type("\x7f");
		assert.equal(screen.shown, "> abcdefg|好\n  吗");
		type("\x05", "👩‍👩‍👧", "\x7f");
		assert.equal(screen.shown, "> abcdefg好\n  吗|");
	});

	it("keeps its place while replies are printed above it", () => {
		const { screen, line, type } = editor(14);
		type("a long message to type");
		line.print("Reply\nin two lines");
		assert.equal(screen.shown, "Reply\nin two lines\n> a long messa\n  ge to type|");
		type("!");
		assert.ok(screen.shown.endsWith("\n  ge to type!|"));
	});

	it("has the status above it, which is never left among what was said", () => {
		const { screen, line, type } = editor();
		type("hello\r");
		line.setStatus("Working…");
		type("and");
		assert.equal(screen.shown, "> hello\nWorking…\n> and|");
		type("\r", "never", "\x03");
		assert.equal(screen.shown, "> hello\n> and\n> never^C\nWorking…\n> |");
		line.print("Reply");
		line.setStatus("Waiting");
		assert.equal(screen.shown, "> hello\n> and\n> never^C\nReply\nWaiting\n> |");
		type("\x0c", "x");
		assert.equal(screen.shown, "Waiting\n> x|");
		line.setStatus("");
		assert.equal(screen.shown, "> x|");
	});

	it("has a status that is cut to the terminal's width, and follows it", () => {
		const { screen, line, type } = editor(24);
		type("a message\x1b\rof two lines");
		line.setStatus("正在工作… Ctrl+C stops the agent.");
		const below = "\n> a message\n  of two lines|";
		assert.equal(screen.shown, `正在工作… Ctrl+C stops…${below}`);
		for (const [columns, status] of [
			[15, "正在工作… Ctr…"],
			[80, "正在工作… Ctrl+C stops the agent."],
		] as const) {
			screen.resize(columns);
			line.resize(columns);
			assert.equal(screen.shown, `${status}${below}`);
		}
		assert.deepEqual(screen.unknown, []);
	});

	it("takes nothing away of what was said when the terminal becomes narrower", () => {
		const { screen, line, type } = editor(24);
		line.print("Reply");
		type("a message that fills");
		line.setStatus("Working…");
		screen.resize(14);
		line.resize(14);
		assert.equal(screen.shown, "Reply\nWorking…\n> a message th\n  at fills|");
	});

	it("sends nothing of what was pasted into it as a key or as an escape sequence", () => {
		const { screen, sent, type } = editor();
		type("\x1b[200~\x1b]52;c;QUJD\x07red\x1b[31m\u202e\u0000\x1b[201~", "\r");
		assert.deepEqual(sent, ["]52;c;QUJDred"]);
		assert.deepEqual(screen.unknown, []);
	});

	it("is given up with Ctrl+C; without text, that stops the agent, and Ctrl+D closes the terminal", () => {
		const { screen, sent, done, type } = editor();
		type("never mind", "\x04", "\x03");
		assert.equal(screen.shown, "> never mind^C\n> |");
		assert.deepEqual([sent, done], [[], []]);
		type("\x03", "\x04");
		assert.deepEqual(done, ["interrupt", "end"]);
	});

	it("has a limit that says so, and shows the rows around the cursor", () => {
		const { screen, done, sent, type } = editor();
		type(`\x1b[200~${"line\n".repeat(40_000)}\x1b[201~`);
		assert.ok(done.includes("full"));
		assert.ok(screen.shown.split("\n").length <= 20);
		type("\r");
		assert.equal(sent[0]?.length, LONGEST);
	});

	it("ignores keys that mean nothing", () => {
		const { screen, type } = editor();
		type("a", "\x1b", "\x1b[15~", "\x1b[1;5C", "\x07", "b");
		assert.equal(screen.shown, "> ab|");
	});
});
