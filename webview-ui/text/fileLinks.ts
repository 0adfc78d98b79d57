// Paths in texts: the host says which of them are files, and those become links. Nothing else does.
import { t } from "../../src/shared/l10n.ts";

/** Folders and a name with an ending, and a line where one follows. */
const PATH = /(?<![\w@./:~-])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z][\w-]{0,9})(?::(\d{1,7})(?::\d+)?)?(?![\w/-])/g;

/** The host, in a page that may ask it for files; without one no text becomes a link. */
interface Files {
	find(paths: string[]): void;
	open(place: { path: string; line?: number }): void;
}

let files: Files | undefined;

export function setFileLinkHost(through: Files): void {
	files = through;
}

/** By path: whether it is a file; undefined while the host has not been asked. */
const known = new Map<string, boolean>();
let wanted = new Set<string>();
let asking = false;
/** Milliseconds in which paths are gathered, and the most that one question names. */
const GATHER = 50;
const MOST = 200;

interface Named {
	text: string;
	path: string;
	line?: number;
}

/** A text as pieces, some of which may name files. `alone`: only where it is one path and nothing else. */
export function splitByPaths(text: string, alone = false): (string | Named)[] {
	const pieces: (string | Named)[] = [];
	let from = 0;
	for (const { 0: whole, 1: path = "", 2: line, index } of text.matchAll(PATH)) {
		if ((alone ? whole !== text : !path.includes("/")) || /(?:^|\/)\.\.?\//.test(path)) continue;
		if (index > from) pieces.push(text.slice(from, index));
		pieces.push({ text: whole, path, ...(line !== undefined && { line: Number(line) }) });
		from = index + whole.length;
	}
	if (from < text.length) pieces.push(text.slice(from));
	return pieces;
}

/** A place in the text of a link, or undefined where it is none: `src/cart.ts`, `src/cart.ts:12`, `src/cart.ts#L12`. */
export function parseFileLink(address: string): Named | undefined {
	let plain = address.replace(/^\.\//, "").replace(/#L(\d{1,7})(?:-L?\d+)?$/, ":$1");
	try {
		plain = decodeURIComponent(plain);
	} catch {
		return undefined;
	}
	const found = /^((?:[^\s:/?#\\]+\/)*[^\s:/?#\\]+)(?::(\d{1,7})(?::\d+)?)?$/.exec(plain);
	const [, path, line] = found ?? [];
	return path === undefined ? undefined : { text: plain, path, ...(line !== undefined && { line: Number(line) }) };
}

/** Marks an element as naming a file; it becomes a link once the host says that there is one. */
export function markFileReference(element: HTMLElement, { path, line }: Named): void {
	element.dataset["path"] = path;
	if (line !== undefined) element.dataset["line"] = String(line);
	const is = known.get(path);
	// Its words come in the same breath, and where it leads stands behind them.
	if (is) queueMicrotask(() => arm(element));
	if (is !== undefined || !files) return;
	wanted.add(path);
	askSoon();
}

function askSoon(): void {
	if (!asking) setTimeout(ask, GATHER);
	asking = true;
}

function ask(): void {
	asking = false;
	const paths = [...wanted].slice(0, MOST);
	wanted = new Set([...wanted].slice(MOST));
	if (paths.length > 0) files?.find(paths);
	if (wanted.size > 0) askSoon();
}

/** What the host has found of those it was asked about. */
export function applyFoundPaths({ asked, files: found }: { asked: readonly string[]; files: readonly string[] }): void {
	for (const path of asked) known.set(path, found.includes(path));
	for (const element of document.querySelectorAll<HTMLElement>("[data-path]:not(.file-link)")) {
		if (known.get(element.dataset["path"] ?? "")) arm(element);
	}
}

/** Files may be there by now that were not. */
export function forgetMissingFiles(): void {
	for (const [path, is] of known) if (!is) known.delete(path);
}

function arm(element: HTMLElement): void {
	const { path = "", line } = element.dataset;
	const place = line === undefined ? path : `${path}:${line}`;
	element.classList.add("file-link");
	element.setAttribute("role", "link");
	element.tabIndex = 0;
	element.title = t("Open {0}", place);
	// Words that do not name the file must not hide which one opens.
	if (element.dataset["told"] === undefined || element.textContent?.includes(path)) return;
	const told = document.createElement("span");
	told.className = "link-host";
	told.textContent = ` (${place})`;
	element.append(told);
}

/** Opens what a link in the text leads to. */
export function openFileLink({ dataset }: HTMLElement): void {
	const { path, line } = dataset;
	if (path !== undefined) files?.open({ path, ...(line !== undefined && { line: Number(line) }) });
}
