// Builds the app without an editor, over real folders, for tests and benchmarks.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { builtinAgents, builtinRoles } from "../../src/agents/builtinRoles.ts";
import type { Channels } from "../../src/channels/channels.ts";
import { type AppPorts, createApp } from "../../src/compose/createApp.ts";
import type { SkillServices } from "../../src/compose/skills.ts";
import type { ModelInfo, ModelProvider } from "../../src/core/ports/model.ts";
import type { PromptSources } from "../../src/core/ports/promptSources.ts";
import type { Runtime } from "../../src/core/ports/runtime.ts";
import type { ToolSource } from "../../src/core/ports/tool.ts";
import type { UserTerminal } from "../../src/core/ports/workspace/commands.ts";
import type { EditorFacts } from "../../src/core/ports/workspace/editor.ts";
import type { AgentDefinition, Role } from "../../src/core/role.ts";
import type { Delegation } from "../../src/delegation/delegation.ts";
import { createLoop } from "../../src/runtimes/loop/loop.ts";
import type { RetryTiming } from "../../src/runtimes/loop/retry.ts";
import type { Services, SessionPolicy } from "../../src/session/services.ts";
import type { Sessions } from "../../src/sessions/sessions.ts";
import type { DiskSessionStore } from "../../src/storage/sessions/sessionStore.ts";
import type { WindowSizes } from "../../src/storage/sessions/transcriptWindow.ts";
import { fixedRegistry } from "./fixedRegistry.ts";
import { noContext } from "./noContext.ts";

export interface TestApp {
	/** The workspace folder. */
	folder: string;
	/** Where sessions are kept. */
	storage: string;
	services: Services;
	policy: SessionPolicy;
	store: DiskSessionStore;
	skills: SkillServices;
	/** Lines of the log. */
	logged: readonly string[];
	sessions: Sessions;
	delegation: Delegation;
	channels: Channels;
	/** Stops everything; removes the folders unless they were given. */
	close(): Promise<void>;
}

type AppSettings = ReturnType<AppPorts["settings"]>;

export interface TestAppOptions {
	model: ModelProvider;
	/** Nobody has named the model. */
	automatic?: boolean;
	/** What is known of the model beside its name. */
	info?: Partial<ModelInfo>;
	/** Secrets that results do not show. */
	hidden?: readonly string[];
	/** Files of the workspace by relative path. */
	files?: Record<string, string>;
	settings?: Partial<AppSettings>;
	roles?: Role[];
	agents?: AgentDefinition[];
	/** An existing home to open again. */
	home?: string;
	/** Name of the folder in that home where sessions are kept: another one for another identity of the workspace. */
	storage?: string;
	/** Storages of the same folders under another identity. */
	also?: readonly string[];
	/** Who answers what MCP servers ask; none run when absent. */
	mcp?: AppPorts["mcp"];
	now?: () => Date;
	/** Why no turn may start. */
	restricted?: string;
	/** Tools from outside. */
	sources?: ToolSource[];
	/** What prompts are made of, in place of what the workspace has. */
	parts?: Partial<PromptSources>;
	/** In place of one that nobody can change. */
	registry?: AppPorts["registry"];
	/** Where the person's own skills are. */
	skillHome?: string;
	/** The person's own. */
	terminal?: UserTerminal;
	/** What the editor would know. */
	facts?: Partial<EditorFacts>;
	/** From when on a session is opened at its end. */
	window?: WindowSizes;
	/** How long the loop waits before it asks a model again, and before it says that nothing comes. */
	retryTiming?: RetryTiming;
	/** In place of the loop, for agents that it names. */
	runtime?: (agent: AgentDefinition) => Runtime | undefined;
}

export async function openTestApp(options: TestAppOptions): Promise<TestApp> {
	const home = realpathSync(options.home ?? mkdtempSync(join(tmpdir(), "troupe-app-")));
	const folder = join(home, "workspace");
	const storage = join(home, options.storage ?? "storage");
	mkdirSync(folder, { recursive: true });
	for (const [name, content] of Object.entries(options.files ?? {})) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	const settings = {
		approval: "plan",
		readingCommands: "allow",
		rules: { deny: [], ask: [], allow: [] },
		defaultRole: "planner",
		delegation: { maxDepth: 1, timeout: 300, maxConcurrent: 4, maxTokens: 1_000_000 },
		tasks: { maxConcurrent: 3, maxSteps: 60, maxTokens: 400_000, maxMinutes: 60, isolation: "auto", copyIgnored: [] },
		persona: {},
		maxSteps: 100,
		pluginsOff: [],
		sandbox: "off",
		roles: [...builtinRoles, ...(options.roles ?? [])],
		environment: [],
		shell: "",
		sandboxWritable: [],
		mcpServers: { servers: [], ids: [] },
		...options.settings,
	} satisfies AppSettings;
	const agents = () => [...builtinAgents, ...(options.agents ?? [])];
	const { retryTiming } = options;
	const logged: string[] = [];
	let index: unknown;
	const app: ReturnType<typeof createApp> = createApp({
		storage: {
			root: storage,
			shared: join(home, "global"),
			also: options.also ?? [],
			index: {
				get: () => index,
				set: async (value) => {
					index = value;
				},
			},
			...(options.window && { windowSizes: options.window }),
		},
		installed: { parser: PARSER, cliScript: join(process.cwd(), "media", "cli", "troupe-cli.cjs") },
		...(options.skillHome !== undefined && { home: options.skillHome }),
		settings: () => settings,
		registry: options.registry ?? fixedRegistry(agents),
		workspace: {
			diskFolders: () => [{ name: "workspace", path: folder }],
			identity: () => folder,
			findRipgrep: async () => rgPath,
			diagnostics: async () => [],
			symbols: async () => [],
		},
		proxyFor: () => undefined,
		model: async () => ({
			id: "scripted/one",
			name: "Scripted",
			why: "The test names it.",
			provider: options.model,
			model: "one",
			info: { id: "scripted/one", name: "Scripted", tools: true, ...options.info },
			...(options.automatic && { automatic: true }),
		}),
		runtime: async (agent) =>
			options.runtime?.(agent) ?? createLoop((named, role) => app.sessions.services.model(named, role), retryTiming),
		...(options.mcp && { mcp: options.mcp }),
		sources: options.sources ?? [],
		facts: { selection: () => undefined, open: () => [], terminal: () => "", ...options.facts },
		editors: () => ({ panels: () => [], context: noContext, ...options.parts }),
		...(options.terminal && { terminal: options.terminal }),
		...(options.hidden && { hidden: async () => options.hidden ?? [] }),
		restricted: () => options.restricted,
		now: options.now ?? (() => new Date()),
		log: (line) => logged.push(line),
	});
	return {
		folder,
		storage,
		skills: app.skills,
		logged,
		services: app.sessions.services,
		policy: app.sessions.policy,
		store: app.store,
		sessions: app.sessions,
		delegation: app.delegation,
		channels: app.channels,
		async close() {
			await app.dispose();
			if (options.home === undefined) rmSync(home, { recursive: true, force: true, maxRetries: 5 });
		},
	};
}

/** Where scripts/parserAssets.mjs has put the command parser. */
const PARSER = join(process.cwd(), "out", "parser");
