// Reads the unambiguous subset of shell syntax; everything else is odd, with a reason.

// Works alongside the full parser: a command is plain only if both read the same words.

import { hasHidden } from "../../core/hiddenText.ts";
import { t } from "../../shared/l10n.ts";
import { leadingGlob } from "./globExpansion.ts";
import type { ShellWord } from "./shellWord.ts";

export type ControlOperator = "&&" | "||" | ";" | "|";

export interface PlainCommand {
	words: ShellWord[];
	/** Files that are redirected to its input. */
	inputs: ShellWord[];
	/** Variable assignments before it, as written: `CI=1 `. */
	given?: string;
	/** The operator before it; absent for the first command. */
	joint?: ControlOperator;
}

export type PlainShell = { commands: PlainCommand[] } | { odd: string };

export const MAX_COMMAND_LENGTH = 4_000;
const MAX_COMMANDS = 40;

/** `time` is not included: the command that it measures is assessed instead. */
const keywords = new Set("if then else elif fi do done case esac while until for in select function coproc ! { } [[ ]] (( ))".split(" "));
/** Variables that may be set for a command: their values affect its output, not what it does. */
const ASSIGNMENT = /^(?:CI|NODE_ENV|FORCE_COLOR|NO_COLOR|TZ|RUST_BACKTRACE)=[A-Za-z0-9._/+-]*(?= )/;
/** Variables without secrets. In arguments that are only printed, their values do not matter. */
const shownVariables = new Set("? PATH HOME PWD OLDPWD USER LOGNAME SHELL LANG TERM HOSTNAME UID EUID PPID BASH_VERSION".split(" "));
const oddCharacters: Record<string, string> = {
	"`": t("The command contains a command substitution (`)."),
	"{": t("The command contains braces that the shell may expand."),
	"}": t("The command contains braces that the shell may expand."),
	"(": t("The command uses a subshell or function."),
	")": t("The command uses a subshell or function."),
	"\n": t("The command spans more than one line."),
};

export function parsePlainShell(text: string): PlainShell {
	return oddText(text) ?? new Reader(text).read();
}

function oddText(text: string): { odd: string } | undefined {
	if (text.length > MAX_COMMAND_LENGTH) return { odd: t("The command is longer than {0} characters.", MAX_COMMAND_LENGTH) };
	if (hasHidden(text.replaceAll("\n", ""), "selectors")) return { odd: t("The command contains control or invisible characters.") };
	if (/[^\S \n]/.test(text)) return { odd: t("The command contains whitespace other than spaces.") };
	if (/\s{40}/.test(text)) return { odd: t("The command contains a long run of spaces that could hide text.") };
	return text.trim() === "" ? { odd: t("The command is empty.") } : undefined;
}

class OddSyntax extends Error {}

/** Scans the text once; a new instance is needed for each scan. */
class Reader {
	private readonly text: string;
	private at = 0;
	private readonly commands: PlainCommand[] = [];
	private words: ShellWord[] = [];
	private inputs: ShellWord[] = [];
	private assigned = "";
	private joint: ControlOperator | undefined;
	constructor(text: string) {
		this.text = text;
	}

	read(): PlainShell {
		try {
			while (this.at < this.text.length) this.step();
			this.finish(this.joint === ";");
			return this.commands.length > MAX_COMMANDS
				? { odd: t("The command combines more than {0} commands.", MAX_COMMANDS) }
				: { commands: this.commands };
		} catch (error) {
			if (error instanceof OddSyntax) return { odd: error.message };
			throw error;
		}
	}

	private step(): void {
		const rest = this.text.slice(this.at, this.at + 2);
		const character = rest[0] as string;
		if (character === " ") this.at++;
		else if (rest === "&&" || rest === "||") this.join(rest, 2);
		else if (rest === ";;" || rest === "|&") throw new OddSyntax(t("The command uses {0}.", rest));
		else if (character === ";" || character === "|") this.join(character, 1);
		else if (this.assignment() || this.redirect()) return;
		else if (character === "&") throw new OddSyntax(t("The command runs a command in the background."));
		else this.commandWord();
	}

	private join(joint: ControlOperator, length: number): void {
		this.finish(false);
		this.joint = joint;
		this.at += length;
	}

	private finish(mayBeEmpty: boolean): void {
		const [first] = this.words;
		if (first) {
			if (first.text === "[" && this.words.at(-1)?.text !== "]")
				throw new OddSyntax(t("The command contains a pattern ({0}) that the shell would expand.", "["));
			const given = this.assigned === "" ? {} : { given: this.assigned };
			this.commands.push({ words: this.words, inputs: this.inputs, ...given, ...(this.joint && { joint: this.joint }) });
		} else if (this.assigned !== "" || this.inputs.length > 0) throw new OddSyntax(t("The command sets a variable."));
		else if (!mayBeEmpty) throw new OddSyntax(t("The command contains an operator with a missing command."));
		[this.words, this.inputs, this.assigned] = [[], [], ""];
	}

	private assignment(): boolean {
		const found = this.words.length === 0 && ASSIGNMENT.exec(this.text.slice(this.at, this.at + 200));
		if (!found) return false;
		this.at += found[0].length;
		this.assigned += `${found[0]} `;
		return true;
	}

