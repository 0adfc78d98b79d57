// Creates the registry from its sources: settings, the user's files, and files of trusted workspaces.
import { randomBytes } from "node:crypto";
import type { Role } from "../core/role.ts";
import { type AgentSources, createCatalogBuilder } from "./catalog.ts";
import { parseDefinition } from "./definitions.ts";
import { type AgentRegistryOptions, createAgentRegistry, type LoadedAgentRegistry } from "./registry.ts";

export interface SourceRegistryOptions {
	/** Stores the user's agents, and reads workspace definitions. */
	store: Pick<AgentRegistryOptions, "files" | "approvals" | "preferences"> & {
		readFiles(): Promise<AgentSources["files"]>;
		readWorkspace(): Promise<AgentSources["workspace"]>;
		/** The user's task types. */
		readSubagents(): Promise<AgentSources["subagents"]>;
	};
	settings(): { agents: readonly unknown[]; roles: readonly Pick<Role, "id">[] };
	/** Untrusted workspaces are not read. */
	isTrusted(): boolean;
	/** The gate's rules for scope lists. */
	scopeLists: AgentSources["scopeLists"];
	/** Returns a file's path as displayed to the user. */
	displayPath(path: string): string;
	log(line: string): void;
}

export function createSourceRegistry(options: SourceRegistryOptions): Promise<LoadedAgentRegistry> {
	const { store, settings, isTrusted, scopeLists, displayPath, log } = options;
	const buildCatalog = createCatalogBuilder();
	return createAgentRegistry({
		...store,
		async load() {
			const [files, subagents, brought] = await Promise.all([
				store.readFiles(),
				store.readSubagents(),
				isTrusted() ? store.readWorkspace() : [],
			]);
			const { agents, roles } = settings();
			return buildCatalog({
				settings: agents,
				files,
				subagents,
				workspace: isTrusted() ? brought : [],
				displayPath,
				roles: roles.map(({ id }) => id),
				scopeLists,
			});
		},
		validateEntry(entry) {
			const parsed = parseDefinition(entry, scopeLists, true);
			if ("own" in parsed) return [];
			return parsed.problems.map(({ field: [field = "", ...inner], problem }) => ({
				field: String(field),
				problem: inner.length > 0 ? `${inner.map((part) => (typeof part === "number" ? part + 1 : part)).join(".")}: ${problem}` : problem,
			}));
		},
		newId: () => `agent-${Date.now()}-${randomBytes(3).toString("hex")}`,
		now: () => new Date(),
		log,
	});
}
