// Builds the app from its ports, without an editor.

// Parts are created in dependency order.
import { join } from "node:path";
import { createTaskTypes } from "../agents/subagents/taskTypes.ts";
import { buildSystemPrompt, readWorkspaceInstructions } from "../agents/systemPrompt.ts";
import { artifactGroups, createArtifacts } from "../artifacts/artifacts.ts";
import { artifactTools } from "../artifacts/artifactTools.ts";
import { createArtifactStore } from "../artifacts/store.ts";
import { Channels } from "../channels/channels.ts";
import { createReplyTool } from "../channels/replyTool.ts";
import type { AgentRegistry } from "../core/agent.ts";
import type { Artifacts, Memory } from "../core/ports/artifacts.ts";
import type { GateContext } from "../core/ports/gate.ts";
import type { PromptSources } from "../core/ports/promptSources.ts";
import type { BlobStore } from "../core/ports/sessions.ts";
import type { ToolSource } from "../core/ports/tool.ts";
import type { UserTerminal } from "../core/ports/workspace/commands.ts";
import type { EditorFacts } from "../core/ports/workspace/editor.ts";
import type { AgentDefinition } from "../core/role.ts";
import { createDelegation, type Delegation } from "../delegation/delegation.ts";
import { createGate } from "../gate/gate.ts";
import { createMemory, createMemoryFiles, memoryFolders } from "../memory/memoryFiles.ts";
import { createMemoryTools, formatMemoryIndex } from "../memory/memoryTools.ts";
import { readWorkingChanges } from "../platform/git/gitChanges.ts";
import { createSandboxService } from "../platform/sandbox/sandboxService.ts";
import { createRuntimeLoader } from "../runtimes/loadRuntime.ts";
import { createArchiveTool } from "../session/contextWindow/archiveTool.ts";
import type { Services, SessionPolicy, Settings } from "../session/services.ts";
import { createGrants, withGrantCleanup } from "../session/state/grants.ts";
import { CallLimits } from "../session/state/turnLimits.ts";
import { Sessions } from "../sessions/sessions.ts";
import type { TroupeSettings } from "../settings/settings.ts";
import { t } from "../shared/l10n.ts";
import { createPluginPrograms } from "../skills/pluginPrograms.ts";
import { AGENTS_FOLDER } from "../storage/agents/preferences.ts";
import { createGrantLists } from "../storage/approvals/grantLists.ts";
import { createGrantStore } from "../storage/approvals/grantStore.ts";
import { createAuditLog } from "../storage/auditLog.ts";
import { combineBlobs, createBlobs } from "../storage/blobs.ts";
import { nodeFileSystem, writeAtomically } from "../storage/fileSystem.ts";
import { withFileLock } from "../storage/json/fileLock.ts";
import type { StateEntry } from "../storage/sessions/sessionIndex.ts";
import { copiesFolder } from "../storage/sessions/sessionPaths.ts";
import { createSessionStore, type DiskSessionStore } from "../storage/sessions/sessionStore.ts";
import type { WindowSizes } from "../storage/sessions/transcriptWindow.ts";
import { toStorageError } from "../storage/storageErrors.ts";
import { builtinTools, toolAliases } from "../tools/builtinTools.ts";
import { createCurrentTime } from "../tools/currentTime.ts";
import { panelTools } from "../tools/openEditors.ts";
import { createProxyOnlyHosts, findProxyRoute, publicWebAccess } from "../tools/web/webRequest.ts";
import { createTaskCopies } from "../workspaces/taskCopies.ts";
import { type AppWorkspace, createWorkspace, type WorkspacePorts } from "../workspaces/windowWorkspace.ts";
import { createMcpServices, type McpPorts, type McpServices } from "./mcp.ts";
import { createSkillServices, type SkillServices } from "./skills.ts";

