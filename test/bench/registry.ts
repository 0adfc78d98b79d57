// Measures the agent registry with 500 agents and 2,000 tools in plain Node.

// Compares the tools offered to one agent with looking 2,000 names up in a set, and the catalog of 500 files with
// reading and parsing them; also measures the tree of the agents and 200 sessions (tree.ts). Prints one line of JSON;
// all times are in milliseconds.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { builtinRoles } from "../../src/agents/builtinRoles.ts";
import { parseDefinition } from "../../src/agents/definitions.ts";
import { createDiskAgentRegistry } from "../../src/compose/diskRegistry.ts";
import { defineTool, type Tool } from "../../src/core/ports/tool.ts";
import type { Role } from "../../src/core/role.ts";
import { createGate } from "../../src/gate/gate.ts";
import { excludedBy } from "../../src/gate/scope.ts";
import { scopeLists } from "../../src/gate/scopeList.ts";
import { createWorkspaceFiles } from "../../src/platform/files/files.ts";
import { listOfferedTools } from "../../src/session/agent/sessionAgent.ts";
import { drawTree, readAll, SESSIONS, TASKS, writeSessions, writeTasks } from "./tree.ts";

const AGENTS = 500;
const TOOLS = 2_000;
const ROUNDS = 40;

const home = mkdtempSync(join(tmpdir(), "troupe-bench-registry-"));

/** Twenty plugins of a hundred tools, with two capabilities each. */
function makeTools(): Tool[] {
	return Array.from({ length: TOOLS }, (_, index) => {
		const plugin = `plugin${index % 20}`;
		return defineTool({
			name: `${plugin}_tool_${index}`,
			plugin,
			description: "Does one thing.",
			permissions: ["ReadFiles"],
			capabilities: [`${plugin}.read`, `${plugin}.${index % 3 === 0 ? "write" : "list"}`],
			input: z.object({}),
			summary: () => "One thing",
			run: async () => ({ output: "" }),
		}) as Tool;
	});
}

/** Every agent has lists of its own, so that none is compiled for another. */
function writeAgents(): void {
	const folder = join(home, "agents");
	mkdirSync(folder);
	for (let index = 0; index < AGENTS; index += 1) {
		const globs = (ending: string): string[] => Array.from({ length: 8 }, (_, at) => `plugin${(index + at) % 20}_${ending}`);
		const definition = {
			agentId: `agent-${index}`,
			displayName: `Agent ${index}`,
			description: "Made for the bench.",
			systemPrompt: "Do what you are asked.\n".repeat(20),
			toolAllowlist: [...globs("*"), ...globs("tool_1?"), `exact_${index}`],
			toolDenylist: globs(`tool_*${index % 10}`),
			capabilityAllowlist: ["plugin*.read", "plugin*.{list,write}"],
			capabilityDenylist: [`plugin${index % 20}.write`],
			...(index % 10 === 9 && { extends: `agent-${index - 1}` }),
		};
		writeFileSync(join(folder, `agent-${index}.json`), JSON.stringify(definition, undefined, "\t"));
	}
}

function open() {
	return createDiskAgentRegistry({
		globalStorage: home,
		settings: () => ({ agents: [], roles: builtinRoles }),
		folders: () => [],
		isTrusted: () => true,
		displayPath: (path) => path,
		log: (line) => {
			throw new Error(line);
		},
	});
}

async function timed(act: () => unknown): Promise<number> {
	const began = performance.now();
	await act();
	return performance.now() - began;
}

