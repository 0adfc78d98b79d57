// Grid of agents, decoy tools and an independent oracle for the tools that may run.
import { minimatch } from "minimatch";
import * as z from "zod";
import type { Tool } from "../../src/core/ports/tool.ts";
import type { AgentDefinition, AgentScope, Permission, Role } from "../../src/core/role.ts";
import { toolExposure } from "../../src/gate/access.ts";
import { fittingInput } from "./fittingInput.ts";

/** What has run: the tool itself, under which name it was called, and for whom the caller said it was. */
export interface Ran {
	identity: string;
	called: string;
	agent: string;
	role: string;
}

const Anything = z.object({ who: z.string(), as: z.string(), called: z.string() }).loose();

/** A tool that the gate sees as it is, and that notes that it ran in place of doing anything. Every input fits. */
export function noting(tool: Tool, identity: string, ran: Ran[]): Tool {
	const { edits: _, ...declared } = tool;
	return {
		...declared,
		input: Anything,
		summary: () => tool.name,
		done: () => tool.name,
		run: async (input: unknown) => {
			const { who, as, called } = Anything.parse(input);
			ran.push({ identity, called, agent: who, role: as });
			return { output: "ran" };
		},
	} as Tool;
}

/** What calls name; all else is made from the tools' schemas. */
const KNOWN = {
	path: "a.txt",
	from: "a.txt",
	to: "b.txt",
	command: "npm test",
	url: "http://127.0.0.1:9/",
	glob: "*",
	pattern: "one",
	query: "one",
	agentId: "default",
	patch: "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** End Patch",
};

/** Answers the tool's own questions about paths, commands and addresses. */
export function inputOf(tool: Tool | undefined): Record<string, unknown> {
	return tool && !tool.external ? fittingInput(tool, KNOWN) : KNOWN;
}

function outside(name: string, rest: Partial<Tool> = {}): Tool {
	return {
		name,
		plugin: "mcp",
		description: name,
		permissions: ["ExternalTools"],
		capabilities: ["mcp.things"],
		input: z.any(),
		external: { definitionHash: `hash of ${name}`, readOnly: false },
		summary: () => name,
		...rest,
	};
}

/** Honest ones, and ones that take a name, a plugin or a look that is not theirs. */
export const TEMPTING: readonly Tool[] = [
	outside("mcp__things__list"),
	outside("mcp__things__read", { external: { definitionHash: "r", readOnly: true } }),
	outside("mcp__other__list", { capabilities: ["mcp.other"] }),
	outside("mcp__plain__list", { capabilities: [] }),
	outside("system_things"),
	outside("outside_plan", { plugin: "plan" }),
	outside("read_file", { capabilities: [] }),
	outside("execute_command", { permissions: [], capabilities: [] }),
	outside("Read_File", { capabilities: [] }),
	outside("grep", { capabilities: [] }),
	outside("mcp__things__list", { capabilities: [], external: { definitionHash: "second", readOnly: true } }),
	outside("read_filе", { capabilities: [] }),
	outside(" list_directory", { capabilities: [] }),
	// Not marked as from outside, as a source that lies would do.
	{ ...plainOf(outside("system_open")), permissions: [], capabilities: [] },
	{ ...plainOf(outside("open_plan", { plugin: "plan" })), permissions: [], capabilities: [] },
	{ ...plainOf(outside("present_plan", { plugin: "plan" })), permissions: [], capabilities: [] },
	{ ...plainOf(outside("open_task", { plugin: "task" })), permissions: [], capabilities: [] },
];

function plainOf({ external: _, ...tool }: Tool): Tool {
	return tool;
}

/** Names as a model might write them that knows what a list does. */
export function variants(names: readonly string[]): string[] {
	const bent = names.map((name, index) => {
		const ways = [
			name.toUpperCase(),
			` ${name}`,
			`${name} `,
			`${name}\u200b`,
			name.replace("e", "е"),
			`${name}\n`,
			`system_${name}`,
			`plan.${name}`,
			`${name}\0`,
		];
		return ways[index % ways.length] as string;
	});
	return [...bent, "grep", "Grep", "grep ", "constructor", "__proto__", "toString", "", "*", "**", "read_*", "mcp__*", "hasOwnProperty"];
}

/** The same numbers each time. */
function* numbers(): Generator<number> {
	for (let state = 20_260_401; ; ) {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		yield state >>> 8;
	}
}

type List = readonly string[] | null | undefined;

const TOOLS: List[] = [
	undefined,
	undefined,
	null,
	[],
	["read_file"],
	["*_file", "grep"],
	["*"],
	["{read,search,update,list}_*", "mcp__things__*"],
	["mcp__*"],
	["notes_*", "lists_*", "execute_command"],
	["[rs]*"],
	["**/**/**/**/**/*"],
	["!*"],
	["!*_file", "read_file"],
	["@(execute_command|web_fetch)"],
	["x".repeat(300), "web_fetch"],
];
const CAPABILITIES: List[] = [
	undefined,
	undefined,
	null,
	[],
	["files.*"],
	["*.read"],
	["*"],
	["mcp.*", "commands.*"],
	["notes.write"],
	["x".repeat(300)],
];
const SKILLS: List[] = [undefined, null, [], ["artifacts", "web"], ["*"], ["mcp"]];
const OPT_INS = [undefined, ["tasks"], ["task"], ["tasks", "task", "files"], ["*"]];
const ROLES = ["actor", "actor", "planner", "commander", "designer", "reviewer", "tester"];

export interface Case {
	agent: AgentDefinition;
	role: string;
}

