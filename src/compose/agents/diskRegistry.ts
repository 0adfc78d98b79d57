// The registry of agents over real files, without an editor: what it reads, and where it keeps what people make.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { catalogBuilder } from "../../agents/catalog.ts";
import { parseDefinition } from "../../agents/definitions.ts";
import { createRegistry, type LoadedRegistry } from "../../agents/registry.ts";
import type { Role } from "../../core/permissions.ts";
import { changeAgent, createAgentFile, readAgentFiles, removeAgent } from "../../storage/agents/agentFiles.ts";
import { createWorkspaceAgents } from "../../storage/agents/agentFilesWorkspace.ts";
import { AGENTS_FOLDER, changePreference, readPreferences } from "../../storage/agents/preferences.ts";

export interface RegistryPlace {
	/** The extension's global storage. */
	shared: string;
	settings(): { agents: readonly unknown[]; roles: readonly Pick<Role, "id">[] };
	/** Absolute paths of the workspace folders. */
	folders(): readonly string[];
	/** What nobody has trusted is not even read. */
	trusted(): boolean;
	/** How a person would name a file. */
	placeOf(path: string): string;
	log(line: string): void;
}

export function diskRegistry({ shared, settings, folders, trusted, placeOf, log }: RegistryPlace): Promise<LoadedRegistry> {
	const own = join(shared, AGENTS_FOLDER);
	const workspace = createWorkspaceAgents(shared, folders);
	const buildCatalog = catalogBuilder();
	return createRegistry({
		async load() {
			const [files, brought] = await Promise.all([readAgentFiles(own), trusted() ? workspace.read() : []]);
			const { agents, roles } = settings();
			return buildCatalog({ settings: agents, files, workspace: trusted() ? brought : [], placeOf, roles: roles.map(({ id }) => id) });
		},
		problemsOf(entry) {
			const parsed = parseDefinition(entry);
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
