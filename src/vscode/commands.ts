// The one table of commands and their registration; each loads what it needs on first use.
import * as vscode from "vscode";
import type { SessionSummary } from "../core/events.ts";
import { AUDIT_FILE } from "../core/ports/audit.ts";
import { isCallable, MAIN_AGENT } from "../core/role.ts";
import { currentPlan, pendingRequests } from "../core/transcript/state.ts";
import { UserError } from "../core/userError.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import { t } from "../shared/l10n.ts";
import type { Intent } from "../shared/protocol/chat.ts";
import type { AgentCommand, AgentTarget } from "./agents/agentActions.ts";
import type { AgentsPage } from "./agents/agentsPage.ts";
import type { ArtifactCommand } from "./artifacts/artifactCommands.ts";
import type { ChatViews } from "./chat/chatViews.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import type { ModelPickerContext } from "./models/modelPickers.ts";
import { showNotification } from "./notifications.ts";
import type { ReviewCommands } from "./review/commands.ts";

interface CommandContext {
	engine: LazyEngine;
	views: ChatViews;
	page: AgentsPage;
	log: vscode.LogOutputChannel;
	/** Troupe's folder for all workspaces. */
	storage: vscode.Uri;
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
	/** True if it is called from the Command Palette, where the user picks the session first. */
	pick?: boolean;
}

/** A command as the editor calls it, with whatever the menu or button hands over. Its errors are shown. */
type Command = (ctx: CommandContext, ...given: never[]) => unknown;

/** The context with the engine loaded. */
type Open = Omit<CommandContext, "engine"> & { engine: Engine };

const loaded =
	(run: (ctx: Open, target: Target) => unknown): Command =>
	async (ctx, target?: Target) =>
		run({ ...ctx, engine: await ctx.engine.load() }, target ?? {});

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

const toChat = () => import("./integrations/sendToChat.ts");

const pickers = () => import("./pickers.ts");

