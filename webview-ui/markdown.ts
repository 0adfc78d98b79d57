// Markdown → nodes. Three walls: the parser takes no raw HTML, DOMPurify keeps a short list of elements, and links lose
// their address (the page itself can go nowhere; a click asks the host).
import DOMPurify from "dompurify";
import { highlight } from "./highlight.ts";
import { hostInWords, isPicture, markdownParser, webAddress } from "./parser.ts";
import { cleanText } from "./visible.ts";

const { escapeHtml } = markdownParser.utils;

markdownParser.options.highlight = (code, language) => highlight(code, language.toLowerCase()) ?? "";

markdownParser.renderer.rules["image"] = (tokens, index) => {
	const token = tokens[index];
	const address = String(token?.attrGet("src") ?? "");
	const words = escapeHtml(token?.content || "picture");
	if (isPicture(address)) return `<img src="${escapeHtml(address)}" alt="${words}">`;
	// Loading it would tell its server what was asked, so it stays a link.
	return webAddress(address) ? `<a href="${escapeHtml(address)}">${words}</a>` : words;
};

const STRICT = {
	ALLOWED_TAGS: [..."p br hr h1 h2 h3 h4 h5 h6 strong em s blockquote ul ol li pre code span a img table thead tbody tr th td".split(" ")],
	ALLOWED_ATTR: ["href", "src", "alt", "class", "start"],
	ALLOWED_URI_REGEXP: /^(?:https?:|data:image\/(?:png|jpeg|gif|webp);base64,)/i,
	ALLOW_DATA_ATTR: false,
	ALLOW_ARIA_ATTR: false,
	RETURN_DOM_FRAGMENT: true as const,
};

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
	const html = markdownParser.render(cleanText(source), { references: { ...references } });
	const fragment = DOMPurify.sanitize(html, STRICT);
	for (const element of fragment.querySelectorAll("[class]")) keepOwnClasses(element);
	for (const link of fragment.querySelectorAll("a")) disarm(link);
	for (const picture of fragment.querySelectorAll("img")) if (!isPicture(picture.getAttribute("src") ?? "")) picture.remove();
	for (const code of fragment.querySelectorAll("pre")) frameCode(code);
	for (const table of fragment.querySelectorAll("table")) frameTable(table);
	return fragment;
}

function keepOwnClasses(element: Element): void {
	const own = [...element.classList].filter((name) => /^(?:hljs-[\w-]+|language-[\w+#.-]+|function_|class_|inherited__)$/.test(name));
	if (own.length) element.setAttribute("class", own.join(" "));
	else element.removeAttribute("class");
}

/** A link without an address: nothing prefetches, drags or opens it; `data-url` is what the click hands to the host. */
function disarm(link: HTMLAnchorElement): void {
	const url = webAddress(link.getAttribute("href") ?? "");
	link.removeAttribute("href");
	if (!url) {
		link.replaceWith(...link.childNodes);
		return;
	}
	const named = hostInWords(link.textContent);
	link.dataset["url"] = url.href;
	link.setAttribute("role", "link");
	link.tabIndex = 0;
	link.title = url.href;
	if (named === url.host) return;
	const host = document.createElement("span");
	host.className = named ? "link-host link-differs" : "link-host";
	host.textContent = ` (${url.host})`;
	link.append(host);
}

function frameCode(code: HTMLPreElement): void {
	const inner = code.querySelector("code");
	const language = /language-(\S+)/.exec(inner?.className ?? "")?.[1] ?? "";
	const frame = document.createElement("div");
	frame.className = "code";
	const bar = document.createElement("div");
	bar.className = "code-bar";
	const label = document.createElement("span");
	label.textContent = language;
	const copy = document.createElement("button");
	copy.type = "button";
	copy.className = "icon-button code-copy codicon codicon-copy";
	copy.title = "Copy";
	copy.setAttribute("aria-label", "Copy code");
	bar.append(label, copy);
	code.tabIndex = 0;
	code.replaceWith(frame);
	frame.append(bar, code);
}

function frameTable(table: HTMLTableElement): void {
	const frame = document.createElement("div");
	frame.className = "table";
	frame.tabIndex = 0;
	frame.setAttribute("role", "group");
	frame.setAttribute("aria-label", "Table");
	table.replaceWith(frame);
	frame.append(table);
}
