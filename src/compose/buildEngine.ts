// Builds every part, hands it to the others and keeps their ends together. Loaded on first use, never by activation.
import { join } from "node:path";
import * as vscode from "vscode";
import { systemPrompt } from "../agents/systemPrompt.ts";
import { createChat } from "../chat/controller.ts";
import type { Secrets } from "../core/ports/sessions.ts";
import { createGate } from "../gate/gate.ts";
import { EDITOR } from "../models/selection/registry.ts";
import { readCommitContext, readWorkingChanges } from "../platform/git/gitChanges.ts";
import { toPlainText } from "../platform/processes/terminalText.ts";
import { approvalList } from "../session/approvals/approvalList.ts";
import { createGrants, withGrants } from "../session/approvals/grants.ts";
import type { Services } from "../session/context.ts";
import { troupeApi } from "../session/integrations/exportedApi.ts";
import { roleOf } from "../session/sessionAgent.ts";
import { Sessions } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import { parseIntent } from "../shared/protocol/chat.ts";
import { AGENTS_FOLDER } from "../storage/agents/preferences.ts";
import { createGrantLists } from "../storage/approvals/grantLists.ts";
import { createGrantStore } from "../storage/approvals/grants.ts";
import { createBlobs } from "../storage/blobs.ts";
import { createSessionStore } from "../storage/sessions/sessionStore.ts";
import { aliases, builtinTools } from "../tools/builtinTools.ts";
import { panelTools } from "../tools/panels.ts";
import { diskFolders as folders } from "../vscode/adapters/folderUris.ts";
import { personTerminal } from "../vscode/adapters/personTerminal.ts";
import { commandTerminals } from "../vscode/adapters/terminals.ts";
import { artifactIn } from "../vscode/artifacts/artifactUris.ts";
import { chatWindow, preImages } from "../vscode/chat/chatHost.ts";
import { codeBlocks } from "../vscode/chat/codeBlocks.ts";
import { CHANGES_CONTEXTS } from "../vscode/chat/commandContexts.ts";
import { showContexts } from "../vscode/chat/showContexts.ts";
import { notify } from "../vscode/dialogs.ts";
import type { Engine } from "../vscode/engine.ts";
import { createEditorTools } from "../vscode/integrations/lmTools.ts";
import { editorFacts } from "../vscode/mentions/editorFacts.ts";
import { pictureFiles } from "../vscode/mentions/imageFiles.ts";
import type { TerminalLog } from "../vscode/mentions/terminals.ts";
import { tellMissingShell } from "../vscode/missingShell.ts";
import { createLanguageModels, hasLanguageModels } from "../vscode/models/languageModels.ts";
import { reviewInEditor } from "../vscode/review/review.ts";
import type { RoleItem } from "../vscode/statusBar.ts";
import { watchFocus } from "../vscode/windowFocus.ts";
import { wireRegistry } from "./agents/registry.ts";
import { artifactRoom } from "./artifacts.ts";
import { editorSecrets } from "./editorSecrets.ts";
import { editorSkills } from "./editorSkills.ts";
import { indexIn } from "./firstRows.ts";
import { buildMcp } from "./mcp/mcp.ts";
import { createModels } from "./models/models.ts";
import { runtimeOf } from "./models/runtimes.ts";
import { promptParts } from "./promptParts.ts";
import { currentSettings } from "./settings/currentSettings.ts";
import { blobsOf, otherStorages } from "./storages.ts";
import { warmUp } from "./warmUp.ts";
import { editorWorkspace } from "./workspace/editorWorkspace.ts";
import { knownHost } from "./workspace/hostFacts.ts";
import { sandboxOptions, sandboxService } from "./workspace/sandbox.ts";
import { proxied } from "./workspace/web.ts";

