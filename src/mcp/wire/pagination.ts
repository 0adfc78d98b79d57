// Reads a list of a server page by page, and no more of it than is kept.
import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { t } from "../../shared/l10n.ts";
import { isRequestTimeout, RequestTimeoutError } from "./deadlines.ts";

const FIELDS = {
	"tools/list": "tools",
	"prompts/list": "prompts",
	"resources/list": "resources",
	"resources/templates/list": "resourceTemplates",
} as const;

const Page = z.looseObject({ nextCursor: z.string().optional() });
const PAGES = 64;
const ITEMS = 10_000;

/** `time` in milliseconds for each page. Throws TooLate where it is not enough. */
export async function listAllPages(client: Client, method: keyof typeof FIELDS, time: number, signal: AbortSignal): Promise<unknown[]> {
	const all: unknown[] = [];
	let cursor: string | undefined;
	for (let page = 0; page < PAGES; page += 1) {
		const params = cursor === undefined ? {} : { cursor };
		const result = await client.request({ method, params }, Page, { timeout: time, signal }).catch((error: unknown) => {
			throw isRequestTimeout(error) ? new RequestTimeoutError(time) : error;
		});
		const items: unknown = result[FIELDS[method]];
		if (!Array.isArray(items)) throw new Error(t("its answer to {0} is not valid", method));
		all.push(...items.slice(0, ITEMS - all.length));
		cursor = result.nextCursor;
		if (cursor === undefined || all.length >= ITEMS) break;
	}
	return all;
}
