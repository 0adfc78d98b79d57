// Computes an agent's resulting tools, and for each other tool the list that excludes it.

// The gate decides, as for calls.

import type { ScopeExclusion, ToolDeclaration } from "../../core/ports/gate.ts";
import type { McpServerStatus } from "../../core/ports/mcp.ts";
import type { AgentDefinition } from "../../core/role.ts";
import { listAllowedRoles } from "../../session/agent/sessionAgent.ts";
import type { SessionSetup } from "../../session/services.ts";
import type { ScopeExclusionGroup, ScopeGroup, ScopeSummary } from "../../shared/protocol/agents.ts";

export function computeScope(setup: SessionSetup, agent: AgentDefinition, servers: readonly McpServerStatus[]): ScopeSummary {
	const { services, policy } = setup;
	const { gate } = services.window;
	const listed = servers.filter(({ config }) => agent.mcpServers?.includes(config.id));
	const unknown = listed.filter((server) => server.tools.length === 0);
	const named = new Map([...ownTools(setup, agent), ...listed.flatMap(toolsOfServer)].map((tool) => [tool.name, tool]));
	const roles = policy.roles();
	const tools = [...named.values()].filter(({ suits }) => !suits || roles.some((role) => suits(role, agent)));
	const labels = new Map(listed.map(({ config }) => [pluginOf(config.id), config.name]));
	const groups = new Map<string, { offered: string[]; cut: Map<string, Loss> }>();
	const offered: ToolDeclaration[] = [];
	for (const tool of tools) {
		const group = groups.get(tool.plugin) ?? { offered: [], cut: new Map<string, Loss>() };
		groups.set(tool.plugin, group);
		const cut = gate.cut(agent, tool);
		if (!cut) {
			offered.push(tool);
			group.offered.push(tool.name);
			continue;
		}
		const reason = `${cut.list} ${cut.pattern ?? ""}`;
		const loss = group.cut.get(reason) ?? { ...cut, tools: [], about: new Set<string>() };
		group.cut.set(reason, loss);
		loss.tools.push(tool.name);
		if (cut.list.startsWith("capability")) loss.about.add(cut.name);
	}
	return {
		groups: [...groups].map(
			([plugin, group]): ScopeGroup => ({
				plugin,
				label: labels.get(plugin) ?? plugin,
				offered: group.offered,
				cut: [...group.cut.values()].map(
					({ list, pattern, tools, about }): ScopeExclusionGroup => ({
						list,
						...(pattern !== undefined && { pattern }),
						tools,
						capabilities: [...about],
					}),
				),
			}),
		),
		offered: offered.length,
		total: tools.length,
		roles: listAllowedRoles(policy, agent).map((role) => ({
			id: role.id,
			label: role.label,
			tools: offered.filter((tool) => gate.offers({ agent, role, tool })).length,
		})),
		shut: listed
			.filter((server) => isShut(setup, agent, server))
			.map(({ config }) => ({ name: config.name, pattern: `mcp__${config.id}__*` })),
		unknown: unknown.map(({ config }) => config.name),
		idle: idleOf(setup, agent, tools, unknown),
	};
}

/** Maximum number of patterns to check, since this runs on every keystroke. */
const LOOKED_AT = 40;

function idleOf(
	{
		services: {
			window: { gate },
		},
	}: SessionSetup,
	agent: AgentDefinition,
	tools: readonly ToolDeclaration[],
	unknown: readonly McpServerStatus[],
): string[] {
	const later = (pattern: string): boolean => unknown.some(({ config }) => pattern.startsWith(`mcp__${config.id}__`));
	// Every pattern would let through tools that are exempt from lists, and none those of plugins it doesn't take part in.
	const { optIn = [] } = agent;
	const limited = tools.filter((tool) => !gate.cut({ optIn }, tool) && gate.cut({ optIn, toolDenylist: ["*"] }, tool));
	const matches = (list: "toolAllowlist" | "toolDenylist", pattern: string): boolean =>
		limited.some((tool) => (gate.cut({ optIn, [list]: [pattern] }, tool) === undefined) === (list === "toolAllowlist"));
	return (["toolAllowlist", "toolDenylist"] as const).flatMap((list) =>
		(agent[list] ?? []).slice(0, LOOKED_AT).filter((pattern) => pattern.trim() !== "" && !later(pattern) && !matches(list, pattern)),
	);
}

type Loss = ScopeExclusion & { tools: string[]; about: Set<string> };

/** Tools available without a session: the agent's own servers report theirs once they have run. */
function ownTools({ services: { tools, sources }, policy }: SessionSetup, agent: AgentDefinition): ToolDeclaration[] {
	const off = policy.settings().pluginsOff;
	return [...tools, ...sources.flatMap((source) => source.tools(NOWHERE, agent))].filter(({ plugin }) => !off.includes(plugin));
}

/** A value that is not the ID of any session. */
const NOWHERE = "";

function toolsOfServer({ config, tools }: McpServerStatus): ToolDeclaration[] {
	return tools.map(({ name, hash, readOnly }) => ({
		name,
		plugin: pluginOf(config.id),
		permissions: [],
		capabilities: config.capabilities ?? [],
		external: { definitionHash: hash, readOnly },
	}));
}

function pluginOf(server: string): string {
	return `mcp__${server}`;
}

/** Returns true if an allow list includes none of a server's tools: easily overlooked, and the server would start for nothing. */
function isShut(
	{
		services: {
			window: { gate },
		},
	}: SessionSetup,
	agent: AgentDefinition,
	server: McpServerStatus,
): boolean {
	const known = toolsOfServer(server);
	if (known.length > 0) return known.every((tool) => gate.cut(agent, tool)?.list === "toolAllowlist");
	const begin = `mcp__${server.config.id}__`;
	const names = agent.toolAllowlist?.some((pattern) => pattern.startsWith(begin)) ?? true;
	const any = {
		name: `${begin}tool`,
		plugin: pluginOf(server.config.id),
		permissions: [],
		capabilities: [],
		external: { definitionHash: "", readOnly: false },
	};
	return !names && gate.cut(agent, any)?.list === "toolAllowlist";
}
