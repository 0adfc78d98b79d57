// Markdown → nodes. Three walls: the parser takes no raw HTML; nodes are made one by one from a short list and nothing is
// ever read as HTML; and links lose their address (the page itself can go nowhere; a click asks the host).

import type { Token } from "markdown-it";
import { t } from "../src/l10n.ts";
import { codeBlock, codeInfo } from "./code.ts";
import { hostInWords, isPicture, markdownParser, webAddress } from "./parser.ts";
import { cleanText } from "./visible.ts";

/** Elements that a token may become. */
const ELEMENTS = new Set("p h1 h2 h3 h4 h5 h6 strong em s blockquote ul ol li table thead tbody tr th td hr br code".split(" "));

/** Definitions of `[name]: address` that stand anywhere in the text. */
export type References = Record<string, { title: string; href: string }>;

export const noReferences: References = {};

/** Collects the text's reference definitions, so that a block can be rendered on its own. */
export function referencesOf(text: string): References {
	if (!/^ {0,3}\[[^\]]+\]:/m.test(text)) return noReferences;
	const env: { references?: References } = {};
	markdownParser.block.parse(text, markdownParser, env, []);
	return env.references ?? noReferences;
}

/** One block as nodes that can be put into the page. */
export function renderBlock(source: string, references: References): DocumentFragment {
	const fragment = document.createDocumentFragment();
	build(markdownParser.parse(cleanText(source), { references: { ...references } }), fragment);
	return fragment;
}

function build(tokens: readonly Token[], root: Node): void {
	let parent = root;
	for (const token of tokens) {
		if (token.hidden) continue;
		const make = makers[token.type];
		if (make) parent.appendChild(make(token));
		else if (token.type === "inline") build(token.children ?? [], parent);
		else if (token.nesting > 0) parent = into(parent, open(token));
		else if (token.nesting < 0) parent = close(parent) ?? root;
		else if (ELEMENTS.has(token.tag)) parent.appendChild(document.createElement(token.tag));
		else parent.appendChild(document.createTextNode(token.content));
	}
}

/** Tokens that are whole on their own. */
const makers: Record<string, (token: Token) => Node> = {
	text: ({ content }) => document.createTextNode(content),
	softbreak: () => document.createTextNode("\n"),
	code_inline({ content }) {
		const code = document.createElement("code");
		code.textContent = content;
		return code;
	},
	fence: ({ info, content }) => codeBlock(codeInfo(info), content),
	code_block: ({ content }) => codeBlock(codeInfo(""), content),
	image: picture,
};

/** Their markers and edges stand on the side where their words begin. */
const OWN_WAY = new Set(["ul", "ol", "blockquote", "table"]);

function open(token: Token): HTMLElement {
	if (token.type === "link_open") return unarmed(String(token.attrGet("href") ?? ""));
	const element = document.createElement(ELEMENTS.has(token.tag) ? token.tag : "span");
	if (OWN_WAY.has(token.tag)) element.dir = "auto";
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
	const words = token.content || t("picture");
	if (isPicture(address)) {
		const image = document.createElement("img");
		image.src = address.trim();
		image.alt = words;
		return image;
	}
	if (!webAddress(address)) return document.createTextNode(words);
	const link = unarmed(address);
	link.append(words);
	if (link instanceof HTMLAnchorElement) tellHost(link);
	return link;
}

/** A link without an address: nothing prefetches, drags or opens it; `data-url` is what the click hands to the host. */
function unarmed(address: string): HTMLElement {
	const url = webAddress(address);
	if (!url) return document.createElement("span");
	const link = document.createElement("a");
	link.dataset["url"] = url.href;
	link.setAttribute("role", "link");
	link.tabIndex = 0;
	link.title = url.href;
	return link;
}

function tellHost(link: HTMLAnchorElement): void {
	const { host } = new URL(link.dataset["url"] ?? "");
	const named = hostInWords(link.textContent);
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