/** Every command that package.json names, but for those of PICKING. */
const commands: Readonly<Record<string, Command>> = {
	open: loaded(async ({ engine, views }, { sessionId }) => {
		const isTask = sessionId !== undefined && (await engine.sessions.find(sessionId))?.kind === "task";
		const chat = isTask ? await views.revealSession(sessionId) : await views.reveal();
		if (sessionId && !isTask) await chat.show(sessionId);
		chat.focus("composer");
	}),
	openInEditor: loaded(async (ctx, target) => void ctx.views.openInEditor(await current(ctx, target))),
	newSession: loaded(async ({ engine, views }, { agentId }) => {
		const chat = await views.reveal();
		const agent = agentId ?? (await agentToGoOnWith(engine, chat.sessionId));
		const summary = await engine.sessions.create(agent === undefined ? {} : { agentId: agent });
		await chat.show(summary.sessionId);
		chat.focus("composer");
	}),
	openLatest: loaded(async ({ engine, views }, { agentId }) => {
		const { sessionId } = await engine.sessions.latest(agentId ?? engine.sessions.services.registry.lastUsed());
		const chat = await views.reveal();
		await chat.show(sessionId);
		chat.focus("composer");
	}),
	openMainAgent: loaded(async ({ engine, views }) => {
		const { sessionId } = await engine.sessions.latest(MAIN_AGENT);
		const chat = await views.reveal();
		await chat.show(sessionId);
		chat.focus("composer");
	}),
	searchSessions: loaded(pickFromAll),
	showSessions: loaded(pickFromAll),
	showTasks: loaded(async ({ engine, views }) => {
		const sessionId = await (await import("./taskPicker.ts")).pickTask(await engine.sessions.tasks());
		if (sessionId !== undefined) (await views.revealSession(sessionId)).focus("composer");
	}),
	chatInTerminal: loaded(({ engine }) => engine.chatInTerminal()),
	reviewTaskChanges: loaded(async ({ engine, views }) => {
		const sessionId = await (await import("./taskPicker.ts")).pickTaskToReview(engine.sessions);
		if (sessionId !== undefined) (await views.revealSession(sessionId)).focus("changes");
	}),
	openMemory: loaded(async ({ engine }) => (await pickers()).openMemory(engine.memory)),
	switchAgent: loaded(async (ctx, target) => {
		const session = await resolveSession(ctx, target);
		const agent = await (await pickers()).pickAgent(ctx.engine, session.state.agent);
		if (agent) await throughChat(ctx, { type: "agent", session: session.sessionId, agent });
	}),
	switchAgentWithContext: loaded(async (ctx, target) => {
		const session = await resolveSession(ctx, target);
		const request = await (await import("./agents/agentSwitchPicker.ts")).pickAgentSwitch(ctx.engine, session);
		// Not awaited: the chat shows the turn's progress.
		if (request) void (await ctx.views.revealSession(session.sessionId)).switchAgent(request);
	}),
	returnWithSummary: loaded(async (ctx, target) => {
		const { sessionId } = await resolveSession(ctx, target);
		await (await ctx.views.revealSession(sessionId)).handle({ type: "switchedHere", session: sessionId, how: "return" });
	}),
	switchRole: loaded(async (ctx, target) => {
		const session = await resolveSession(ctx, target);
		const role = await (await pickers()).pickRole(ctx.engine, session.state.role);
		if (role) await changeRole(ctx, session.sessionId, role);
	}),
	toggleRole: loaded(async (ctx, target) => {
		const session = await resolveSession(ctx, target);
		const { toggleRole } = await import("./statusBar/toggleRole.ts");
		await toggleRole(session, (role) => changeRole(ctx, session.sessionId, role));
	}),
	switchMode: loaded(async (ctx, target) =>
		(await import("./approvals/approvalModePicker.ts")).pickApprovalMode(await resolveSession(ctx, target)),
	),
	executePlan: loaded(async (ctx, target) => {
		const session = await resolveSession(ctx, target);
		const plan = currentPlan(session.state);
		if (!plan) return showNotification("info", t("There's no plan to execute yet. Ask Planner to create one."));
		await ctx.views.reveal(session.sessionId);
		const { planId, version, hash, plan: shown } = plan.event;
		const { confirmPlan, pickAgent } = await pickers();
		if (!(await confirmPlan(shown))) return undefined;
		const { executePlan } = await import("../chat/sessionSwitcher.ts");
		return executePlan(session, { planId, version, hash }, (current, among) => pickAgent(ctx.engine, current, among));
	}),
	cancel: loaded(async (ctx, target) => (await resolveSession(ctx, target)).cancel()),
	nextWaiting: loaded(async (ctx, target) => {
		const { sessionId, state } = await resolveSession(ctx, target);
		const [elsewhere] = pendingRequests(state).length > 0 ? [] : await ctx.engine.sessions.waiting();
		await focusApproval(ctx, { ...target, sessionId: elsewhere ?? sessionId });
	}),
	approve: loaded(focusApproval),
	deny: loaded(focusApproval),
	renameSession: loaded(async (ctx, target) => {
		const session = await sessionOf(ctx, target, t("Rename Session"));
		const name = session && (await (await pickers()).promptForSessionName(session));
		if (session && name !== undefined) await ctx.engine.sessions.rename(session.sessionId, name);
	}),
	pinSession: loaded((ctx, target) => setPinned(ctx, target, true)),
	unpinSession: loaded((ctx, target) => setPinned(ctx, target, false)),
	clearSession: loaded(async (ctx, target) => {
		const session = await sessionOf(ctx, target, t("Clear Session"));
		if (!session) return;
		const question = t("Clear “{0}”?", formatSessionTitle(session));
		const { describeClearing } = await import("../delegation/tasks/describeLoss.ts");
		const lost = await describeClearing(ctx.engine.sessions, session.sessionId);
		if (await (await pickers()).confirmDestructive(question, t("Clear"), lost)) await ctx.engine.sessions.clear(session.sessionId);
	}),
	deleteSession: loaded(async (ctx, target) => {
		const session = await sessionOf(ctx, target, t("Delete Session"));
		if (!session) return;
		const { sessions } = ctx.engine;
		const tasks = await sessions.tasksOf(session.sessionId);
		const question = t("Delete “{0}”?", formatSessionTitle(session));
		const { describeDeletion } = await import("../delegation/tasks/describeLoss.ts");
		const lost = await describeDeletion(sessions, ctx.engine.delegation.tasks.applyChanges, session.sessionId);
		if (!(await (await pickers()).confirmDestructive(question, t("Delete"), lost))) return;
		await sessions.delete(session.sessionId);
		const sidebar = await ctx.views.leave(new Set([session, ...tasks].map(({ sessionId }) => sessionId)));
		if (!sidebar) return;
		const next = (await sessions.find(session.task?.caller.session ?? "")) ?? (await sessions.list())[0];
		await sidebar.show((next ?? (await sessions.create())).sessionId);
	}),
	exportSession: loaded(async (ctx, target) => {
		const session = await sessionOf(ctx, target, t("Export Session"));
		if (session) await (await pickers()).exportSession(ctx.engine.sessions, session);
	}),
	importSession: loaded(async (ctx, { path }) => (await import("./chat/importSession.ts")).importSessionFile(ctx, path)),
	showPrompt: loaded(async (ctx, target) => {
		const { sessionId } = await resolveSession(ctx, target);
		await (await import("./showPrompt.ts")).showPrompt(ctx.engine, sessionId);
	}),
	selectModel: loaded(async (ctx, target) =>
		(await import("./models/modelPickers.ts")).pickModel(ctx.engine, await modelContext(ctx, target)),
	),
	setApiKey: loaded(async ({ engine }, { provider }) => (await import("./models/modelPickers.ts")).promptForApiKey(engine, provider)),
	addProvider: loaded(async ({ engine }) => (await import("./models/addProvider.ts")).addProvider(engine)),
	addServer: loaded(async ({ engine }) =>
		(await import("./mcp/addMcpServer.ts")).addMcpServer(engine.mcpActions, engine.secrets, engine.log),
	),
	setSecret: loaded(async ({ engine }, { secret }) =>
		(await import("./mcp/mcpSecretPrompt.ts")).promptForMcpSecret(engine.secrets, engine.mcpActions, secret),
	),
	manageServers: loaded(async ({ engine }, { server }) =>
		(await import("./mcp/mcpPicker.ts")).manageMcpServers(engine.mcpActions, engine.log, server),
	),
	chooseTools: loaded(async ({ engine }) =>
		(await import("./integrations/languageModelToolPicker.ts")).pickLanguageModelTools(engine.editorTools),
	),
	reviewSkills: loaded(async ({ engine }, { path }) => (await import("./skills.ts")).reviewSkills(engine, path)),
	manageGrants: loaded(async ({ engine }, { agentId }) =>
		(await import("./approvals/approvalsPicker.ts")).manageApprovals(engine, agentId),
	),
	showLog: ({ log }: CommandContext) => log.show(),
	showAuditLog,
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
	takeTaskFile: async ({ engine }, uri?: vscode.Uri) => (await engine.load()).taskReview.takeFile(uri),
	takeTaskSelection: async ({ engine }, uri?: vscode.Uri) => (await engine.load()).taskReview.takeSelection(uri),
	fixProblem: async (ctx, found) => (await toChat()).sendProblems(ctx, "fix", found),
	explainProblem: async (ctx, found) => (await toChat()).sendProblems(ctx, "explain", found),
	explainSelection: async (ctx) => (await toChat()).explainSelection(ctx),
	fixSelection: async (ctx) => (await toChat()).fixSelection(ctx),
	addSelection: async (ctx) => (await toChat()).addSelection(ctx),
	addToChat: async (ctx, ...given) => (await toChat()).addFiles(ctx, given),
	addTerminalSelection: async (ctx) => (await toChat()).addTerminalSelection(ctx),
	addTerminal: async (ctx) => (await toChat()).addTerminal(ctx),
	showWaiting: async (ctx, target) => (await toChat()).revealPendingCard(ctx, target),
	generateCommitMessage: async (ctx, source) => (await import("./integrations/commitMessage.ts")).generateCommitMessage(ctx, source),
	openWalkthrough: () => vscode.commands.executeCommand("workbench.action.openWalkthrough", "troupe.troupe#start"),
};

