// Stores agent definitions of the user and of workspaces, and the agent used last.
import { join } from "node:path";
import { changeAgent, createAgentFile, readAgentFiles, removeAgent } from "./agentFiles.ts";
import { AGENTS_FOLDER, changePreference, readPreferences } from "./preferences.ts";
import { createWorkspaceAgents } from "./workspaceAgents.ts";

type Entry = Record<string, unknown>;

/** `shared` is the extension's global storage; `folders`: absolute paths of the workspace's. */
export function createAgentStore(shared: string, folders: () => readonly string[]) {
	const own = join(shared, AGENTS_FOLDER);
	const workspace = createWorkspaceAgents(shared, folders);
	return {
		readFiles: () => readAgentFiles(own),
		readWorkspace: () => workspace.read(),
		files: {
			create: (agentId: string, entry: Entry) => createAgentFile(own, agentId, entry),
			change: (agentId: string, change: (entry: Readonly<Entry>) => Entry) => changeAgent(own, agentId, change),
			remove: (agentId: string) => removeAgent(own, agentId),
		},
		approvals: workspace,
		preferences: {
			lastUsed: async () => (await readPreferences(own)).lastUsedAgentId,
			used: (agentId: string) => changePreference(own, "lastUsedAgentId", () => agentId),
		},
	};
}
