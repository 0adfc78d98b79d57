// Implements the artifacts port: lists, reads and writes notes, lists and views.
import {
	ArtifactError,
	type ArtifactFormat,
	type ArtifactKind,
	type Artifacts,
	type ArtifactText,
	type TrashedArtifact,
} from "../core/ports/artifacts.ts";
import type { ArtifactGroup } from "../core/prompt.ts";
import { itemsAt, parseChecklist, printChecklist } from "./checklist.ts";
import { type ArtifactList, parseList, parseView, printJson, requireLine, type SavedView, withRestoredItem } from "./list.ts";
import { cleanTags, cleanText } from "./note.ts";
import { invalidQueryPart, parseQuery } from "./query.ts";
import type { ArtifactBodies } from "./reader.ts";
import { printView } from "./runQuery.ts";
import type { ArtifactStore } from "./store.ts";

export function createArtifacts(store: ArtifactStore, now: () => Date = () => new Date()): Artifacts {
	/** Checklist texts as last written, while the list is unchanged, so that an editor reads back its own text. */
	const asWritten = new Map<string, { version: string; text: string }>();
	/** Lists as last read or written by an editor. */
	const lists = new Map<string, ArtifactList>();
	/** Text of each view and the time of its last change, since no file stores that. */
	const seen = new Map<string, { text: string; mtime: number }>();

	async function viewText(id: string): Promise<ArtifactText> {
		const { body, ctime, mtime } = await store.load("view", id);
		const text = await printView(store, body.query);
		const before = seen.get(id);
		const since = before ? Math.max(now().getTime(), before.mtime + 1) : mtime;
		const shown = before?.text === text ? before : { text, mtime: since };
		seen.set(id, shown);
		return { ...shown, ctime };
	}

	async function listText(id: string): Promise<ArtifactText> {
		const { body, summary, mtime, ctime } = await store.load("list", id);
		lists.set(id, body);
		const written = asWritten.get(id);
		return { text: written?.version === summary.version ? written.text : printChecklist(body), mtime, ctime };
	}

	const artifacts: Artifacts = {
		catalog: store.list,
		get: async (kind, id) => (await store.load(kind, id)).summary,
		async create(kind, name, text = "", id) {
			const line = requireLine("name", name);
			return store.create(kind, line, begun(kind, line, text, now()), id);
		},
		rename: (kind, id, name) => store.change(kind, id, ({ body }) => ({ ...body, name: requireLine("name", name) })),
		retag: (kind, id, tags) => store.change(kind, id, ({ body }) => ({ ...body, tags: cleanTags(tags) })),
		requery(id, query) {
			parseQuery(query);
			return store.change("view", id, ({ body }) => ({ ...body, query: query.trim() }));
		},
		misreads: invalidQueryPart,
		remove: store.remove,
		async trash() {
			const trashed = [...(await store.trash()), ...(await removedItems(store))];
			return trashed.sort((left, right) => (left.at < right.at ? 1 : -1));
		},
		async restore(file) {
			const [, list, item] = ITEM.exec(file) ?? [];
			if (!list || !item) return store.restore(file);
			return store.change("list", list, ({ body }) => withRestoredItem(body, item, now().toISOString()));
		},
		async read(kind, id, format) {
			if (format === "json") {
				const { body, mtime, ctime } = await store.load(kind, id);
				return { text: printJson(body as ArtifactList | SavedView), mtime, ctime };
			}
			if (kind === "view") return viewText(id);
			if (kind === "list") return listText(id);
			const { body, mtime, ctime } = await store.load("note", id);
			return { text: body.text, mtime, ctime };
		},
		async write(kind, id, format, text) {
			const { version } = await store.change(kind, id, ({ body }) => taken(kind, format, body, text, now()));
			if (kind !== "list") return;
			if (format === "md") asWritten.set(id, { version, text });
			lists.set(id, (await store.load("list", id)).body);
		},
		itemsAt(id, text, lines) {
			const list = lists.get(id);
			return list ? itemsAt(text, list, lines) : [];
		},
		onChange: store.onChange,
		dispose: store.dispose,
	};
	return artifacts;
}

/** A removed item in the trash: the IDs of its list and of the item. */
const ITEM = /^item\.([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})$/;

async function removedItems(store: ArtifactStore): Promise<TrashedArtifact[]> {
	const { artifacts } = await store.list();
	const lists = artifacts.filter(({ kind }) => kind === "list");
	const found = lists.map(async ({ id, name }) => {
		// The list may have been deleted meanwhile.
		const { removed = [] } = (await store.load("list", id).catch(() => undefined))?.body ?? {};
		return removed.map((item) => ({
			file: `item.${id}.${item.id}`,
			kind: "item" as const,
			name: item.title,
			list: name,
			at: item.removedAt,
		}));
	});
	return (await Promise.all(found)).flat();
}

/** Returns IDs and names by kind for prompts, most recent first, with the number of omitted ones. */
export async function artifactGroups(store: ArtifactStore, most = 50): Promise<ArtifactGroup[]> {
	const { artifacts } = await store.list();
	const kinds = [...new Set(artifacts.map(({ kind }) => kind))];
	return kinds.map((type) => {
		const all = artifacts.filter(({ kind }) => kind === type);
		const latest = [...all].sort((left, right) => (left.updatedAt < right.updatedAt ? 1 : -1)).slice(0, most);
		const items = all.filter((artifact) => latest.includes(artifact)).map(({ id, name }) => ({ id, name }));
		return { type, items, ...(all.length > items.length && { more: all.length - items.length }) };
	});
}

/** Returns the body of a new artifact with this text. */
function begun(kind: ArtifactKind, name: string, text: string, now: Date): ArtifactBodies[ArtifactKind] {
	if (kind === "note") return { name, tags: [], text: normalizeNoteText(text), also: [] };
	if (kind === "list") return parseChecklist(text, { name, tags: [], items: [] }, now.toISOString());
	parseQuery(text);
	return { name, query: text.trim() };
}

function taken(
	kind: ArtifactKind,
	format: ArtifactFormat,
	body: ArtifactBodies[ArtifactKind],
	text: string,
	now: Date,
): ArtifactBodies[ArtifactKind] {
	if (kind === "note") return { ...(body as ArtifactBodies["note"]), text };
	if (kind === "list") return format === "json" ? parseList(text) : parseChecklist(text, body as ArtifactList, now.toISOString());
	if (format === "md") throw new ArtifactError("invalid", "A view shows what its query finds; it cannot be written.");
	const view = parseView(text);
	parseQuery(view.query);
	return view;
}

/** Sanitizes text and ends it with a newline. */
export function normalizeNoteText(text: string): string {
	const clean = cleanText(text);
	return clean === "" || clean.endsWith("\n") ? clean : `${clean}\n`;
}
