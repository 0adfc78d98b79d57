// A server as one session sees it: the tools as the person accepted them, and those that have become something else since.
import type { McpHost, McpToolDefinition, McpToolsChange } from "../core/ports/mcp.ts";
import type { Tool } from "../core/ports/tool.ts";
import type { Connection } from "./connection.ts";
import type { Definition, Listed, Refused } from "./definitions.ts";
import { resourceTools } from "./resources.ts";
import { serverTool } from "./tools.ts";
import { serverHash } from "./wire/canonicalJson.ts";

/** Questions to the person; what changes after them stays off until the server is started anew by hand. */
const QUESTIONS = 5;

interface ServedParts {
	host: Pick<McpHost, "isReadOnly" | "knownTools" | "log">;
	/** Asks the person, once for all sessions. */
	approve(change: McpToolsChange): Promise<boolean>;
	changed(): void;
}

export class Served {
	readonly session: string;
	/** Set right after: the two know each other. */
	connection!: Connection;
	refused: readonly Refused[] = [];
	/** By the server's name for it: what a call may run as. */
	private readonly accepted = new Map<string, McpToolDefinition>();
	private current = new Map<string, Definition>();
	private readonly cache = new Map<string, { tool: Tool; readOnly: boolean }>();
	private readonly asked = new Set<string>();
	private questions = 0;
	private asking: Promise<void> | undefined;
	private readonly parts: ServedParts;

	constructor(session: string, parts: ServedParts) {
		this.session = session;
		this.parts = parts;
	}

	/** What it offers now: the same object for the same tool. */
	tools(): Tool[] {
		const own = this.definitions().filter((definition) => this.isAccepted(definition));
		const tools = own.map((definition) => this.kept(definition, () => serverTool(this, definition, this.isReadOnly(definition))));
		if (!this.connection.hasResources) return tools;
		const names = new Set([...this.current.values()].map(({ name }) => name));
		for (const { definition, build } of resourceTools(this.connection)) {
			// The server's own tool of that name goes first.
			if (!names.has(definition.name)) tools.push(this.kept(definition, () => build(this.isReadOnly(definition))));
		}
		return tools;
	}

	definitions(): Definition[] {
		return [...this.current.values()];
	}

	/** Those that are off because they changed. */
	changes(): Definition[] {
		return this.definitions().filter((definition) => !this.isAccepted(definition));
	}

	isReadOnly({ tool, hash }: Definition): boolean {
		return this.parts.host.isReadOnly(this.connection.config.id, tool, hash);
	}

	/** Whether a call of that tool runs what it was when it was offered. */
	isStill({ tool, hash }: Definition): boolean {
		return this.current.get(tool)?.hash === hash && this.accepted.get(tool)?.hash === hash;
	}

	async listed({ definitions, refused }: Listed): Promise<void> {
		const { id } = this.connection.config;
		// What this session knows is what counts: a server that has changed meanwhile is not met for the first time.
		const shown = new Map(definitions.map((definition) => [definition.tool, this.accepted.get(definition.tool) ?? definition.shown]));
		const known = await this.parts.host.knownTools(id, serverHash(this.connection.config), shown);
		this.current = new Map(definitions.map((definition) => [definition.tool, definition]));
		this.refused = refused;
		for (const { tool, hash } of definitions) {
			const before = known.get(tool);
			// The person may have allowed it in another session.
			if (before && (before.hash === hash || !this.accepted.has(tool))) this.accepted.set(tool, before);
		}
		this.parts.changed();
		this.asking ??= this.ask()
			.catch((error: unknown) => this.parts.host.log(String(error)))
			.finally(() => {
				this.asking = undefined;
			});
	}

	private isAccepted({ tool, hash }: Definition): boolean {
		return this.accepted.get(tool)?.hash === hash;
	}

	private kept(definition: Definition, build: () => Tool): Tool {
		const readOnly = this.isReadOnly(definition);
		const known = this.cache.get(definition.name);
		if (known && known.readOnly === readOnly && known.tool.external?.definitionHash === definition.hash) return known.tool;
		const tool = build();
		this.cache.set(definition.name, { tool, readOnly });
		return tool;
	}

	/** All that have changed in one question, and again while the answer is waited for. */
	private async ask(): Promise<void> {
		const { config } = this.connection;
		while (this.questions < QUESTIONS) {
			const changed = this.changes().flatMap((after) => {
				const before = this.accepted.get(after.tool);
				return before && !this.asked.has(`${after.tool} ${after.hash}`) ? [{ before, after }] : [];
			});
			if (changed.length === 0) return;
			this.questions += 1;
			for (const { after } of changed) this.asked.add(`${after.tool} ${after.hash}`);
			const tools = changed.map(({ before, after: { name, tool, shown } }) => ({ name, tool, before, after: shown }));
			const change = { server: { id: config.id, name: config.name }, approved: serverHash(config), tools };
			if (!(await this.parts.approve(change))) continue;
			for (const { after } of changed) this.accepted.set(after.tool, after.shown);
			this.parts.changed();
		}
	}
}
