// Runs queries over all notes and lists, and prints results as a view.

import type { ArtifactKind } from "../core/ports/artifacts.ts";
import { hasReason, modelReasonOf } from "../shared/reasonOf.ts";
import { printItem } from "./checklist.ts";
import type { ListItem } from "./list.ts";
import { evaluateQuery, parseQuery, type QueryEntry } from "./query.ts";
import type { ArtifactStore } from "./store.ts";

export interface QueryResult {
	found: (QueryEntry & { item?: ListItem })[];
	total: number;
}

/** Reads all current notes and lists of these kinds. Throws ArtifactError for an invalid query. */
export async function runQuery(
	store: ArtifactStore,
	text: string,
	kinds: readonly ArtifactKind[] = ["note", "list"],
): Promise<QueryResult> {
	const query = parseQuery(text);
	return evaluateQuery(query, await loadQueryEntries(store, kinds)) as QueryResult;
}

export async function loadQueryEntries(
	store: ArtifactStore,
	kinds: readonly ArtifactKind[],
): Promise<(QueryEntry & { item?: ListItem })[]> {
	const entries: (QueryEntry & { item?: ListItem })[] = [];
	const { artifacts } = await store.list();
	for (const { kind, id, name, tags, updatedAt } of artifacts.filter((one) => kinds.includes(one.kind))) {
		// Artifacts deleted meanwhile are skipped.
		if (kind === "note") {
			const stored = await store.load(kind, id).catch(() => undefined);
			if (stored) entries.push({ type: "note", id, title: name, text: stored.body.text, tags, done: false, updatedAt });
		}
		if (kind === "list") {
			const stored = await store.load(kind, id).catch(() => undefined);
			const list = { id, name };
			for (const item of stored?.body.items ?? []) entries.push({ ...item, type: "item", text: item.notes ?? "", list, item });
		}
	}
	return entries;
}

/** Prints a view as Markdown: its query, then the results in order, items under their list's heading. */
export async function printView(store: ArtifactStore, query: string): Promise<string> {
	const head = `> ${query.trim() || "(everything)"}\n`;
	let answer: QueryResult;
	try {
		answer = await runQuery(store, query);
	} catch (error) {
		if (!hasReason(error)) throw error;
		return `${head}\n${modelReasonOf(error, undefined)}\n`;
	}
	const lines: string[] = [];
	let under: string | undefined;
	for (const { type, title, tags, list, item } of answer.found) {
		const heading = list?.name ?? "Notes";
		if (heading !== under) lines.push("", `## ${heading}`, "");
		under = heading;
		lines.push(item ? printItem(item) : `- ${[title, ...(type === "note" ? tags.map((tag) => `#${tag}`) : [])].join(" ")}`);
	}
	const count = answer.found.length < answer.total ? `${answer.found.length} of ${answer.total} found` : `${answer.total} found`;
	return `${[head.trimEnd(), `> ${count}`, ...(lines.length > 0 ? lines : [""])].join("\n")}\n`;
}
