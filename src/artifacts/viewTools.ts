// Tools for queries over notes and lists, and for saved views (views_*).
import * as z from "zod";
import type { Tool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { requireLine } from "./list.ts";
import { parseQuery } from "./query.ts";
import { runQuery } from "./runQuery.ts";
import {
	type ArtifactToolContext,
	artifactTool,
	pageOfLines,
	requireArtifact,
	summaryLine,
	tagLabels,
	trashArtifact,
} from "./toolHelpers.ts";

const plugin = "views";
const something = ["note", "list", "view"] as const;
const after = ["view"] as const;
const view = z.string().describe("Id or name");

export function viewTools({ store }: ArtifactToolContext): Tool[] {
	/** Excludes kinds that the agent may not read, so that views do not circumvent its lists. */
	async function answer(query: string, may: (capability: string) => boolean, start?: number): Promise<string> {
		const kinds = (["note", "list"] as const).filter((kind) => may(`${kind}s.read`));
		const { found, total } = await runQuery(store, query, kinds);
		const lines = found.map(({ type, id, title, tags, list, done }) =>
			[type === "note" ? `note ${id}: ${title}` : `[${done ? "x" : " "}] ${list?.id}/${id}: ${title}`, ...tagLabels(tags)].join(" · "),
		);
		return `${total} found\n${pageOfLines(lines, start, "")}`.trimEnd();
	}

	return [
		artifactTool(store, {
			plugin,
			name: "query",
			access: "read",
			after: something,
			description:
				"Find items and notes. Words and keys, all must hold, - excludes: list:name tag:name type:item|note done:false sort:[-]title|created|updated|list limit:n",
			input: z.object({ query: z.string(), start: z.int().min(1).optional() }),
			summary: ({ query }) => t("Search notes and lists for {0}", query),
			done: ({ query }) => t("Searched notes and lists for {0}", query),
			run: ({ query, start }, may) => answer(query, may, start),
		}),
		artifactTool(store, {
			plugin,
			name: "list",
			access: "read",
			after,
			description: "List saved views, with ids.",
			input: z.object({}),
			summary: () => t("List views"),
			done: () => t("Listed views"),
			run: async () => pageOfLines((await store.list()).artifacts.filter(({ kind }) => kind === "view").map(summaryLine)),
		}),
		artifactTool(store, {
			plugin,
			name: "get",
			access: "read",
			after,
			description: "A view's query and what it finds now.",
			input: z.object({ view }),
			summary: ({ view }) => t("Read the view {0}", view),
			done: ({ view }) => t("Read the view {0}", view),
			async run({ view }, may) {
				const summary = await requireArtifact(store, "view", view);
				return `${summaryLine(summary)}\n\n${await answer(summary.query ?? "", may)}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "create",
			access: "write",
			after: something,
			description: "Save a query of views_query as a view.",
			input: z.object({ name: z.string(), query: z.string() }),
			summary: ({ name }) => t("Create the view {0}", name),
			done: ({ name }) => t("Created the view {0}", name),
			async run({ name, query }, may) {
				parseQuery(query);
				const line = requireLine("name", name);
				const made = await store.create("view", line, { name: line, query: query.trim() });
				return `Created the view ${made.id}. ${await answer(query, may)}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "update",
			access: "write",
			after,
			description: "Give a view another name or query.",
			input: z.object({ view, name: z.string().optional(), query: z.string().optional() }),
			summary: ({ view }) => t("Change the view {0}", view),
			done: ({ view }) => t("Changed the view {0}", view),
			async run({ view, name, query }) {
				if (query !== undefined) parseQuery(query);
				const line = name === undefined ? {} : { name: requireLine("name", name) };
				const { id } = await requireArtifact(store, "view", view);
				const changed = await store.change("view", id, ({ body }) => ({
					...body,
					...line,
					...(query !== undefined && { query: query.trim() }),
				}));
				return `The view is now ${summaryLine(changed)}.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "delete",
			access: "write",
			after,
			description: "Move a view to the trash.",
			input: z.object({ view }),
			summary: ({ view }) => t("Delete the view {0}", view),
			done: ({ view }) => t("Deleted the view {0}", view),
			run: ({ view }) => trashArtifact(store, "view", view),
		}),
	];
}
