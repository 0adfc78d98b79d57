// Stores agent definitions of the user and of workspaces, and the agent used last.
import { join } from "node:path";
import { changeAgent, createAgentFile, readAgentFiles, removeAgent } from "./agentFiles.ts";
import { AGENTS_FOLDER, changePreference, readPreferences } from "./preferences.ts";
import { createWorkspaceAgents, readSubagentFiles, SUBAGENTS_FOLDER } from "./workspaceAgents.ts";

type Entry = Record<string, unknown>;

/** `shared` is the extension's global storage; `folders` are absolute paths of the workspace folders, and `home` of the home folder. */
export function createAgentStore(shared: string, folders: () => readonly string[], home?: string) {
	const agentsFolder = join(shared, AGENTS_FOLDER);
	const workspace = createWorkspaceAgents(shared, folders);
	return {
		readFiles: () => readAgentFiles(agentsFolder),
		readWorkspace: () => workspace.read(),
		readSubagents: async () => (home === undefined ? [] : readSubagentFiles(join(home, SUBAGENTS_FOLDER))),
		files: {
			create: (agentId: string, entry: Entry) => createAgentFile(agentsFolder, agentId, entry),
			change: (agentId: string, change: (entry: Readonly<Entry>) => Entry) => changeAgent(agentsFolder, agentId, change),
			remove: (agentId: string) => removeAgent(agentsFolder, agentId),
		},
		approvals: workspace,
		preferences: {
			lastUsed: async () => (await readPreferences(agentsFolder)).lastUsedAgentId,
			used: (agentId: string) => changePreference(agentsFolder, "lastUsedAgentId", () => agentId),
		},
	};
}
