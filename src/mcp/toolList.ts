// Keeps what a running server offers as it says it is now: listed at the start, and again when it tells of a change.
import type { Client } from "@modelcontextprotocol/client";
import { allPages } from "./wire/pagination.ts";

export interface ListsParts {
	client: Client;
	/** Milliseconds between two lists, however often it is told. */
	pause: number;
	/** Milliseconds for each page. */
	time: number;
	signal: AbortSignal;
	/** Resolves when they are as listed. */
	tools(raw: unknown[]): Promise<void>;
	prompts(raw: unknown[]): void;
	output(line: string): void;
}

export class Lists {
	private readonly parts: ListsParts;
	/** Its tools may be others than were listed. */
	private stale = true;
	private listing: Promise<void> | undefined;
	private readonly soon = new Map<string, NodeJS.Timeout>();
	private ended = false;

	constructor(parts: ListsParts) {
		this.parts = parts;
	}

	async first(): Promise<void> {
		await this.tools();
		await this.prompts();
	}

	told(method: string): void {
		if (method === "notifications/tools/list_changed") {
			this.stale = true;
			this.after(method, () => (this.stale ? this.tools() : undefined));
		} else if (method === "notifications/prompts/list_changed") this.after(method, () => this.prompts());
	}

	/** Resolves when the tools are as it said them to be when this was asked. */
	async settled(): Promise<void> {
		// A list that was on its way may have been taken before the change.
		await this.listing?.catch(() => undefined);
		if (this.stale) await this.tools();
	}

	end(): void {
		this.ended = true;
		for (const timer of this.soon.values()) clearTimeout(timer);
	}

	private after(method: string, what: () => Promise<void> | undefined): void {
		if (this.ended || this.soon.has(method)) return;
		const timer = setTimeout(() => {
			this.soon.delete(method);
			what()?.catch((error: unknown) => this.parts.output(String(error)));
		}, this.parts.pause);
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
			if (!this.ended) await this.parts.tools(raw);
		} catch (error) {
			this.stale = true;
			throw error;
		}
	}

	private async prompts(): Promise<void> {
		this.parts.prompts(await this.own("prompts"));
	}

	/** Nothing where it does not say that it has any. */
	private async own(what: "tools" | "prompts"): Promise<unknown[]> {
		const { client, time, signal } = this.parts;
		return client.getServerCapabilities()?.[what] ? allPages(client, `${what}/list`, time, signal) : [];
	}
}
