// One table of the commands. Each loads the engine when it is first used, not before.
import * as vscode from "vscode";
import { currentPlan, pendingRequests } from "../core/transcript.ts";
import type { ChatViews } from "./chatView.ts";
import type { Engine, LazyEngine } from "./engine.ts";
import { askName, confirmLoss, enterKey, exportTo, pickAgent, pickGrant, pickModel, pickRole, pickSession } from "./pickers.ts";

interface Doors {
	engine: LazyEngine;
	views: ChatViews;
	log: vscode.LogOutputChannel;
}

/** What a command is given by a menu: a session of the tree, an agent of the tree, or nothing. */
interface Target {
	sessionId?: string;
	agentId?: string;
}

/** The doors with the engine loaded. */
type Open = Omit<Doors, "engine"> & { engine: Engine };

type Handler = (doors: Open, target: Target) => unknown;

const handlers: Record<string, Handler> = {
	open: async ({ views }, { sessionId }) => {
		const chat = await views.reveal();
		if (sessionId) await chat.show(sessionId);
		chat.focus("composer");
	},
	openInEditor: async (doors, target) => doors.views.openInEditor(await current(doors, target)),
	newSession: async ({ engine, views }, { agentId }) => {
		const summary = await engine.conversations.create(agentId ? { agentId } : {});
		const chat = await views.reveal();
		await chat.show(summary.sessionId);
		chat.focus("composer");
	},
	switchAgent: async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const agent = await pickAgent(doors.engine, conversation.state.agent);
		if (agent) await conversation.setAgent(agent);
	},
	switchRole: async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const role = await pickRole(doors.engine, conversation.state.role);
		if (role) await changeRole(doors, role);
	},
	toggleRole: async (doors, target) => {
		const { state } = await conversationOf(doors, target);
		await changeRole(doors, state.role === "planner" ? "actor" : "planner");
	},
	executePlan: async (doors, target) => {
		const conversation = await conversationOf(doors, target);
		const plan = currentPlan(conversation.state);
		if (!plan) return vscode.window.showInformationMessage("There is no plan to execute yet. Ask the planner for one.");
		await doors.views.reveal();
		const { planId, version, hash, plan: shown } = plan.event;
		const go = "Execute Plan";
		const steps = shown.steps.map((step) => `${step.step_number}. ${step.action}`).join("\n");
		const answer = await vscode.window.showInformationMessage(`Execute the plan "${shown.goal}"?`, { modal: true, detail: steps }, go);
		return answer === go ? conversation.executePlan({ planId, version, hash }) : undefined;
	},
	cancel: async (doors, target) => (await conversationOf(doors, target)).cancel(),
	approve: focusApproval,
	deny: focusApproval,
	renameSession: async (doors, target) => {
		const session = await pickSession(doors.engine, await current(doors, target, true), "Rename Session");
		const name = session && (await askName(session));
		if (session && name !== undefined) await doors.engine.conversations.rename(session.sessionId, name);
	},
	pinSession: async (doors, target) => {
		const session = await pickSession(doors.engine, await current(doors, target, true), "Pin or Unpin Session");
		if (session) await doors.engine.conversations.pin(session.sessionId, !session.pinnedAt);
	},
	clearSession: async (doors, target) => {
		const session = await pickSession(doors.engine, await current(doors, target, true), "Clear Session");
		if (
			session &&
			(await confirmLoss(session, "Clear", "Its messages are removed for good. Name, agent and role stay, and so do your files."))
		) {
			await doors.engine.conversations.clear(session.sessionId);
		}
	},
	deleteSession: async (doors, target) => {
		const session = await pickSession(doors.engine, await current(doors, target, true), "Delete Session");
		if (!session || !(await confirmLoss(session, "Delete", "Its messages are removed for good. Your files stay as they are."))) return;
		await doors.engine.conversations.delete(session.sessionId);
		const chat = await doors.views.active();
		if (chat?.sessionId !== session.sessionId) return;
		const [next] = await doors.engine.conversations.list();
		await chat.show(next?.sessionId ?? (await doors.engine.conversations.create()).sessionId);
	},
	exportSession: async (doors, target) => {
		const session = await pickSession(doors.engine, await current(doors, target, true), "Export Session");
		if (session) await exportTo(session, (await doors.engine.conversations.get(session.sessionId)).state);
	},
	selectModel: async ({ engine }) => pickModel(engine),
	setApiKey: async ({ engine }) => enterKey(engine),
	manageAgents: () => vscode.commands.executeCommand("workbench.action.openSettings", "troupe.agents"),
	manageGrants: async ({ engine }) => pickGrant(engine),
	addSelection: async ({ views }) => {
		const editor = vscode.window.activeTextEditor;
		if (!editor) return vscode.window.showInformationMessage("Open a file and select what you want to add.");
		const { document, selection } = editor;
		const path = vscode.workspace.asRelativePath(document.uri);
		const chat = await views.reveal();
		const lines = selection.isEmpty ? "" : `:${selection.start.line + 1}-${selection.end.line + 1}`;
		const code = selection.isEmpty ? "" : `\n\`\`\`${document.languageId}\n${document.getText(selection)}\n\`\`\`\n`;
		chat.compose(`\`${path}${lines}\`${code}`);
		return chat.focus("composer");
	},
	showLog: ({ log }) => log.show(),
};

export function registerCommands(doors: Doors): vscode.Disposable[] {
	return Object.entries(handlers).map(([name, handler]) =>
		vscode.commands.registerCommand(`troupe.${name}`, async (target?: Target) => {
			try {
				const engine = await doors.engine.load();
				return await handler({ ...doors, engine }, target ?? {});
			} catch (error) {
				doors.log.error(error instanceof Error ? error : String(error));
				return vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
			}
		}),
	);
}

/** The palette leads to the card, never past it. */
async function focusApproval(doors: Open, target: Target): Promise<void> {
	const { state } = await conversationOf(doors, target);
	const chat = await doors.views.reveal();
	if (pendingRequests(state).length === 0) void vscode.window.showInformationMessage("Nothing waits for your approval.");
	else chat.focus("approval");
}

async function current(doors: Open, { sessionId }: Target, ask = false): Promise<string | undefined> {
	return sessionId ?? (ask ? undefined : (await doors.views.active())?.sessionId) ?? (await doors.views.active())?.sessionId;
}

async function conversationOf(doors: Open, target: Target) {
	const { conversations } = doors.engine;
	const id = await current(doors, target);
	if (id) return conversations.get(id);
	const [newest] = await conversations.list();
	return conversations.get(newest?.sessionId ?? (await conversations.create()).sessionId);
}

async function changeRole(doors: Open, role: string): Promise<void> {
	const chat = await doors.views.active();
	const session = (await conversationOf(doors, {})).sessionId;
	if (chat) await chat.handle({ type: "role", session, role });
	else await (await doors.engine.conversations.get(session)).setRole(role);
}
