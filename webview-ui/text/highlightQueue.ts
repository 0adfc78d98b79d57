// Colors code when there is time: it stands on the page plain first, and what was colored once is known.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import markdown from "highlight.js/lib/languages/markdown";
import python from "highlight.js/lib/languages/python";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";

interface Waiting {
	code: HTMLElement;
	language: string;
	text: string;
}

const waiting: Waiting[] = [];
let asked = false;

/** Code of the same words and language that was colored before is colored at once. */
const known = new Map<string, DocumentFragment>();
const KNOWN = 150;

export function highlightWhenIdle(code: HTMLElement, language: string, text: string): void {
	const before = known.get(`${language}\n${text}`);
	if (before) {
		code.replaceChildren(before.cloneNode(true));
		return;
	}
	waiting.push({ code, language, text });
	ask();
}

/** Colors now, for code that still grows and is short. */
export function highlightNow(code: HTMLElement, language: string, text: string): void {
	const html = highlightCode(text, language);
	if (html !== undefined) code.replaceChildren(colored(html));
}

function ask(): void {
	if (asked) return;
	asked = true;
	requestIdleCallback(work, { timeout: 2_000 });
}

function work(deadline: IdleDeadline): void {
	asked = false;
	// What was put on the page last is what the person looks at.
	do {
		const next = waiting.pop();
		if (!next) return;
		if (next.code.isConnected && !isSelected(next.code)) finish(next);
	} while (deadline.timeRemaining() > SLICE);
	ask();
}

/** Milliseconds that coloring a block of usual length may take. */
const SLICE = 5;

function finish({ code, language, text }: Waiting): void {
	const html = highlightCode(text, language);
	if (html === undefined) return;
	const fragment = colored(html);
	known.set(`${language}\n${text}`, fragment.cloneNode(true) as DocumentFragment);
	for (const key of known.keys()) if (known.size > KNOWN) known.delete(key);
	code.replaceChildren(fragment);
}

/** New nodes would take a selection away. */
function isSelected(code: HTMLElement): boolean {
	const selection = getSelection();
	return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

const PIECES = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** The highlighter's spans as nodes: its words become text and are never read as HTML. */
function colored(html: string): DocumentFragment {
	const fragment = document.createDocumentFragment();
	let parent: Node = fragment;
	for (const [piece, names, entity] of html.matchAll(PIECES)) {
		if (names !== undefined) {
			const span = document.createElement("span");
			span.className = names;
			parent = parent.appendChild(span);
		} else if (piece === "</span>") parent = parent.parentNode ?? fragment;
		else parent.appendChild(document.createTextNode(entity === undefined ? piece : (ENTITIES[entity] ?? "")));
	}
	return fragment;
}

const languages = { bash, cpp, csharp, css, diff, go, java, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);
hljs.registerAliases(["javascript", "js", "jsx", "mjs", "cjs"], { languageName: "typescript" });
hljs.registerAliases(["shell", "console", "shellscript"], { languageName: "bash" });

/** Longer code keeps its plain color: coloring it would hold up the page. */
const LONGEST = 20_000;

/** HTML with `hljs-` classes, or undefined where there is nothing to color. */
function highlightCode(code: string, language: string): string | undefined {
	if (code.length > LONGEST || !hljs.getLanguage(language)) return undefined;
	return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