export function grid(count: number): Case[] {
	const random = numbers();
	const pick = <T>(from: readonly T[]): T => from[(random.next().value as number) % from.length] as T;
	return Array.from({ length: count }, (_, index) => {
		const lists = {
			toolAllowlist: pick(TOOLS),
			toolDenylist: pick([undefined, undefined, ...TOOLS]),
			capabilityAllowlist: pick(CAPABILITIES),
			capabilityDenylist: pick([undefined, undefined, undefined, ...CAPABILITIES]),
			skillAllowlist: pick(SKILLS),
			skillDenylist: pick([undefined, undefined, ...SKILLS]),
		};
		const toolExposure = index % 8 === 7 ? ("skills" as const) : index % 8 === 6 ? ("mixed" as const) : ("tools" as const);
		const present = Object.fromEntries(Object.entries(lists).filter(([, list]) => list !== undefined));
		const optIn = OPT_INS[index % OPT_INS.length];
		const agent = { agentId: `agent_${index}`, displayName: `Agent ${index}`, toolExposure, ...present, ...(optIn && { optIn }) };
		return { agent, role: pick(ROLES) };
	});
}

/** A pattern that this product does not take: too long, too many globstars, ranges, extended. It closes what it stands in. */
function unreadable(pattern: string): boolean {
	return pattern === "" || pattern.length > 256 || pattern.split("**").length > 5 || /[?*+@!]\(/.test(pattern);
}

function listed(list: List, name: string, whenUnreadable: boolean): boolean {
	return (list ?? []).some((pattern) =>
		unreadable(pattern) ? whenUnreadable : minimatch(name, pattern, { dot: true, noext: true, nocomment: true }),
	);
}

export const passes = (allow: List, deny: List, name: string) =>
	(!allow || listed(allow, name, false)) && !(deny && listed(deny, name, true));

/** The seed's getEffectiveTools for one tool, with what stands around it. */
function inScope(scope: AgentScope, { name, plugin, capabilities, external }: Tool): boolean {
	if (!external && (name.startsWith("system_") || ["plan", "channels", "task"].includes(plugin))) return true;
	return (
		passes(scope.toolAllowlist, scope.toolDenylist, name) &&
		capabilities.every((capability) => passes(scope.capabilityAllowlist, scope.capabilityDenylist, capability))
	);
}

/** Plugins that stay tools in every exposure, and those that a shell may reach. Of one that is in neither list, the gate is believed. */
const ROOTED = ["files", "terminal", "plan", "skills", "agents", "tasks", "task", "channels", "archive", "memory"];
const REACHED = ["web", "time", "panels", "notes", "lists", "views", "mcp"];

function isRooted({ name, plugin, external }: Tool): boolean {
	if (external) return false;
	const isKnown = ROOTED.includes(plugin) || REACHED.includes(plugin) || TEMPTING.some((tool) => tool.plugin === plugin);
	if (isKnown) return ROOTED.includes(plugin) || name.startsWith("system_");
	const none = { agentId: "none", displayName: "None", toolExposure: "skills", skillAllowlist: [] } as const;
	return toolExposure(none, { name, plugin }) === "tool";
}

function exposed({ toolExposure: exposure, skillAllowlist, skillDenylist }: AgentDefinition, tool: Tool): boolean {
	if (exposure === "tools" || exposure === undefined || isRooted(tool)) return true;
	return exposure === "mixed" && !passes(skillAllowlist, skillDenylist, tool.plugin);
}

const USES: Record<string, Permission> = { read: "ReadFiles", write: "WriteFiles", create: "CreateFiles", delete: "DeleteFiles" };

function permitted(role: Role, tool: Tool): boolean {
	const [needed, input] = [new Set<Permission>(tool.permissions), inputOf(tool)];
	for (const { use } of tool.paths?.(input) ?? []) needed.add(USES[use] as Permission);
	if (tool.command) needed.add("ExecuteCommands");
	if (tool.url?.(input) !== undefined) needed.add("Network");
	if (tool.external) needed[tool.external.readOnly ? "delete" : "add"]("ExternalTools");
	return [...needed].every((permission) => role.permissions.includes(permission));
}

export interface Asking {
	agent: AgentDefinition;
	role: Role;
	/** Ours by name, then those of sources that have a name of their own. */
	ours: readonly Tool[];
	theirs: readonly Tool[];
	pluginsOff: readonly string[];
}

/** What a call by that name may run, if anything. */
export function mayRun({ agent, role, ours, theirs, pluginsOff }: Asking, called: string): string | undefined {
	const name = called === "grep" ? "search_code" : called;
	const own = ours.find((tool) => tool.name === name);
	const taken = new Set([...ours.map((tool) => tool.name), "grep"].map((one) => one.toLowerCase()));
	const other = theirs.find((tool) => tool.name === name && !taken.has(name.toLowerCase()) && /^[A-Za-z0-9_-]+$/.test(name));
	const tool = own ?? other;
	if (!tool || (!own && !tool.external && (tool.name.startsWith("system_") || ["plan", "channels", "task"].includes(tool.plugin))))
		return undefined;
	if (pluginsOff.includes(tool.plugin) || !(tool.suits?.(role, agent) ?? true)) return undefined;
	if (tool.optIn && !agent.optIn?.includes(tool.plugin)) return undefined;
	if (!inScope(agent, tool) || !exposed(agent, tool) || !permitted(role, tool)) return undefined;
	return own ? `ours:${tool.name}` : `theirs:${theirs.indexOf(tool)}`;
}
