// Implements "Generate Commit Message" in Source Control: one model request fills the input box.

import * as vscode from "vscode";
import { writeCommitMessage } from "../../integrations/commitMessage.ts";
import { t } from "../../shared/l10n.ts";
import type { Engine } from "../engine.ts";
import { helpAction } from "../errorNotifications.ts";
import { showNotification } from "../notifications.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** The parts of the built-in Git extension's API, version 1, used here. */
interface GitApi {
	repositories: Repository[];
	getRepository(uri: vscode.Uri): Repository | null;
}

interface Repository {
	rootUri: vscode.Uri;
	inputBox: { value: string };
	ui: { selected: boolean };
}

/** `source` is the source control whose title button was clicked. */
export async function generateCommitMessage({ engine }: IntegrationContext, source?: { rootUri?: vscode.Uri }): Promise<void> {
	const repository = await repositoryOf(source?.rootUri);
	if (!repository)
		return notify(t("No Git repository was found. Open a folder that contains one, or initialize a repository in Source Control."));
	const loaded = await engine.load();
	// Not the Git extension's own diff and log: those run programs that the repository configures.
	const found = await loaded.commitChanges(repository.rootUri.fsPath);
	if (!found)
		return notify(
			t("Could not get the changes from Git. Nothing was written. Check that Git 2.39.4 or newer is installed, then try again."),
		);
	if (found.diff.trim() === "") return notify(t("Git found no changes to tracked files. Stage what you want to commit, then try again."));
	const model = await modelFor(loaded);
	if (!model) return;
	const progress = {
		location: vscode.ProgressLocation.Notification,
		title: t("Generating a commit message with {0}…", model.name),
		cancellable: true,
	};
	const message = await vscode.window.withProgress(progress, async (_, token) => {
		const stop = new AbortController();
		token.onCancellationRequested(() => stop.abort());
		const facts = { ...found, draft: repository.inputBox.value };
		try {
			return { text: await writeCommitMessage(model, facts, stop.signal) };
		} catch (error) {
			if (stop.signal.aborted) return undefined;
			throw error;
		}
	});
	if (!message) return;
	if (message.text) repository.inputBox.value = message.text;
	else
		notify(
			t(
				"The model returned no commit message. The text in the input box is unchanged. Try again, or select another model with “Troupe: Select Model”.",
			),
		);
}

/** Resolves to undefined if there is no usable model; the user was told what to do. */
async function modelFor({ sessions }: Engine) {
	const { services, policy } = sessions;
	const restricted = services.restricted();
	const [agent] = policy.agents();
	const role = policy.roles().find(({ id }) => id === policy.settings().defaultRole);
	if (restricted !== undefined) {
		const trust = t("Manage Trust");
		if ((await showNotification("warning", restricted, trust)) === trust) await vscode.commands.executeCommand("workbench.trust.manage");
		return undefined;
	}
	const model = agent && role && (await services.model(agent, role));
	if (model && !model.id.startsWith("offline/")) return model;
	const choose = helpAction("selectModel");
	const key = helpAction("setApiKey");
	const text = t("The offline model can't write commit messages. Select a language model or set an API key.");
	const answer = await showNotification("info", text, choose.title, key.title);
	const help = [choose, key].find(({ title }) => title === answer);
	if (help) await vscode.commands.executeCommand(help.command);
	return undefined;
}

async function repositoryOf(root: vscode.Uri | undefined): Promise<Repository | undefined> {
	const git = vscode.extensions.getExtension<{ enabled: boolean; getAPI(version: 1): GitApi }>("vscode.git");
	const api = git && (await git.activate()).getAPI(1);
	if (!api) return undefined;
	const shown = vscode.window.activeTextEditor?.document.uri;
	return (
		(root && api.getRepository(root)) ??
		api.repositories.find(({ ui }) => ui.selected) ??
		(shown && api.getRepository(shown)) ??
		api.repositories[0]
	);
}

function notify(text: string): void {
	void showNotification("info", text);
}
