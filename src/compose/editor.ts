// Builds every part, hands it to the others and keeps their ends together. Loaded on first use, never by activation.
import { join } from "node:path";
import * as vscode from "vscode";
import { buildSystemPrompt } from "../agents/systemPrompt.ts";
import { createChatController } from "../chat/controller.ts";
import type { SecretStore } from "../core/ports/sessions.ts";
import { createGate } from "../gate/gate.ts";
import { EDITOR_PROVIDER_ID } from "../models/selection/modelSelection.ts";
import { createModelServices } from "../models/selection/models.ts";
import { readCommitContext, readWorkingChanges } from "../platform/git/gitChanges.ts";
import { toPlainText } from "../platform/processes/terminalText.ts";
import { loadRuntime } from "../runtimes/loadRuntime.ts";
import { createApprovalList } from "../session/approvals/approvalList.ts";
import { createGrants, withGrantCleanup } from "../session/approvals/grants.ts";
import type { Services } from "../session/context.ts";
import { createTroupeApi } from "../session/integrations/exportedApi.ts";
import { getRole } from "../session/sessionAgent.ts";
import { Sessions } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import { parseIntent } from "../shared/protocol/chat.ts";
import { AGENTS_FOLDER } from "../storage/agents/preferences.ts";
import { createGrantLists } from "../storage/approvals/grantLists.ts";
import { createGrantStore } from "../storage/approvals/grantStore.ts";
import { createBlobs } from "../storage/blobs.ts";
import { combineBlobs, findOtherStorages } from "../storage/sessions/otherStorages.ts";
import { createSessionStore } from "../storage/sessions/sessionStore.ts";
import { createMementoIndex } from "../storage/sessions/stateIndex.ts";
import { builtinTools, toolAliases } from "../tools/builtinTools.ts";
import { panelTools } from "../tools/openEditors.ts";
import { createCommandTerminals } from "../vscode/adapters/commandTerminals.ts";
import { createGateHostFacts } from "../vscode/adapters/hostFacts.ts";
import { createUserTerminal } from "../vscode/adapters/userTerminal.ts";
import { diskWorkspaceFolders as folders } from "../vscode/adapters/virtualFileSystem.ts";
import { watchSettings } from "../vscode/adapters/watchSettings.ts";
import { createEditorAgentRegistry } from "../vscode/agents/watchAgents.ts";
import { createArtifactResolver } from "../vscode/artifacts/artifactUris.ts";
import { createChatHost, registerBeforeContentProvider } from "../vscode/chat/chatHost.ts";
import { registerCodeBlocks } from "../vscode/chat/codeBlocks.ts";
import { CONTEXT_KEY_EVENT_TYPES } from "../vscode/chat/contextKeys.ts";
import { setContextKeys } from "../vscode/chat/setContextKeys.ts";
import { showNotification } from "../vscode/dialogs.ts";
import type { Engine } from "../vscode/engine.ts";
import { createLanguageModelTools } from "../vscode/integrations/languageModelTools.ts";
import { createEditorFacts } from "../vscode/mentions/editorFacts.ts";
import { registerImageFileSystem } from "../vscode/mentions/imageFileSystem.ts";
import type { TerminalLog } from "../vscode/mentions/terminalLog.ts";
import { createMissingShellNotifier } from "../vscode/missingShell.ts";
import { createLanguageModelProvider, hasLanguageModels } from "../vscode/models/languageModels.ts";
import { registerEditorReview } from "../vscode/review/editorReview.ts";
import type { RoleStatusBarItem } from "../vscode/statusBar.ts";
import { watchWindowFocus } from "../vscode/windowFocus.ts";
import { createArtifactServices } from "./artifacts.ts";
import { createEditorRedactedValues } from "./editorSecrets.ts";
import { createEditorSkillServices } from "./editorSkills.ts";
import { createMcpServices } from "./mcp.ts";
import { createPromptSources } from "./promptParts.ts";
import { scheduleWarmUp } from "./warmUp.ts";
import { createSandboxOptions, createSandboxService } from "./workspace/sandbox.ts";
import { proxiedNames } from "./workspace/web.ts";
import { createEditorWorkspace } from "./workspace.ts";

interface Door {
	context: vscode.ExtensionContext;
	log: vscode.LogOutputChannel;
	role: RoleStatusBarItem;
	/** What terminals have shown since activation. */
	shell: TerminalLog;
	/** The person now looks at this session. */
	shown(sessionId: string): void;
}

