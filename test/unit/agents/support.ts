// Helpers for catalog tests: agent sources made from text.
import { createHash } from "node:crypto";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import { type AgentSources, buildCatalog } from "../../../src/agents/catalog.ts";
import type { DefinitionFile, WorkspaceDefinitionFile } from "../../../src/agents/definitionFile.ts";
import type { AgentCatalog } from "../../../src/core/agent.ts";
import { MAIN_AGENT } from "../../../src/core/role.ts";
import { scopeLists } from "../../../src/gate/scopeList.ts";

export function bytesOf(content: unknown): Uint8Array {
	return content instanceof Uint8Array ? content : Buffer.from(typeof content === "string" ? content : JSON.stringify(content));
}

export function file(path: string, content: unknown): DefinitionFile {
	return { path, bytes: bytesOf(content) };
}

export function brought(path: string, content: unknown, state: WorkspaceDefinitionFile["state"] = "approved"): WorkspaceDefinitionFile {
	const bytes = bytesOf(content);
	const format = path.startsWith(".claude") ? "claude" : path.startsWith(".github") ? "github" : "troupe";
	return { path, bytes, format, state, hash: createHash("sha256").update(bytes).digest("hex") };
}

/** Without the main agent, which is always there. */
export async function catalogOf(sources: Partial<AgentSources>): Promise<AgentCatalog> {
	const roles = builtinRoles.map(({ id }) => id);
	const catalog = await buildCatalog({
		settings: [],
		files: [],
		workspace: [],
		subagents: [],
		displayPath: (path) => path,
		roles,
		scopeLists,
		...sources,
	});
	return { ...catalog, agents: catalog.agents.filter(({ definition }) => definition.agentId !== MAIN_AGENT) };
}

/** The one definition that is neither built in nor broken. */
export async function whatBecomesOf(sources: Partial<AgentSources>, agentId: string) {
	const { agents, broken } = await catalogOf(sources);
	const found = agents.find(({ definition }) => definition.agentId === agentId);
	return found ?? { problem: broken.find(({ label }) => label === agentId)?.problem };
}

export const agent = (agentId: string, rest: object = {}) => ({ agentId, displayName: agentId.toUpperCase(), ...rest });
export const ids = (agents: readonly { definition: { agentId: string } }[]): string[] => agents.map(({ definition }) => definition.agentId);
