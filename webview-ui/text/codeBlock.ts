// Renders a code block: its frame with actions, and its lines, which may still stream.
import { t } from "../../src/shared/l10n.ts";
import { cleanText } from "./displayText.ts";
import { highlightNow, highlightWhenIdle } from "./highlightQueue.ts";
import { isOpenFence } from "./markdownStream.ts";

/** The fence's info string: a language and optionally the file the code is for. */
interface CodeBlockInfo {
	language: string;
	file?: string;
}

export function parseCodeBlockInfo(info: string): CodeBlockInfo {
	const words = cleanText(info).trim().split(/\s+/);
	const file = words.map((word) => /^(?:file|path|title|filename)=["']?([^"']+)["']?$/.exec(word)?.[1] ?? word).find(looksLikePath);
	const language = words[0] && words[0] !== file ? words[0] : (file?.slice(file.lastIndexOf(".") + 1) ?? "");
	return { language: language.toLowerCase(), ...(file !== undefined && { file }) };
}

function looksLikePath(word: string): boolean {
	return /^(?!.*(?:^|\/)\.\.(?:\/|$))[\w@.][\w@./ -]*\.\w+$/.test(word) && !/^\d/.test(word);
}

const ACTIONS = [
	{ act: "copy", icon: "copy", name: () => t("Copy Code") },
	{ act: "insert", icon: "insert", name: () => t("Insert at Cursor") },
	{ act: "apply", icon: "git-pull-request-go-to-changes", name: () => t("Apply in Editor") },
] as const;

export type CodeBlockAction = (typeof ACTIONS)[number]["act"];

/** The frame around a code block; `code` contains its lines. */
function createCodeFrame({ language, file }: CodeBlockInfo, code: HTMLElement): HTMLElement {
	const whole = element("div", "code");
	const bar = element("div", "code-bar");
	const label = element("span", "code-label");
	label.textContent = file ?? language;
	const actions = element("div", "code-acts");
	for (const { act, icon, name } of ACTIONS) {
		const button = document.createElement("button");
		button.type = "button";
		button.className = `icon-button code-act codicon codicon-${icon}`;
		button.dataset["act"] = act;
		button.title = name();
		button.setAttribute("aria-label", name());
		actions.append(button);
	}
	bar.append(label, actions);
	const lines = document.createElement("pre");
	lines.tabIndex = 0;
	lines.append(code);
	whole.append(bar, lines);
	if (file !== undefined) whole.dataset["file"] = file;
	return whole;
}

/** A complete block. */
export function createCodeBlock(info: CodeBlockInfo, text: string): HTMLElement {
	const code = codeElement(info.language);
	addLines(code, text);
	if (info.language) highlightWhenIdle(code, info.language, text);
	return createCodeFrame(info, code);
}

/** Lines per separately laid out part, so that each new line relays out only one part. */
const PART_LINES = 80;
/** Characters up to which growing code is highlighted; the rest stays plain until complete. */
const MAX_HIGHLIGHTED = 3_000;

/** A block whose fence is still open. Complete lines are final; only the last one may change. */
export class StreamingCodeBlock {
	readonly element: HTMLElement;
	private readonly code: HTMLElement;
	private readonly last = document.createTextNode("");
	private readonly info: CodeBlockInfo;
	private readonly header: string;
	/** Characters of the source rendered as complete lines. */
	private done: number;
	/** The highlighted beginning. */
	private head = "";
	/** The part that receives lines, and its line count. */
	private part: HTMLElement | undefined;
	private lines = 0;

	constructor(source: string) {
		this.header = source.slice(0, source.indexOf("\n") + 1);
		this.info = parseCodeBlockInfo(this.header.replace(/^[`~]+/, ""));
		this.done = this.header.length;
		this.code = codeElement(this.info.language);
		this.element = createCodeFrame(this.info, this.code);
		this.code.append(this.last);
		this.update(source);
	}

	/** Returns true if `source` is this block, grown. */
	isPrefixOf(source: string): boolean {
		return source.startsWith(this.header) && source.length >= this.done && isOpenFence(source);
	}

	update(source: string): void {
		const end = source.lastIndexOf("\n") + 1;
		if (end > this.done) this.addWhole(cleanText(source.slice(this.done, end)));
		this.done = Math.max(end, this.done);
		this.last.data = cleanText(source.slice(this.done));
	}

	private addWhole(lines: string): void {
		this.last.remove();
		if (!this.part && this.head.length + lines.length <= MAX_HIGHLIGHTED) {
			this.head += lines;
			this.code.replaceChildren(this.head);
			if (this.info.language) highlightNow(this.code, this.info.language, this.head);
		} else {
			if (!this.part || this.lines >= PART_LINES) {
				this.part = element("span", "code-part");
				this.lines = 0;
				this.code.append(this.part);
			}
			this.part.append(lines);
			this.lines += lines.split("\n").length - 1;
		}
		this.code.append(this.last);
	}
}

function codeElement(language: string): HTMLElement {
	const code = document.createElement("code");
	if (/^[\w+#.-]+$/.test(language)) code.className = `language-${language}`;
	return code;
}

/** Adds long text in parts. */
function addLines(code: HTMLElement, text: string): void {
	const lines = text.split(/(?<=\n)/);
	if (lines.length <= PART_LINES) {
		code.append(text);
		return;
	}
	for (let at = 0; at < lines.length; at += PART_LINES) {
		const part = element("span", "code-part");
		part.textContent = lines.slice(at, at + PART_LINES).join("");
		code.append(part);
	}
}

function element(name: string, className: string): HTMLElement {
	const made = document.createElement(name);
	made.className = className;
	return made;
}
