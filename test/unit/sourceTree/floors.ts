// Tables of what each room may import, and of the floors inside the rooms.
import type { Import } from "./imports.ts";

/** Rooms that are built over all sessions of a window. */
const OVER_SESSIONS = ["integrations", "delegation", "channels"];

/** What each room may import beside its own files and packages. `node` stands for Node's modules. */
const rooms: Record<string, readonly string[]> = {
	"extension.ts": ["*", "vscode", "node"],
	compose: ["*", "vscode", "node"],
	vscode: ["shared", "chat", "agents/agentsPage", "settings", ...OVER_SESSIONS, "sessions", "session", "api.ts", "core", "vscode", "node"],
	cliBridge: ["shared", "session", "core", "node"],
	chat: ["shared", ...OVER_SESSIONS, "sessions", "session", "core", "node"],
	integrations: ["shared", "sessions", "session", "api.ts", "core", "node"],
	delegation: ["shared", "sessions", "session", "core", "node"],
	channels: ["shared", "sessions", "session", "core", "node"],
	sessions: ["shared", "session", "core", "node"],
	"agents/agentsPage": ["shared", "session", "agents", "core", "node"],
	settings: ["shared", "agents", "session", "models", "mcp", "core", "node"],
	session: ["shared", "core", "node"],
	workspaces: ["shared", "gate", "platform", "core", "node"],
	gate: ["shared", "core", "node"],
	agents: ["shared", "core", "node"],
	tools: ["shared", "core", "node"],
	models: ["shared", "core", "node"],
	mcp: ["shared", "core", "node"],
	artifacts: ["shared", "core", "node"],
	memory: ["shared", "core", "node"],
	skills: ["shared", "core", "node"],
	storage: ["shared", "core", "node"],
	platform: ["shared", "core", "node"],
	runtimes: ["shared", "core", "node"],
	core: ["zod"],
	shared: ["core", "zod", "@vscode/l10n"],
	"shared/node": ["shared", "core", "node"],
	"api.ts": ["core"],
	"webview-ui": ["core/transcript", "core/task.ts", "core/trailingJson.ts", "core/hiddenText.ts", "shared", "types"],
};

/**
 * The folders and loose files of every room, one line for each floor, the lowest first. What is on a floor imports from the lines
 * before its own only.
 */