	/** Accepts only redirections to /dev/null, between the standard streams, and from a file. */
	private redirect(): boolean {
		const here = this.text.slice(this.at, this.at + 24);
		if (!/^(\d+|&)?>|^\d*</.test(here)) return false;
		const harmless = /^(?:[012]?>>?|&>>?|0?<) ?\/dev\/null(?![^ ;|&])|^[12]?>&[12](?![^ ;|&])/.exec(here);
		if (harmless) {
			this.at += harmless[0].length;
			return true;
		}
		const input = /^0?<(?![<>(&]) */.exec(here);
		if (!input)
			throw new OddSyntax(/^\d*</.test(here) ? t("The command uses input redirection.") : t("The command redirects output to a file."));
		this.at += input[0].length;
		const word = this.word();
		if (word.text === "" || word.pattern || word.unknown) throw new OddSyntax(t("The command uses input redirection."));
		this.inputs.push(word);
		return true;
	}

	private commandWord(): void {
		const start = this.at;
		const first = this.words.every(({ text }) => text === "time" || text === "-p");
		const word = first && this.text.startsWith("[ ", this.at) ? this.bracket() : this.word();
		const raw = this.text.slice(start, this.at);
		if (first) {
			if (keywords.has(word.text)) throw new OddSyntax(t("The command uses the shell keyword “{0}”.", word.text));
			if (/^[A-Za-z_]\w*(\[.*\])?\+?=/s.test(word.text)) throw new OddSyntax(t("The command sets a variable."));
			if (word.text === "" || word.pattern || word.unknown) throw new OddSyntax(t("The command doesn't name a program."));
		}
		if (/^[{}]$/.test(raw)) throw new OddSyntax(t("The command contains braces that the shell may expand."));
		this.words.push(word);
	}

	private bracket(): ShellWord {
		this.at++;
		return { text: "[", bare: "[" };
	}

	private word(): ShellWord {
		const word: { text: string; bare: string; pattern: number[]; unknown: boolean } = { text: "", bare: "", pattern: [], unknown: false };
		const add = (text: string, bare = text) => {
			word.text += text;
			word.bare += bare;
		};
		const start = this.at;
		for (; this.at < this.text.length; this.at++) {
			const character = this.text[this.at] as string;
			if (" ;|&<>".includes(character)) break;
			if (character === "'") add(this.single());
			else if (character === '"') this.double(add, word);
			else if (character === "\\") add(this.escaped());
			else if (character === "$") this.variable(add, word);
			else if (character === "@" && this.text[this.at + 1] === "{") this.entry(add);
			else if ("*?[".includes(character)) {
				const glob = leadingGlob(this.text.slice(this.at, this.at + 80));
				if (glob === undefined) throw new OddSyntax(t("The command contains a pattern ({0}) that the shell would expand.", character));
				word.pattern.push(word.text.length);
				add(glob);
				this.at += glob.length - 1;
			} else {
				this.bare(character, start);
				add(character);
			}
		}
		if (word.unknown && word.pattern.length > 0) throw new OddSyntax(t("The command uses a variable or substitution ($)."));
		return {
			text: word.text,
			bare: word.bare,
			...(word.pattern.length > 0 && { pattern: word.pattern }),
			...(word.unknown && { unknown: true }),
		};
	}

	private bare(character: string, start: number): void {
		const odd = oddCharacters[character];
		if (odd !== undefined) throw new OddSyntax(odd);
		if (character === "#" && this.at === start) throw new OddSyntax(t("The command contains a comment."));
		if (character === "~" && !/[\w^]/.test(this.text[this.at - 1] ?? ""))
			throw new OddSyntax(t("The command contains a ~ that the shell would expand."));
		if (character === "~" && /[:=]/.test(this.text.slice(start, this.at)))
			throw new OddSyntax(t("The command contains a ~ that the shell would expand."));
		if (character === "!" && this.text.slice(start, this.at + 2).trim() !== "!" && this.text[this.at + 1] !== "=") {
			throw new OddSyntax(t("The command contains a ! that the shell may expand."));
		}
	}

	/** Leaves `at` on the last character of the variable. */
	private variable(add: (text: string, bare: string) => void, word: { unknown: boolean }): void {
		const found = /^\$(?:(\?)|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})/.exec(this.text.slice(this.at, this.at + 40));
		const name = found?.[1] ?? found?.[2] ?? found?.[3];
		if (!found || name === undefined || !shownVariables.has(name))
			throw new OddSyntax(t("The command uses a variable or substitution ($)."));
		add(found[0], "");
		word.unknown = true;
		this.at += found[0].length - 1;
	}

	/** `stash@{0}`, `@{u}`: without alternatives, no shell expands the braces. */
	private entry(add: (text: string) => void): void {
		const found = /^@\{[\w-]+\}/.exec(this.text.slice(this.at, this.at + 40));
		add(found?.[0] ?? "@");
		if (found) this.at += found[0].length - 1;
	}

	private single(): string {
		const end = this.text.indexOf("'", this.at + 1);
		if (end < 0) throw new OddSyntax(t("The command contains an unclosed quotation mark."));
		const inner = this.text.slice(this.at + 1, end);
		this.at = end;
		return inner;
	}

	private double(add: (text: string, bare?: string) => void, word: { unknown: boolean }): void {
		for (this.at++; this.at < this.text.length; this.at++) {
			const character = this.text[this.at] as string;
			const next = this.text[this.at + 1];
			if (character === '"') return;
			if (character === "`") throw new OddSyntax(t("The command contains a command substitution (`)."));
			if (character === "\\" && next === "\n") throw new OddSyntax(t("The command spans more than one line."));
			if (character === "$" && next !== '"' && next !== " ") this.variable(add, word);
			else if (character === "\\" && next !== undefined && '"\\$`'.includes(next)) {
				add(next);
				this.at++;
			} else add(character);
		}
		throw new OddSyntax(t("The command contains an unclosed quotation mark."));
	}

	private escaped(): string {
		const next = this.text[this.at + 1];
		if (next === undefined || next === "\n") throw new OddSyntax(t("The command spans more than one line."));
		this.at++;
		return next;
	}
}
