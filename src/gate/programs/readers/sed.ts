// Assesses `sed`: read-only as long as its script can only print, delete, quit, and substitute.
import { t } from "../../../shared/l10n.ts";
import { type ProgramTables, tablesByFlavor } from "../assessByTable.ts";
import type { Assessment } from "../assessment.ts";
import { type ParsedFlags, reading } from "../flags.ts";

function checkScript({ values, operands }: ParsedFlags): Partial<Assessment> & { reason?: string } {
	const given = values.filter(({ flag }) => flag === "-e" || flag === "--expression").map(({ value }) => value);
	const files = reading(given.length > 0 ? operands : operands.slice(1), { kind: "tree" });
	const scripts = given.length > 0 ? given : operands.slice(0, 1);
	return {
		operands: files,
		...(!isSafeSedScript(scripts.join("\n")) && { reason: t("The {0} script may do more than print text.", "sed") }),
	};
}

const sed = tablesByFlavor(
	"tree",
	{
		gnu: {
			alone: "-n -E -r -s -u -z --quiet --silent --debug --regexp-extended --separate --unbuffered --null-data --sandbox --help --version",
			text: "-e -l --expression --line-length",
		},
		bsd: { alone: "-n -E -r -l -u", text: "-e" },
		busybox: { alone: "-n -E -r -s -z", text: "-e" },
	},
	{ check: checkScript },
);

export const sedPrograms: ProgramTables = { sed };

/**
 * sed implementations differ in how they parse brackets in a pattern: whether brackets hide the delimiter, and where they end. A
 * script is safe only if it is safe, or fails to compile, under every interpretation.
 */
export function isSafeSedScript(script: string): boolean {
	return brackets.every((bracket) => new Script(script, bracket).judge() !== "more");
}

/** The index after the bracket expression that starts at `at`; `at + 1` if brackets hide nothing; undefined if it has no end. */
type Bracket = (text: string, at: number) => number | undefined;

const brackets: readonly Bracket[] = [(_, at) => at + 1, plainBracket, bracketWithClasses];

function firstInside(text: string, at: number): number {
	let inside = at + 1;
	if (text[inside] === "^") inside++;
	return text[inside] === "]" ? inside + 1 : inside;
}

function plainBracket(text: string, at: number): number | undefined {
	const end = text.indexOf("]", firstInside(text, at));
	return end < 0 ? undefined : end + 1;
}