interface Door {
	context: vscode.ExtensionContext;
	log: vscode.LogOutputChannel;
	role: RoleItem;
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
	const settings = currentSettings(log);
	const [also, registry] = await Promise.all([otherStorages(shared, root, write), wireRegistry({ shared, settings, folders, log })]);
	const blobs = blobsOf([root, ...also].map((storage) => createBlobs(join(storage, "blobs"))));
	const store = createSessionStore({ root, additionalRoots: also, index: indexIn(context.workspaceState), log: write });
	const room = artifactRoom([root, ...also], write);
	const terminals = commandTerminals();
	const workspace = editorWorkspace({
		storage: root,
		blobs,
		terminals,
		environment: () => settings.now().environment,
		shell: () => settings.now().shell,
		shellMissing: tellMissingShell(write),
		sandbox: sandboxOptions({ root, shared, also, settings: settings.now, log: write }),
		log: write,
	});
	const skills = editorSkills(context, workspace, { session: (id) => sessions.get(id), gate: () => gate, log: write });
	const host = knownHost(context);
	const gate = createGate({
		...host,
		unchecked: proxied.unchecked,
		disk: workspace,
		folders: () => workspace.folders(),
		storage: [root, shared, ...also],
		programs: skills.programs,
		host: workspace.programs,
		parser: join(context.extensionUri.fsPath, "dist"),
	});
	const parts = promptParts({
		workspace,
		gate,
		restricted: () => restricted(),
		state: context.workspaceState,
		cliSkills: skills.door.cliSkills,
		artifacts: room.groups,
		artifact: artifactIn(room.artifacts),
	});
	const tools = [...builtinTools({ agentFor: proxied.agentFor }), ...panelTools(parts.panels), ...room.tools];
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
	const secrets: Secrets = {
		get: async (name) => context.secrets.get(name),
		set: async (name, value) => (value ? context.secrets.store(name, value) : context.secrets.delete(name)),
	};
	const restricted = () => (vscode.workspace.isTrusted ? undefined : RESTRICTED);
	const mcp = buildMcp({
		context,
		shared,
		settings: settings.now,
		programs: workspace.programs,
		folders: workspace.onDisk,
		onSettings: settings.onChange,
		restricted,
		log: write,
	});
	const editorTools = createEditorTools(context.globalState);
	const models = createModels({
		settings: settings.now,
		secrets,
		restricted,
		now: Date.now,
		changed: () => refreshChats(),
		...(hasLanguageModels() && {
			editor: async () => createLanguageModels(EDITOR, (await import("../models/wire/conversationMessages.ts")).dialogueOf),
		}),
	});
	const { programs } = workspace;
	const hidden = editorSecrets({ storage: context.secrets, named: mcp.secrets.names, settings: settings.now });
	const facts = editorFacts({
		terminals: shell,
		plain: toPlainText,
		changes: (shown) => readWorkingChanges(programs, workspace.onDisk(), shown),
	});
	const services: Services = {
		facts,
		store,
		blobs,
		workspace,
		gate,
		grants,
		tools,
		aliases,
		roles: () => settings.now().roles,
		agents: registry.definitions,
		settings: settings.now,
		model: models.choose,
		hidden: hidden.values,
		runtime: runtimeOf,
		prompt: systemPrompt,
		sources: [mcp.source, ...(editorTools ? [editorTools] : []), skills.source],
		door: skills.door,
		terminal: personTerminal({ plain: toPlainText, busy: shell.busy }),
		skills: skills.shelf,
		registry: withGrants(registry, grants),
		parts,
		...sandboxService(workspace.sandbox, settings.now, vscode.workspace.isTrusted),
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
		settings.onChange(() => models.forget()),
		warmUp({ types: () => Object.values(settings.now().providers).map(({ type }) => type) }),
		registry,
		registry.onChange(refreshChats),
		...(hasLanguageModels() ? [vscode.lm.onDidChangeChatModels(() => void models.editorChanged())] : []),
		context.secrets.onDidChange(() => {
			models.forget();
			hidden.forget();
			for (const refresh of refreshAll) refresh();
		}),
		preImages(blobs),
		reviewInEditor({ review: sessions.review, blobs, workspace, state: context.workspaceState, log: write }),
		codeBlocks(),
		parts,
		pictureFiles(blobs),
		facts,
		watchFocus(),
		store.onHealth((health) => {
			unhealthy = health.ok ? undefined : (health.message ?? t("The disk refuses what is to be kept."));
			for (const refresh of refreshAll) refresh();
			if (unhealthy) void notify("warning", unhealthy);
		}),
		sessions.listen({
			event: (sessionId, event) => {
				if (sessionId !== context.workspaceState.get(SHOWN)) return;
				if (event.type === "role") role.show(mergeRolesById(services, event.role));
				if (CHANGES_CONTEXTS.has(event.type)) sessions.get(sessionId).then(({ state }) => showContexts(state), unopened(sessionId));
			},
		}),
	];
	void store.recover().catch((error: unknown) => log.warn(`clean-up failed: ${String(error)}`));

	const engine: Engine = {
		sessions: sessions,
		api: troupeApi(sessions),
		createChat(post, sessionId) {
			const chat = createChat(
				sessions,
				chatWindow({
					engine: () => engine,
					post,
					terminals,
					health: () => unhealthy,
					shown: engine.remember,
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
		async remembered() {
			const last = context.workspaceState.get<string>(SHOWN);
			return (await sessions.list()).some(({ sessionId }) => sessionId === last) ? last : undefined;
		},
		remember(sessionId) {
			void context.workspaceState.update(SHOWN, sessionId);
			shown(sessionId);
			sessions.get(sessionId).then((session) => {
				role.show(roleOf(session));
				showContexts(session.state);
			}, unopened(sessionId));
		},
		parseIntent,
		models: models.list,
		keyHolders: models.keyHolders,
		setKey: models.setKey,
		checkKey: models.checkKey,
		commitFacts: (folder) => readCommitContext(programs, folder),
		skills: skills.shelf,
		mcp: mcp.room,
		servers: mcp.desk,
		secrets: mcp.secrets,
		...(editorTools && { editorTools }),
		artifacts: room.artifacts,
		grants: approvalList(sessions),
		log: write,
		async dispose() {
			for (const end of ends) end.dispose();
			await sessions.close();
			await skills.door.dispose();
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
