// The one table of commands and their registration; each loads what it needs on first use.
import * as vscode from "vscode";
import type { SessionSummary } from "../core/events.ts";
import { currentPlan, pendingRequests } from "../core/transcript/fold.ts";
import { formatSessionTitle } from "../session/sessions.ts";
import { t } from "../shared/l10n.ts";
import type { Intent } from "../shared/protocol/chat.ts";
import type { AgentCommand, AgentTarget } from "./agents/agentActions.ts";
import type { AgentsPage } from "./agents/agentsPage.ts";
import type { ArtifactCommand } from "./artifacts/artifactCommands.ts";
import type { ChatViews } from "./chat/chatViews.ts";
import { showNotification } from "./dialogs.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import { formatMention, selectedLines } from "./mentions/editorFacts.ts";
import type { ModelPickerContext } from "./models/modelPickers.ts";
import type { ReviewCommands } from "./review/commands.ts";

interface CommandContext {
	engine: LazyEngine;
	views: ChatViews;
	page: AgentsPage;
	log: vscode.LogOutputChannel;
}

/** Argument passed by a menu: a session or an agent of the tree, or nothing. */
interface Target {
	sessionId?: string;
	agentId?: string;
	provider?: string;
	/** A secret's name. */
	secret?: string;
	/** An MCP server's id. */
	server?: string;
	/** Path of a SKILL.md. */
	path?: string;
	/** Called from the Command Palette, where the user picks the session first. */
	pick?: boolean;
}

/** As the editor calls it, with whatever the menu or button hands over. What it throws is shown. */
type Command = (doors: CommandContext, ...given: never[]) => unknown;

/** The context with the engine loaded. */
type Open = Omit<CommandContext, "engine"> & { engine: Engine };

const loaded =
	(run: (doors: Open, target: Target) => unknown): Command =>
	async (doors, target?: Target) =>
		run({ ...doors, engine: await doors.engine.load() }, target ?? {});

const onAgents =
	(name: AgentCommand): Command =>
	async ({ engine, page }, target?: AgentTarget) => {
		const [{ agentActions }, { sessions }] = await Promise.all([import("./agents/agentActions.ts"), engine.load()]);
		return agentActions[name](sessions.services.registry, page, target ?? {});
	};

const onArtifacts =
	(name: ArtifactCommand): Command =>
	async ({ engine }, target?: unknown) => {
		const { artifacts } = await engine.load();
		return (await import("./artifacts/artifactCommands.ts")).runArtifactCommand(name, artifacts, target);
	};

const onChanges =
	(name: keyof ReviewCommands): Command =>
	async ({ engine }, ...called) =>
		(await engine.load()).reviewCommands[name](...called);

const toChat = () => import("./chat/sendToChat.ts");

const pickers = () => import("./pickers.ts");