function bracketWithClasses(text: string, at: number): number | undefined {
	for (let inside = firstInside(text, at); inside < text.length; inside++) {
		if (text[inside] === "]") return inside + 1;
		const kind = /^\[([.:=])/.exec(text.slice(inside, inside + 2))?.[1];
		if (kind === undefined) continue;
		const end = text.indexOf(`${kind}]`, inside + 2);
		if (end < 0) return undefined;
		inside = end + 1;
	}
	return undefined;
}

/** `wrong`: no sed compiles it, so nothing runs. */
type Answer = "prints" | "more" | "wrong";

class StopScan extends Error {
	readonly answer: Answer;
	constructor(answer: Answer) {
		super(answer);
		this.answer = answer;
	}
}

/** Pattern delimiters that every sed accepts. */
const DELIMITER = /^[!"#%&'()*+,\-./:;<=>?@^_`{|}~$]$/;
const MAX_ADDRESSES = 2;

/** Scans the text once; a new instance is needed for each scan. */
class Script {
	private readonly text: string;
	private readonly bracket: Bracket;
	private at = 0;
	constructor(text: string, bracket: Bracket) {
		this.text = text;
		this.bracket = bracket;
	}

	judge(): Answer {
		try {
			while (this.at < this.text.length) this.command();
			return "prints";
		} catch (error) {
			if (error instanceof StopScan) return error.answer;
			throw error;
		}
	}

	private command(): void {
		this.skip(/[ \t\n;]*/y);
		if (this.at >= this.text.length) return;
		for (let count = 0; count < MAX_ADDRESSES && this.address(); count++) {
			this.skip(/[ \t]*/y);
			if (count === 1 || this.text[this.at] !== ",") break;
			this.at++;
			this.skip(/[ \t]*/y);
			if (!this.startsAddress()) throw new StopScan("more");
		}
		this.skip(/[ \t]*(?:!+[ \t]*)?/y);
		this.verb(this.text[this.at++]);
	}

	private startsAddress(): boolean {
		return /[\d$/\\+~]/.test(this.text[this.at] ?? "");
	}

	private address(): boolean {
		if (this.skip(/\$|[+~]?\d+(?:[ \t]*~[ \t]*\d+)?/y)) return true;
		if (this.text[this.at] === "\\") this.at++;
		else if (this.text[this.at] !== "/") return false;
		this.delimited(this.delimiter(), true);
		this.skip(/[IM]*/y);
		return true;
	}

	private verb(verb: string | undefined): void {
		if (verb === undefined) throw new StopScan("wrong");
		if ("{}".includes(verb)) return;
		if ("pdDPhHgGxnN=zF".includes(verb)) this.end();
		else if ("qQl".includes(verb)) this.numbered();
		else if (":btT".includes(verb)) this.label(verb === ":");
		else if ("aic".includes(verb)) this.insertion();
		else if (verb === "#") this.comment();
		else if (verb === "s") this.substitution();
		else if (verb === "y") this.transliteration();
		else throw new StopScan("more");
	}

	private numbered(): void {
		this.skip(/[ \t]*\d*/y);
		this.end();
	}

	/** Requires the end of a command. */
	private end(): void {
		this.skip(/[ \t]*/y);
		if (this.at < this.text.length && !/[;}#\n]/.test(this.text[this.at] as string)) throw new StopScan("more");
	}

	private comment(): void {
		if (this.line().endsWith("\\")) throw new StopScan("more");
	}

	/** BSD uses the rest of the line as the label, so anything after it must end with this line. */
	private label(named: boolean): void {
		this.skip(/[ \t]*/y);
		const name = this.skip(/[\w.-]+/y);
		if (named && !name) throw new StopScan("more");
		this.end();
		if (this.text[this.at] !== "\n" && this.text.includes("\n", this.at)) throw new StopScan("more");
	}

	/** One line of text, or `a\` and one line; a backslash in it could continue it. */
	private insertion(): void {
		this.skip(/[ \t]*/y);
		if (this.text[this.at] === "\\" && this.text[this.at + 1] === "\n") this.at += 2;
		if (this.line().includes("\\")) throw new StopScan("more");
	}

	private substitution(): void {
		const delimiter = this.delimiter();
		this.delimited(delimiter, true);
		this.delimited(delimiter, false);
		this.skip(/[gpiIM\d \t]*/y);
		if (/[^\w\s;}#\\]/.test(this.text[this.at] ?? "")) throw new StopScan("wrong");
		this.end();
	}

	private transliteration(): void {
		const from = this.at;
		const delimiter = this.delimiter();
		this.delimited(delimiter, false);
		this.delimited(delimiter, false);
		if (this.text.slice(from, this.at).includes("[")) throw new StopScan("more");
		this.end();
	}

	private delimiter(): string {
		const delimiter = this.text[this.at++] ?? "";
		if (!DELIMITER.test(delimiter)) throw new StopScan("more");
		return delimiter;
	}

	/** Moves past the next delimiter. */
	private delimited(delimiter: string, pattern: boolean): void {
		while (this.at < this.text.length) {
			const character = this.text[this.at] as string;
			if (character === delimiter) {
				this.at++;
				return;
			}
			if (character === "\\" && !(pattern && this.text[this.at + 1] === "\n")) this.at += 2;
			else if (character === "\n" || character === "\\") throw new StopScan("more");
			else if (character === "[" && pattern) {
				const next = this.bracket(this.text, this.at);
				if (next === undefined) throw new StopScan("more");
				this.at = next;
			} else this.at++;
		}
		throw new StopScan("wrong");
	}

	/** Returns the rest of the line and moves past it. */
	private line(): string {
		const newline = this.text.indexOf("\n", this.at);
		const end = newline < 0 ? this.text.length : newline;
		const line = this.text.slice(this.at, end);
		this.at = end;
		return line;
	}

	private skip(pattern: RegExp): boolean {
		pattern.lastIndex = this.at;
		const length = pattern.exec(this.text)?.[0].length ?? 0;
		this.at += length;
		return length > 0;
	}
}
