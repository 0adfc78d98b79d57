// Keeps drafts of agents within their part of the workspace's small state.
import type { StoredDrafts } from "../../shared/protocol/agents.ts";

/** Bytes of JSON; the index of sessions and the rows of the tree take 48 KB beside them. */
const LIMIT = 16 * 1024;

/** The drafts that fit, the smallest first so that one long prompt pushes out no others, and the keys of those that do not. */
export function limitDrafts(drafts: StoredDrafts): { kept: StoredDrafts; over: string[] } {
	const sized = Object.entries(drafts)
		.map(([key, draft]) => ({ key, draft, bytes: Buffer.byteLength(JSON.stringify({ [key]: draft })) }))
		.sort((left, right) => left.bytes - right.bytes);
	let size = 0;
	const fits = new Set<string>();
	for (const { key, bytes } of sized) {
		size += bytes;
		if (size <= LIMIT) fits.add(key);
	}
	const entries = Object.entries(drafts);
	return {
		kept: Object.fromEntries(entries.filter(([key]) => fits.has(key))),
		over: entries.flatMap(([key]) => (fits.has(key) ? [] : [key])),
	};
}