/** In the Command Palette these ask for a session, the current one first; elsewhere they act on their target. */
const PICKING = ["renameSession", "pinSession", "unpinSession", "clearSession", "deleteSession", "exportSession"];

export function registerCommands(ctx: CommandContext): vscode.Disposable[] {
	const register = (id: string, run: Command) =>
		vscode.commands.registerCommand(`troupe.${id}`, async (...given: never[]) => {
			try {
				return await run(ctx, ...given);
			} catch (error) {
				return (await import("./errorNotifications.ts")).showError(error, (line) => ctx.log.error(line));
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

/** Read-only in the editor: entries are only appended. */
async function showAuditLog({ storage }: CommandContext): Promise<void> {
	const file = vscode.Uri.joinPath(storage, AUDIT_FILE);
	const isThere = await vscode.workspace.fs.stat(file).then(
		() => true,
		() => false,
	);
	if (!isThere) return void showNotification("info", t("Nothing has been recorded yet. Calls between agents will appear here."));
	await vscode.commands.executeCommand("vscode.open", file, { preview: true });
	await vscode.commands.executeCommand("workbench.action.files.setActiveEditorReadonlyInSession");
}

async function pickFromAll(ctx: Open): Promise<void> {
	const sessionId = await (await import("./agents/sessionSearchPicker.ts")).pickFromSessionSearch(ctx.engine, await current(ctx, {}));
	if (!sessionId) return;
	(await ctx.views.revealSession(sessionId)).focus("composer");
}

async function setPinned(ctx: Open, target: Target, pinned: boolean): Promise<void> {
	const title = pinned ? t("Pin Session") : t("Unpin Session");
	const fits = ({ pinnedAt }: SessionSummary) => (pinnedAt !== undefined) !== pinned;
	const all = target.pick ? await ctx.engine.sessions.list() : [];
	if (all.length > 0 && !all.some(fits))
		return void showNotification("info", pinned ? t("All sessions are pinned.") : t("There are no pinned sessions."));
	const session = await sessionOf(ctx, target, title, target.pick ? fits : undefined);
	if (session && fits(session)) await ctx.engine.sessions.pin(session.sessionId, pinned);
}

/** The palette reveals the card and never answers it. */
async function focusApproval(ctx: Open, target: Target): Promise<void> {
	const { sessionId, state } = await resolveSession(ctx, target);
	const chat = await ctx.views.revealSession(sessionId);
	if (pendingRequests(state).length === 0) void showNotification("info", t("There are no pending approvals."));
	else chat.focus("approval");
}

/** The target's session, or else the active one, or else the last shown, as in the status bar. */
async function current({ engine, views }: Open, { sessionId }: Target): Promise<string | undefined> {
	return sessionId ?? (await views.active())?.sessionId ?? (await engine.lastShownSession());
}

/** The agent of the session that the person sees; undefined if it is no agent that a new session can have. */
async function agentToGoOnWith({ sessions, lastShownSession }: Engine, shown: string | undefined): Promise<string | undefined> {
	const found = await sessions.find(shown ?? (await lastShownSession()) ?? "");
	return sessions.policy.agents().find((agent) => agent.agentId === found?.agentId && isCallable(agent))?.agentId;
}

/** The session a command acts on; undefined if there is none or the user picks none. */
async function sessionOf(
	ctx: Open,
	target: Target,
	title: string,
	fits: (session: SessionSummary) => boolean = () => true,
): Promise<SessionSummary | undefined> {
	const sessions = (await ctx.engine.sessions.list()).filter(fits);
	const id = await current(ctx, target);
	const found = id === undefined ? undefined : await ctx.engine.sessions.find(id);
	if (found && !target.pick) return found;
	const first = found && fits(found) ? [found] : [];
	const others = sessions.filter(({ sessionId }) => sessionId !== found?.sessionId);
	return (await pickers()).pickSession([...first, ...others], title);
}

/** Agent and role of the current session, or of a new one. */
async function modelContext(ctx: Open, target: Target): Promise<ModelPickerContext> {
	const { sessions } = ctx.engine;
	const { agents, roles, settings } = sessions.policy;
	const id = await current(ctx, target);
	const state = id === undefined ? undefined : (await sessions.get(id)).state;
	const agent = agents().find(({ agentId }) => agentId === state?.agent) ?? agents()[0];
	const role = roles().find((candidate) => candidate.id === (state?.role ?? settings().defaultRole)) ?? roles()[0];
	if (!agent || !role) throw new UserError(t("There is no agent or role to choose a model for."));
	return { agent, role };
}

async function resolveSession(ctx: Open, target: Target) {
	const { sessions } = ctx.engine;
	const id = await current(ctx, target);
	if (id) return sessions.get(id);
	const [newest] = await sessions.list();
	return sessions.get(newest?.sessionId ?? (await sessions.create()).sessionId);
}

const changeRole = (ctx: Open, session: string, role: string) => throughChat(ctx, { type: "role", session, role });

/** Changes go through a chat controller, which warns before it stops a running turn, even if no chat is visible. */
async function throughChat(ctx: Open, intent: Extract<Intent, { session: string }>): Promise<void> {
	const chat = ctx.engine.createChat(() => undefined, intent.session);
	try {
		await chat.handle(intent);
	} finally {
		chat.dispose();
	}
}