/** Everything that the host provides: the editor, a test, or a benchmark. Folders are absolute paths. */
export interface AppPorts {
	storage: {
		/** Storage folder for this workspace. */
		root: string;
		/** Storage folder for all workspaces. */
		shared: string;
		/** Storage folders of the same folders under a different workspace identity: read, never written. */
		also: readonly string[];
		/** The newest entries of the session list. */
		index: StateEntry;
		windowSizes?: WindowSizes;
	};
	installed: {
		/** Folder of the command parser's wasm files. */
		parser: string;
		/** The script that plugin programs run. */
		cliScript: string;
	};
	/** The user's home folder; absent if it should not be searched for skills. */
	home?: string;
	settings(): AppSettings;
	registry: AgentRegistry & { definitions(): readonly AgentDefinition[] };
	workspace: WorkspacePorts;
	/** Host folders that the gate protects. */
	host?: Pick<GateContext, "hostFolders" | "homes">;
	/** The proxy for requests to this URL. */
	proxyFor(url: URL): string | undefined;
	model: Services["model"];
	runtime?: Services["runtime"];
	/** Absent if MCP servers cannot run. */
	mcp?: McpPorts;
	/** Additional external tools. */
	sources: readonly ToolSource[];
	/** `changes` is read from git by default. */
	facts: Omit<EditorFacts, "changes"> & Partial<Pick<EditorFacts, "changes">>;
	/** Open editors, and whether messages include them; other members override the defaults. */
	editors(artifacts: Artifacts): Pick<PromptSources, "panels" | "context"> & Partial<PromptSources>;
	terminal?: UserTerminal;
	/** Secrets that no result may show. Never rejects. */
	hidden?(): Promise<readonly string[]>;
	/** Returns why no turn may start (Restricted Mode); undefined if turns may start. */
	restricted(): string | undefined;
	now(): Date;
	log(line: string): void;
}

type AppSettings = Settings & Pick<TroupeSettings, "roles" | "environment" | "shell" | "sandboxWritable" | "mcpServers">;

export interface App {
	sessions: Sessions;
	delegation: Delegation;
	/** Places outside the chat where people talk to agents. */
	channels: Channels;
	store: DiskSessionStore;
	blobs: BlobStore;
	workspace: AppWorkspace;
	artifacts: Artifacts;
	memory: Memory;
	skills: SkillServices;
	mcp?: McpServices;
	/** Stops everything that is running, then writes pending data. */
	dispose(): Promise<void>;
}

export function createApp(ports: AppPorts & { mcp: McpPorts }): App & { mcp: McpServices };
export function createApp(ports: AppPorts): App;
export function createApp(ports: AppPorts): App {
	const { storage, settings, registry, restricted, now, log } = ports;
	const { root, shared, also } = storage;
	const blobs = combineBlobs([root, ...also].map((folder) => createBlobs(join(folder, "blobs"))));
	const store = createSessionStore({ ...storage, additionalRoots: also, log });
	const artifacts = createArtifactServices([root, ...also], log);
	const { workspace, web, proxyOnly, programs, gate, copies } = createWorkspaceServices(ports, blobs);
	const memoryFiles = createMemoryFiles(also);
	const memory = createMemory(memoryFiles, workspace);
	const skills = createSkillServices({ shared, home: ports.home, workspace, gate, programs, log });
	const parts: PromptSources = {
		artifacts: artifacts.promptGroups,
		instructions: async (files) => (restricted() === undefined ? readWorkspaceInstructions(files) : []),
		memory: async () => formatMemoryIndex(await memory.list()),
		...ports.editors(artifacts.artifacts),
	};
	const tools = [
		...builtinTools({ agentFor: proxyOnly.agentFor }),
		createCurrentTime(ports.now),
		createArchiveTool({ store, ...(ports.hidden && { hidden: ports.hidden }) }),
		...panelTools(parts.panels),
		...artifacts.tools,
		...createMemoryTools(memoryFiles),
	];
	const grants = createGrants({
		records: createGrantStore(shared, { log }),
		lists: createGrantLists(join(shared, AGENTS_FOLDER)),
		registry,
		gate,
		tools,
		workspace,
		now,
		log,
	});
	const mcp =
		ports.mcp &&
		createMcpServices({
			...ports.mcp,
			shared,
			settings,
			programs: workspace.programs,
			workspaceFolders: workspace.diskFolders,
			resolveProxy: (url) => findProxyRoute(url, web),
			restricted,
			log,
		});
	const audit = createAuditLog({ folder: shared, log });
	const services: Services = {
		store,
		blobs,
		window: { workspace, gate },
		facts: {
			changes: (shown) => readWorkingChanges(workspace.programs, workspace.diskFolders(), shown),
			...ports.facts,
		},
		grants,
		tools,
		aliases: toolAliases,
		sources: [...(mcp ? [mcp.toolSource] : []), ...ports.sources, skills.toolSource],
		registry: withGrantCleanup(registry, grants),
		parts,
		skills: skills.library,
		copies,
		cliBridge: skills.cliBridge,
		...(ports.terminal && { terminal: ports.terminal }),
		taskTypes: createTaskTypes(registry),
		channelStyles: () => channels.styleGuides(),
		model: ports.model,
		runtime: ports.runtime ?? createRuntimeLoader(ports.model),
		...(workspace.sandbox && {
			sandbox: createSandboxService(workspace.sandbox, () => settings().sandbox === "off", restricted() === undefined),
		}),
		...(ports.hidden && { hidden: ports.hidden }),
		audit,
		restricted,
		now,
		log,
	};
	const sessions = new Sessions(
		services,
		createPolicy(ports, () => delegation.calls.changed()),
	);
	const delegation = createDelegation(sessions);
	const channels = new Channels(sessions);
	sessions.onLifecycle({ closing: () => channels.close() });
	sessions.addTools([...delegation.tools, createReplyTool(sessions, channels)]);
	return {
		sessions,
		delegation,
		channels,
		store,
		blobs,
		workspace,
		artifacts: artifacts.artifacts,
		memory,
		skills,
		...(mcp && { mcp }),
		async dispose() {
			await sessions.close();
			await audit.close();
			await skills.cliBridge.dispose();
			await mcp?.dispose();
			await workspace.dispose();
			artifacts.artifacts.dispose();
			await store.close();
		},
	};
}

