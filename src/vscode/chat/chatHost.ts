// Implements the chat's window services: dialogs, editors, links and terminals.

import * as vscode from "vscode";
import type { ChatHost } from "../../chat/chatHost.ts";
import type { FileChange } from "../../core/events.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import type { Sessions } from "../../sessions/sessions.ts";
import { t } from "../../shared/l10n.ts";
import type { IntentCommand, Update } from "../../shared/protocol/chat.ts";
import { formatAddress } from "../../shared/safeText.ts";
import type { CommandTerminals } from "../adapters/commandTerminals.ts";
import { uriForPath } from "../adapters/virtualFileSystem.ts";
import { askForConsent } from "../consent.ts";
import { showConfirmation, showModal } from "../dialogs.ts";
import { imageUri } from "../mentions/imageFileSystem.ts";
import { showNotification } from "../notifications.ts";
import { exportSession, pickAgent, pickRole } from "../pickers.ts";
import { setWebviewFocus, windowFocusedFor } from "../windowFocus.ts";
import { applyCode, insertCode } from "./codeBlocks.ts";

interface WindowParts {
	sessions: Sessions;
	post(update: Update): void;
	shown(sessionId: string): void;
	health(): string | undefined;
	terminals: CommandTerminals;
	openTaskChanges(task: string, path?: string): Promise<void>;
}

const COMMANDS: Record<IntentCommand, string> = {
	newSession: "troupe.newSession",
	showSessions: "troupe.showSessions",
	selectModel: "troupe.selectModel",
	switchAgent: "troupe.switchAgent",
	switchMode: "troupe.switchMode",
	setApiKey: "troupe.setApiKey",
	addProvider: "troupe.addProvider",
	showLog: "troupe.showLog",
	openSettings: "workbench.action.openSettings",
	approvalSetting: "workbench.action.openSettings",
	permissionsSetting: "workbench.action.openSettings",
	trust: "workbench.trust.manage",
	manageAgents: "troupe.manageAgents",
};

/** Search terms for the settings editor. */
const SETTINGS: Partial<Record<IntentCommand, string>> = {
	openSettings: "@ext:troupe.troupe",
	approvalSetting: "troupe.approval",
	permissionsSetting: "troupe.permissions",
};

export function createChatHost({ sessions, post, shown, health, terminals, openTaskChanges }: WindowParts): ChatHost {
	return {
		post,
		shown,
		health,
		focusedFor: windowFocusedFor,
		pageFocus: (focused) => setWebviewFocus(post, focused),
		// The Enter that sent a message could otherwise confirm this dialog.
		confirm: async (question, lines, button) => (await askForConsent(question, lines, [button])) !== undefined,
		async choose(text, lines, choices) {
			const pressed = await showConfirmation(text, lines, ...choices.map(({ label }) => label));
			return choices.find(({ label }) => label === pressed)?.value;
		},
		progress: (title, run) =>
			Promise.resolve(
				vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title, cancellable: true }, (_, token) => {
					const abort = new AbortController();
					token.onCancellationRequested(() => abort.abort());
					return run(abort.signal);
				}),
			),
		copy: async (text) => vscode.env.clipboard.writeText(text),
		notify(level, text) {
			const log = t("Show Log");
			void showNotification(level, text, ...(level === "error" ? [log] : [])).then((answer) => {
				if (answer === log) void vscode.commands.executeCommand("troupe.showLog");
			});
		},
		pickRole: (current) => pickRole({ sessions }, current),
		pickAgent: (current, among) => pickAgent({ sessions }, current, among),
		exportSession: (session) => exportSession(sessions, session),
		async save(name, content) {
			const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
			const target = await vscode.window.showSaveDialog({
				title: t("Save Plan"),
				filters: { Markdown: ["md"] },
				...(folder && { defaultUri: vscode.Uri.joinPath(folder, name) }),
			});
			if (!target) return;
			await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(content));
			await vscode.window.showTextDocument(target);
		},
		async openFile(path, line) {
			const at = line === undefined ? undefined : new vscode.Range(line - 1, 0, line - 1, 0);
			await vscode.window.showTextDocument(uriForPath(path), { preview: true, ...(at && { selection: at }) });
		},
		async openDiff(change, title) {
			await vscode.commands.executeCommand("vscode.diff", beforeUri(change), afterUri(change), t("{0} (before ↔ now)", title), {
				preview: true,
			});
		},
		async openImage(blob, mime) {
			await vscode.commands.executeCommand("vscode.open", imageUri(blob, mime), { preview: true });
		},
		async openText(text) {
			await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content: text }), { preview: true });
		},
		review: async (paths) => vscode.commands.executeCommand("troupe.reviewChanges", { paths }),
		openTaskChanges,
		insertCode,
		applyCode,
		showTerminal: (call, past) => terminals.show(call, past),
		openLink: (url, text) => openLink(url, text),
		command: async (command, provider) => vscode.commands.executeCommand(COMMANDS[command], SETTINGS[command] ?? { provider }),
	};

	function beforeUri(change: FileChange): vscode.Uri {
		return preImageUri(change.before ? change.before.blob : "", change.from ?? change.path);
	}

	function afterUri(change: FileChange): vscode.Uri {
		return change.after === "" ? preImageUri("", change.path) : uriForPath(change.path);
	}
}

const SCHEME = "troupe-before";

function preImageUri(blob: string, path: string): vscode.Uri {
	return vscode.Uri.from({ scheme: SCHEME, path, query: blob });
}

/** Provides diff editors with a file's content before a change. */
export function registerBeforeContentProvider(blobs: BlobStore): vscode.Disposable {
	return vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
		async provideTextDocumentContent({ query }) {
			const bytes = query === "" ? undefined : await blobs.get(query);
			return bytes ? new TextDecoder().decode(bytes) : "";
		},
	});
}

/** Opens http and https only, after the user has seen the host as it is requested. */
async function openLink(url: string, text: string | undefined): Promise<void> {
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	if (!parsed || !["http:", "https:"].includes(parsed.protocol) || parsed.username !== "" || parsed.password !== "") {
		void showNotification("warning", t("This link is not a web address and was not opened."));
		return;
	}
	const named = text?.match(/(?:https?:\/\/)?((?:[\p{L}\p{N}-]+\.)+\p{L}{2,})/u)?.[1];
	const mismatch = named && named.toLowerCase() !== parsed.hostname ? ["", t("The link text shows a different host: {0}", named)] : [];
	const open = t("Open Link");
	const answer = await showModal(
		"info",
		t("Open {0}?", parsed.hostname),
		[{ written: formatAddress(url) }, ...(parsed.href === url ? [] : [parsed.href]), ...mismatch],
		open,
	);
	if (answer === open) await vscode.env.openExternal(vscode.Uri.parse(parsed.href, true));
}
