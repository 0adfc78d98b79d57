// What a query finds among all notes and lists, and how a view shows it.

import type { ArtifactKind } from "../core/ports/artifacts.ts";
import { printItem } from "./checklist.ts";
import type { Item } from "./list.ts";
import { ask, type Entry, parseQuery } from "./query.ts";
import type { Store } from "./store.ts";

export interface Answer {
	found: (Entry & { item?: Item })[];
	total: number;
}

/** Reads every note and list of these kinds as it is now. Throws ArtifactProblem for a query that cannot be read. */
export async function askAll(store: Store, text: string, kinds: readonly ArtifactKind[] = ["note", "list"]): Promise<Answer> {
	const query = parseQuery(text);
	return ask(query, await entriesOf(store, kinds)) as Answer;
}

export async function entriesOf(store: Store, kinds: readonly ArtifactKind[]): Promise<(Entry & { item?: Item })[]> {
	const entries: (Entry & { item?: Item })[] = [];
	const { artifacts } = await store.list();
	for (const { kind, id, name, tags, updatedAt } of artifacts.filter((one) => kinds.includes(one.kind))) {
		// What went while this reads is not found.
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

/** A view as Markdown: its query, then what it finds, item by item under its list in the order of the answer. */
export async function printView(store: Store, query: string): Promise<string> {
	const head = `> ${query.trim() || "(everything)"}\n`;
	let answer: Answer;
	try {
		answer = await askAll(store, query);
	} catch (error) {
		return `${head}\n${error instanceof Error ? error.message : String(error)}\n`;
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