export const floorsWithin: Record<string, readonly string[]> = {
	core: [
		"channel.ts hiddenText.ts isRecord.ts role.ts trailingJson.ts usage.ts userError.ts",
		"caller.ts protected",
		"task.ts",
		"agent.ts eventData prompt.ts runtimeKind.ts",
		"events.ts",
		"author.ts images.ts structured.ts",
		"transcript",
		"ports",
		"grant.ts paths.ts",
		"openEditors.ts",
	],
	shared: [
		"inertText.ts l10n.ts listeners.ts protocol updateTracker.ts utf8.ts",
		"earlyComposer.ts permissionLabels.ts reasonOf.ts relativeTime.ts safeText.ts taskLabels.ts toolWords.ts",
		"foldText.ts",
	],
	"shared/node": ["hash.ts proxy.ts serial.ts withTimeout.ts yaml.ts", "frontMatter.ts"],
	gate: [
		"copiedPaths.ts glob.ts pathSyntax.ts programs requiredPermissions.ts resolveLinks.ts writeProtectedNames.ts",
		"hostProtection.ts scopeList.ts shell",
		"protectedDescendants.ts scope.ts",
		"access.ts pathResolver.ts",
		"git",
		"knownPrograms.ts",
		"command grants.ts rules.ts",
		"commandDecision.ts",
		"authorize.ts",
		"gate.ts",
	],
	agents: [
		"agentSchema.ts definitionFile.ts jsonDefinitions.ts mainAgent.ts registry.ts replyPrompt.ts toolNameTranslation.ts",
		"builtinRoles.ts definitions.ts systemPrompt.ts",
		"inherit.ts markdownDefinitions.ts roleDefinitions.ts",
		"subagents",
		"catalog.ts",
		"sourceRegistry.ts",
	],
	"agents/agentsPage": ["agentsView.ts scope.ts", "agentDetails.ts", "controller.ts"],
	tools: [
		"currentTime.ts openEditors.ts shared",
		"directoryTools.ts executeCommand.ts fileTools.ts findFiles.ts languageTools.ts planTools.ts readFile.ts searchCode.ts updateFile.ts web",
		"applyPatch.ts",
		"builtinTools.ts",
	],
	models: ["offline wire", "anthropic openai", "selection"],
	mcp: [
		"catalog.ts deadlines.ts serverReason.ts stdioTransport.ts wire",
		"auth canonicalJson.ts elicitation.ts settings.ts toolList.ts",
		"definitions.ts host openServer.ts",
		"connection.ts",
		"startGuard.ts tools.ts",
		"resources.ts",
		"sessionServer.ts",
		"prompts.ts status.ts",
		"serverManager.ts",
	],
	artifacts: [
		"note.ts query.ts watch.ts",
		"list.ts",
		"checklist.ts reader.ts",
		"store.ts",
		"runQuery.ts toolHelpers.ts",
		"artifacts.ts listTools.ts viewTools.ts",
		"noteTools.ts",
		"artifactTools.ts",
	],
	memory: ["memoryFiles.ts", "memoryTools.ts"],
	skills: ["frontmatter.ts", "cliSkillDoc.ts skillFolder.ts", "library.ts", "useSkill.ts", "pluginPrograms.ts"],
	platform: ["programs", "git sandbox", "files", "processes", "search", "copies platform.ts virtual"],
	storage: ["fileSystem.ts", "storageErrors.ts", "blobs.ts json transcripts", "agents auditLog.ts sessions", "approvals"],
	runtimes: ["loop", "loadRuntime.ts"],
	workspaces: ["keptFolders.ts", "windowWorkspace.ts", "copyWorkspace.ts", "taskCopies.ts"],
	session: [
		"state",
		"services.ts",
		"sessionContext.ts turnContext.ts",
		"agent",
		"transcript",
		"plans queue",
		"approvals",
		"prompt",
		"history",
		"contextWindow",
		"turn",
		"session.ts",
	],
	sessions: [
		"directory.ts lifecycle.ts switchAttributes.ts taskTree.ts",
		"pendingChanges.ts",
		"sessions.ts",
		"approvalList.ts exportSession.ts",
		"importSession.ts",
	],
	channels: ["channels.ts userPresence.ts", "replyTool.ts"],
	delegation: ["limits.ts oldCopies.ts report.ts", "calls applyChanges", "switch tasks", "delegation.ts"],
	integrations: ["codeProposal.ts commitMessage.ts externalChat.ts problemMessages.ts exportedApi.ts", "askPlanner.ts"],
	settings: ["limits.ts persona.ts", "settings.ts"],
	cliBridge: ["listener.ts", "cliBridge.ts"],
	chat: [
		"acknowledgments.ts chatHost.ts eventPages.ts linkedSessions.ts mentions ongoingCall.ts taskActions.ts widerRoles.ts",
		"agentSwitching.ts calledSessions.ts chatPage.ts composerImages.ts historyActions.ts openActions.ts sessionSwitcher.ts slashCommands.ts suggestions.ts taskChanges.ts",
		"chatStatus.ts composer.ts",
		"controller.ts",
	],
	vscode: [
		"loadTranslations.ts readOnlyFileSystem.ts readOnlyText.ts terminalChat walkthrough.ts windowFocus.ts",
		"dialogs.ts notifications.ts",
		"adapters consent.ts errorNotifications.ts missingShell.ts oldCopies.ts statusBar",
		"mentions review skills.ts",
		"engine.ts",
		"artifacts lazyEngine.ts models pickers.ts showPrompt.ts",
		"chat mcp",
		"approvals integrations",
		"agents links.ts",
		"taskPicker.ts",
		"commands.ts",
	],
	compose: ["diskRegistry.ts editorSecrets.ts mcp.ts skills.ts warmUp.ts", "createApp.ts", "editor.ts"],
	"webview-ui": [
		"nextFrame.ts",
		"settled.ts",
		"agentColors.ts frameScheduler.ts host.ts loadTranslations.ts styles",
		"text",
		"conversation",
		"state.ts",
		"persistedState.ts",
		"find",
		"composer",
		"focus",
		"components",
		"agents main.tsx",
	],
};

export function roomOf(file: string): string {
	if (file.startsWith("webview-ui/")) return "webview-ui";
	const path = file.replace(/^src\//, "");
	return Object.keys(rooms).find((room) => room.includes("/") && path.startsWith(`${room}/`)) ?? (path.split("/")[0] as string);
}

/** The folder or loose file of a room in which a file lies. */
export function entryOf(file: string): string {
	const room = roomOf(file);
	return file
		.replace(/^src\//, "")
		.slice(room.length + 1)
		.split("/")[0] as string;
}

/** What is wrong with an import; undefined if it points down. */
export function findProblem(file: string, { to, typeOnly }: Import): string | undefined {
	const room = roomOf(file);
	const allowed = rooms[room];
	if (!allowed) return `${file}: the room ${room} is not on the plan`;
	if (/^(?:src|webview-ui)\//.test(to)) {
		const other = roomOf(to);
		if (other === room) return isAboveOrBeside(room, file, to) ? `${file} imports ${to}` : undefined;
		// What stands on Node is for who may use Node.
		if (other === "shared/node" && !allowed.includes("node")) return `${file} imports ${to}`;
		const inside = to.replace(/^src\//, "");
		const fine = allowed.some((name) => name === "*" || name === other || inside === name || inside.startsWith(`${name}/`));
		return fine || (typeOnly && allowed.includes("types")) ? undefined : `${file} imports ${to}`;
	}
	if (to === "vscode") return allowed.includes("vscode") ? undefined : `${file} imports vscode`;
	if (to.startsWith("node:")) return allowed.includes("node") ? undefined : `${file} imports ${to}`;
	const closed = room === "core" || room === "shared" || room === "api.ts";
	return closed && !allowed.includes(to) ? `${file} imports ${to}` : undefined;
}

function isAboveOrBeside(room: string, file: string, to: string): boolean {
	const floors = floorsWithin[room];
	const [entry, target] = [entryOf(file), entryOf(to)];
	if (!floors || entry === target) return false;
	const floorOf = (name: string): number => floors.findIndex((names) => names.split(" ").includes(name));
	return floorOf(target) >= floorOf(entry);
}
