// Runs the app in VS Code with the editor's ports.

// Loaded on first use, never by activation.
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { LoadedAgentRegistry } from "../agents/registry.ts";
import { createChatController } from "../chat/controller.ts";
import type { SecretStore } from "../core/ports/sessions.ts";
import { EDITOR_PROVIDER_ID } from "../models/selection/modelSelection.ts";
import { createModelServices } from "../models/selection/models.ts";
import { readCommitContext } from "../platform/git/gitChanges.ts";
import { toPlainText } from "../platform/processes/terminalText.ts";
import { createApprovalList } from "../session/approvals/approvalList.ts";
import { createTroupeApi } from "../session/integrations/exportedApi.ts";
import { getRole } from "../session/sessionAgent.ts";
import { t } from "../shared/l10n.ts";
import { parseIntent } from "../shared/protocol/chat.ts";
import { isAgentFile } from "../storage/agents/agentFiles.ts";
import { AGENTS_FOLDER } from "../storage/agents/preferences.ts";
import { WORKSPACE_AGENT_FOLDERS, WORKSPACE_AGENTS_GLOB } from "../storage/agents/workspaceAgents.ts";
import { makeFolder, nodeFileSystem } from "../storage/fileSystem.ts";
import { findOtherStorages } from "../storage/sessions/otherStorages.ts";
import { createStateIndex, recordUnreviewedChanges } from "../storage/sessions/stateIndex.ts";
import { createCommandTerminals } from "../vscode/adapters/commandTerminals.ts";
import { createGateHostFacts } from "../vscode/adapters/hostFacts.ts";
import { createLanguageModelTools } from "../vscode/adapters/languageModelTools.ts";
import { createMcpSecrets, createMcpTokens } from "../vscode/adapters/mcpSecrets.ts";
import { trackOpenEditors } from "../vscode/adapters/openEditors.ts";
import { proxyForUrl } from "../vscode/adapters/settings.ts";
import { createUserTerminal } from "../vscode/adapters/userTerminal.ts";
import { diskWorkspaceFolders } from "../vscode/adapters/virtualFileSystem.ts";
import { watchSettings } from "../vscode/adapters/watchSettings.ts";
import { editorWorkspace } from "../vscode/adapters/workspace.ts";
import { watchAgents } from "../vscode/agents/watchAgents.ts";
import { PENDING_EVENTS } from "../vscode/approvals/pendingTracker.ts";
import { createArtifactResolver } from "../vscode/artifacts/artifactUris.ts";
import { createChatHost, registerBeforeContentProvider } from "../vscode/chat/chatHost.ts";
import { registerCodeBlocks } from "../vscode/chat/codeBlocks.ts";
import { setContextKeys, setListContextKeys } from "../vscode/chat/setContextKeys.ts";
import { showNotification } from "../vscode/dialogs.ts";
import type { Engine } from "../vscode/engine.ts";
import { createMcpDialogs } from "../vscode/mcp/mcpDialogs.ts";
import { createEditorFacts } from "../vscode/mentions/editorFacts.ts";
import { registerImageFileSystem } from "../vscode/mentions/imageFileSystem.ts";
import type { TerminalLog } from "../vscode/mentions/terminalLog.ts";
import { createMissingShellNotifier } from "../vscode/missingShell.ts";
import { createLanguageModelProvider, hasLanguageModels } from "../vscode/models/languageModels.ts";
import { askAboutOldCopies } from "../vscode/oldCopies.ts";
import { CopyDocuments } from "../vscode/review/copyDocuments.ts";
import { createEditorReview } from "../vscode/review/editorReview.ts";
import { createTaskReview } from "../vscode/review/taskReview.ts";
import type { RoleStatusBarItem } from "../vscode/statusBar.ts";
import { createTerminalChat } from "../vscode/terminalChat/terminalChat.ts";
import { watchWindowFocus } from "../vscode/windowFocus.ts";
import { createApp } from "./createApp.ts";
import { createDiskAgentRegistry } from "./diskRegistry.ts";
import { createEditorRedactedValues } from "./editorSecrets.ts";
import { scheduleWarmUp } from "./warmUp.ts";

interface EditorWindow {
	context: vscode.ExtensionContext;
	log: vscode.LogOutputChannel;
	role: RoleStatusBarItem;
	/** Terminal output since activation. */
	shell: TerminalLog;
	/** Called when the user opens this session. */
	shown(sessionId: string): void;
}

