// "Add to chat": files and folders of the explorer as mentions, what is selected in a terminal as text. Nothing is sent.

import { stripVTControlCharacters } from "node:util";
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { showNotification } from "../dialogs.ts";
import type { IntegrationContext } from "../integrations/context.ts";
import { formatMention } from "../mentions/mention.ts";

/** Menus give the one that was clicked, and all that are selected. */
export async function addFiles(
	doors: IntegrationContext,
	[clicked, selected]: readonly (vscode.Uri | vscode.Uri[] | undefined)[],
): Promise<void> {
	const open = vscode.window.activeTextEditor?.document.uri;
	const one = clicked instanceof vscode.Uri ? clicked : open;
	const uris = Array.isArray(selected) && selected.length > 0 ? selected : one ? [one] : [];
	if (uris.length === 0) {
		void showNotification("info", t("Pick a file in the explorer, or open one, and add it again."));
		return;
	}
	const mentions = await Promise.all(uris.map(async (uri) => formatMention(uri, undefined, await isFolder(uri))));
	await compose(doors, `${mentions.join(" ")} `);
}

/** The editor gives out a terminal's selection over the clipboard alone; what was in there is put back. */
export async function addTerminalSelection(doors: IntegrationContext): Promise<void> {
	const before = await vscode.env.clipboard.readText();
	await vscode.commands.executeCommand("workbench.action.terminal.copySelection");
	const text = plain(await vscode.env.clipboard.readText());
	if (before !== "") await vscode.env.clipboard.writeText(before);
	if (text.trim() === "") return addTerminal(doors);
	const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
	await compose(doors, `${t("From the terminal:")}\n${fence}\n${text.trimEnd()}\n${fence}\n`);
}

/** What the terminals have shown. */
export async function addTerminal(doors: IntegrationContext): Promise<void> {
	await compose(doors, "@terminal ");
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

/** Without escape sequences and other controls but line ends and tabs. */
function plain(text: string): string {
	const lines = stripVTControlCharacters(text).replaceAll("\r\n", "\n");
	return [...lines].filter((letter) => letter === "\n" || letter === "\t" || !/\p{Cc}/u.test(letter)).join("");
}
