// Runs the app in VS Code with the editor's ports.

// Loaded on first use, never by activation.
import { homedir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { LoadedAgentRegistry } from "../agents/registry.ts";
import { type ChatController, createChatController } from "../chat/controller.ts";
import { createTroupeApi } from "../integrations/exportedApi.ts";
import { EDITOR_PROVIDER_ID } from "../models/selection/modelSelection.ts";
import { createModelServices, type ModelServices } from "../models/selection/models.ts";
import { readCommitContext } from "../platform/git/gitChanges.ts";
import { toPlainText } from "../platform/processes/terminalText.ts";
import { createApprovalList } from "../sessions/approvalList.ts";
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
import { createSecretStorage, type SecretStorage } from "../vscode/adapters/secretStorage.ts";
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
import { trackShownSession } from "../vscode/chat/shownSession.ts";
import type { Engine } from "../vscode/engine.ts";
import { createMcpDialogs } from "../vscode/mcp/mcpDialogs.ts";
import { createEditorFacts } from "../vscode/mentions/editorFacts.ts";
import { registerImageFileSystem } from "../vscode/mentions/imageFileSystem.ts";
import type { TerminalLog } from "../vscode/mentions/terminalLog.ts";
import { createMissingShellNotifier } from "../vscode/missingShell.ts";
import { createLanguageModelProvider, hasLanguageModels } from "../vscode/models/languageModels.ts";
import { showNotification } from "../vscode/notifications.ts";
import { askAboutOldCopies } from "../vscode/oldCopies.ts";
import { CopyDocuments } from "../vscode/review/copyDocuments.ts";
import { createEditorReview } from "../vscode/review/editorReview.ts";
import { createTaskReview } from "../vscode/review/taskReview.ts";
import type { RoleStatusBarItem } from "../vscode/statusBar/roleItem.ts";
import { createTerminalChat } from "../vscode/terminalChat/terminalChat.ts";
import { watchWindowFocus } from "../vscode/windowFocus.ts";
import { type App, createApp } from "./createApp.ts";
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
	const chats = createOpenChats();
	const restricted = () => (vscode.workspace.isTrusted ? undefined : RESTRICTED);
	const secrets = createSecretStorage(context.secrets);
	const models = createEditorModels({ secrets, settings: settings.now, restricted, onChange: chats.refresh, log: write });
	const mcpSecrets = createMcpSecrets(secrets, context.globalState);
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
			tokens: createMcpTokens(secrets),
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
	const { sessions, delegation, store, blobs, workspace, artifacts, memory, skills, mcp } = app;
	const health = watchHealth(store, chats.refresh);
	const recordUnreviewed = (hasChanges: boolean) => recordUnreviewedChanges(context.workspaceState, hasChanges);
	const review = createEditorReview({ review: sessions.review, blobs, workspace, recordUnreviewed, log: write });
	const last = trackShownSession({ state: context.workspaceState, sessions, setRole: role.setRole, events: PENDING_EVENTS, log: write });
	const setLastShownSession = (sessionId: string): void => {
		last.set(sessionId);
		shown(sessionId);
	};
	const copyDocuments = new CopyDocuments(delegation.tasks.applyChanges, write);
	const terminalChat = createTerminalChat(app.channels);
	const taskReview = createTaskReview(sessions, delegation.tasks.applyChanges, copyDocuments);
	disposables.push(
		copyDocuments,
		terminalChat,
		settings.onChange(() => {
			models.invalidate();
			delegation.wake();
		}),
		scheduleWarmUp({ types: () => Object.values(settings.now().providers).map(({ type }) => type) }),
		agents.registry.onChange(chats.refresh),
		...(hasLanguageModels() ? [vscode.lm.onDidChangeChatModels(() => void models.refreshEditorModels())] : []),
		context.secrets.onDidChange(() => {
			models.invalidate();
			hidden.invalidate();
			chats.refresh();
		}),
		registerBeforeContentProvider(blobs),
		review,
		registerCodeBlocks(),
		registerImageFileSystem(blobs),
		watchWindowFocus(),
		health,
		last,
	);
	disposables.push(continueWork(app, log));
	return {
		...{ sessions, delegation, artifacts, memory },
		api: createTroupeApi(sessions),
		createChat(post, sessionId) {
			const chat = createChatController(
				app,
				createChatHost({
					...{ sessions, post, terminals, openTaskChanges: taskReview.open },
					...{ health: health.problem, shown: setLastShownSession },
				}),
				sessionId ?? last.id,
			);
			return chats.add(chat);
		},
		lastShownSession: last.find,
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

const RESTRICTED = t("This workspace is in Restricted Mode. You can read sessions. Trust the workspace to run agents.");

/** Keeps the open chats until they are disposed. */
function createOpenChats() {
	const chats = new Set<ChatController>();
	return {
		refresh(): void {
			for (const chat of chats) chat.refresh();
		},
		add(chat: ChatController): ChatController {
			const dispose = (): void => {
				chats.delete(chat);
				chat.dispose();
			};
			chats.add(chat);
			return Object.create(chat, { dispose: { value: dispose } }) as ChatController;
		},
	};
}

interface EditorModels {
	secrets: SecretStorage;
	settings: ReturnType<typeof watchSettings>["now"];
	restricted(): string | undefined;
	onChange(): void;
	log(line: string): void;
}

/** Provides models, the editor's own ones too, with keys from the editor's storage. */
function createEditorModels({ secrets, settings, restricted, onChange, log }: EditorModels): ModelServices {
	return createModelServices({
		settings,
		secrets: {
			get: async (name) => secrets.get(name),
			set: async (name, value) => (value ? secrets.store(name, value) : secrets.delete(name)),
		},
		restrictedReason: restricted,
		log,
		now: Date.now,
		onChange,
		...(hasLanguageModels() && {
			createEditorProvider: async () =>
				createLanguageModelProvider(EDITOR_PROVIDER_ID, (await import("../models/wire/conversationMessages.ts")).toConversationMessages),
		}),
	});
}

/** Shows a notification and calls `changed` when the disk can't be written, or can be again. `problem`: undefined if it can. */
function watchHealth(store: App["store"], changed: () => void): vscode.Disposable & { problem(): string | undefined } {
	let problem: string | undefined;
	const watching = store.onHealth((health) => {
		problem = health.ok ? undefined : (health.message ?? t("Troupe can't write to disk. Check the disk space and permissions."));
		changed();
		if (problem) void showNotification("warning", problem);
	});
	return { problem: () => problem, dispose: () => watching.dispose() };
}

/** Cleans up after earlier windows and continues their work, now and when the workspace becomes trusted. */
function continueWork({ sessions, delegation, store }: App, log: vscode.LogOutputChannel): vscode.Disposable {
	const goOn = () => sessions.recover().catch((error: unknown) => log.warn(`waiting work was not continued: ${String(error)}`));
	void store
		.recover()
		.catch((error: unknown) => log.warn(`clean-up failed: ${String(error)}`))
		.then(goOn)
		.then(() => askAboutOldCopies(delegation.tasks))
		.catch((error: unknown) => log.warn(`old copies of the workspace were not listed: ${String(error)}`));
	return vscode.workspace.onDidGrantWorkspaceTrust(() => void goOn());
}

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