export async function buildEngine({ context, log, role, shell, shown }: Door): Promise<Engine> {
	const shared = context.globalStorageUri.fsPath;
	const root = context.storageUri?.fsPath ?? join(shared, "empty");
	const write = (line: string): void => log.info(line);
	const unopened = (sessionId: string) => (error: unknown) => write(`the session ${sessionId} could not be opened: ${String(error)}`);
	const settings = watchSettings(log);
	const [also, registry] = await Promise.all([
		findOtherStorages(shared, root, write),
		createEditorAgentRegistry({ shared, settings, folders, log }),
	]);
	const blobs = combineBlobs([root, ...also].map((storage) => createBlobs(join(storage, "blobs"))));
	const store = createSessionStore({ root, additionalRoots: also, index: createMementoIndex(context.workspaceState), log: write });
	const room = createArtifactServices([root, ...also], write);
	const terminals = createCommandTerminals();
	const workspace = createEditorWorkspace({
		storage: root,
		blobs,
		terminals,
		environment: () => settings.now().environment,
		shell: () => settings.now().shell,
		shellMissing: createMissingShellNotifier(write),
		sandbox: createSandboxOptions({ root, shared, also, settings: settings.now, log: write }),
		log: write,
	});
	const skills = createEditorSkillServices(context, workspace, { session: (id) => sessions.get(id), gate: () => gate, log: write });
	const host = createGateHostFacts(context);
	const gate = createGate({
		...host,
		unchecked: proxiedNames.unchecked,
		disk: workspace,
		folders: () => workspace.folders(),
		storage: [root, shared, ...also],
		programs: skills.programs,
		host: workspace.programs,
		parser: join(context.extensionUri.fsPath, "dist"),
	});
	const parts = createPromptSources({
		workspace,
		gate,
		restricted: () => restricted(),
		state: context.workspaceState,
		cliSkills: skills.cliBridge.cliSkills,
		artifacts: room.promptGroups,
		artifact: createArtifactResolver(room.artifacts),
	});
	const tools = [...builtinTools({ agentFor: proxiedNames.agentFor }), ...panelTools(parts.panels), ...room.tools];
	const grants = createGrants({
		records: createGrantStore(shared, { log: write }),
		lists: createGrantLists(join(shared, AGENTS_FOLDER)),
		registry: { catalog: () => services.registry.catalog() },
		gate,
		tools,
		workspace,
		now: () => new Date(),
		log: write,
	});
	const secrets: SecretStore = {
		get: async (name) => context.secrets.get(name),
		set: async (name, value) => (value ? context.secrets.store(name, value) : context.secrets.delete(name)),
	};
	const restricted = () => (vscode.workspace.isTrusted ? undefined : RESTRICTED);
	const mcp = createMcpServices({
		context,
		shared,
		settings: settings.now,
		programs: workspace.programs,
		folders: workspace.diskFolders,
		onSettings: settings.onChange,
		restricted,
		log: write,
	});
	const editorTools = createLanguageModelTools(context.globalState);
	const models = createModelServices({
		settings: settings.now,
		secrets,
		restrictedReason: restricted,
		now: Date.now,
		onChange: () => refreshChats(),
		...(hasLanguageModels() && {
			createEditorProvider: async () =>
				createLanguageModelProvider(EDITOR_PROVIDER_ID, (await import("../models/wire/conversationMessages.ts")).toConversationMessages),
		}),
	});
	const { programs } = workspace;
	const hidden = createEditorRedactedValues({ storage: context.secrets, named: mcp.secrets.names, settings: settings.now });
	const facts = createEditorFacts({
		terminals: shell,
		plain: toPlainText,
		changes: (shown) => readWorkingChanges(programs, workspace.diskFolders(), shown),
	});
	const services: Services = {
		facts,
		store,
		blobs,
		workspace,
		gate,
		grants,
		tools,
		aliases: toolAliases,
		roles: () => settings.now().roles,
		agents: registry.definitions,
		settings: settings.now,
		model: models.choose,
		hidden: hidden.values,
		runtime: loadRuntime,
		prompt: buildSystemPrompt,
		sources: [mcp.toolSource, ...(editorTools ? [editorTools] : []), skills.toolSource],
		door: skills.cliBridge,
		terminal: createUserTerminal({ plain: toPlainText, busy: shell.isBusy }),
		skills: skills.library,
		registry: withGrantCleanup(registry, grants),
		parts,
		...createSandboxService(workspace.sandbox, settings.now, vscode.workspace.isTrusted),
		restricted,
		now: () => new Date(),
		log: write,
	};
	const sessions = new Sessions(services);
	let unhealthy: string | undefined;
	const refreshAll = new Set<() => void>();
	const refreshChats = (): void => {
		for (const refresh of refreshAll) refresh();
	};
	const ends = [
		host,
		settings,
		settings.onChange(() => models.invalidate()),
		scheduleWarmUp({ types: () => Object.values(settings.now().providers).map(({ type }) => type) }),
		registry,
		registry.onChange(refreshChats),
		...(hasLanguageModels() ? [vscode.lm.onDidChangeChatModels(() => void models.refreshEditorModels())] : []),
		context.secrets.onDidChange(() => {
			models.invalidate();
			hidden.invalidate();
			for (const refresh of refreshAll) refresh();
		}),
		registerBeforeContentProvider(blobs),
		registerEditorReview({ review: sessions.review, blobs, workspace, state: context.workspaceState, log: write }),
		registerCodeBlocks(),
		parts,
		registerImageFileSystem(blobs),
		facts,
		watchWindowFocus(),
		store.onHealth((health) => {
			unhealthy = health.ok ? undefined : (health.message ?? t("The disk refuses what is to be kept."));
			for (const refresh of refreshAll) refresh();
			if (unhealthy) void showNotification("warning", unhealthy);
		}),
		sessions.listen({
			event: (sessionId, event) => {
				if (sessionId !== context.workspaceState.get(SHOWN)) return;
				if (event.type === "role") role.setRole(mergeRolesById(services, event.role));
				if (CONTEXT_KEY_EVENT_TYPES.has(event.type))
					sessions.get(sessionId).then(({ state }) => setContextKeys(state), unopened(sessionId));
			},
		}),
	];
	void store.recover().catch((error: unknown) => log.warn(`clean-up failed: ${String(error)}`));

	const engine: Engine = {
		sessions: sessions,
		api: createTroupeApi(sessions),
		createChat(post, sessionId) {
			const chat = createChatController(
				sessions,
				createChatHost({
					engine: () => engine,
					post,
					terminals,
					health: () => unhealthy,
					shown: engine.setLastShownSession,
				}),
				sessionId ?? context.workspaceState.get<string>(SHOWN),
			);
			const refresh = (): void => chat.refresh();
			refreshAll.add(refresh);
			return Object.create(chat, {
				dispose: {
					value() {
						refreshAll.delete(refresh);
						chat.dispose();
					},
				},
			}) as typeof chat;
		},
		async lastShownSession() {
			const last = context.workspaceState.get<string>(SHOWN);
			return (await sessions.list()).some(({ sessionId }) => sessionId === last) ? last : undefined;
		},
		setLastShownSession(sessionId) {
			void context.workspaceState.update(SHOWN, sessionId);
			shown(sessionId);
			sessions.get(sessionId).then((session) => {
				role.setRole(getRole(session));
				setContextKeys(session.state);
			}, unopened(sessionId));
		},
		parseIntent,
		models: models.listModels,
		apiKeyProviders: models.apiKeyProviders,
		setApiKey: models.setApiKey,
		testConnection: models.testConnection,
		commitChanges: (folder) => readCommitContext(programs, folder),
		skills: skills.library,
		mcpServerManager: mcp.serverManager,
		mcpActions: mcp.actions,
		secrets: mcp.secrets,
		...(editorTools && { editorTools }),
		artifacts: room.artifacts,
		approvals: createApprovalList(sessions),
		log: write,
		async dispose() {
			for (const end of ends) end.dispose();
			await sessions.close();
			await skills.cliBridge.dispose();
			await mcp.dispose();
			await workspace.dispose();
			terminals.dispose();
			room.artifacts.dispose();
			await store.close();
		},
	};
	return engine;
}

const SHOWN = "troupe.shown";
const RESTRICTED = t("This workspace is in Restricted Mode: sessions can be read, and nothing runs. Trust it to start a turn.");

function mergeRolesById(services: Services, id: string) {
	return services.roles().find((role) => role.id === id) ?? { label: id };
}