/** `changed`: how many turns may work has changed. */
function createPolicy({ settings, registry }: AppPorts, changed: () => void): SessionPolicy {
	const limits = new CallLimits(() => settings().delegation.maxConcurrent, changed);
	return { roles: () => settings().roles, agents: registry.definitions, settings, limits, prompt: buildSystemPrompt };
}

/** The window's workspace and what its calls reach: the gate, the network, plugins' programs, and copies for tasks. */
function createWorkspaceServices({ storage, settings, log, ...ports }: AppPorts, blobs: BlobStore) {
	const { root, shared, also } = storage;
	const workspace = createWorkspace({ ...ports.workspace, storage, keptFolders: memoryFolders(storage), blobs, settings, log });
	const web = { proxyOf: ports.proxyFor, resolve: publicWebAccess.resolve };
	const proxyOnly = createProxyOnlyHosts(web);
	const programsFolder = join(shared, "programs");
	const programs = createPluginPrograms({ root: programsFolder, script: ports.installed.cliScript, node: process.execPath, log });
	const host = { ...ports.host, unchecked: proxyOnly.unchecked, programs, parser: ports.installed.parser, log };
	const protectedStorage = [root, shared, ...also];
	const gate = createGate({
		...host,
		disk: workspace,
		folders: workspace.folders,
		storage: protectedStorage,
		host: workspace.programs,
	});
	const copies = createTaskCopies({
		...ports.workspace,
		copiesFolders: [copiesFolder(shared, root), ...also.filter((other) => other !== root).map((other) => copiesFolder(shared, other))],
		storage: protectedStorage,
		programsFolder,
		window: { workspace, gate, host },
		blobs,
		settings,
		log,
	});
	return { workspace, web, proxyOnly, programs, gate, copies };
}

/** New artifacts go to the first of `storages`; the others belong to the same folders under a different workspace identity. */
function createArtifactServices(storages: readonly string[], log: (line: string) => void) {
	const keeping = {
		write: async (path: string, text: string) => {
			await writeAtomically(nodeFileSystem, path, text).catch((cause: unknown) => {
				throw toStorageError(cause, t("Could not save a note, list, or view."));
			});
		},
		exclusively: <T>(lock: string, work: () => Promise<T>) => withFileLock(nodeFileSystem, lock, work),
	};
	const store = createArtifactStore({ roots: storages.map((storage) => join(storage, "artifacts")), keeping, log });
	return {
		artifacts: createArtifacts(store),
		tools: artifactTools(store),
		promptGroups: () =>
			artifactGroups(store).catch((error: unknown) => {
				log(`the artifacts could not be listed: ${String(error)}`);
				return [];
			}),
	};
}
