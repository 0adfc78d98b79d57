// Converts lists to Markdown checklists and back, matching edited items to keep their IDs.
import {
	type ArtifactList,
	changedItem,
	type ListItem,
	newItem,
	requireRoom,
	TITLE_LENGTH,
	withDescription,
	withItems,
	withoutRemoval,
} from "./list.ts";
import { cleanLine, isTag } from "./note.ts";

export function printChecklist({ description, items }: Pick<ArtifactList, "description" | "items">): string {
	const lines = items.map(printItem);
	return [...(description ? [description, ""] : []), ...lines].map((line) => `${line}\n`).join("");
}

export function printItem({ done, title, tags, notes }: Pick<ListItem, "done" | "title" | "tags" | "notes">): string {
	const words = title.split(" ").map((word) => (word.startsWith("#") && isTag(word.slice(1)) ? `\\${word}` : word));
	const line = `- [${done ? "x" : " "}] ${[...words, ...tags.map((tag) => `#${tag}`)].join(" ")}`;
	return [line, ...(notes ? notes.split("\n").map((note) => (note === "" ? "" : `  ${note}`)) : [])].join("\n");
}

interface Written {
	title: string;
	done: boolean;
	tags: string[];
	notes: string;
	/** Line number, starting at 1. */
	line: number;
}

/** Returns the list with the text's content. Any other line becomes an item; text before the first item is the description. */
export function parseChecklist(text: string, list: ArtifactList, now: string): ArtifactList {
	const { description, entries } = entriesOf(text);
	requireRoom(entries.length);
	const homes = matched(entries, list.items);
	const removed = list.removed?.map(withoutRemoval) ?? [];
	const items = entries.map((entry, place) => {
		const known = homes[place] ?? takenFrom(removed, entry);
		return known ? changedItem(known, entry, now) : newItem(entry, now);
	});
	return withItems(withDescription(list, description), items, now);
}

/** Returns the IDs of items on these lines, from 1; lines of new items have none. */
export function itemsAt(text: string, list: ArtifactList, [first, last]: readonly [number, number]): string[] {
	const { entries } = entriesOf(text);
	const homes = matched(entries, list.items);
	return entries.flatMap(({ line }, place) => {
		const end = entries[place + 1]?.line ?? Number.POSITIVE_INFINITY;
		const known = line <= last && first < end ? homes[place] : undefined;
		return known ? [known.id] : [];
	});
}

/** Restores a removed item when its line reappears, for example after an undo. */
function takenFrom(removed: ListItem[], entry: Written): ListItem | undefined {
	const place = removed.findIndex((item) => printItem(item) === printItem(entry));
	return place < 0 ? undefined : removed.splice(place, 1)[0];
}

function entriesOf(text: string): { description: string; entries: Written[] } {
	const before: string[] = [];
	const entries: Written[] = [];
	const notes: string[][] = [];
	const lines = text.replace(/\r\n?/g, "\n").split("\n");
	const hasMarks = lines.some((line) => /^[-*+] /.test(line));
	for (const [number, line] of lines.entries()) {
		const [, mark, rest] = MARKED.exec(line) ?? [];
		const below = notes.at(-1);
		if (rest !== undefined) {
			entries.push(written(rest, mark?.toLowerCase() === "x", number + 1));
			notes.push([]);
		} else if (below && (line.trim() === "" || /^(\s{2,}|\t)/.test(line))) below.push(line.replace(/^(\t| {1,2})/, ""));
		else if (!below && hasMarks) before.push(line);
		else if (line.trim() !== "") {
			entries.push(written(line, false, number + 1));
			notes.push([]);
		}
	}
	entries.forEach((entry, place) => {
		entry.notes = (notes[place] ?? []).join("\n").replace(/^\n+|\s+$/g, "");
	});
	return { description: before.join("\n").trim(), entries: entries.filter(({ title }) => title !== "") };
}

/** A checkbox does not require a dash, so that users can prefix plain lines with `[x]`. */
const MARKED = /^(?:[-*+] |(?=\[[ xX]\] ))(?:\[([ xX])\](?: |$))?(.*)$/;

/** Trailing words with `#` are tags. */
function written(line: string, done: boolean, number: number): Written {
	const words = (cleanLine(line, TITLE_LENGTH * 2) ?? "").split(" ");
	const tags: string[] = [];
	while (words.length > 1 && isTagWord(words.at(-1) as string)) tags.unshift((words.pop() as string).slice(1));
	const title = words.map((word) => (word.startsWith("\\#") ? word.slice(1) : word)).join(" ");
	return { title: cleanLine(title, TITLE_LENGTH) ?? "", done, tags, notes: "", line: number };
}

function isTagWord(word: string): boolean {
	return word.startsWith("#") && isTag(word.slice(1));
}

/**
 * Matches each entry to an existing item: first by title, nearest first. If equally many entries and items are left between two
 * matches, they are matched in order.
 */
function matched(entries: readonly Written[], items: readonly ListItem[]): (ListItem | undefined)[] {
	const byTitle = new Map<string, ListItem[]>();
	for (const item of items) byTitle.set(item.title, [...(byTitle.get(item.title) ?? []), item]);
	const homes = entries.map(({ title }) => byTitle.get(title)?.shift());
	const used = new Set(homes);
	const left = items.filter((item) => !used.has(item));
	let from = 0;
	while (from < entries.length) {
		if (homes[from]) {
			from += 1;
			continue;
		}
		let to = from;
		while (to < entries.length && !homes[to]) to += 1;
		const gap = gapOf(items, left, homes[from - 1], homes[to]);
		if (gap.length === to - from) {
			for (const [offset, item] of gap.entries()) homes[from + offset] = item;
			for (const item of gap) left.splice(left.indexOf(item), 1);
		}
		from = to;
	}
	return homes;
}

/** Returns the unmatched items between two matched ones. */
function gapOf(
	items: readonly ListItem[],
	left: readonly ListItem[],
	before: ListItem | undefined,
	after: ListItem | undefined,
): ListItem[] {
	const start = before ? items.indexOf(before) + 1 : 0;
	const end = after ? items.indexOf(after) : items.length;
	return items.slice(start, Math.max(start, end)).filter((item) => left.includes(item));
}
