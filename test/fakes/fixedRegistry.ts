// A registry of definitions that nobody can change.
import { builtinTaskTypes } from "../../src/agents/subagents/builtinTypes.ts";
import type { AgentRegistry } from "../../src/core/agent.ts";
import type { AgentDefinition } from "../../src/core/role.ts";

export function fixedRegistry(agents: () => readonly AgentDefinition[]): AgentRegistry & { definitions(): readonly AgentDefinition[] } {
	const refuse = () => Promise.reject(new Error("Agents cannot be changed here."));
	let last = "";
	return {
		definitions: agents,
		catalog: () => ({
			agents: agents().map((definition) => ({ definition, source: { kind: "builtin" }, notes: [] })),
			tasks: builtinTaskTypes.map((type) => ({ type, source: { kind: "builtin" }, notes: [] })),
			broken: [],
			waiting: [],
		}),
		refresh: async () => undefined,
		onChange: () => ({ dispose: () => undefined }),
		create: refuse,
		update: refuse,
		remove: refuse,
		duplicate: refuse,
		check: () => [],
		approve: refuse,
		disapprove: refuse,
		lastUsed: () => agents().find(({ agentId }) => agentId === last)?.agentId ?? "default",
		async used(agentId) {
			if (!agents().find((agent) => agent.agentId === agentId)?.single) last = agentId;
		},
	};
}
