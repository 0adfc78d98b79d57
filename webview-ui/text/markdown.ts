// Renders Markdown as DOM nodes.

// Security: the parser accepts no raw HTML; nodes are created one by one from a short list, and nothing is ever parsed
// as HTML; links have no address, so the page cannot navigate, and a click asks the host.

import type { Token } from "markdown-it";
import { t } from "../../src/shared/l10n.ts";
import { createCodeBlock, parseCodeBlockInfo } from "./codeBlock.ts";
import { cleanText } from "./displayText.ts";
import { markFileReference, parseFileLink, splitByPaths } from "./fileLinks.ts";
import { hostInText, isImageDataUrl, markdownParser, parseWebUrl } from "./markdownParser.ts";

/** Elements that a token may become. */
const ELEMENTS = new Set("p h1 h2 h3 h4 h5 h6 strong em s blockquote ul ol li table thead tbody tr th td hr br code".split(" "));

/** Definitions of `[name]: address` that stand anywhere in the text. */
export type LinkReferences = Record<string, { title: string; href: string }>;

export const NO_REFERENCES: LinkReferences = {};

/** Collects the text's reference definitions, so that a block can be rendered on its own. */
export function parseReferences(text: string): LinkReferences {
	if (!/^ {0,3}\[[^\]]+\]:/m.test(text)) return NO_REFERENCES;
	const env: { references?: LinkReferences } = {};
	markdownParser.block.parse(text, markdownParser, env, []);
	return env.references ?? NO_REFERENCES;
}

/** One block as nodes that can be put into the page. */
export function renderBlock(source: string, references: LinkReferences): DocumentFragment {
	const fragment = document.createDocumentFragment();
	build(markdownParser.parse(cleanText(source), { references: { ...references } }), fragment);
	return fragment;
}

/** A sentence without blocks of its own. */
export function renderInline(source: string): DocumentFragment {
	const fragment = document.createDocumentFragment();
	build(markdownParser.parseInline(source, {}), fragment);
	return fragment;
}

function build(tokens: readonly Token[], root: Node): void {
	let parent = root;
	for (const token of tokens) {
		if (token.hidden) continue;
		const make = makers[token.type];
		if (token.type === "text") appendText(parent, token.content);
		else if (make) parent.appendChild(make(token));
		else if (token.type === "inline") build(withTask(token.children ?? [], parent), parent);
		else if (token.nesting > 0) parent = into(parent, open(token));
		else if (token.nesting < 0) parent = close(parent) ?? root;
		else if (ELEMENTS.has(token.tag)) parent.appendChild(document.createElement(token.tag));
		else parent.appendChild(document.createTextNode(token.content));
	}
}

/** The beginning of an item of a task list becomes its box. */
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

/** Tokens that are whole on their own. */
const makers: Record<string, (token: Token) => Node> = {
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

/** Within a link the link counts; elsewhere a path may turn out to be a file. */
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

/** Their markers and edges stand on the side where their words begin. */
const OWN_WAY = new Set(["ul", "ol", "blockquote", "table"]);

function open(token: Token): HTMLElement {
	if (token.type === "link_open") return unarmed(String(token.attrGet("href") ?? ""));
	const element = document.createElement(ELEMENTS.has(token.tag) ? token.tag : "span");
	if (OWN_WAY.has(token.tag)) element.dir = "auto";
	const side = /^text-align:(left|right|center)$/.exec(String(token.attrGet("style") ?? ""))?.[1];
	if (side) element.style.textAlign = side;
	const start = token.tag === "ol" ? token.attrGet("start") : null;
	if (start !== null && /^\d+$/.test(String(start))) element.setAttribute("start", String(start));
	return element;
}

function into(parent: Node, element: HTMLElement): Node {
	parent.appendChild(element.localName === "table" ? scrolling(element) : element);
	return element;
}

/** Back to where the element stands; a link says then where it leads. */
function close(parent: Node): Node | null {
	if (parent instanceof HTMLAnchorElement) tellHost(parent);
	const outside = parent.parentNode;
	return parent instanceof HTMLTableElement ? (outside?.parentNode ?? null) : outside;
}

/** A picture that is part of the text shows; loading another would tell its server what was asked, so it stays a link. */
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
	const link = unarmed(address);
	link.append(words);
	if (link instanceof HTMLAnchorElement) tellHost(link);
	return link;
}

/** A link without an address: nothing prefetches, drags or opens it; `data-url` is what the click hands to the host. */
function unarmed(address: string): HTMLElement {
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

function tellHost(link: HTMLAnchorElement): void {
	const { host } = new URL(link.dataset["url"] ?? "");
	const named = hostInText(link.textContent);
	if (named === host) return;
	const told = document.createElement("span");
	told.className = named ? "link-host link-differs" : "link-host";
	told.textContent = ` (${host})`;
	link.append(told);
}

/** The table, in a frame that scrolls. */
function scrolling(table: HTMLElement): HTMLElement {
	const frame = document.createElement("div");
	frame.className = "table";
	frame.tabIndex = 0;
	frame.setAttribute("role", "group");
	frame.setAttribute("aria-label", t("Table"));
	frame.append(table);
	return frame;
}
