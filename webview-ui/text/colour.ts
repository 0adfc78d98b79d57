// Colours code when there is time: it stands on the page plain first, and what was coloured once is known.
import { highlightCode } from "./highlight.ts";

interface Waiting {
	code: HTMLElement;
	language: string;
	text: string;
}

const waiting: Waiting[] = [];
let asked = false;

/** Code of the same words and language that was coloured before is coloured at once. */
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

/** Colours now, for code that still grows and is short. */
export function highlightNow(code: HTMLElement, language: string, text: string): void {
	const html = highlightCode(text, language);
	if (html !== undefined) code.replaceChildren(coloured(html));
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

/** Milliseconds that colouring a block of usual length may take. */
const SLICE = 5;

function finish({ code, language, text }: Waiting): void {
	const html = highlightCode(text, language);
	if (html === undefined) return;
	const fragment = coloured(html);
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
function coloured(html: string): DocumentFragment {
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
