// Suggests completions for @ mentions, best matches first: files, folders, symbols and editor state.
import { join } from "node:path";
import { toAbsolutePath, toDisplayPath } from "../../core/paths.ts";
import type { Services } from "../../session/services.ts";
import { t } from "../../shared/l10n.ts";
import type { MentionSuggestion } from "../../shared/protocol/chat.ts";
import { EDITOR_MENTIONS, type EditorMentionKind, formatPathMention } from "./mention.ts";

const MOST = { files: 12, folders: 5, symbols: 8, open: 8, listed: 50_000 };
/** Milliseconds that the file list stays valid, and the timeout for language services. */
const LIST_LIFETIME = 10_000;
const SYMBOL_TIMEOUT = 2_000;

interface MentionSuggester {
	/** Calls `show` at once with fast results, and again when symbols arrive. */
	suggest(query: string, signal: AbortSignal, show: (items: MentionSuggestion[]) => void): Promise<void>;
}

/** Display paths; folders end with a slash. */
interface Listing {
	files: string[];
	folders: string[];
	at: number;
}

export function createMentionSuggester({ window: { workspace, gate }, facts }: Pick<Services, "window" | "facts">): MentionSuggester {
	let listing: Promise<Listing> | undefined;
	let at = 0;

	function cachedListing(): Promise<Listing> {
		if (listing && performance.now() - at < LIST_LIFETIME) return listing;
		at = performance.now();
		listing = list();
		listing.catch(() => {
			listing = undefined;
		});
		return listing;
	}

	async function list(): Promise<Listing> {
		const found = await workspace.find("**", { limit: MOST.listed, signal: AbortSignal.timeout(LIST_LIFETIME) });
		const folders = new Set<string>();
		for (const path of found.paths) {
			for (let end = path.lastIndexOf("/"); end > 0; end = path.lastIndexOf("/", end - 1)) {
				const folder = path.slice(0, end + 1);
				if (folders.has(folder)) break;
				folders.add(folder);
			}
		}
		return { files: found.paths, folders: [...folders], at: performance.now() };
	}

	async function visible<T>(items: readonly T[], pathOf: (item: T) => string): Promise<T[]> {
		const looked = new Map();
		const seen = await Promise.all(items.map((item) => gate.visible(toAbsolutePath(workspace, pathOf(item)), looked)));
		return items.filter((_, index) => seen[index]);
	}

	async function openFiles(): Promise<MentionSuggestion[]> {
		const paths = facts.open().map((path) => toDisplayPath(workspace, path));
		const inside = [...new Set(paths)].filter((path) => !path.startsWith("/") && !/^[a-z]:/i.test(path));
		return (await visible(inside.slice(0, MOST.open), (path) => path)).map((path) => createPathItem("file", path, []));
	}

	async function suggestPaths(query: string): Promise<MentionSuggestion[]> {
		const { files, folders } = await cachedListing();
		const [fileMatches, folderMatches] = await Promise.all([
			visible(rankMatches(query, files, MOST.files), ({ text }) => text),
			visible(rankMatches(query, folders, MOST.folders), ({ text }) => text),
		]);
		const opened = new Set(facts.open().map((path) => toDisplayPath(workspace, path)));
		fileMatches.sort((left, right) => right.score + (opened.has(right.text) ? 15 : 0) - left.score - (opened.has(left.text) ? 15 : 0));
		return [
			...fileMatches.map(({ text, marks }) => createPathItem("file", text, marks)),
			...folderMatches.map(({ text, marks }) => ({ ...createPathItem("folder", text.slice(0, -1), marks), more: true })),
		];
	}

	async function suggestSymbols(query: string, signal: AbortSignal): Promise<MentionSuggestion[]> {
		const hits = await workspace.symbols(query, AbortSignal.any([signal, AbortSignal.timeout(SYMBOL_TIMEOUT)]));
		const inside = hits.filter((hit) => !hit.path.includes(`${join("/", "node_modules")}/`));
		const ranked = rankMatches(query, inside.slice(0, 500), MOST.symbols * 2, (hit) => hit.name);
		const shown = ranked
			.map((hit) => ({ ...hit, path: toDisplayPath(workspace, hit.item.path) }))
			.filter(({ path }) => !path.startsWith("/"));
		return (await visible(shown.slice(0, MOST.symbols), ({ path }) => path)).map(({ item, marks, path }) => ({
			kind: "symbol" as const,
			insert: formatPathMention(path, { symbol: item.name.replace(/\(.*$/, "") }),
			label: item.name,
			detail: `${path}:${item.line}`,
			marks,
		}));
	}

	return {
		async suggest(query, signal, show) {
			if (/^https?:/i.test(query))
				return show(query.length > 8 ? [{ kind: "url", insert: `@${query}`, label: query, detail: t("Web page") }] : []);
			const specials = suggestKeywords(query);
			if (query === "") return show([...specials, ...(await openFiles())]);
			const quick = [...specials, ...(await suggestPaths(query.replace(/^"/, "")))];
			if (signal.aborted) return;
			show(quick);
			if (query.length < 2 || /[/\\."]/.test(query)) return;
			const symbols = await suggestSymbols(query, signal).catch(() => []);
			if (!signal.aborted && symbols.length > 0) show([...quick, ...symbols]);
		},
	};
}

/** The matching items, best first. */
function rankMatches<T = string>(query: string, items: readonly T[], most: number, textOf: (item: T) => string = String) {
	const fitting = items.flatMap((item) => {
		const text = textOf(item);
		const found = fuzzyMatch(query, text);
		return found ? [{ item, text, ...found }] : [];
	});
	return fitting.sort((left, right) => right.score - left.score).slice(0, most);
}

/** A file name and its folder; the marks are shifted to the name. */
function createPathItem(kind: "file" | "folder", path: string, marks: readonly number[]): MentionSuggestion {
	const start = path.lastIndexOf("/") + 1;
	const label = path.slice(start);
	const labelMarks = marks.map((mark) => mark - start).filter((mark) => mark >= 0 && mark < label.length);
	return {
		kind,
		insert: formatPathMention(path),
		label,
		detail: start > 0 ? path.slice(0, start - 1) : "",
		...(labelMarks.length > 0 && { marks: labelMarks }),
	};
}

function suggestKeywords(query: string): MentionSuggestion[] {
	const descriptions: Record<EditorMentionKind | "url", string> = {
		selection: t("Selected text in the editor"),
		problems: t("Errors and warnings in this workspace"),
		terminal: t("Terminal output"),
		changes: t("Changes since the last commit"),
		url: t("Public web page"),
	};
	const all = [...EDITOR_MENTIONS, "url"] as const;
	return all
		.filter((name) => name.startsWith(query.toLowerCase()))
		.map((name) => ({
			kind: name,
			insert: name === "url" ? "@https://" : `@${name}`,
			label: name,
			detail: descriptions[name],
			...(query !== "" && { marks: Array.from({ length: query.length }, (_, index) => index) }),
			...(name === "url" && { more: true }),
		}));
}

interface FuzzyMatch {
	score: number;
	/** Indexes of matched characters, ascending. */
	marks: number[];
}

/** Undefined unless all letters occur in order. Letters at word starts and consecutive letters score highest. */
function fuzzyMatch(query: string, text: string): FuzzyMatch | undefined {
	const wanted = query.toLowerCase();
	const folded = text.toLowerCase();
	const name = folded.lastIndexOf("/") + 1;
	// Names first because people remember those.
	return walk(wanted, folded, text, name, name) ?? walk(wanted, folded, text, 0, name);
}

function walk(wanted: string, folded: string, text: string, start: number, name: number): FuzzyMatch | undefined {
	const whole = folded.indexOf(wanted, start);
	if (whole >= 0) {
		const better = firstAtWord(wanted, folded, text, start) ?? whole;
		const marks = Array.from({ length: wanted.length }, (_, index) => better + index);
		const ends = better + wanted.length === folded.length || folded[better + wanted.length] === ".";
		return {
			score: 100 + (isWordStart(text, better) ? 40 : 0) + (better === name ? 40 : 0) + (ends ? 20 : 0) + inName(start) - length(text),
			marks,
		};
	}
	const marks: number[] = [];
	let score = 0;
	let at = start;
	for (const letter of wanted) {
		const found = folded.indexOf(letter, at);
		if (found < 0) return undefined;
		score += found === at && marks.length > 0 ? 4 : isWordStart(text, found) ? 6 : -1;
		marks.push(found);
		at = found + 1;
	}
	return { score: score + inName(start) - length(text), marks };
}

function firstAtWord(wanted: string, folded: string, text: string, start: number): number | undefined {
	for (let at = folded.indexOf(wanted, start); at >= 0; at = folded.indexOf(wanted, at + 1)) if (isWordStart(text, at)) return at;
	return undefined;
}

function inName(start: number): number {
	return start > 0 ? 20 : 0;
}

/** Slightly prefers short texts. */
function length(text: string): number {
	return Math.min(20, text.length / 8);
}

function isWordStart(text: string, at: number): boolean {
	if (at === 0) return true;
	const before = text.charCodeAt(at - 1);
	if (!isLetterOrDigit(before)) return true;
	const code = text.charCodeAt(at);
	return code >= 65 && code <= 90 && !(before >= 65 && before <= 90);
}

function isLetterOrDigit(code: number): boolean {
	return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122) || code > 127;
}
