// Highlights code when idle; it is shown plain first, and results are cached.
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
let isScheduled = false;

/** Cached results by language and code. */
const cache = new Map<string, DocumentFragment>();
const MAX_CACHED = 150;

export function highlightWhenIdle(code: HTMLElement, language: string, text: string): void {
	const before = cache.get(`${language}\n${text}`);
	if (before) {
		code.replaceChildren(before.cloneNode(true));
		return;
	}
	waiting.push({ code, language, text });
	schedule();
}

/** Highlights at once, for short growing code. */
export function highlightNow(code: HTMLElement, language: string, text: string): void {
	const html = highlightCode(text, language);
	if (html !== undefined) code.replaceChildren(toNodes(html));
}

function schedule(): void {
	if (isScheduled) return;
	isScheduled = true;
	requestIdleCallback(work, { timeout: 2_000 });
}

function work(deadline: IdleDeadline): void {
	isScheduled = false;
	// The most recently added code is most likely visible.
	do {
		const next = waiting.pop();
		if (!next) return;
		if (next.code.isConnected && !isSelected(next.code)) finish(next);
	} while (deadline.timeRemaining() > BLOCK_TIME);
	schedule();
}

/** Milliseconds to highlight a typical block. */
const BLOCK_TIME = 5;

function finish({ code, language, text }: Waiting): void {
	const html = highlightCode(text, language);
	if (html === undefined) return;
	const fragment = toNodes(html);
	cache.set(`${language}\n${text}`, fragment.cloneNode(true) as DocumentFragment);
	for (const key of cache.keys()) if (cache.size > MAX_CACHED) cache.delete(key);
	code.replaceChildren(fragment);
}

/** New nodes would clear the selection. */
function isSelected(code: HTMLElement): boolean {
	const selection = getSelection();
	return selection !== null && !selection.isCollapsed && selection.containsNode(code, true);
}

const PIECES = /<span class="([^"]*)">|<\/span>|&(amp|lt|gt|quot|#x27);|[^<&]+/g;
const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"', "#x27": "'" };

/** Converts the highlighter's spans to nodes; content becomes text and is never parsed as HTML. */
function toNodes(html: string): DocumentFragment {
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

/** Longer code stays plain: highlighting it would block the page. */
const MAX_LENGTH = 20_000;

/** HTML with `hljs-` classes, or undefined if not highlighted. */
function highlightCode(code: string, language: string): string | undefined {
	if (code.length > MAX_LENGTH || !hljs.getLanguage(language)) return undefined;
	return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