async function measure() {
	writeAgents();
	const tools = makeTools();
	const folder = join(home, "agents");
	const catalogFloor: number[] = [];
	const catalog: number[] = [];
	let registry = await open();
	for (let round = 0; round < 12; round += 1) {
		catalogFloor.push(
			await timed(() => Promise.all(readdirSync(folder).map(async (name) => JSON.parse(await readFile(join(folder, name), "utf8"))))),
		);
		catalog.push(
			await timed(async () => {
				registry = await open();
			}),
		);
	}
	const sessions = join(home, "workspace");
	await writeSessions(sessions, AGENTS);
	const treeFloor: number[] = [];
	const tree: Awaited<ReturnType<typeof drawTree>>[] = [];
	for (let round = 0; round < 12; round += 1) {
		treeFloor.push(await timed(() => readAll(folder, sessions)));
		tree.push(await drawTree(sessions, open));
		const { agents, sessions: drawn } = tree.at(-1) ?? {};
		if (agents !== AGENTS + 1 || drawn !== SESSIONS) throw new Error(`the tree has ${agents} agents and ${drawn} sessions`);
	}
	const worked = join(home, "worked");
	await writeTasks(worked);
	const tasks: typeof tree = [];
	for (let round = 0; round < 12; round += 1) {
		tasks.push(await drawTree(worked, open));
		if (tasks.at(-1)?.tasks !== TASKS) throw new Error(`the tree has ${tasks.at(-1)?.tasks} tasks`);
	}
	const definitions = registry.definitions();
	if (definitions.length !== AGENTS + 1)
		throw new Error(`there are ${definitions.length} agents: ${JSON.stringify(registry.catalog().broken[0])}`);
	const folders = () => [{ name: "bench", path: home }];
	const gate = createGate({ disk: createWorkspaceFiles(folders), folders, storage: [], parser: home });
	const role = builtinRoles.find(({ id }) => id === "actor") as Role;
	const services = {
		tools,
		aliases: {},
		sources: [],
		agents: registry.definitions,
		roles: () => builtinRoles,
		settings: () => ({ pluginsOff: [] }),
	};
	const own = { gate, workspace: {} };
	const names = tools.map(({ name }) => name);
	const known = new Set(names);
	const effective: number[] = [];
	const floor: number[] = [];
	const first: number[] = [];
	let offered = 0;
	let found = 0;
	for (const agent of definitions.slice(1, 1 + ROUNDS)) {
		const session = { sessionId: "bench", services, ...own, state: { agent: agent.agentId, role: role.id } } as unknown as Parameters<
			typeof listOfferedTools
		>[0];
		first.push(
			await timed(() => {
				offered += listOfferedTools(session, { role, agent }).length;
			}),
		);
		effective.push(await timed(() => listOfferedTools(session, { role, agent })));
		floor.push(
			await timed(() => {
				for (const name of names) if (known.has(name)) found += 1;
			}),
		);
	}
	const worst = timeWorst();
	return { worst, catalog, catalogFloor, tree, treeFloor, tasks, effective, first, floor, offered: offered / ROUNDS, found };
}

/** Lists that are full to their bounds, over names of 64 characters that take every pattern to its end: milliseconds of processor time. */
function timeWorst(): number[] {
	const letter = (at: number) => String.fromCharCode(66 + (at % 24));
	const prefix = (at: number) => `${"a".repeat(40)}${letter(at)}${letter(at / 24)}*`;
	const full = (count: number, costly: (at: number) => string, weight: number) => [
		...Array.from({ length: count }, (_, at) => costly(at)),
		...Array.from({ length: 64 - count * weight }, (_, at) => prefix(at)),
	];
	const lists = [
		full(0, prefix, 0),
		full(16, (at) => `*${letter(at)}*`, 4),
		full(10, (at) => `*a${letter(at)}*`, 4),
		full(16, (at) => `*ab${letter(at)}*`, 4),
		full(4, (at) => `*aaaaaaa${letter(at)}*`, 16),
		full(2, (at) => `*${"a".repeat(15)}${letter(at)}*`, 32),
		full(1, () => `*${"a".repeat(30)}B*`, 62),
		full(8, (at) => `*[${letter(at)}]*`, 8),
		full(10, (at) => `*?${letter(at)}*`, 6),
		full(4, (at) => `*a*a*a*a*${letter(at)}*`, 16),
		full(16, (at) => `**/*${letter(at)}*`, 4),
		[`{a,b,c,d,e,f,g,h}{a,b,c,d,e,f,g,h}${"a".repeat(40)}B*`],
	];
	const name = (at: number) => `${"a".repeat(53)}${at.toString(2).padStart(11, "0").replaceAll("0", "a").replaceAll("1", "b")}`;
	const tools = Array.from({ length: TOOLS }, (_, at) => ({ name: name(at), plugin: "x", permissions: [], capabilities: [] }));
	return lists.map((toolDenylist) => {
		const parsed = parseDefinition({ agentId: "worst", displayName: "Worst", toolDenylist }, scopeLists, false);
		if ("problems" in parsed) throw new Error(parsed.problems[0]?.problem);
		const { definition } = parsed.own;
		const began = process.cpuUsage();
		if (tools.some((tool) => excludedBy(definition, tool))) throw new Error("tools were cut");
		return process.cpuUsage(began).user / 1_000;
	});
}

try {
	console.log(JSON.stringify(await measure()));
} finally {
	rmSync(home, { recursive: true, force: true });
}
