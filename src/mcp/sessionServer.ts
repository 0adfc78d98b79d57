// One session's view of an MCP server: its accepted tools, and later changes to them.
import type { McpHost, McpToolChanges, McpToolDefinition } from "../core/ports/mcp.ts";
import type { Tool } from "../core/ports/tool.ts";
import { hashServer } from "./canonicalJson.ts";
import type { ServerConnection } from "./connection.ts";
import type { RefusedTool, ServerToolDefinition, ToolListing } from "./definitions.ts";
import { createResourceTools } from "./resources.ts";
import { createServerTool } from "./tools.ts";

/** Maximum questions to the user; later changes stay off until the server is restarted manually. */
const QUESTIONS = 5;

interface ServedParts {
	host: Pick<McpHost, "isReadOnly" | "knownTools" | "log">;
	/** Asks the user, once for all sessions. */
	approve(change: McpToolChanges): Promise<boolean>;
	changed(): void;
}

export class SessionServer {
	readonly session: string;
	/** Assigned right after construction, since the two refer to each other. */
	connection!: ServerConnection;
	refusedTools: readonly RefusedTool[] = [];
	/** Accepted definitions, by the server's name for the tool. */
	private readonly accepted = new Map<string, McpToolDefinition>();
	private current = new Map<string, ServerToolDefinition>();
	private readonly cache = new Map<string, { tool: Tool; readOnly: boolean }>();
	private readonly asked = new Set<string>();
	private questions = 0;
	private asking: Promise<void> | undefined;
	private readonly parts: ServedParts;

	constructor(session: string, parts: ServedParts) {
		this.session = session;
		this.parts = parts;
	}

	/** Returns the offered tools; unchanged tools are the same objects. */
	tools(): Tool[] {
		const own = this.definitions().filter((definition) => this.isAccepted(definition));
		const tools = own.map((definition) => this.kept(definition, () => createServerTool(this, definition, this.isReadOnly(definition))));
		if (!this.connection.hasResources) return tools;
		const names = new Set([...this.current.values()].map(({ name }) => name));
		for (const { definition, build } of createResourceTools(this.connection)) {
			// The server's own tool of that name takes precedence.
			if (!names.has(definition.name)) tools.push(this.kept(definition, () => build(this.isReadOnly(definition))));
		}
		return tools;
	}

	definitions(): ServerToolDefinition[] {
		return [...this.current.values()];
	}

	/** Tools that are off because they changed. */
	changedTools(): ServerToolDefinition[] {
		return this.definitions().filter((definition) => !this.isAccepted(definition));
	}

	isReadOnly({ toolName: tool, hash }: ServerToolDefinition): boolean {
		return this.parts.host.isReadOnly(this.connection.config.id, tool, hash);
	}

	/** Returns true if the tool still has the definition that was offered. */
	isUnchanged({ toolName: tool, hash }: ServerToolDefinition): boolean {
		return this.current.get(tool)?.hash === hash && this.accepted.get(tool)?.hash === hash;
	}

	async updateTools({ definitions, refused }: ToolListing): Promise<void> {
		const { id } = this.connection.config;
		// Definitions accepted in this session take precedence: a server that changed meanwhile is not a new one.
		const shown = new Map(
			definitions.map((definition) => [definition.toolName, this.accepted.get(definition.toolName) ?? definition.displayDefinition]),
		);
		const known = await this.parts.host.knownTools(id, hashServer(this.connection.config), shown);
		this.current = new Map(definitions.map((definition) => [definition.toolName, definition]));
		this.refusedTools = refused;
		for (const { toolName: tool, hash } of definitions) {
			const before = known.get(tool);
			// The user may have allowed it in another session.
			if (before && (before.hash === hash || !this.accepted.has(tool))) this.accepted.set(tool, before);
		}
		this.parts.changed();
		this.asking ??= this.ask()
			.catch((error: unknown) => this.parts.host.log(String(error)))
			.finally(() => {
				this.asking = undefined;
			});
	}

	private isAccepted({ toolName: tool, hash }: ServerToolDefinition): boolean {
		return this.accepted.get(tool)?.hash === hash;
	}

	private kept(definition: ServerToolDefinition, build: () => Tool): Tool {
		const readOnly = this.isReadOnly(definition);
		const known = this.cache.get(definition.name);
		if (known && known.readOnly === readOnly && known.tool.external?.definitionHash === definition.hash) return known.tool;
		const tool = build();
		this.cache.set(definition.name, { tool, readOnly });
		return tool;
	}

	/** Asks about all changed tools at once, and again if more change meanwhile. */
	private async ask(): Promise<void> {
		const { config } = this.connection;
		while (this.questions < QUESTIONS) {
			const changed = this.changedTools().flatMap((after) => {
				const before = this.accepted.get(after.toolName);
				return before && !this.asked.has(`${after.toolName} ${after.hash}`) ? [{ before, after }] : [];
			});
			if (changed.length === 0) return;
			this.questions += 1;
			for (const { after } of changed) this.asked.add(`${after.toolName} ${after.hash}`);
			const tools = changed.map(({ before, after: { name, toolName: tool, displayDefinition: shown } }) => ({
				name,
				tool,
				before,
				after: shown,
			}));
			const change = { server: { id: config.id, name: config.name }, approved: hashServer(config), tools };
			if (!(await this.parts.approve(change))) continue;
			for (const { after } of changed) this.accepted.set(after.toolName, after.displayDefinition);
			this.parts.changed();
		}
	}
}
