// The registry of agents over real files, without an editor: what it reads, and where it keeps what people make.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { createCatalogBuilder } from "../agents/catalog.ts";
import { parseDefinition } from "../agents/definitions.ts";
import { createAgentRegistry, type LoadedAgentRegistry } from "../agents/registry.ts";
import type { Role } from "../core/role.ts";
import { scopeLists } from "../gate/scopeList.ts";
import { changeAgent, createAgentFile, readAgentFiles, removeAgent } from "../storage/agents/agentFiles.ts";
import { AGENTS_FOLDER, changePreference, readPreferences } from "../storage/agents/preferences.ts";
import { createWorkspaceAgents } from "../storage/agents/workspaceAgents.ts";

export interface DiskAgentRegistryOptions {
	/** The extension's global storage. */
	globalStorage: string;
	settings(): { agents: readonly unknown[]; roles: readonly Pick<Role, "id">[] };
	/** Absolute paths of the workspace folders. */
	folders(): readonly string[];
	/** What nobody has trusted is not even read. */
	isTrusted(): boolean;
	/** How a person would name a file. */
	displayPath(path: string): string;
	log(line: string): void;
}

export function createDiskAgentRegistry({
	globalStorage: shared,
	settings,
	folders,
	isTrusted: trusted,
	displayPath: placeOf,
	log,
}: DiskAgentRegistryOptions): Promise<LoadedAgentRegistry> {
	const own = join(shared, AGENTS_FOLDER);
	const workspace = createWorkspaceAgents(shared, folders);
	const buildCatalog = createCatalogBuilder();
	return createAgentRegistry({
		async load() {
			const [files, brought] = await Promise.all([readAgentFiles(own), trusted() ? workspace.read() : []]);
			const { agents, roles } = settings();
			return buildCatalog({
				settings: agents,
				files,
				workspace: trusted() ? brought : [],
				displayPath: placeOf,
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
		files: {
			create: (agentId, entry) => createAgentFile(own, agentId, entry),
			change: (agentId, change) => changeAgent(own, agentId, change),
			remove: (agentId) => removeAgent(own, agentId),
		},
		approvals: workspace,
		preferences: {
			lastUsed: async () => (await readPreferences(own)).lastUsedAgentId,
			used: (agentId) => changePreference(own, "lastUsedAgentId", () => agentId),
		},
		newId: () => `agent-${Date.now()}-${randomBytes(3).toString("hex")}`,
		now: () => new Date(),
		log,
	});
}
