// The whole house without an editor: real gate, tools, machine and storage over real folders, for tests and fault scripts.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { builtinAgents, builtinRoles } from "../../src/agents/builtinRoles.ts";
import { buildSystemPrompt } from "../../src/agents/systemPrompt.ts";
import { createArtifactServices } from "../../src/compose/artifacts.ts";
import { createSkillServices, type SkillServices } from "../../src/compose/skills.ts";
import type { AgentRegistry } from "../../src/core/agent.ts";
import type { ModelInfo, ModelProvider } from "../../src/core/ports/model.ts";
import type { ToolSource } from "../../src/core/ports/tool.ts";
import type { EditorFacts, UserTerminal } from "../../src/core/ports/workspace.ts";
import type { PromptSources } from "../../src/core/prompt.ts";
import type { AgentDefinition, Role } from "../../src/core/role.ts";
import { createGate } from "../../src/gate/gate.ts";
import { readWorkingChanges } from "../../src/platform/git/gitChanges.ts";
import { createPlatform } from "../../src/platform/platform.ts";
import { createLoop, loop } from "../../src/runtimes/loop/loop.ts";
import type { RetryTiming } from "../../src/runtimes/loop/retry.ts";
import { createGrants, withGrantCleanup } from "../../src/session/approvals/grants.ts";
import type { Services, Settings } from "../../src/session/context.ts";
import { Sessions } from "../../src/session/sessions.ts";
import { createGrantLists } from "../../src/storage/approvals/grantLists.ts";
import { createGrantStore } from "../../src/storage/approvals/grantStore.ts";
import { createBlobs } from "../../src/storage/blobs.ts";
import { createSessionStore, type DiskSessionStore } from "../../src/storage/sessions/sessionStore.ts";
import type { WindowSizes } from "../../src/storage/sessions/transcriptWindow.ts";
import { builtinTools, toolAliases } from "../../src/tools/builtinTools.ts";
import { panelTools } from "../../src/tools/openEditors.ts";
import { fixedRegistry } from "./fixedRegistry.ts";
import { noContext } from "./noContext.ts";

export interface House {
	/** The workspace folder. */
	folder: string;
	/** Where sessions are kept. */
	storage: string;
	services: Services;
	store: DiskSessionStore;
	skills: SkillServices;
	/** What the parts about skills had to say. */
	logged: readonly string[];
	sessions: Sessions;
	/** Stops everything; removes the folders unless they were given. */
	close(): Promise<void>;
}

export interface HouseOptions {
	model: ModelProvider;
	/** Nobody has named the model. */
	automatic?: boolean;
	/** What is known of the model beside its name. */
	info?: Partial<ModelInfo>;
	/** Secrets that results do not show. */
	hidden?: readonly string[];
	/** Files of the workspace by relative path. */
	files?: Record<string, string>;
	settings?: Partial<Settings>;
	roles?: Role[];
	agents?: AgentDefinition[];
	/** An existing home to open again. */
	home?: string;
	now?: () => Date;
	/** Why no turn may start. */
	restricted?: string;
	/** Tools from outside, and what prompts are made of. */
	sources?: ToolSource[];
	parts?: Partial<PromptSources>;
	/** In place of one that nobody can change. */
	registry?: AgentRegistry;
	/** Where the person's own skills are. */
	skillHome?: string;
	/** The person's own. */
	terminal?: UserTerminal;
	/** What the editor would know. */
	facts?: Partial<EditorFacts>;
	/** From when on a session is opened at its end. */
	window?: WindowSizes;
	/** How long the loop waits before it asks a model again, and before it says that nothing comes. */
	patience?: RetryTiming;
}

