// Renders Markdown as DOM nodes.

// Security: the parser accepts no raw HTML; nodes are created one by one from an allowlist, and nothing is parsed as HTML; links
// have no address, so the page cannot navigate, and a click asks the host.

import type { Token } from "markdown-it";
import { t } from "../../src/shared/l10n.ts";
import { createCodeBlock, parseCodeBlockInfo } from "./codeBlock.ts";
import { cleanText } from "./displayText.ts";
import { markFileReference, parseFileLink, splitByPaths } from "./fileLinks.ts";
import { hostInText, isImageDataUrl, markdownParser, parseWebUrl } from "./markdownParser.ts";

/** Allowed elements. */
const ELEMENTS = new Set("p h1 h2 h3 h4 h5 h6 strong em s blockquote ul ol li table thead tbody tr th td hr br code".split(" "));

/** Definitions of `[name]: address` anywhere in the text. */
export type LinkReferences = Record<string, { title: string; href: string }>;

export const NO_REFERENCES: LinkReferences = {};

/** Collects the text's reference definitions, so that a block can be rendered on its own. */
export function parseReferences(text: string): LinkReferences {
	if (!/^ {0,3}\[[^\]]+\]:/m.test(text)) return NO_REFERENCES;
	const env: { references?: LinkReferences } = {};
	markdownParser.block.parse(text, markdownParser, env, []);
	return env.references ?? NO_REFERENCES;
}

/** Renders one block. */
export function renderBlock(source: string, references: LinkReferences): DocumentFragment {
	const fragment = document.createDocumentFragment();
	build(markdownParser.parse(cleanText(source), { references: { ...references } }), fragment);
	return fragment;
}

/** Renders inline Markdown. */
export function renderInline(source: string): DocumentFragment {
	const fragment = document.createDocumentFragment();
	build(markdownParser.parseInline(source, {}), fragment);
	return fragment;
}

function build(tokens: readonly Token[], root: Node): void {
	let parent = root;
	for (const token of tokens) {
		if (token.hidden) continue;
		const make = factories[token.type];
		if (token.type === "text") appendText(parent, token.content);
		else if (make) parent.appendChild(make(token));
		else if (token.type === "inline") build(withTask(token.children ?? [], parent), parent);
		else if (token.nesting > 0) parent = into(parent, open(token));
		else if (token.nesting < 0) parent = close(parent) ?? root;
		else if (ELEMENTS.has(token.tag)) parent.appendChild(document.createElement(token.tag));
		else parent.appendChild(document.createTextNode(token.content));
	}
}

/** Turns the start of a task list item into a checkbox. */
function withTask(tokens: readonly Token[], parent: Node): readonly Token[] {
	const [first, ...rest] = tokens;
	const mark = first?.type === "text" ? /^\[([ xX])\][ \t]+/.exec(first.content) : null;
	const item = parent instanceof Element ? parent.closest("li") : null;
	if (!first || !mark || !item || item.textContent !== "") return tokens;
	const box = document.createElement("input");
	box.type = "checkbox";
	box.disabled = true;
	box.checked = mark[1] !== " ";
	box.setAttribute("aria-label", box.checked ? t("Completed") : t("Not completed"));
	item.classList.add("task");
	parent.appendChild(box);
	return [{ ...first, content: first.content.slice(mark[0].length) } as Token, ...rest];
}

/** Tokens without children. */
const factories: Record<string, (token: Token) => Node> = {
	softbreak: () => document.createTextNode("\n"),
	code_inline({ content }) {
		const code = document.createElement("code");
		code.textContent = content;
		const [only] = splitByPaths(content, true);
		if (typeof only === "object") markFileReference(code, only);
		return code;
	},
	fence: ({ info, content }) => createCodeBlock(parseCodeBlockInfo(info), content),
	code_block: ({ content }) => createCodeBlock(parseCodeBlockInfo(""), content),
	image: picture,
};

/** Text in a link is not linked again; elsewhere a path may become a file link. */
function appendText(parent: Node, text: string): void {
	if (parent instanceof Element && parent.closest("a, [data-path]")) {
		parent.appendChild(document.createTextNode(text));
		return;
	}
	for (const piece of splitByPaths(text)) {
		if (typeof piece === "string") {
			parent.appendChild(document.createTextNode(piece));
			continue;
		}
		const named = document.createElement("span");
		named.textContent = piece.text;
		markFileReference(named, piece);
		parent.appendChild(named);
	}
}

/** Elements whose markers and borders follow the text direction. */
const AUTO_DIRECTION = new Set(["ul", "ol", "blockquote", "table"]);

function open(token: Token): HTMLElement {
	if (token.type === "link_open") return createInertLink(String(token.attrGet("href") ?? ""));
	const element = document.createElement(ELEMENTS.has(token.tag) ? token.tag : "span");
	if (AUTO_DIRECTION.has(token.tag)) element.dir = "auto";
	const side = /^text-align:(left|right|center)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
	if (side) element.style.textAlign = side;
	const start = token.tag === "ol" ? token.attrGet("start") : null;
	if (start !== null && /^\d+$/.test(String(start))) element.setAttribute("start", String(start));
	return element;
}

function into(parent: Node, element: HTMLElement): Node {
	parent.appendChild(element.localName === "table" ? wrapScrollable(element) : element);
	return element;
}

/** Returns to the parent; a closed link shows its host. */
function close(parent: Node): Node | null {
	if (parent instanceof HTMLAnchorElement) appendHost(parent);
	const outside = parent.parentNode;
	return parent instanceof HTMLTableElement ? (outside?.parentNode ?? null) : outside;
}

/** Data URLs are shown; loading a remote image would reveal the conversation to its server, so it becomes a link. */
function picture(token: Token): Node {
	const address = String(token.attrGet("src") ?? "");
	const words = token.content || t("Image");
	if (isImageDataUrl(address)) {
		const image = document.createElement("img");
		image.src = address.trim();
		image.alt = words;
		return image;
	}
	if (!parseWebUrl(address)) return document.createTextNode(words);
	const link = createInertLink(address);
	link.append(words);
	if (link instanceof HTMLAnchorElement) appendHost(link);
	return link;
}

/** A link without an address, so it can't be prefetched, dragged or opened; `data-url` is passed to the host on click. */
function createInertLink(address: string): HTMLElement {
	const url = parseWebUrl(address);
	if (!url) {
		const words = document.createElement("span");
		const file = parseFileLink(address);
		words.dataset["told"] = "";
		if (file) markFileReference(words, file);
		return words;
	}
	const link = document.createElement("a");
	link.dataset["url"] = url.href;
	link.setAttribute("role", "link");
	link.tabIndex = 0;
	link.title = url.href;
	return link;
}

function appendHost(link: HTMLAnchorElement): void {
	const { host } = new URL(link.dataset["url"] ?? "");
	const named = hostInText(link.textContent);
	if (named === host) return;
	const suffix = document.createElement("span");
	suffix.className = named ? "link-host link-differs" : "link-host";
	suffix.textContent = ` (${host})`;
	link.append(suffix);
}

/** Wraps the table in a scrollable element. */
function wrapScrollable(table: HTMLElement): HTMLElement {
	const frame = document.createElement("div");
	frame.className = "table";
	frame.tabIndex = 0;
	frame.setAttribute("role", "group");
	frame.setAttribute("aria-label", t("Table"));
	frame.append(table);
	return frame;
}
