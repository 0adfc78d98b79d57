// The registry in a plain Node: 500 agents and 2,000 tools. What one agent is offered, beside looking 2,000 names up in a set;
// the catalog of 500 files, beside reading and parsing them. Prints one line of JSON; all times in milliseconds.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as z from "zod";
import { builtinRoles } from "../../src/agents/roles.ts";
import { offeredTools } from "../../src/app/who.ts";
import type { Role } from "../../src/core/permissions.ts";
import { defineTool, type Tool } from "../../src/core/tool.ts";
import { diskRegistry } from "../../src/engine/diskRegistry.ts";
import { createGate } from "../../src/gate/gate.ts";
import { createFiles } from "../../src/machine/files.ts";

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
	return diskRegistry({
		shared: home,
		settings: () => ({ agents: [], roles: builtinRoles }),
		folders: () => [],
		trusted: () => true,
		placeOf: (path) => path,
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
	const definitions = registry.definitions();
	if (definitions.length !== AGENTS + 1)
		throw new Error(`there are ${definitions.length} agents: ${JSON.stringify(registry.catalog().broken[0])}`);
	const folders = () => [{ name: "bench", path: home }];
	const gate = createGate({ disk: createFiles(folders), folders, storage: [], parser: home });
	const role = builtinRoles.find(({ id }) => id === "actor") as Role;
	const services = {
		gate,
		tools,
		aliases: {},
		sources: [],
		agents: registry.definitions,
		roles: () => builtinRoles,
		settings: () => ({ pluginsOff: [] }),
	};
	const names = tools.map(({ name }) => name);
	const known = new Set(names);
	const effective: number[] = [];
	const floor: number[] = [];
	const first: number[] = [];
	let offered = 0;
	let found = 0;
	for (const agent of definitions.slice(1, 1 + ROUNDS)) {
		const session = { sessionId: "bench", services, state: { agent: agent.agentId, role: role.id } } as unknown as Parameters<
			typeof offeredTools
		>[0];
		first.push(
			await timed(() => {
				offered += offeredTools(session, role, agent).length;
			}),
		);
		effective.push(await timed(() => offeredTools(session, role, agent)));
		floor.push(
			await timed(() => {
				for (const name of names) if (known.has(name)) found += 1;
			}),
		);
	}
	return { catalog, catalogFloor, effective, first, floor, offered: offered / ROUNDS, found };
}

try {
	console.log(JSON.stringify(await measure()));
} finally {
	rmSync(home, { recursive: true, force: true });
}
