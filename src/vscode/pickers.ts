// Quick Picks, input boxes and confirmations of the commands.

import { writeFile } from "node:fs/promises";
import * as vscode from "vscode";
import type { AgentPickOptions } from "../chat/chatHost.ts";
import type { Plan, SessionSummary } from "../core/events.ts";
import type { Memory } from "../core/ports/artifacts.ts";
import type { KeptFor } from "../core/ports/tool.ts";
import type { Permission, Role } from "../core/role.ts";
import { formatSessionTitle } from "../session/transcript/sessionTitle.ts";
import { joinText, streamExport } from "../sessions/exportSession.ts";
import type { Sessions } from "../sessions/sessions.ts";
import { formatList, t } from "../shared/l10n.ts";
import { permissionLabels } from "../shared/permissionLabels.ts";
import { escapeLabel } from "../shared/safeText.ts";
import { askForConsent } from "./consent.ts";
import { showConfirmation } from "./dialogs.ts";
import type { Engine } from "./engine.ts";
import { showNotification } from "./notifications.ts";

export async function pickRole(engine: Pick<Engine, "sessions">, current: string): Promise<string | undefined> {
	const { policy } = engine.sessions;
	const items = policy.roles().map((role) => ({
		label: role.icon ? `$(${role.icon}) ${escapeLabel(role.label)}` : escapeLabel(role.label),
		description: role.id === current ? t("current") : "",
		detail: escapeLabel([...describePermissions(role.permissions), ...delegated(role)].join(" · ")),
		id: role.id,
	}));
	return (await vscode.window.showQuickPick(items, { title: t("Switch Role"), matchOnDetail: true }))?.id;
}

function describePermissions(permissions: readonly Permission[]): string[] {
	if (permissions.length === 0) return [t("No access to the workspace")];
	return [t("Permissions: {0}", formatList(permissions.map((permission) => permissionLabels[permission])))];
}

/** Additional permissions of agents it may delegate to. */
function delegated({ permissions, ceiling = [] }: Role): string[] {
	const more = ceiling.filter((permission) => !permissions.includes(permission));
	return more.length > 0
		? [t("Additional permissions for delegated agents: {0}", formatList(more.map((permission) => permissionLabels[permission])))]
		: [];
}

/** Picks one of the visible agents; the last entry opens the "Manage Agents" page instead. */
export async function pickAgent(engine: Pick<Engine, "sessions">, current: string, among?: AgentPickOptions): Promise<string | undefined> {
	const visible = engine.sessions.policy.agents().filter(({ uiVisible, agentId }) => uiVisible !== false || agentId === current);
	const listed = visible.filter(({ agentId }) => among?.agents.includes(agentId) ?? true);
	const items: (vscode.QuickPickItem & { id?: string })[] = listed.map((agent) => ({
		label: `$(${agent.icon ?? "hubot"}) ${escapeLabel(agent.displayName)}`,
		description: agent.agentId === current ? t("current") : "",
		detail: escapeLabel(agent.description ?? ""),
		id: agent.agentId,
	}));
	const manage: (typeof items)[number] = { label: t("$(settings-gear) Manage Agents…"), alwaysShow: true };
	const all: typeof items = [...items, { label: "", kind: vscode.QuickPickItemKind.Separator }, manage];
	const picked = await vscode.window.showQuickPick(all, { title: among?.title ?? t("Switch Agent"), matchOnDetail: true });
	if (picked === manage) await vscode.commands.executeCommand("troupe.manageAgents");
	return picked?.id;
}

/** Picks one of the sessions; a single one is returned directly. */
export async function pickSession(sessions: readonly SessionSummary[], title: string): Promise<SessionSummary | undefined> {
	if (sessions.length === 0) void showNotification("info", t("No sessions yet. Start one with “Troupe: New Session”."));
	if (sessions.length < 2) return sessions[0];
	const items = sessions.map((session) => ({
		label: escapeLabel(formatSessionTitle(session)),
		description: escapeLabel(session.lastSnippet ?? ""),
		session,
	}));
	return (await vscode.window.showQuickPick(items, { title, placeHolder: t("Select a session") }))?.session;
}

export async function promptForSessionName(session: SessionSummary): Promise<string | undefined> {
	return vscode.window.showInputBox({
		title: t("Rename Session"),
		value: formatSessionTitle(session),
		prompt: t("Enter a name for the session"),
	});
}

export async function confirmPlan({ goal, steps }: Plan): Promise<boolean> {
	const lines = steps.map(({ step_number: number, action, files = [] }) => [`${number}. ${action}`, ...files].join(" · "));
	return (await askForConsent(t("Execute the plan “{0}”?", goal), lines, [t("Execute Plan")])) !== undefined;
}

export async function confirmDestructive(question: string, button: string, details: readonly string[]): Promise<boolean> {
	return (await showConfirmation(question, details, button)) === button;
}

export async function exportSession(sessions: Sessions, session: SessionSummary): Promise<void> {
	const name = `${
		formatSessionTitle(session)
			.replace(/[^\p{L}\p{N} _-]/gu, "")
			.slice(0, 60) || "session"
	}.md`;
	const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
	const target = await vscode.window.showSaveDialog({
		title: t("Export Session"),
		filters: { Markdown: ["md"], JSON: ["json"] },
		...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
	});
	if (!target) return;
	const parts = await streamExport(sessions, session, target.path.endsWith(".json") ? "json" : "markdown");
	if (target.scheme === "file") await writeFile(target.fsPath, parts);
	else await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(await joinText(parts)));
	const { size } = await vscode.workspace.fs.stat(target);
	if (size < MAX_DOCUMENT_BYTES) await vscode.window.showTextDocument(target);
	else showNotification("info", t("Session exported to {0}.", target.fsPath));
}

/** Maximum bytes of a document that the editor opens for extensions. */
const MAX_DOCUMENT_BYTES = 50_000_000;

const MEMORY_OF: Record<KeptFor, () => string> = {
	person: () => t("For you, in every workspace"),
	workspace: () => t("For this workspace"),
};

export async function openMemory(memory: Memory): Promise<void> {
	const files = await memory.list();
	if (files.length === 0) {
		void showNotification("info", t("Memory is empty. Agents with the plugin {0} write to it.", "memory"));
		return;
	}
	const items = files.map(({ path, keptFor, firstLine, file }) => ({
		label: `$(notebook) ${escapeLabel(path)}`,
		description: escapeLabel(MEMORY_OF[keptFor]()),
		detail: escapeLabel(firstLine),
		file,
	}));
	const options = { title: t("Memory"), placeHolder: t("Select a file to open"), matchOnDetail: true };
	const picked = await vscode.window.showQuickPick(items, options);
	if (picked) await vscode.window.showTextDocument(vscode.Uri.file(picked.file), { preview: true });
}
