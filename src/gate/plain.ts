// Reads the small part of the shell's language that cannot mean anything but what it says. All else is odd, with its reason.
// It stands beside the full parser: a command is plain only when both read the same words.
import { t } from "../l10n.ts";
import { invisible } from "./spelling.ts";

export type Joint = "&&" | "||" | ";" | "|";

export interface PlainCommand {
	words: string[];
	/** What stands before it; absent for the first. */
	joint?: Joint;
}

export type Plain = { commands: PlainCommand[] } | { odd: string };

export const MAX_COMMAND_LENGTH = 4_000;
const MOST_COMMANDS = 40;

const keywords = new Set(
	"if then else elif fi do done case esac while until for in select function time coproc ! { } [[ ]] (( ))".split(" "),
);
const oddCharacters: Record<string, string> = {
	$: t("uses a variable or a substitution ($)"),
	"`": t("runs another command inside it (`)"),
	"*": t("has a pattern (*) that the shell would expand"),
	"?": t("has a pattern (?) that the shell would expand"),
	"[": t("has a pattern ([) that the shell would expand"),
	"{": t("has braces that the shell may expand"),
	"}": t("has braces that the shell may expand"),
	"(": t("uses a subshell or a function"),
	")": t("uses a subshell or a function"),
	"\n": t("has more than one line"),
};

export function readPlain(text: string): Plain {
	return oddText(text) ?? new Reader(text).read();
}

function oddText(text: string): { odd: string } | undefined {
	if (text.length > MAX_COMMAND_LENGTH) return { odd: t("is longer than {0} characters", MAX_COMMAND_LENGTH) };
	if (invisible.test(text.replaceAll("\n", ""))) return { odd: t("has control or invisible characters") };
	if (/[^\S \n]/.test(text)) return { odd: t("has blanks that are not spaces") };
	if (/\s{40}/.test(text)) return { odd: t("has a long run of blanks that could hide something") };
	return text.trim() === "" ? { odd: t("is empty") } : undefined;
}

class Odd extends Error {}

/** Walks over the text once; lives as long as one reading. */
class Reader {
	private readonly text: string;
	private at = 0;
	private readonly commands: PlainCommand[] = [];
	private words: string[] = [];
	private joint: Joint | undefined;
	constructor(text: string) {
		this.text = text;
	}

	read(): Plain {
		try {
			while (this.at < this.text.length) this.step();
			this.finish(this.joint === ";");
			return this.commands.length > MOST_COMMANDS ? { odd: t("joins more than {0} commands", MOST_COMMANDS) } : { commands: this.commands };
		} catch (error) {
			if (error instanceof Odd) return { odd: error.message };
			throw error;
		}
	}

	private step(): void {
		const rest = this.text.slice(this.at, this.at + 2);
		const character = rest[0] as string;
		if (character === " ") this.at++;
		else if (rest === "&&" || rest === "||") this.join(rest, 2);
		else if (rest === ";;" || rest === "|&") throw new Odd(`uses ${rest}`);
		else if (character === ";" || character === "|") this.join(character, 1);
		else if (this.redirect()) return;
		else if (character === "&") throw new Odd(t("runs something in the background"));
		else this.word();
	}

	private join(joint: Joint, length: number): void {
		this.finish(false);
		this.joint = joint;
		this.at += length;
	}

	private finish(mayBeEmpty: boolean): void {
		if (this.words.length > 0) this.commands.push({ words: this.words, ...(this.joint && { joint: this.joint }) });
		else if (!mayBeEmpty) throw new Odd(t("has an operator with nothing beside it"));
		this.words = [];
	}

	/** Only to /dev/null, and between the standard streams. */
	private redirect(): boolean {
		const here = this.text.slice(this.at, this.at + 24);
		if (!/^(\d+|&)?>|^\d*</.test(here)) return false;
		const fine = /^(?:[012]?>>?|&>>?|0?<) ?\/dev\/null(?![^ ;|&])|^[12]?>&[12](?![^ ;|&])/.exec(here);
		if (!fine) throw new Odd(/^\d*</.test(here) ? t("reads from a redirect") : t("writes to a file by a redirect"));
		this.at += fine[0].length;
		return true;
	}

	private word(): void {
		let word = "";
		let quoted = false;
		const start = this.at;
		for (; this.at < this.text.length; this.at++) {
			const character = this.text[this.at] as string;
			if (" ;|&<>".includes(character)) break;
			if (character === "'" || character === '"') {
				word += character === "'" ? this.single() : this.double();
				quoted = true;
			} else if (character === "\\") {
				word += this.escaped();
				quoted = true;
			} else {
				this.bare(character, start);
				word += character;
			}
		}
		const raw = this.text.slice(start, this.at);
		if (this.words.length === 0) {
			if (keywords.has(word)) throw new Odd(t('uses the shell\'s own word "{0}"', word));
			if (/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(word)) throw new Odd(t("sets a variable"));
			if (word === "") throw new Odd(t("has no program"));
		}
		if (!quoted && /^[!{}]$/.test(raw) && raw !== "!") throw new Odd(t("has braces that the shell may expand"));
		this.words.push(word);
	}

	private bare(character: string, start: number): void {
		const odd = oddCharacters[character];
		if (odd !== undefined) throw new Odd(odd);
		if (character === "#" && this.at === start) throw new Odd(t("has a comment"));
		if (character === "~" && !/[\w^]/.test(this.text[this.at - 1] ?? "")) throw new Odd(t("has a ~ that the shell would expand"));
		if (character === "~" && /[:=]/.test(this.text.slice(start, this.at))) throw new Odd(t("has a ~ that the shell would expand"));
		if (character === "!" && this.text.slice(start, this.at + 2).trim() !== "!" && this.text[this.at + 1] !== "=") {
			throw new Odd(t("has a ! that a shell may expand"));
		}
	}

	private single(): string {
		const end = this.text.indexOf("'", this.at + 1);
		if (end < 0) throw new Odd(t("has a quote that is not closed"));
		const inner = this.text.slice(this.at + 1, end);
		this.at = end;
		return inner;
	}

	private double(): string {
		let inner = "";
		for (this.at++; this.at < this.text.length; this.at++) {
			const character = this.text[this.at] as string;
			const next = this.text[this.at + 1];
			if (character === '"') return inner;
			if (character === "`") throw new Odd(t("runs another command inside it (`)"));
			if (character === "$" && next !== '"' && next !== " ") throw new Odd(t("uses a variable or a substitution ($)"));
			if (character === "\\" && next === "\n") throw new Odd(t("has more than one line"));
			if (character === "\\" && next !== undefined && '"\\$`'.includes(next)) {
				inner += next;
				this.at++;
			} else inner += character;
		}
		throw new Odd(t("has a quote that is not closed"));
	}

	private escaped(): string {
		const next = this.text[this.at + 1];
		if (next === undefined || next === "\n") throw new Odd(t("has more than one line"));
		this.at++;
		return next;
	}
}
