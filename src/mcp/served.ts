// A server as one session sees it: the tools it knew first, and those that have become something else since.
import type { McpHost, McpToolChange } from "../core/mcp.ts";
import type { Tool } from "../core/tool.ts";
import type { Connection } from "./connection.ts";
import type { Definition, Listed, Refused } from "./definitions.ts";
import { resourceTools } from "./resources.ts";
import { serverTool } from "./tools.ts";

/** Changes the person is asked about; what is more stays off until the server is started anew by hand. */
const QUESTIONS = 5;

export class Served {
	readonly session: string;
	/** Set right after: the two know each other. */
	connection!: Connection;
	refused: readonly Refused[] = [];
	/** By the server's name for it: what a call may run as. */
	private readonly accepted = new Map<string, Definition>();
	private current = new Map<string, Definition>();
	private readonly cache = new Map<string, { tool: Tool; readOnly: boolean }>();
	private readonly asked = new Set<string>();
	private asking: Promise<void> = Promise.resolve();
	private readonly host: McpHost;
	private readonly changed: () => void;

	constructor(session: string, host: McpHost, changed: () => void) {
		this.session = session;
		this.host = host;
		this.changed = changed;
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
		return this.host.isReadOnly(this.connection.config.id, tool, hash);
	}

	/** Whether a call of that tool runs what it was when it was offered. */
	isStill({ tool, hash }: Definition): boolean {
		return this.current.get(tool)?.hash === hash && this.accepted.get(tool)?.hash === hash;
	}

	listed({ definitions, refused }: Listed): void {
		this.current = new Map(definitions.map((definition) => [definition.tool, definition]));
		this.refused = refused;
		for (const definition of definitions) {
			if (!this.accepted.has(definition.tool)) this.accepted.set(definition.tool, definition);
		}
		this.changed();
		for (const definition of this.changes()) this.ask(definition);
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

	private ask(after: Definition): void {
		const before = this.accepted.get(after.tool);
		const key = `${after.tool} ${after.hash}`;
		if (!before || this.asked.has(key) || this.asked.size >= QUESTIONS) return;
		this.asked.add(key);
		const { id, name } = this.connection.config;
		const change: McpToolChange = {
			session: this.session,
			server: { id, name },
			tool: after.name,
			before: before.shown,
			after: after.shown,
		};
		this.asking = this.asking
			.then(async () => {
				if (!(await this.host.approveTool(change))) return;
				this.accepted.set(after.tool, after);
				this.changed();
			})
			.catch((error: unknown) => this.host.log(String(error)));
	}
}
