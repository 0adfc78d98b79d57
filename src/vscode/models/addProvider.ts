// "Add Model Provider…": asks for kind, address and key, tests the connection, and lets the user select models.
import * as vscode from "vscode";
import type { ModelInfo } from "../../core/ports/model.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { escapeLabel, escapeMessage } from "../../shared/safeText.ts";
import type { Engine } from "../engine.ts";
import { showNotification } from "../notifications.ts";
import { promptForApiKey } from "./modelPickers.ts";
import { promptForInput, suggestUnusedId, updateSettingEntry, validateId, validateUrl, waitUntil } from "./setupSteps.ts";

type Wire = "openai-compatible" | "anthropic";

interface KindItem extends vscode.QuickPickItem {
	/** Id of a provider that needs only a key. */
	known?: string;
	wire?: Wire;
}

type AddEngine = Pick<Engine, "apiKeyProviders" | "models" | "setApiKey" | "testConnection" | "log">;

export async function addProvider(engine: AddEngine): Promise<void> {
	const holders = await engine.apiKeyProviders();
	const own: KindItem[] = [
		{
			label: `$(server) ${t("OpenAI-Compatible Server…")}`,
			detail: t("Ollama, LM Studio, vLLM, a gateway, or a proxy"),
			wire: "openai-compatible",
		},
		{ label: `$(server) ${t("Anthropic-Compatible Server…")}`, detail: t("A gateway or a proxy"), wire: "anthropic" },
	];
	const known: KindItem[] = holders.map(({ id, label, keySource: source }) => ({
		label: `$(key) ${escapeLabel(label)}`,
		description: source === undefined ? t("Requires an API key") : t("API key set"),
		known: id,
	}));
	const items: KindItem[] = [...known, { label: t("By address"), kind: vscode.QuickPickItemKind.Separator }, ...own];
	const picked = await vscode.window.showQuickPick(items, {
		title: t("Add Model Provider"),
		placeHolder: t("Select a provider"),
		matchOnDetail: true,
	});
	if (picked?.known !== undefined) return void (await promptForApiKey(engine as Engine, picked.known));
	if (picked?.wire) await addByAddress(engine, picked.wire);
}

async function addByAddress(engine: AddEngine, type: Wire): Promise<void> {
	const title = t("Add Model Provider");
	const baseUrl = await promptForInput(title, {
		prompt: t("Server address, as given in its documentation"),
		placeHolder: type === "anthropic" ? "https://example.com/v1" : "http://localhost:8000/v1",
		check: validateUrl,
	});
	if (baseUrl === undefined) return;
	const taken = (await engine.models()).providers.map(({ id }) => id);
	const id = await promptForInput(title, {
		prompt: t("Provider name. Models are listed as name/model."),
		value: suggestUnusedId(baseUrl, taken),
		check: (text) => validateId(text, taken),
	});
	if (id === undefined) return;
	const key = await promptForInput(title, {
		prompt: t("API key, stored in VS Code's secret storage. Leave empty if the server needs none."),
		password: true,
	});
	if (key === undefined) return;
	await updateSettingEntry("providers", id, { type, baseUrl });
	await waitUntil(async () => (await engine.apiKeyProviders()).some((holder) => holder.id === id));
	if (key !== "") await engine.setApiKey(id, key);
	await test(engine, id, { type, baseUrl });
}

/** The entry is kept unless the user removes it: the server may just be down. */
async function test(engine: AddEngine, id: string, entry: { type: Wire; baseUrl: string }): Promise<void> {
	const options = { location: vscode.ProgressLocation.Notification, title: escapeMessage(t("Connecting to {0}…", id)) };
	const problem = await vscode.window.withProgress(options, () =>
		engine.testConnection(id).then(
			() => undefined,
			(error: unknown) => reasonOf(error, engine.log),
		),
	);
	if (problem !== undefined) {
		const [again, remove] = [t("Try Again"), t("Remove")];
		const answer = await showNotification("warning", t("Provider {0} was saved, but can't be reached: {1}", id, problem), again, remove);
		if (answer === again) return test(engine, id, entry);
		if (answer !== remove) return;
		await engine.setApiKey(id, "");
		return updateSettingEntry("providers", id, undefined);
	}
	const models = (await engine.models()).providers.find((provider) => provider.id === id)?.models ?? [];
	await chooseModels(id, entry, models);
	const select = t("Select Model");
	if ((await showNotification("info", t("Provider {0} added.", id), select)) === select)
		await vscode.commands.executeCommand("troupe.selectModel");
}

/** Selecting all models leaves the setting unset, so that new ones appear. */
async function chooseModels(id: string, entry: object, models: readonly ModelInfo[]): Promise<void> {
	if (models.length < 2) return;
	const items = models.map((model) => ({ label: escapeLabel(model.name), picked: true, model: model.id.slice(model.id.indexOf("/") + 1) }));
	const picked = await vscode.window.showQuickPick(items, {
		title: t("Models from {0}", escapeLabel(id)),
		placeHolder: t("Select the models to list"),
		canPickMany: true,
	});
	if (!picked || picked.length === 0 || picked.length === models.length) return;
	await updateSettingEntry("providers", id, { ...entry, models: picked.map(({ model }) => model) });
}