/** Every command that package.json names, but for those of PICKING. */
const commands: Readonly<Record<string, Command>> = {
	open: loaded(async ({ views }, { sessionId }) => {
		const chat = await views.reveal();
		if (sessionId) await chat.show(sessionId);
		chat.focus("composer");
	}),
	openInEditor: loaded(async (doors, target) => doors.views.openInEditor(await current(doors, target))),
	newSession: loaded(async ({ engine, views }, { agentId }) => {
		const summary = await engine.sessions.create(agentId ? { agentId } : {});
		const chat = await views.reveal();
		await chat.show(summary.sessionId);
		chat.focus("composer");
	}),
	openLatest: loaded(async ({ engine, views }, { agentId }) => {
		const { sessionId } = await engine.sessions.latest(agentId ?? engine.sessions.services.registry.lastUsed());
		const chat = await views.reveal();
		await chat.show(sessionId);
		chat.focus("composer");
	}),
	searchSessions: loaded(pickFromAll),
	showSessions: loaded(pickFromAll),
	switchAgent: loaded(async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const agent = await (await pickers()).pickAgent(doors.engine, conversation.state.agent);
		if (agent) await throughChat(doors, { type: "agent", session: conversation.sessionId, agent });
	}),
	switchRole: loaded(async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const role = await (await pickers()).pickRole(doors.engine, conversation.state.role);
		if (role) await changeRole(doors, conversation.sessionId, role);
	}),
	toggleRole: loaded(async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const { toggleRole } = await import("./statusBar.ts");
		await toggleRole(conversation, (role) => changeRole(doors, conversation.sessionId, role));
	}),
	switchMode: loaded(async (doors, target) =>
		(await import("./approvals/approvalModePicker.ts")).pickApprovalMode(await conversationOf(doors, target)),
	),
	executePlan: loaded(async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const plan = currentPlan(conversation.state);
		if (!plan) return showNotification("info", t("There's no plan to execute yet. Ask Planner to create one."));
		await doors.views.reveal(conversation.sessionId);
		const { planId, version, hash, plan: shown } = plan.event;
		const { confirmPlan, pickAgent } = await pickers();
		if (!(await confirmPlan(shown))) return undefined;
		const { executePlan } = await import("../chat/sessionSwitcher.ts");
		return executePlan(conversation, { planId, version, hash }, (current, among) => pickAgent(doors.engine, current, among));
	}),
	cancel: loaded(async (doors, target) => (await conversationOf(doors, target)).cancel()),
	nextWaiting: loaded(async (doors, target) => {
		const { sessionId, state } = await conversationOf(doors, target);
		const [elsewhere] = pendingRequests(state).length > 0 ? [] : await doors.engine.sessions.waiting();
		await focusApproval(doors, { ...target, sessionId: elsewhere ?? sessionId });
	}),
	approve: loaded(focusApproval),
	deny: loaded(focusApproval),
	renameSession: loaded(async (doors, target) => {
		const session = await sessionOf(doors, target, t("Rename Session"));
		const name = session && (await (await pickers()).promptForSessionName(session));
		if (session && name !== undefined) await doors.engine.sessions.rename(session.sessionId, name);
	}),
	pinSession: loaded((doors, target) => setPinned(doors, target, true)),
	unpinSession: loaded((doors, target) => setPinned(doors, target, false)),
	clearSession: loaded(async (doors, target) => {
		const session = await sessionOf(doors, target, t("Clear Session"));
		if (!session) return;
		const question = t("Clear “{0}”?", formatSessionTitle(session));
		const lost = t("This permanently deletes its messages. The name, agent, and role are kept. Your files are not affected.");
		if (await (await pickers()).confirmDestructive(question, t("Clear"), lost)) await doors.engine.sessions.clear(session.sessionId);
	}),
	deleteSession: loaded(async (doors, target) => {
		const session = await sessionOf(doors, target, t("Delete Session"));
		if (!session) return;
		const question = t("Delete “{0}”?", formatSessionTitle(session));
		if (
			!(await (
				await pickers()
			).confirmDestructive(question, t("Delete"), t("This permanently deletes its messages. Your files are not affected.")))
		)
			return;
		const { sessions: conversations } = doors.engine;
		const shown = await doors.views.chatsShowing(session.sessionId);
		await conversations.delete(session.sessionId);
		if (shown.length === 0) return;
		const [next] = await conversations.list();
		const { sessionId } = next ?? (await conversations.create());
		for (const chat of shown) await chat.show(sessionId);
	}),
	exportSession: loaded(async (doors, target) => {
		const session = await sessionOf(doors, target, t("Export Session"));
		if (session) await (await pickers()).exportSession(doors.engine.sessions, session);
	}),
	importSession: loaded(async (doors, { path }) => (await import("./chat/importSession.ts")).importSessionFile(doors, path)),
	showPrompt: loaded(async (doors, target) => {
		const { sessionId } = await conversationOf(doors, target);
		await (await import("./showPrompt.ts")).showPrompt(doors.engine, sessionId);
	}),
	selectModel: loaded(async (doors, target) =>
		(await import("./models/modelPickers.ts")).pickModel(doors.engine, await modelContext(doors, target)),
	),
	setApiKey: loaded(async ({ engine }, { provider }) => (await import("./models/modelPickers.ts")).promptForApiKey(engine, provider)),
	addProvider: loaded(async ({ engine }) => (await import("./models/addProvider.ts")).addProvider(engine)),
	addServer: loaded(async ({ engine }) => (await import("./mcp/addMcpServer.ts")).addMcpServer(engine.mcpActions, engine.secrets)),
	setSecret: loaded(async ({ engine }, { secret }) =>
		(await import("./mcp/mcpSecrets.ts")).promptForMcpSecret(engine.secrets, engine.mcpActions, secret),
	),
	manageServers: loaded(async ({ engine }, { server }) => (await import("./mcp/mcpPicker.ts")).manageMcpServers(engine.mcpActions, server)),
	chooseTools: loaded(async ({ engine }) =>
		(await import("./integrations/languageModelToolPicker.ts")).pickLanguageModelTools(engine.editorTools),
	),
	reviewSkills: loaded(async ({ engine }, { path }) => (await import("./skills.ts")).reviewSkills(engine.skills, path)),
	manageGrants: loaded(async ({ engine }, { agentId }) =>
		(await import("./approvals/approvalsPicker.ts")).manageApprovals(engine, agentId),
	),
	addSelection: loaded(async ({ views }) => {
		const editor = vscode.window.activeTextEditor;
		if (!editor) return showNotification("info", t("Open a file and select what you want to add."));
		const { document, selection } = editor;
		const chat = await views.reveal();
		chat.compose(`${formatMention(document.uri, selection.isEmpty ? undefined : selectedLines(selection))} `);
		return chat.focus("composer");
	}),
	showLog: ({ log }: CommandContext) => log.show(),
	manageAgents: onAgents("manageAgents"),
	newAgent: onAgents("newAgent"),
	editAgent: onAgents("editAgent"),
	duplicateAgent: onAgents("duplicateAgent"),
	deleteAgent: onAgents("deleteAgent"),
	reviewAgent: onAgents("reviewAgent"),
	newNote: onArtifacts("newNote"),
	newList: onArtifacts("newList"),
	newView: onArtifacts("newView"),
	openArtifact: onArtifacts("openArtifact"),
	openArtifactJson: onArtifacts("openArtifactJson"),
	renameArtifact: onArtifacts("renameArtifact"),
	tagArtifact: onArtifacts("tagArtifact"),
	editQuery: onArtifacts("editQuery"),
	deleteArtifact: onArtifacts("deleteArtifact"),
	restoreArtifact: onArtifacts("restoreArtifact"),
	exportArtifact: onArtifacts("exportArtifact"),
	importArtifact: onArtifacts("importArtifact"),
	reviewChanges: onChanges("reviewChanges"),
	keepChange: onChanges("keepChange"),
	undoChange: onChanges("undoChange"),
	keepAllChanges: onChanges("keepAllChanges"),
	undoAllChanges: onChanges("undoAllChanges"),
	keepHunk: onChanges("keepHunk"),
	undoHunk: onChanges("undoHunk"),
	fixProblem: async (doors, found) => (await toChat()).sendProblems(doors, "fix", found),
	explainProblem: async (doors, found) => (await toChat()).sendProblems(doors, "explain", found),
	explainSelection: async (doors) => (await toChat()).explainSelection(doors),
	fixSelection: async (doors) => (await toChat()).fixSelection(doors),
	addToChat: async (doors, ...given) => (await toChat()).addFiles(doors, given),
	addTerminalSelection: async (doors) => (await toChat()).addTerminalSelection(doors),
	addTerminal: async (doors) => (await toChat()).addTerminal(doors),
	showWaiting: async (doors, target) => (await toChat()).revealPendingCard(doors, target),
	generateCommitMessage: async (doors, source) => (await import("./integrations/commitMessage.ts")).generateCommitMessage(doors, source),
	openWalkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", "troupe.troupe#start"),
};

