// Callers, task types and an independent oracle for the tools that a task may run.
import { builtinTaskTypes } from "../../../src/agents/subagents/builtinTypes.ts";
import { type AgentDefinition, PERMISSIONS, type Permission, type Role } from "../../../src/core/role.ts";
import { type Asking, grid, mayRun, passes, TEMPTING } from "../scopeGrid.ts";

/** A type as its SUBAGENT.md says it. */
export interface WrittenType {
	name: string;
	permissions?: readonly Permission[];
	tools?: readonly string[];
}

/** Names of built-in types that only read, and so have no other permission. Those of tools are as their types say. */
const READERS = ["explore", "plan"];

export const BUILTIN_TYPES: readonly WrittenType[] = builtinTaskTypes.map(({ name, tools }) => ({
	name,
	...(READERS.includes(name) && { permissions: ["ReadFiles"] }),
	...(tools && { tools }),
}));

/** Types of the person, most of which ask for what their callers lack. */
export const OWN_TYPES: readonly WrittenType[] = [
	{ name: "greedy", permissions: PERMISSIONS, tools: ["*", "agents_*", "spawn_subagent", "tasks.*"] },
	{ name: "web", permissions: ["ReadFiles", "Network", "ExternalTools"], tools: ["{read,search}_*", "web_fetch", "mcp__*"] },
	{ name: "none", permissions: [], tools: [] },
];

/** A type that the workspace brings, and the person has approved. */
export const THEIR_TYPE: WrittenType = {
	name: "theirs",
	permissions: ["ReadFiles", "WriteFiles", "CreateFiles", "ExecuteCommands", "Delegate"],
};

export function writeType({ name, permissions, tools }: WrittenType, prompt = `You do ${name}.`): string {
	const lists = [permissions && `permissions: [${permissions.join(", ")}]`, tools && `tools: ${JSON.stringify(tools)}`];
	return ["---", `name: ${name}`, "description: For the attack.", ...lists.filter(Boolean), "---", prompt, ""].join("\n");
}

export interface CallingAgent {
	agent: AgentDefinition;
	/** The role in which it starts tasks, and the one in which it resumes them. */
	roles: readonly [string, string];
}

const SERVERS = [undefined, ["things"], ["other", "things"], []];
const ROLES: readonly (readonly [string, string])[] = [
	["actor", "planner"],
	["commander", "watcher"],
	["actor", "typist"],
	["outside", "relay"],
	["watcher", "actor"],
	["planner", "commander"],
	["sender", "actor"],
	["actor", "reviewer"],
];

/** Most may start tasks, whatever else their lists forbid. The last one is `main`, whose tasks have no lists. */
export function callingAgents(count: number): CallingAgent[] {
	const found = grid(count * 3)
		.slice(-count)
		.map(({ agent }, index): CallingAgent => {
			const { toolAllowlist, capabilityAllowlist, toolDenylist, capabilityDenylist, ...others } = agent;
			const servers = SERVERS[index % SERVERS.length];
			const starts = index % 6 !== 5;
			const denied = starts ? without(toolDenylist, "spawn_subagent") : toolDenylist;
			const deniedCapabilities = starts ? without(capabilityDenylist, "tasks.start") : capabilityDenylist;
			return {
				roles: ROLES[index % ROLES.length] as CallingAgent["roles"],
				agent: {
					...others,
					optIn: ["tasks"],
					...(toolAllowlist && { toolAllowlist: starts ? [...toolAllowlist, "spawn_subagent", "resume_task"] : toolAllowlist }),
					...(capabilityAllowlist && { capabilityAllowlist: starts ? [...capabilityAllowlist, "tasks.*"] : capabilityAllowlist }),
					...(denied && { toolDenylist: denied }),
					...(deniedCapabilities && { capabilityDenylist: deniedCapabilities }),
					...(servers && { mcpServers: servers }),
				},
			};
		});
	const main: AgentDefinition = {
		agentId: "main",
		displayName: "Main",
		freshTasks: true,
		optIn: ["tasks"],
		toolAllowlist: ["spawn_subagent", "resume_task"],
		mcpServers: ["things"],
		toolExposure: "skills",
	};
	return [...found, { agent: main, roles: ["actor", "planner"] }];
}

function without(list: readonly string[] | null | undefined, name: string): readonly string[] | undefined {
	const kept = (list ?? []).filter((pattern) => passes(undefined, [pattern], name));
	return kept.length > 0 ? kept : undefined;
}

/** What a role hands to those that it starts or resumes. */
export function ceilingOf({ permissions, ceiling = permissions }: Role): readonly Permission[] {
	return ceiling;
}

interface Task {
	caller: AgentDefinition;
	type: WrittenType;
	/** What all of its callers had. */
	ceiling: readonly Permission[];
}

/** Servers' tools are there for the agents that name the server. */
export function theirsFor({ mcpServers = [] }: Pick<AgentDefinition, "mcpServers">): Asking["theirs"] {
	return TEMPTING.filter(({ name }) => !/^mcp__(things|other)__/.test(name) || mcpServers.includes(name.split("__")[1] as string));
}

/** Index in TEMPTING, in place of the one among those that an agent has. */
export function mayRunOf(asking: Asking, name: string): string | undefined {
	const found = mayRun(asking, name);
	const [, index] = /^theirs:(\d+)$/.exec(found ?? "") ?? [];
	return index === undefined ? found : `theirs:${TEMPTING.indexOf(asking.theirs[Number(index)] as Asking["theirs"][number])}`;
}

/** What a call by that name may run in a task, if anything. */
export function taskMayRun(
	{ caller, type, ceiling }: Task,
	ours: Asking["ours"],
	roles: readonly Role[],
	name: string,
): string | undefined {
	const allowed = type.permissions ?? PERMISSIONS;
	const plans = allowed.every((permission) => permission === "ReadFiles" || permission === "Delegate");
	const role = roles.find(({ id }) => id === (plans ? "planner" : "actor")) as Role;
	const permissions = role.permissions.filter((permission) => allowed.includes(permission) && ceiling.includes(permission));
	const { agentId, optIn: _, toolExposure, mcpServers, ...lists } = caller;
	const own = agentId === "main" ? {} : { ...lists, ...(toolExposure && { toolExposure }), ...(mcpServers && { mcpServers }) };
	const agent: AgentDefinition = { ...own, agentId: `task-${type.name}`, displayName: type.name, optIn: ["task"] };
	const asking = { agent, role: { ...role, permissions }, ours, theirs: theirsFor(agent), pluginsOff: [] };
	const found = mayRunOf(asking, name);
	if (found === undefined) return undefined;
	const tool = found.startsWith("ours:")
		? ours.find((one) => `ours:${one.name}` === found)
		: TEMPTING[Number(found.slice("theirs:".length))];
	if (!tool) return undefined;
	const exempt = !tool.external && (tool.name.startsWith("system_") || tool.plugin === "plan" || tool.plugin === "task");
	if (exempt) return found;
	if (tool.capabilities.some((capability) => /^(agents|tasks|memory)\./.test(capability))) return undefined;
	return passes(type.tools, undefined, tool.name) ? found : undefined;
}