export async function buildEngine({ context, log, role, shell, shown }: EditorWindow): Promise<Engine> {
	const shared = context.globalStorageUri.fsPath;
	const root = context.storageUri?.fsPath ?? join(shared, "empty");
	const write = (line: string): void => log.info(line);
	const settings = watchSettings(log);
	const [also, agents] = await Promise.all([
		findOtherStorages(
			shared,
			root,
			(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()),
			write,
		),
		openAgents(shared, settings, log),
	]);
	const terminals = createCommandTerminals();
	const chats = new Set<{ refresh(): void }>();
	const refreshChats = (): void => {
		for (const chat of chats) chat.refresh();
	};
	const secrets: SecretStore = {
		get: async (name) => context.secrets.get(name),
		set: async (name, value) => (value ? context.secrets.store(name, value) : context.secrets.delete(name)),
	};
	const restricted = () => (vscode.workspace.isTrusted ? undefined : RESTRICTED);
	const models = createModelServices({
		settings: settings.now,
		secrets,
		restrictedReason: restricted,
		now: Date.now,
		onChange: refreshChats,
		...(hasLanguageModels() && {
			createEditorProvider: async () =>
				createLanguageModelProvider(EDITOR_PROVIDER_ID, (await import("../models/wire/conversationMessages.ts")).toConversationMessages),
		}),
	});
	const mcpSecrets = createMcpSecrets(context.secrets, context.globalState);
	const hidden = createEditorRedactedValues({ storage: context.secrets, named: mcpSecrets.names, settings: settings.now });
	const host = createGateHostFacts(context);
	const facts = createEditorFacts({ terminals: shell, plain: toPlainText });
	const editorTools = createLanguageModelTools(context.globalState);
	const disposables: vscode.Disposable[] = [settings, agents.watch, host, facts];
	const app = createApp({
		storage: { root, shared, also, index: createStateIndex(context.workspaceState) },
		installed: {
			parser: join(context.extensionUri.fsPath, "dist"),
			cliScript: join(context.extensionUri.fsPath, "media", "cli", "troupe-cli.cjs"),
		},
		home: homedir(),
		settings: settings.now,
		registry: agents.registry,
		workspace: { ...editorWorkspace, onShellMissing: createMissingShellNotifier(write), display: terminals },
		host,
		proxyFor: proxyForUrl,
		model: models.choose,
		mcp: {
			dialogs: createMcpDialogs(),
			secrets: mcpSecrets,
			tokens: createMcpTokens(context.secrets),
			folders: () => diskWorkspaceFolders().map(({ path }) => path),
			onSettings: settings.onChange,
			warn: (message) => void showNotification("warning", message),
		},
		sources: editorTools ? [editorTools] : [],
		facts,
		editors(artifacts) {
			const { openEditors, context: messageContext, dispose } = trackOpenEditors(context.workspaceState, createArtifactResolver(artifacts));
			disposables.push({ dispose });
			return { panels: openEditors, context: messageContext };
		},
		terminal: createUserTerminal({ plain: toPlainText, busy: shell.isBusy }),
		hidden: hidden.values,
		restricted,
		now: () => new Date(),
		log: write,
	});
	const { sessions, store, blobs, workspace, artifacts, memory, skills, mcp } = app;
	const unopened = (sessionId: string) => (error: unknown) => write(`the session ${sessionId} could not be opened: ${String(error)}`);
	let unhealthy: string | undefined;
	const recordUnreviewed = (hasChanges: boolean) => recordUnreviewedChanges(context.workspaceState, hasChanges);
	const review = createEditorReview({ review: sessions.review, blobs, workspace, recordUnreviewed, log: write });
	const copyDocuments = new CopyDocuments(sessions.backgroundTasks.takeBack);
	const terminalChat = createTerminalChat(sessions.channels);
	const taskReview = createTaskReview(sessions, copyDocuments);
	disposables.push(
		copyDocuments,
		terminalChat,
		settings.onChange(() => {
			models.invalidate();
			sessions.services.calls.wake();
			sessions.backgroundTasks.places.wake();
		}),
		scheduleWarmUp({ types: () => Object.values(settings.now().providers).map(({ type }) => type) }),
		agents.registry.onChange(refreshChats),
		...(hasLanguageModels() ? [vscode.lm.onDidChangeChatModels(() => void models.refreshEditorModels())] : []),
		context.secrets.onDidChange(() => {
			models.invalidate();
			hidden.invalidate();
			refreshChats();
		}),
		registerBeforeContentProvider(blobs),
		review,
		registerCodeBlocks(),
		registerImageFileSystem(blobs),
		watchWindowFocus(),
		store.onHealth((health) => {
			unhealthy = health.ok ? undefined : (health.message ?? t("Troupe can't write to disk. Check the disk space and permissions."));
			refreshChats();
			if (unhealthy) void showNotification("warning", unhealthy);
		}),
		sessions.listen({
			event: (sessionId, event) => {
				if (sessionId !== context.workspaceState.get(SHOWN)) return;
				if (event.type === "role") role.setRole(settings.now().roles.find(({ id }) => id === event.role) ?? { label: event.role });
				if (PENDING_EVENTS[event.type]) sessions.get(sessionId).then(({ state }) => setContextKeys(state), unopened(sessionId));
			},
		}),
	);
	const goOn = () => sessions.recover().catch((error: unknown) => log.warn(`waiting work was not continued: ${String(error)}`));
	disposables.push(vscode.workspace.onDidGrantWorkspaceTrust(() => void goOn()));
	void store
		.recover()
		.catch((error: unknown) => log.warn(`clean-up failed: ${String(error)}`))
		.then(goOn)
		.then(() => askAboutOldCopies(sessions.backgroundTasks))
		.catch((error: unknown) => log.warn(`old copies of the workspace were not listed: ${String(error)}`));

	function setLastShownSession(sessionId: string): void {
		// A task's tab leaves the side bar's session as it is.
		sessions
			.find(sessionId)
			.then((summary) => (summary?.kind === "task" ? undefined : context.workspaceState.update(SHOWN, sessionId)), unopened(sessionId));
		shown(sessionId);
		sessions.get(sessionId).then((session) => {
			role.setRole(getRole(session));
			setContextKeys(session.state);
		}, unopened(sessionId));
		void sessions.list().then((all) => setListContextKeys(all, sessionId));
	}

	return {
		sessions,
		api: createTroupeApi(sessions),
		createChat(post, sessionId) {
			const chat = createChatController(
				sessions,
				createChatHost({
					...{ sessions, post, terminals, openTaskChanges: taskReview.open },
					...{ health: () => unhealthy, shown: setLastShownSession },
				}),
				sessionId ?? context.workspaceState.get<string>(SHOWN),
			);
			chats.add(chat);
			return Object.create(chat, {
				dispose: {
					value() {
						chats.delete(chat);
						chat.dispose();
					},
				},
			}) as typeof chat;
		},
		async lastShownSession() {
			const last = context.workspaceState.get<string>(SHOWN);
			return (await sessions.list()).some(({ sessionId }) => sessionId === last) ? last : undefined;
		},
		setLastShownSession,
		parseIntent,
		models: models.listModels,
		apiKeyProviders: models.apiKeyProviders,
		setApiKey: models.setApiKey,
		testConnection: models.testConnection,
		commitChanges: (folder) => readCommitContext(workspace.programs, folder),
		skills: skills.library,
		mcpServerManager: mcp.manager,
		mcpActions: mcp.actions,
		secrets: mcpSecrets,
		...(editorTools && { editorTools }),
		artifacts,
		memory,
		approvals: createApprovalList(sessions),
		reviewCommands: review.commands,
		taskReview,
		chatInTerminal: terminalChat.open,
		log: write,
		async dispose() {
			for (const disposable of disposables) disposable.dispose();
			await app.dispose();
			terminals.dispose();
		},
	};
}

