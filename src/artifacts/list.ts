// The JSON format of lists and views, and operations on lists. Unknown fields are preserved.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { escapeHidden } from "../core/hiddenText.ts";
import { ArtifactError } from "../core/ports/artifacts.ts";
import { cleanLine, cleanTags, cleanText, isId, NAME_LENGTH } from "./note.ts";
import { QUERY_LENGTH } from "./query.ts";

const LIST_ITEMS = 2_000;
export const TITLE_LENGTH = 500;
const NOTES_LENGTH = 10_000;
const DESCRIPTION_LENGTH = 2_000;
/** Maximum number of recently removed items to keep. */
const REMOVED = 100;

const Line = (length: number) =>
	z.string().transform((text, { issues }) => {
		// A line of only invisible characters is escaped, so that the file stays readable.
		const line = cleanLine(text, length) ?? cleanLine(escapeHidden(text.trim()), length);
		if (line === undefined) issues.push({ code: "custom", message: "must not be empty", input: text });
		return line ?? "";
	});
const Prose = (length: number) =>
	z
		.string()
		.transform((text) => cleanText(text).trimEnd())
		.pipe(z.string().max(length));
const Tags = z.array(z.string()).max(100).default([]).transform(cleanTags);
const Time = z.iso.datetime({ offset: true });

const ItemSchema = z.looseObject({
	id: z.string().refine(isId, "1 to 64 letters, digits, _ and -"),
	title: Line(TITLE_LENGTH),
	notes: Prose(NOTES_LENGTH).optional(),
	done: z.boolean().default(false),
	tags: Tags,
	createdAt: Time,
	updatedAt: Time,
});

/** Includes the item's former position, from 0. */
const RemovedSchema = ItemSchema.extend({ place: z.int().min(0), removedAt: Time });

const ListSchema = z.looseObject({
	name: Line(NAME_LENGTH),
	description: Prose(DESCRIPTION_LENGTH).optional(),
	tags: Tags,
	items: z.array(ItemSchema).max(LIST_ITEMS).default([]),
	/** Most recent first. Invalid values are ignored. */
	removed: z.array(RemovedSchema).optional().catch(undefined),
});

export type ListItem = z.infer<typeof ItemSchema>;
export type ArtifactList = z.infer<typeof ListSchema>;

const ViewSchema = z.looseObject({ name: Line(NAME_LENGTH), query: z.string().max(QUERY_LENGTH) });
export type SavedView = z.infer<typeof ViewSchema>;

/** Throws ArtifactError that names the field. */
export function parseList(file: string): ArtifactList {
	const list = parsed(ListSchema, file);
	const ids = new Set(list.items.map(({ id }) => id));
	if (ids.size < list.items.length) throw new ArtifactError("invalid", "items: two of them have the same id");
	return list;
}

export function parseView(file: string): SavedView {
	return parsed(ViewSchema, file);
}

export function printJson(value: ArtifactList | SavedView): string {
	return `${JSON.stringify(value, undefined, "\t")}\n`;
}

/** Drops removed items if the result exceeds the limit. */
export function printList(list: ArtifactList, bytes: number): string {
	const text = printJson(list);
	if (list.removed === undefined || Buffer.byteLength(text) <= bytes) return text;
	const { removed: _, ...bare } = list;
	return printJson(bare as ArtifactList);
}

/** Replaces the list's items; removed ones are kept so that they can be restored. */
export function withItems(list: ArtifactList, items: ListItem[], now: string): ArtifactList {
	const stay = new Set(items.map(({ id }) => id));
	const gone = list.items.flatMap((item, place) => (stay.has(item.id) ? [] : [{ ...item, place, removedAt: now }]));
	const { removed: before = [], ...bare } = list;
	const removed = [...gone, ...before.filter(({ id }) => !stay.has(id))].slice(0, REMOVED);
	return { ...bare, items, ...(removed.length > 0 && { removed }) } as ArtifactList;
}

/** Returns the item without the fields of its removal. */
export function withoutRemoval({ place: _, removedAt: __, ...item }: NonNullable<ArtifactList["removed"]>[number]): ListItem {
	return item as ListItem;
}

/** Restores an item at its former position. */
export function withRestoredItem(list: ArtifactList, id: string, now: string): ArtifactList {
	const found = list.removed?.find((item) => item.id === id);
	if (!found) throw new ArtifactError("missing", `No item ${id} was removed from this list.`);
	requireRoom(list.items.length + 1);
	return withItems(list, list.items.toSpliced(found.place, 0, withoutRemoval(found)), now);
}

export function requireRoom(items: number): void {
	if (items > LIST_ITEMS)
		throw new ArtifactError("full", `A list holds at most ${LIST_ITEMS} items. Remove some first, or begin another list`);
}

/** Fields of a new or changed item; absent fields are unchanged. */
export interface ItemDraft {
	title?: string | undefined;
	notes?: string | undefined;
	tags?: readonly string[] | undefined;
	done?: boolean | undefined;
}

export function newItem(draft: ItemDraft & { title: string }, now: string): ListItem {
	const blank: ListItem = { id: randomBytes(4).toString("hex"), title: "", done: false, tags: [], createdAt: now, updatedAt: now };
	return changedItem(blank, draft, now);
}

/** Returns the same item if nothing changes. */
export function changedItem(item: ListItem, draft: ItemDraft, now: string): ListItem {
	const changed = { ...item };
	if (draft.title !== undefined) changed.title = requireLine("title", draft.title, TITLE_LENGTH);
	if (draft.notes !== undefined) {
		const notes = cleanText(draft.notes).trimEnd();
		if (notes.length > NOTES_LENGTH)
			throw new ArtifactError("large", `notes: at most ${NOTES_LENGTH} characters. A note of its own holds more`);
		if (notes === "") delete changed.notes;
		else changed.notes = notes;
	}
	if (draft.tags !== undefined) changed.tags = cleanTags(draft.tags);
	if (draft.done !== undefined) changed.done = draft.done;
	return JSON.stringify(changed) === JSON.stringify(item) && item.title !== "" ? item : { ...changed, updatedAt: now };
}

export function withDescription(list: ArtifactList, description: string): ArtifactList {
	const { description: _, ...bare } = list;
	const text = cleanText(description).trim();
	if (text.length > DESCRIPTION_LENGTH)
		throw new ArtifactError("large", `description: at most ${DESCRIPTION_LENGTH} characters. Shorten it, or put it in a note`);
	return text === "" ? (bare as ArtifactList) : { ...list, description: text };
}

/** Throws ArtifactError if nothing is left after sanitizing. */
export function requireLine(field: string, text: string, length?: number): string {
	const line = cleanLine(text, length);
	if (line === undefined) throw new ArtifactError("invalid", `${field} must not be empty`);
	return line;
}

function parsed<T>(schema: z.ZodType<T>, file: string): T {
	let json: unknown;
	try {
		json = JSON.parse(file.replace(/^\ufeff/, ""));
	} catch (error) {
		throw new ArtifactError("invalid", `not JSON: ${(error as SyntaxError).message}`);
	}
	const result = schema.safeParse(json);
	if (result.success) return result.data;
	const issues = result.error.issues.slice(0, 3).map(({ path, message }) => `${path.join(".") || "the file"}: ${message}`);
	throw new ArtifactError("invalid", issues.join("; "));
}
