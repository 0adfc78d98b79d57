// Imports a conversation file as a session and opens it.

import * as vscode from "vscode";
import { UserError } from "../../core/userError.ts";
import { importSession } from "../../sessions/importSession.ts";
import { t } from "../../shared/l10n.ts";
import type { Engine } from "../engine.ts";
import { showNotification } from "../notifications.ts";
import type { ChatViews } from "./chatViews.ts";

/** Maximum bytes of an imported file. */
const MAX_BYTES = 256 * 1_024 * 1_024;

/** `path`: the file; without it, the user picks one. */
export async function importSessionFile({ engine, views }: { engine: Engine; views: ChatViews }, path?: string): Promise<void> {
	const file = path === undefined ? await pickFile() : vscode.Uri.file(path);
	if (!file) return;
	const name = file.path.slice(file.path.lastIndexOf("/") + 1);
	const { size } = await vscode.workspace.fs.stat(file);
	if (size > MAX_BYTES) throw new UserError(t("{0} is larger than {1} MB. Nothing was imported.", name, MAX_BYTES / 1_024 / 1_024));
	const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
	const { sessionId, messages, left } = await importSession(engine.sessions, text, name);
	await (await views.reveal(sessionId)).show(sessionId);
	if (left > 0)
		showNotification(
			"warning",
			t("Messages imported: {0}. Entries in {2} that couldn't be read and were skipped: {1}.", messages, left, name),
		);
}

async function pickFile(): Promise<vscode.Uri | undefined> {
	const [file] =
		(await vscode.window.showOpenDialog({
			title: t("Import Session"),
			openLabel: t("Import"),
			canSelectMany: false,
			filters: { [t("Conversations")]: ["json", "jsonl"] },
		})) ?? [];
	return file;
}
