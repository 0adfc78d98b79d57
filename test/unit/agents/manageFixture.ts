// The page "Manage Agents" over the real registry and the real gate, and a person who answers what it asks.
import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AgentsPageController, type AgentsPageHost, createAgentsPageController } from "../../../src/agents/agentsPage/controller.ts";
import { builtinRoles } from "../../../src/agents/builtinRoles.ts";
import { createDiskAgentRegistry } from "../../../src/compose/diskRegistry.ts";
import type { McpServerStatus } from "../../../src/core/ports/mcp.ts";
import type { Tool } from "../../../src/core/ports/tool.ts";
import { createGrants } from "../../../src/session/state/grants.ts";
import type { AgentDetail, AgentsUpdate, StoredDrafts } from "../../../src/shared/protocol/agents.ts";
import { createGrantLists } from "../../../src/storage/approvals/grantLists.ts";
import { createGrantStore } from "../../../src/storage/approvals/grantStore.ts";
import { scriptedModel } from "../../fakes/scriptedModel.ts";
import { openTestApp, type TestApp } from "../../fakes/testApp.ts";

interface Desk {
	page: AgentsPageController;
	app: TestApp;
	updates: AgentsUpdate[];
	notes: string[];
	/** What the person says to a question, and how it was put. */
	person: { yes: boolean; asked: string[]; clock: number; focusedFor: number };
	drafts: { kept: StoredDrafts };
	registry: Awaited<ReturnType<typeof createDiskAgentRegistry>>;
	put(path: string, content: unknown): string;
	last<T extends AgentsUpdate["type"]>(type: T): Extract<AgentsUpdate, { type: T }>;
	detail(): AgentDetail;
	/** Of the first definition that waits. */
	waitingKey(): string;
}

const apps: TestApp[] = [];

export async function desk({
	settings = [],
	files = {},
	servers = [],
	grants = [],
	pluginsOff = [],
	tools = [],
}: DeskOptions = {}): Promise<Desk> {
	const app = await openTestApp({ model: scriptedModel([]), files: { "README.md": "# Shop\n" }, settings: { pluginsOff } });
	apps.push(app);
	const put = (path: string, content: unknown): string => {
		const whole = join(app.folder, path);
		mkdirSync(dirname(whole), { recursive: true });
		writeFileSync(whole, typeof content === "string" ? content : JSON.stringify(content, undefined, "\t"));
		return whole;
	};
	for (const [path, content] of Object.entries(files)) put(path, content);
	const registry = await createDiskAgentRegistry({
		globalStorage: join(app.storage, "global"),
		settings: () => ({ agents: settings, roles: builtinRoles }),
		folders: () => [app.folder],
		isTrusted: () => true,
		displayPath: (path) => path.slice(app.folder.length + 1),
		log: (line) => assert.fail(line),
	});
	const updates: AgentsUpdate[] = [];
	const notes: string[] = [];
	const person = { yes: true, asked: [] as string[], clock: 10_000, focusedFor: 10_000 };
	const drafts = { kept: {} as StoredDrafts };
	const host: AgentsPageHost = {
		post: (update) => updates.push(structuredClone(update)),
		windowFocusedFor: async () => person.focusedFor,
		notify: (_, text) => notes.push(text),
		async confirm(question) {
			person.asked.push(question);
			return person.yes;
		},
		models: async () => ({ auto: "Scripted", groups: [{ label: "House", models: [{ id: "scripted/one", name: "Scripted" }] }] }),
		servers: () => servers,
		approvals: async () => grants,
		openSource: async (source) => void notes.push(`open ${source.kind}`),
		runCommand: (command) => notes.push(command),
		displayPath: (path) => path.slice(app.folder.length + 1),
		drafts: {
			get: () => drafts.kept,
			set(kept) {
				drafts.kept = kept;
			},
		},
		now: () => person.clock,
	};
	const services = {
		...app.services,
		tools: [...app.services.tools, ...tools],
		registry,
		grants: createGrants({
			...app.services,
			...app.services.window,
			registry,
			records: createGrantStore(join(app.storage, "global")),
			lists: createGrantLists(join(app.storage, "global", "agents")),
			now: () => new Date(0),
			log: (line) => assert.fail(line),
		}),
		log: (line: string) => void notes.push(line),
	};
	const page = createAgentsPageController({ services, policy: { ...app.policy, agents: () => registry.definitions() } }, host);
	const last: Desk["last"] = (type) => {
		const found = updates.findLast((update) => update.type === type);
		assert.ok(found, `no ${type} was sent`);
		return found as never;
	};
	await page.handleMessage({ type: "ready" });
	return {
		page,
		app,
		updates,
		notes,
		person,
		drafts,
		registry,
		put,
		last,
		detail: () => last("detail").detail,
		waitingKey: () => {
			const [first] = registry.catalog().waiting;
			return `waiting:${first?.definition.agentId}:${first?.source.path}`;
		},
	};
}

interface DeskOptions {
	settings?: unknown[];
	/** Of the workspace. */
	files?: Record<string, unknown>;
	servers?: McpServerStatus[];
	grants?: { agentId: string }[];
	pluginsOff?: string[];
	/** Beside the built-in ones. */
	tools?: readonly Tool[];
}

export async function leave(): Promise<void> {
	for (const app of apps.splice(0)) await app.close();
}

export const reviewer = { agentId: "reviewer", displayName: "Reviewer", toolAllowlist: ["read_file"], allowedTools: ["update_file"] };
export const REVIEWER = ".troupe/agents/reviewer.json";

export function server(id: string, tools: string[], over: Partial<McpServerStatus["config"]> = {}): McpServerStatus {
	return {
		config: { id, name: `The ${id}`, source: "settings", command: "node", ...over } as McpServerStatus["config"],
		state: "ready",
		sessions: 0,
		tools: tools.map((tool) => ({
			name: `mcp__${id}__${tool}`,
			tool,
			description: "",
			hash: "h",
			readOnly: false,
			claims: [],
			changed: false,
		})),
		refused: [],
	};
}
