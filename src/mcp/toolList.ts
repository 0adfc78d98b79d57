// Keeps a running server's tool and prompt lists current, initially and after change notifications.

import type { Client } from "@modelcontextprotocol/client";
import * as z from "zod";
import { UserError } from "../core/userError.ts";
import { t } from "../shared/l10n.ts";
import { isRequestTimeout, RequestTimeoutError } from "./deadlines.ts";

export interface ToolListOptions {
	client: Client;
	/** Milliseconds between two listings, regardless of notifications. */
	minimumInterval: number;
	/** Milliseconds for each page. */
	timeout: number;
	signal: AbortSignal;
	/** Resolves when the listed tools are in effect. */
	onTools(raw: unknown[]): Promise<void>;
	onPrompts(raw: unknown[]): void;
	onOutput(line: string): void;
}

export class ToolList {
	private readonly parts: ToolListOptions;
	/** The listed tools may be outdated. */
	private stale = true;
	private listing: Promise<void> | undefined;
	private readonly soon = new Map<string, NodeJS.Timeout>();
	private ended = false;

	constructor(parts: ToolListOptions) {
		this.parts = parts;
	}

	async load(): Promise<void> {
		await this.tools();
		await this.prompts();
	}

	handleNotification(method: string): void {
		if (method === "notifications/tools/list_changed") {
			this.stale = true;
			this.after(method, () => (this.stale ? this.tools() : undefined));
		} else if (method === "notifications/prompts/list_changed") this.after(method, () => this.prompts());
	}

	/** Resolves when all changes announced before this call are listed. */
	async waitUntilCurrent(): Promise<void> {
		// A pending list may predate the change.
		await this.listing?.catch(() => undefined);
		if (this.stale) await this.tools();
	}

	dispose(): void {
		this.ended = true;
		for (const timer of this.soon.values()) clearTimeout(timer);
	}

	private after(method: string, what: () => Promise<void> | undefined): void {
		if (this.ended || this.soon.has(method)) return;
		const timer = setTimeout(() => {
			this.soon.delete(method);
			what()?.catch((error: unknown) => this.parts.onOutput(String(error)));
		}, this.parts.minimumInterval);
		this.soon.set(method, timer);
	}

	private tools(): Promise<void> {
		this.listing ??= this.listTools().finally(() => {
			this.listing = undefined;
		});
		return this.listing;
	}

	private async listTools(): Promise<void> {
		this.stale = false;
		try {
			const raw = await this.own("tools");
			if (!this.ended) await this.parts.onTools(raw);
		} catch (error) {
			this.stale = true;
			throw error;
		}
	}

	private async prompts(): Promise<void> {
		this.parts.onPrompts(await this.own("prompts"));
	}

	/** Returns [] if the server does not announce the capability. */
	private async own(what: "tools" | "prompts"): Promise<unknown[]> {
		const { client, timeout: time, signal } = this.parts;
		return client.getServerCapabilities()?.[what] ? listAllPages(client, `${what}/list`, time, signal) : [];
	}
}

const FIELDS = {
	"tools/list": "tools",
	"prompts/list": "prompts",
	"resources/list": "resources",
	"resources/templates/list": "resourceTemplates",
} as const;

const Page = z.looseObject({ nextCursor: z.string().optional() });
const PAGES = 64;
const ITEMS = 10_000;

/** `time` in milliseconds for each page. Throws RequestTimeoutError after that. */
export async function listAllPages(client: Client, method: keyof typeof FIELDS, time: number, signal: AbortSignal): Promise<unknown[]> {
	const all: unknown[] = [];
	let cursor: string | undefined;
	for (let page = 0; page < PAGES; page += 1) {
		const params = cursor === undefined ? {} : { cursor };
		const result = await client.request({ method, params }, Page, { timeout: time, signal }).catch((error: unknown) => {
			throw isRequestTimeout(error) ? new RequestTimeoutError(time) : error;
		});
		const items: unknown = result[FIELDS[method]];
		if (!Array.isArray(items)) throw new UserError(t("the response to {0} is invalid", method));
		all.push(...items.slice(0, ITEMS - all.length));
		cursor = result.nextCursor;
		if (cursor === undefined || all.length >= ITEMS) break;
	}
	return all;
}
