// Sends problems, selections, files and terminal output to the chat, and shows pending cards.

import * as vscode from "vscode";
import type { Permission } from "../../core/role.ts";
import { pendingQuestion } from "../../core/transcript/state.ts";
import { findLineRange, formatProblemMessage, type ProblemAction } from "../../integrations/problemMessages.ts";
import { getRole } from "../../session/agent/sessionAgent.ts";
import { formatSessionTitle } from "../../session/transcript/sessionTitle.ts";
import { t } from "../../shared/l10n.ts";
import { stripHiddenCharacters } from "../../shared/safeText.ts";
import { selectedLines } from "../adapters/selectedLines.ts";
import type { Engine } from "../engine.ts";
import { formatMention } from "../mentions/editorFacts.ts";
import { showNotification } from "../notifications.ts";
import { type Destination, type FoundProblems, toFoundProblems } from "./codeActions.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** A role without these permissions changes nothing. */
const CHANGING: readonly Permission[] = ["WriteFiles", "CreateFiles", "DeleteFiles", "ExecuteCommands", "ExternalTools"];

/** "Fix" uses the shown session's role, so a planner plans the fix. "Explain" always uses a read-only role. */
export async function sendProblems(ctx: IntegrationContext, action: ProblemAction, { uri, problems }: FoundProblems): Promise<void> {
	await sendMessage(ctx, formatProblemMessage(action, formatMention(uri, findLineRange(problems)), problems), {
		readsOnly: action === "explain",
	});
}

export async function explainSelection(ctx: IntegrationContext): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	if (!editor) return notifyNoEditor();
	const lines = editor.selection.isEmpty ? undefined : selectedLines(editor.selection);
	await sendMessage(ctx, `Explain ${formatMention(editor.document.uri, lines)}`, { readsOnly: true });
}

/** The problems in the selected lines, or in the whole file if nothing is selected. */
export async function fixSelection(ctx: IntegrationContext): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	if (!editor) return notifyNoEditor();
	const { document, selection } = editor;
	const all = vscode.languages.getDiagnostics(document.uri);
	const found = selection.isEmpty ? all : all.filter(({ range }) => range.intersection(selection));
	if (found.length > 0) return sendProblems(ctx, "fix", toFoundProblems(document.uri, found));
	void showNotification("info", t("No problems were found here. Use “Add Selection to Chat” and describe the problem in the chat."));
}

/** Focuses the pending card and never answers it. */
export async function revealPendingCard({ views }: IntegrationContext, target: { sessionId: string }): Promise<void> {
	(await views.revealSession(target.sessionId)).focus("approval");
}

async function sendMessage({ engine, views }: IntegrationContext, text: string, { readsOnly }: { readsOnly: boolean }): Promise<void> {
	const loaded = await engine.load();
	const shown = (await views.active())?.sessionId ?? (await loaded.lastShownSession());
	const session = (await findSuitableSession(loaded, shown, readsOnly)) ?? (await createSuitableSession(loaded, shown, readsOnly));
	const chat = await views.reveal(session);
	if (chat.sessionId !== session) await chat.show(session);
	// Not awaited: the chat shows the turn's progress.
	void chat.handle({ type: "send", session, text });
}

/** Returns the destination of a message that would be sent now. */
export async function findDestination(engine: Engine, shown: string, readsOnly: boolean): Promise<Destination> {
	if ((await findSuitableSession(engine, shown, readsOnly)) === undefined) return "new";
	const session = await engine.sessions.find(shown);
	return session && { title: formatSessionTitle(session) };
}

/** The shown session, unless it is a background task, is running, waits for an answer, or has too many permissions. */
async function findSuitableSession({ sessions }: Engine, shown: string | undefined, readsOnly: boolean): Promise<string | undefined> {
	if (shown === undefined || (await sessions.find(shown))?.kind === "task") return undefined;
	const session = await sessions.get(shown);
	const fits = !session.isRunning && !pendingQuestion(session.state) && (!readsOnly || changesNothing(getRole(session)));
	return fits ? shown : undefined;
}

async function createSuitableSession({ sessions }: Engine, shown: string | undefined, readsOnly: boolean): Promise<string> {
	const reader = sessions.policy.roles().find(changesNothing)?.id;
	const same = shown === undefined ? undefined : (await sessions.get(shown)).state.role;
	const role = readsOnly ? reader : same;
	return (await sessions.create(role === undefined ? {} : { role })).sessionId;
}

function changesNothing({ permissions }: { permissions: readonly Permission[] }): boolean {
	return !permissions.some((permission) => CHANGING.includes(permission));
}

function notifyNoEditor(): void {
	void showNotification("info", t("Open a file and select the code first."));
}

/** Mentions the selected lines, or the whole file if nothing is selected. */
export async function addSelection(ctx: IntegrationContext): Promise<void> {
	const editor = vscode.window.activeTextEditor;
	if (!editor) return void showNotification("info", t("Open a file and select what you want to add."));
	const { document, selection } = editor;
	await compose(ctx, `${formatMention(document.uri, selection.isEmpty ? undefined : selectedLines(selection))} `);
}

/** Menus pass the clicked URI and all selected ones. */
export async function addFiles(
	ctx: IntegrationContext,
	[clicked, selected]: readonly (vscode.Uri | vscode.Uri[] | undefined)[],
): Promise<void> {
	const open = vscode.window.activeTextEditor?.document.uri;
	const fallback = clicked instanceof vscode.Uri ? clicked : open;
	const uris = Array.isArray(selected) && selected.length > 0 ? selected : fallback ? [fallback] : [];
	if (uris.length === 0) {
		void showNotification("info", t("Select a file in the Explorer or open one, then add it again."));
		return;
	}
	const mentions = await Promise.all(uris.map(async (uri) => formatMention(uri, undefined, await isFolder(uri))));
	await compose(ctx, `${mentions.join(" ")} `);
}

/** The editor exposes a terminal's selection only through the clipboard, whose content is restored. */
export async function addTerminalSelection(ctx: IntegrationContext): Promise<void> {
	const before = await vscode.env.clipboard.readText();
	await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
	const text = stripHiddenCharacters(await vscode.env.clipboard.readText());
	if (before !== "") await vscode.env.clipboard.writeText(before);
	if (text.trim() === "") return addTerminal(ctx);
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
	await compose(ctx, `${t("From the terminal:")}\n${fence}\n${text.trimEnd()}\n${fence}\n`);
}

/** Mentions the terminals' output. */
export async function addTerminal(ctx: IntegrationContext): Promise<void> {
	await compose(ctx, "@terminal ");
}

async function compose({ views, engine }: IntegrationContext, text: string): Promise<void> {
	const shown = (await views.active())?.sessionId ?? (await (await engine.load()).lastShownSession());
	const chat = await views.reveal(shown);
	chat.compose(text);
	chat.focus("composer");
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
	try {
		return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.Directory) !== 0;
	} catch {
		return false;
	}
}