export async function buildHouse(options: HouseOptions): Promise<House> {
	const home = realpathSync(options.home ?? mkdtempSync(join(tmpdir(), "troupe-house-")));
	const folder = join(home, "workspace");
	const storage = join(home, "storage");
	mkdirSync(folder, { recursive: true });
	for (const [name, content] of Object.entries(options.files ?? {})) {
		mkdirSync(dirname(join(folder, name)), { recursive: true });
		writeFileSync(join(folder, name), content);
	}
	const blobs = createBlobs(join(storage, "blobs"));
	let index: unknown;
	const store = createSessionStore({
		root: storage,
		...(options.window && { windowSizes: options.window }),
		index: {
			get: () => index,
			set: async (value) => {
				index = value;
			},
		},
	});
	const room = createArtifactServices([storage], () => undefined);
	const machine = createPlatform({
		folders: () => [{ name: "workspace", path: folder }],
		identity: () => folder,
		outputFolder: join(storage, "output"),
		blobs,
		findRipgrep: async () => rgPath,
		extraVariables: () => [],
	});
	const workspace = { ...machine, diagnostics: async () => [], symbols: async () => [] };
	const settings: Settings = {
		approval: "plan",
		readingCommands: "allow",
		rules: { deny: [], ask: [], allow: [] },
		defaultRole: "planner",
		maxSteps: 100,
		pluginsOff: [],
		...options.settings,
	};
	const registry = options.registry ?? fixedRegistry(() => [...builtinAgents, ...(options.agents ?? [])]);
	const tools = [...builtinTools(), ...panelTools(() => services.parts.panels()), ...room.tools];
	const logged: string[] = [];
	const skills = createSkillServices({
		globalStorage: join(home, "global"),
		cliScript: join(process.cwd(), "media", "cli", "troupe-cli.cjs"),
		...(options.skillHome !== undefined && { home: options.skillHome }),
		folders: workspace.folders,
		identity: workspace.identity,
		session: (id) => sessions.get(id),
		gate: () => gate,
		log: (line) => logged.push(line),
	});
	const gate = createGate({
		disk: workspace,
		folders: workspace.folders,
		storage: [storage, join(home, "global")],
		parser: PARSER,
		programs: skills.programs,
		host: machine.programs,
	});
	const grants = createGrants({
		gate,
		tools,
		records: createGrantStore(join(home, "global")),
		lists: createGrantLists(join(home, "global", "agents")),
		registry,
		workspace,
		now: options.now ?? (() => new Date()),
		log: () => undefined,
	});
	const services: Services = {
		facts: {
			selection: () => undefined,
			open: () => [],
			terminal: () => "",
			changes: (shown) => readWorkingChanges(machine.programs, machine.folders(), shown),
			...options.facts,
		},
		store,
		blobs,
		workspace,
		gate,
		grants,
		tools,
		aliases: toolAliases,
		roles: () => [...builtinRoles, ...(options.roles ?? [])],
		agents: () => registry.catalog().agents.map(({ definition }) => definition),
		settings: () => settings,
		model: async () => ({
			id: "scripted/one",
			name: "Scripted",
			why: "The test names it.",
			provider: options.model,
			model: "one",
			info: { id: "scripted/one", name: "Scripted", tools: true, ...options.info },
			...(options.automatic && { automatic: true }),
		}),
		runtime: async () => (options.patience ? createLoop(options.patience) : loop),
		prompt: buildSystemPrompt,
		sources: [...(options.sources ?? []), skills.toolSource],
		door: skills.cliBridge,
		...(options.terminal && { terminal: options.terminal }),
		skills: skills.library,
		registry: withGrantCleanup(registry, grants),
		parts: {
			cliSkills: skills.cliBridge.cliSkills,
			artifacts: room.promptGroups,
			panels: () => [],
			context: noContext,
			instructions: async () => [],
			...options.parts,
		},
		...(options.hidden && { hidden: async () => options.hidden ?? [] }),
		restricted: () => options.restricted,
		now: options.now ?? (() => new Date()),
		log: () => undefined,
	};
	const sessions = new Sessions(services);
	return {
		folder,
		storage,
		skills,
		logged,
		services,
		store,
		sessions,
		async close() {
			await sessions.close();
			await skills.cliBridge.dispose();
			await machine.dispose();
			room.artifacts.dispose();
			await store.close();
			if (options.home === undefined) rmSync(home, { recursive: true, force: true });
		},
	};
}

/** Where scripts/parserAssets.mjs has put the command parser. */
const PARSER = join(process.cwd(), "out", "parser");
