// Turns paths in text into links once the host confirms that they are files.
import { t } from "../../src/shared/l10n.ts";

/** A path with file extension and an optional line. */
const PATH = /(?<![\w@./:~-])((?:[\w@.-]+\/)*[\w@-][\w@.-]*\.[A-Za-z][\w-]{0,9})(?::(\d{1,7})(?::\d+)?)?(?![\w/-])/g;

/** The host of a page that can open files; without it, nothing is linked. */
interface Files {
	find(paths: string[]): void;
	open(place: { path: string; line?: number }): void;
}

let files: Files | undefined;

export function setFileLinkHost(through: Files): void {
	files = through;
}

/** File existence by path; absent until the host was asked. */
const existence = new Map<string, boolean>();
let requested = new Set<string>();
let isScheduled = false;
/** Milliseconds to collect paths, and the maximum per request. */
const REQUEST_DELAY = 50;
const MAX_PATHS = 200;

interface Named {
	text: string;
	path: string;
	line?: number;
}

/** Splits text into pieces, some of which may name files. `alone`: only if the whole text is one path. */
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

/** A file reference in a link address, or undefined: `src/cart.ts`, `src/cart.ts:12`, `src/cart.ts#L12`. */
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

/** Marks an element as a file reference; it becomes a link once the host confirms the file. */
export function markFileReference(element: HTMLElement, { path, line }: Named): void {
	element.dataset["path"] = path;
	if (line !== undefined) element.dataset["line"] = String(line);
	const exists = existence.get(path);
	// Deferred until the element has its text, after which the path is appended.
	if (exists) queueMicrotask(() => activate(element));
	if (exists !== undefined || !files) return;
	requested.add(path);
	scheduleRequest();
}

function scheduleRequest(): void {
	if (!isScheduled) setTimeout(sendRequest, REQUEST_DELAY);
	isScheduled = true;
}

function sendRequest(): void {
	isScheduled = false;
	const paths = [...requested].slice(0, MAX_PATHS);
	requested = new Set([...requested].slice(MAX_PATHS));
	if (paths.length > 0) files?.find(paths);
	if (requested.size > 0) scheduleRequest();
}

/** Applies the host's answer. */
export function applyFoundPaths({ asked, files: found }: { asked: readonly string[]; files: readonly string[] }): void {
	for (const path of asked) existence.set(path, found.includes(path));
	for (const element of document.querySelectorAll<HTMLElement>("[data-path]:not(.file-link)")) {
		if (existence.get(element.dataset["path"] ?? "")) activate(element);
	}
}

/** Missing files may exist now. */
export function forgetMissingFiles(): void {
	for (const [path, exists] of existence) if (!exists) existence.delete(path);
}

function activate(element: HTMLElement): void {
	const { path = "", line } = element.dataset;
	const place = line === undefined ? path : `${path}:${line}`;
	element.classList.add("file-link");
	element.setAttribute("role", "link");
	element.tabIndex = 0;
	element.title = t("Open {0}", place);
	// Text that does not name the file must not hide which one opens.
	if (element.dataset["told"] === undefined || element.textContent?.includes(path)) return;
	const suffix = document.createElement("span");
	suffix.className = "link-host";
	suffix.textContent = ` (${place})`;
	element.append(suffix);
}

/** Opens the file of a link. */
export function openFileLink({ dataset }: HTMLElement): void {
	const { path, line } = dataset;
	if (path !== undefined) files?.open({ path, ...(line !== undefined && { line: Number(line) }) });
}