const SHOWN = "troupe.shown";
const RESTRICTED = t("This workspace is in Restricted Mode. You can read sessions. Trust the workspace to run agents.");

/** Loads the agents of all sources and watches for changes. */
async function openAgents(
	shared: string,
	settings: ReturnType<typeof watchSettings>,
	log: vscode.LogOutputChannel,
): Promise<{ registry: LoadedAgentRegistry; watch: vscode.Disposable }> {
	const ownFolder = join(shared, AGENTS_FOLDER);
	const folders = () => diskWorkspaceFolders().map(({ path }) => path);
	await makeFolder(nodeFileSystem, ownFolder).catch((error: unknown) => log.warn(`${ownFolder}: ${String(error)}`));
	const registry = await createDiskAgentRegistry({
		globalStorage: shared,
		settings: settings.now,
		folders,
		home: homedir(),
		isTrusted: () => vscode.workspace.isTrusted,
		displayPath: (path) => vscode.workspace.asRelativePath(path),
		log: (line) => log.warn(line),
	});
	const places = { own: ownFolder, isOwnFile: isAgentFile, folders, inside: WORKSPACE_AGENT_FOLDERS, glob: WORKSPACE_AGENTS_GLOB };
	return { registry, watch: watchAgents({ registry, places, onSettings: settings.onChange, log }) };
}
