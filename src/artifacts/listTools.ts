// Tools for lists and their items (lists_*).
import * as z from "zod";
import { ArtifactError } from "../core/ports/artifacts.ts";
import type { Tool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { type ArtifactList, changedItem, type ListItem, newItem, requireLine, requireRoom, withDescription, withItems } from "./list.ts";
import { cleanLine, parseTags } from "./note.ts";
import { evaluateQuery, parseQuery } from "./query.ts";
import {
	type ArtifactToolContext,
	artifactTool,
	pageOfLines,
	requireArtifact,
	summaryLine,
	tagLabels,
	trashArtifact,
} from "./toolHelpers.ts";

const plugin = "lists";
const after = ["list"] as const;
const list = z.string().describe("Id or name");
const item = z.string().describe("Id or title");
const tags = z.array(z.string()).optional();

export function listTools({ store, now }: ArtifactToolContext): Tool[] {
	/** Applies a change to a list's current items. */
	async function items(given: string, work: (items: readonly ListItem[]) => ListItem[]) {
		const { id } = await requireArtifact(store, "list", given);
		return store.change("list", id, ({ body }) => withItems(body, work(body.items), now()));
	}

	return [
		artifactTool(store, {
			plugin,
			name: "list",
			access: "read",
			after,
			description: "List the lists, with ids.",
			input: z.object({}),
			summary: () => t("List all lists"),
			done: () => t("Listed all lists"),
			run: async () => pageOfLines((await store.list()).artifacts.filter(({ kind }) => kind === "list").map(summaryLine)),
		}),
		artifactTool(store, {
			plugin,
			name: "get",
			access: "read",
			after,
			description: "Items of a list with ids, all or those of a query: words, tag:name, done:false, sort:-updated, limit:n.",
			input: z.object({ list, query: z.string().optional(), start: z.int().min(1).optional() }),
			summary: ({ list }) => t("Read the list {0}", list),
			done: ({ list }) => t("Read the list {0}", list),
			async run({ list, query = "", start }) {
				const asked = parseQuery(query);
				const { id } = await requireArtifact(store, "list", list);
				const { summary, body } = await store.load("list", id);
				const home = { id, name: summary.name };
				const entries = body.items.map((entry) => ({ ...entry, type: "item" as const, text: entry.notes ?? "", list: home, entry }));
				const { found } = evaluateQuery(asked, entries);
				const head = [summaryLine(summary), ...(body.description ? [body.description] : [])].join("\n");
				return `${head}\n\n${pageOfLines(
					(found as typeof entries).map(({ entry }) => itemLine(entry)),
					start,
				)}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "create",
			access: "write",
			description: "Create a list.",
			input: z.object({ name: z.string(), items: z.array(z.string()).optional(), description: z.string().optional(), tags }),
			summary: ({ name }) => t("Create the list {0}", name),
			done: ({ name }) => t("Created the list {0}", name),
			async run({ name, items = [], description = "", tags = [] }) {
				const line = requireLine("name", name);
				const time = now();
				requireRoom(items.length);
				const bare: ArtifactList = { name: line, tags: parseTags(tags), items: items.map((title) => newItem({ title }, time)) };
				const made = await store.create("list", line, withDescription(bare, description));
				return `Created the list ${made.id} with ${items.length} items.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "update",
			access: "write",
			after,
			description: "Give a list another name, description or tags.",
			input: z.object({ list, name: z.string().optional(), description: z.string().optional(), tags }),
			summary: ({ list }) => t("Change the list {0}", list),
			done: ({ list }) => t("Changed the list {0}", list),
			async run({ list, name, description, tags }) {
				const { id } = await requireArtifact(store, "list", list);
				const line = name === undefined ? {} : { name: requireLine("name", name) };
				const changed = await store.change("list", id, ({ body }) => {
					const renamed = { ...body, ...line, ...(tags && { tags: parseTags(tags) }) };
					return description === undefined ? renamed : withDescription(renamed, description);
				});
				return `The list is now ${summaryLine(changed)}.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "delete",
			access: "write",
			after,
			description: "Move a list to the trash.",
			input: z.object({ list }),
			summary: ({ list }) => t("Delete the list {0}", list),
			done: ({ list }) => t("Deleted the list {0}", list),
			run: ({ list }) => trashArtifact(store, "list", list),
		}),
		artifactTool(store, {
			plugin,
			name: "items_add",
			access: "write",
			after,
			description: "Add items; `notes` and `tags` go to each.",
			input: z.object({
				list,
				titles: z.array(z.string()).min(1),
				notes: z.string().optional(),
				tags,
				position: z.int().min(1).optional(),
			}),
			summary: ({ list, titles }) =>
				titles.length === 1 ? t("Add {0} to the list {1}", titles[0] ?? "", list) : t("Add {0} items to the list {1}", titles.length, list),
			done: ({ list, titles }) =>
				titles.length === 1
					? t("Added {0} to the list {1}", titles[0] ?? "", list)
					: t("Added {0} items to the list {1}", titles.length, list),
			async run({ list, titles, notes, tags, position }) {
				const time = now();
				const fresh = titles.map((title) => newItem({ title, notes, tags: tags && parseTags(tags) }, time));
				const changed = await items(list, (before) => {
					requireRoom(before.length + fresh.length);
					const place = position === undefined ? before.length : position - 1;
					return [...before.slice(0, place), ...fresh, ...before.slice(place)];
				});
				return `Added to the list ${changed.id}:\n${pageOfLines(fresh.map(itemLine))}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "items_update",
			access: "write",
			after,
			description: "Change an item, complete it (`done`), or move it to a `position` from 1.",
			input: z.object({
				list,
				item,
				title: z.string().optional(),
				notes: z.string().optional(),
				tags,
				done: z.boolean().optional(),
				position: z.int().min(1).optional(),
			}),
			summary: ({ list, item }) => t("Change {0} in the list {1}", item, list),
			done: ({ list, item }) => t("Changed {0} in the list {1}", item, list),
			async run({ list, item, position, ...given }) {
				const time = now();
				const draft = { ...given, tags: given.tags && parseTags(given.tags) };
				let line = "";
				await items(list, (before) => {
					const found = itemIn(before, item);
					const after = changedItem(found, draft, time);
					line = itemLine(after);
					if (position === undefined) return before.map((other) => (other === found ? after : other));
					const others = before.filter((other) => other !== found);
					return [...others.slice(0, position - 1), after, ...others.slice(position - 1)];
				});
				return `The item is now ${line}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "items_remove",
			access: "write",
			after,
			description: "Remove an item from a list.",
			input: z.object({ list, item }),
			summary: ({ list, item }) => t("Remove {0} from the list {1}", item, list),
			done: ({ list, item }) => t("Removed {0} from the list {1}", item, list),
			async run({ list, item }) {
				let line = "";
				await items(list, (before) => {
					const found = itemIn(before, item);
					line = itemLine(found);
					return before.filter((other) => other !== found);
				});
				return `Removed ${line}\nThe person can restore it.`;
			},
		}),
	];
}

function itemIn(items: readonly ListItem[], given: string): ListItem {
	const plain = given.trim().toLowerCase();
	const byTitle = items.filter(({ title }) => title.toLowerCase() === plain);
	const found = items.find(({ id }) => id === given.trim()) ?? (byTitle.length === 1 ? byTitle[0] : undefined);
	if (found) return found;
	const shown = cleanLine(given) ?? "";
	if (byTitle.length === 0) throw new ArtifactError("missing", `There is no item “${shown}” in this list. Look with lists_get`);
	throw new ArtifactError(
		"invalid",
		`${byTitle.length} items are called “${shown}”. Name one by its id: ${byTitle.map(({ id }) => id).join(", ")}`,
	);
}

function itemLine({ id, title, done, tags, notes }: ListItem): string {
	const line = [`[${done ? "x" : " "}] ${id}: ${title}`, ...tagLabels(tags)].join(" · ");
	return notes ? `${line}\n  ${notes.replaceAll("\n", "\n  ")}` : line;
}