/** In the Command Palette these ask for a session, the current one first; elsewhere they act on their target. */
const PICKING = ["renameSession", "pinSession", "unpinSession", "clearSession", "deleteSession", "exportSession"];

export function registerCommands(doors: CommandContext): vscode.Disposable[] {
	const register = (id: string, run: Command) =>
		vscode.commands.registerCommand(`troupe.${id}`, async (...given: never[]) => {
			try {
				return await run(doors, ...given);
			} catch (error) {
				return (await import("./errorNotifications.ts")).showError(error, doors.log);
			}
		});
	const pick =
		(run: Command): Command =>
		(parts, target?: Target) =>
			run(parts, { ...target, pick: true } as never);
	return [
		...Object.entries(commands).map(([name, run]) => register(name, run)),
		...PICKING.map((name) => register(`${name}.pick`, pick(commands[name] as Command))),
	];
}

async function pickFromAll(doors: Open): Promise<void> {
	const sessionId = await (await import("./chat/sessionSearchPicker.ts")).pickFromSessionSearch(doors.engine, await current(doors, {}));
	if (!sessionId) return;
	const chat = await doors.views.reveal(sessionId);
	await chat.show(sessionId);
	chat.focus("composer");
}

async function setPinned(doors: Open, target: Target, pinned: boolean): Promise<void> {
	const title = pinned ? t("Pin Session") : t("Unpin Session");
	const fits = ({ pinnedAt }: SessionSummary) => (pinnedAt !== undefined) !== pinned;
	const all = target.pick ? await doors.engine.sessions.list() : [];
	if (all.length > 0 && !all.some(fits))
		return void showNotification("info", pinned ? t("All sessions are pinned.") : t("There are no pinned sessions."));
	const session = await sessionOf(doors, target, title, target.pick ? fits : undefined);
	if (session && fits(session)) await doors.engine.sessions.pin(session.sessionId, pinned);
}

