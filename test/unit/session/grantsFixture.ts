// Keepers of standing approvals over real files, agents to give them to, and short words for what is granted.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { builtinTaskTypes } from "../../../src/agents/subagents/builtinTypes.ts";
import type { AgentSource, ListedAgent } from "../../../src/core/agent.ts";
import type { Grantable } from "../../../src/core/ports/gate.ts";
import type { AgentDefinition } from "../../../src/core/role.ts";
import { neverGranted } from "../../../src/gate/grants.ts";
import { listGrantRows } from "../../../src/session/approvals/grantRows.ts";
import { createGrants, type Grants } from "../../../src/session/state/grants.ts";
import { createGrantLists } from "../../../src/storage/approvals/grantLists.ts";
import { createGrantStore } from "../../../src/storage/approvals/grantStore.ts";
import { builtinTools } from "../../../src/tools/builtinTools.ts";

/** The built-in types of background tasks. */
const tasks = builtinTaskTypes.map((type) => ({ type, source: { kind: "builtin" as const }, notes: [] }));

interface World {
	folder: string;
	agents: ListedAgent[];
	/** Why a class is not offered any more. */
	outdated: Map<string, string>;
	/** A window with that workspace open; `around` is done before or after its next look into a list. */
	window(workspace?: string, around?: { before?(): Promise<void>; after?(): Promise<void> }): Grants;
	write(name: string, value: unknown): void;
	read(name: string): unknown;
	define(agentId: string, kind: AgentSource["kind"], more?: Partial<AgentDefinition>): void;
}

const folders: string[] = [];

export function world(): World {
	const folder = realpathSync(mkdtempSync(join(tmpdir(), "troupe-grants-")));
	folders.push(folder);
	mkdirSync(join(folder, "agents"));
	const agents: ListedAgent[] = [];
	const path = (name: string) => join(folder, name);
	const sourceOf = (agentId: string, kind: AgentSource["kind"]): AgentSource => {
		if (kind === "settings") return { kind, index: 0 };
		if (kind === "file") return { kind, path: path(`agents/${agentId}.json`) };
		return kind === "workspace" ? { kind, path: "x.json", format: "troupe" } : { kind };
	};
	const made: World = {
		folder,
		agents,
		outdated: new Map(),
		window: (workspace = "shop", around = {}) => {
			const lists = createGrantLists(join(folder, "agents"));
			return createGrants({
				records: createGrantStore(folder),
				lists: {
					...lists,
					async read(list) {
						await around.before?.();
						const entries = await lists.read(list);
						await around.after?.();
						return entries;
					},
				},
				registry: { catalog: () => ({ agents, tasks, broken: [], waiting: [] }) },
				gate: { neverGranted, outdated: ({ class: covered }) => made.outdated.get(covered) },
				tools: builtinTools(),
				workspace: { identity: () => workspace, folders: () => [{ name: `folder of ${workspace}` }] },
				now: () => new Date(AT),
				log: () => undefined,
			});
		},
		write: (name, value) => writeFileSync(path(name), typeof value === "string" ? value : JSON.stringify(value)),
		read: (name) => JSON.parse(readFileSync(path(name), "utf8")) as unknown,
		define(agentId, kind, more = {}) {
			const at = agents.findIndex(({ definition }) => definition.agentId === agentId);
			const listed = { definition: { agentId, displayName: agentId.toUpperCase(), ...more }, source: sourceOf(agentId, kind), notes: [] };
			agents.splice(at < 0 ? agents.length : at, at < 0 ? 0 : 1, listed);
			const file = `agents/${agentId}.json`;
			if (kind === "file" && !existsSync(path(file))) made.write(file, { ...listed.definition });
		},
	};
	made.define("default", "builtin");
	return made;
}

export function sweep(): void {
	for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export const AT = "2026-01-01T00:00:00.000Z";
export const npmTest = (scriptsHash = "h1"): Grantable => ({ tool: "execute_command", class: "npm test", scriptsHash });
export const gitAdd: Grantable = { tool: "execute_command", class: "git add" };
export const edits: Grantable = { tool: "update_file", class: "update_file" };
export const outside = (hash: string): Grantable => ({ tool: "mcp__x__y", class: hash, external: true });

/** What "Always allow" does. */
export const allow = (grants: Grants, agent: string, one: Grantable, workspace = "shop") =>
	grants.add({ ...one, agent, workspace, at: AT });

/** Whether the gate would let it pass: same class and, where it has one, same hash. */
export async function counts(grants: Grants, agent: string, one: Grantable): Promise<boolean> {
	const found = await grants.counting(agent, [one]);
	return found.some((grant) => grant.class === one.class && grant.scriptsHash === one.scriptsHash && grant.tool === one.tool);
}

export const rows = (grants: Grants, scriptsHash: string | undefined = "h1", workspace = "shop") =>
	listGrantRows({
		grants,
		workspace: () => workspace,
		offered: async (covered) => [{ tool: "execute_command", class: covered, ...(scriptsHash !== undefined && { scriptsHash }) }],
	});
