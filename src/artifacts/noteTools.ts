// Tools for notes (notes_*).
import * as z from "zod";
import { ArtifactError } from "../core/ports/artifacts.ts";
import type { Tool } from "../core/ports/tool.ts";
import { t } from "../shared/l10n.ts";
import { normalizeNoteText } from "./artifacts.ts";
import { requireLine } from "./list.ts";
import { parseTags } from "./note.ts";
import { evaluateQuery, parseQuery, type QueryEntry } from "./query.ts";
import { loadQueryEntries } from "./runQuery.ts";
import {
	type ArtifactToolContext,
	artifactTool,
	findArtifact,
	pageOfLines,
	requireArtifact,
	summaryLine,
	tagLabels,
	trashArtifact,
} from "./toolHelpers.ts";

const plugin = "notes";
const after = ["note"] as const;
const note = z.string().describe("Id or title");
const tags = z.array(z.string()).optional();
const start = z.int().min(1).optional();

export function noteTools({ store }: ArtifactToolContext): Tool[] {
	return [
		artifactTool(store, {
			plugin,
			name: "list",
			access: "read",
			after,
			description: "List notes, with ids.",
			input: z.object({ tag: z.string().optional(), start }),
			summary: () => t("List notes"),
			done: () => t("Listed notes"),
			async run({ tag, start }) {
				const wanted = parseTags(tag ? [tag] : []);
				const { artifacts } = await store.list();
				const notes = artifacts.filter(({ kind, tags: has }) => kind === "note" && wanted.every((one) => has.includes(one)));
				return pageOfLines(notes.map(summaryLine), start);
			},
		}),
		artifactTool(store, {
			plugin,
			name: "search",
			access: "read",
			after,
			description: 'Find notes by words, "phrases", tag:name.',
			input: z.object({ query: z.string() }),
			summary: ({ query }) => t("Search notes for {0}", query),
			done: ({ query }) => t("Searched notes for {0}", query),
			async run({ query }) {
				const asked = parseQuery(query);
				const { found } = evaluateQuery(asked, await loadQueryEntries(store, ["note"]));
				return pageOfLines(
					found.map((entry) =>
						foundNote(
							entry,
							asked.terms.filter(({ key, not }) => key === "text" && !not).map(({ value }) => value),
						),
					),
				);
			},
		}),
		artifactTool(store, {
			plugin,
			name: "read",
			access: "read",
			after,
			description: "Read a note and its version.",
			input: z.object({ note, start }),
			summary: ({ note }) => t("Read the note {0}", note),
			done: ({ note }) => t("Read the note {0}", note),
			async run({ note, start }) {
				const { id } = await requireArtifact(store, "note", note);
				const { summary, body } = await store.load("note", id);
				const head = [`id: ${id}`, `title: ${summary.name}`, `version: ${summary.version}`, ...tagLabels(summary.tags)].join("\n");
				return `${head}\n\n${pageOfLines(body.text.split("\n"), start, "")}`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "write",
			access: "write",
			description: "Create a Markdown note; with `version` replace one that was read.",
			input: z.object({ title: z.string(), text: z.string(), tags, version: z.string().optional() }),
			summary: ({ title }) => t("Write the note {0}", title),
			done: ({ title }) => t("Wrote the note {0}", title),
			async run({ title, text, tags, version }) {
				const there = await findArtifact(store, "note", title);
				if (!there) {
					const name = requireLine("title", title);
					const made = await store.create("note", name, { name, tags: parseTags(tags ?? []), text: normalizeNoteText(text), also: [] });
					return `Created the note ${made.id}, version ${made.version}.`;
				}
				if (version !== there.version) throw await unread(there.id, version);
				const changed = await store.change(
					"note",
					there.id,
					({ body }) => ({ ...body, ...(tags && { tags: parseTags(tags) }), text: normalizeNoteText(text) }),
					{ version, keep: true },
				);
				return `Wrote the note ${changed.id}, version ${changed.version}.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "append",
			access: "write",
			after,
			description: "Add text at a note's end.",
			input: z.object({ note, text: z.string() }),
			summary: ({ note }) => t("Add to the note {0}", note),
			done: ({ note }) => t("Added to the note {0}", note),
			async run({ note, text }) {
				const { id } = await requireArtifact(store, "note", note);
				const { version } = await store.change("note", id, ({ body }) => ({
					...body,
					text: normalizeNoteText(body.text) + normalizeNoteText(text),
				}));
				return `Added to the note ${id}, version ${version}.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "rename",
			access: "write",
			after,
			description: "Give a note another title or tags.",
			input: z.object({ note, title: z.string().optional(), tags }),
			summary: ({ note, title }) => (title === undefined ? t("Tag the note {0}", note) : t("Rename the note {0} to {1}", note, title)),
			done: ({ note, title }) => (title === undefined ? t("Tagged the note {0}", note) : t("Renamed the note {0} to {1}", note, title)),
			async run({ note, title, tags }) {
				const { id } = await requireArtifact(store, "note", note);
				const name = title === undefined ? {} : { name: requireLine("title", title) };
				const changed = await store.change("note", id, ({ body }) => ({ ...body, ...name, ...(tags && { tags: parseTags(tags) }) }));
				return `The note is now ${summaryLine(changed)}.`;
			},
		}),
		artifactTool(store, {
			plugin,
			name: "delete",
			access: "write",
			after,
			description: "Move a note to the trash.",
			input: z.object({ note }),
			summary: ({ note }) => t("Delete the note {0}", note),
			done: ({ note }) => t("Deleted the note {0}", note),
			run: ({ note }) => trashArtifact(store, "note", note),
		}),
	];

	/** The error for a write without the current version; it contains the current text. */
	async function unread(id: string, version: string | undefined): Promise<ArtifactError> {
		const { summary, body } = await store.load("note", id);
		const why = version === undefined ? `There is a note ${id} already` : `The note ${id} has changed since version ${version}`;
		return new ArtifactError(
			"changed",
			`${why}. It is at version ${summary.version} and says:\n\n${pageOfLines(body.text.split("\n"))}\n\nPass this version to replace it, or use another title`,
		);
	}
}

/** The listing line of a note, with the first line that contains a word. */
function foundNote({ id, title, tags, text }: QueryEntry, words: readonly string[]): string {
	const line = text.split("\n").find((line) => words.some((word) => line.toLowerCase().includes(word)));
	return [`${id}: ${title}`, ...tagLabels(tags), ...(line ? [line.trim().slice(0, 200)] : [])].join(" · ");
}