/** The palette reveals the card and never answers it. */
async function focusApproval(doors: Open, target: Target): Promise<void> {
	const { sessionId, state } = await conversationOf(doors, target);
	const chat = await doors.views.reveal(sessionId);
	if (chat.sessionId !== sessionId) await chat.show(sessionId);
	if (pendingRequests(state).length === 0) void showNotification("info", t("There are no pending approvals."));
	else chat.focus("approval");
}

/** The target's session, or else the active one, or else the last shown, as in the status bar. */
async function current({ engine, views }: Open, { sessionId }: Target): Promise<string | undefined> {
	return sessionId ?? (await views.active())?.sessionId ?? (await engine.lastShownSession());
}

/** The session a command acts on; undefined if there is none or the user picks none. */
async function sessionOf(
	doors: Open,
	target: Target,
	title: string,
	fits: (session: SessionSummary) => boolean = () => true,
): Promise<SessionSummary | undefined> {
	const sessions = (await doors.engine.sessions.list()).filter(fits);
	const id = await current(doors, target);
	const found = sessions.find(({ sessionId }) => sessionId === id);
	if (found && !target.pick) return found;
	return (await pickers()).pickSession(found ? [found, ...sessions.filter((session) => session !== found)] : sessions, title);
}

/** Agent and role of the current session, or of a new one. */
async function modelContext(doors: Open, target: Target): Promise<ModelPickerContext> {
	const { sessions: conversations } = doors.engine;
	const { agents, roles, settings } = conversations.services;
	const id = await current(doors, target);
	const state = id === undefined ? undefined : (await conversations.get(id)).state;
	const agent = agents().find(({ agentId }) => agentId === state?.agent) ?? agents()[0];
	const role = roles().find((candidate) => candidate.id === (state?.role ?? settings().defaultRole)) ?? roles()[0];
	if (!agent || !role) throw new Error(t("There is no agent or role to choose a model for."));
	return { agent, role };
}

async function conversationOf(doors: Open, target: Target) {
	const { sessions: conversations } = doors.engine;
	const id = await current(doors, target);
	if (id) return conversations.get(id);
	const [newest] = await conversations.list();
	return conversations.get(newest?.sessionId ?? (await conversations.create()).sessionId);
}

const changeRole = (doors: Open, session: string, role: string) => throughChat(doors, { type: "role", session, role });

/** Changes go through a chat controller, which warns before it stops a running turn, even if no chat is visible. */
async function throughChat(doors: Open, intent: Extract<Intent, { session: string }>): Promise<void> {
	const chat = doors.engine.createChat(() => undefined, intent.session);
	try {
		await chat.handle(intent);
	} finally {
		chat.dispose();
	}
}
