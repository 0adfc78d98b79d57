// Quick Picks and input boxes of "Select Model" and "Set API Key".
import * as vscode from "vscode";
import type { ApiKeyProvider, ModelInfo, ModelListing, Price, ProviderListing, SelectedModel } from "../../core/ports/model.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { escapeLabel, escapeMessage, formatAddress, visibleLine } from "../../shared/safeText.ts";
import type { Engine } from "../engine.ts";
import { showError } from "../errorNotifications.ts";
import { showNotification } from "../notifications.ts";

interface ModelItem extends vscode.QuickPickItem {
	/** `provider/model` or `auto`. */
	model?: string;
	/** Id of a provider that needs a key first. */
	keyFor?: string;
	/** Opens "Add Model Provider…". */
	add?: true;
}

/** The agent and role to choose a model for: for all sessions or this role only. */
export interface ModelPickerContext {
	agent: AgentDefinition;
	role: Role;
}

export async function pickModel(engine: Engine, { agent, role }: ModelPickerContext): Promise<void> {
	const used = (): Promise<SelectedModel | undefined> => engine.sessions.services.model(agent, role, "known").catch(() => undefined);
	const chosen = await used();
	const current = chosen?.automatic ? AUTO : (chosen?.id ?? "");
	const forRole = { iconPath: new vscode.ThemeIcon("person"), tooltip: t("Use for {0} Only", role.label) };
	const picked = await new Promise<{ item: ModelItem; only: boolean } | undefined>((resolve) => {
		const list = vscode.window.createQuickPick<ModelItem>();
		list.title = t("Select Model");
		list.placeholder = t("Applies to all sessions. Select the person icon to use the model for {0} only.", role.label);
		list.matchOnDescription = true;
		list.busy = true;
		list.onDidAccept(() => end(list.selectedItems[0], false));
		list.onDidTriggerItemButton(({ item }) => end(item, true));
		list.onDidHide(() => {
			resolve(undefined);
			list.dispose();
		});
		const end = (item: ModelItem | undefined, only: boolean): void => {
			resolve(item && { item, only });
			list.hide();
		};
		list.show();
		engine.models().then(
			(listing) => {
				list.items = createModelItems(listing, { current, button: forRole });
				list.activeItems = list.items.filter(({ model }) => model === current);
				list.busy = false;
			},
			(error: unknown) => {
				list.items = [
					{
						label: t("$(warning) Could not load the models"),
						detail: escapeLabel(reasonOf(error, engine.log)),
					},
				];
				list.busy = false;
			},
		);
	});
	if (picked?.item.add) return void (await vscode.commands.executeCommand("troupe.addProvider"));
	if (picked?.item.keyFor) return void (await promptForApiKey(engine, picked.item.keyFor));
	if (!picked?.item.model) return;
	if (picked.only) await useForRole(role.id, picked.item.model);
	else await useForAll(role.id, picked.item.model);
	const now = await used();
	if (!now || picked.item.model === "auto" || now.id === picked.item.model) return;
	void showNotification("info", t("Model selected, but this session still uses {0}: {1}", now.name, now.why));
}

const AUTO = "auto";

interface Marks {
	/** The session's model: `provider/model`, or `auto` if none is set. */
	current: string;
	button: vscode.QuickInputButton;
}

export function createModelItems({ auto, providers }: ModelListing, { current, button }: Marks): ModelItem[] {
	return [
		{
			label: ticked(t("Auto"), current === AUTO),
			description: escapeLabel(auto.name),
			detail: escapeLabel(auto.why),
			model: AUTO,
			buttons: [button],
		},
		...providers.flatMap(({ label, models, priceSource: prices }) => [
			...(models.length > 0 ? [separator([label, prices].filter((part) => part !== undefined).join(" · "))] : []),
			...models.map((model) => modelItem(model, model.id === current, button)),
		]),
		...titled(t("Requires an API key"), providers.filter(({ needsKey }) => needsKey).map(keyItem)),
		...titled(t("Unavailable"), providers.filter(({ problem }) => problem !== undefined).map(problemItem)),
		separator(""),
		{ label: `$(add) ${t("Add Model Provider…")}`, alwaysShow: true, add: true },
	];
}

function separator(label: string): ModelItem {
	return { label: escapeLabel(label), kind: vscode.QuickPickItemKind.Separator };
}

function titled(title: string, items: ModelItem[]): ModelItem[] {
	return items.length > 0 ? [separator(title), ...items] : [];
}

function keyItem({ id, label }: ProviderListing): ModelItem {
	return { label: `$(key) ${escapeLabel(label)}`, description: t("Set API Key…"), keyFor: id };
}

function problemItem({ label, problem = "" }: ProviderListing): ModelItem {
	return { label: `$(warning) ${escapeLabel(label)}`, detail: escapeLabel(problem) };
}

function modelItem(model: ModelInfo, isCurrent: boolean, button: vscode.QuickInputButton): ModelItem {
	const name = model.id.slice(model.id.indexOf("/") + 1);
	const details = formatModelDetails(model);
	return {
		label: ticked(model.name, isCurrent),
		description: [name === model.name ? "" : escapeLabel(name), details].filter((part) => part !== "").join("  ·  "),
		model: model.id,
		buttons: [button],
	};
}

/** Aligns unchecked labels with checked ones. */
function ticked(label: string, isTicked: boolean): string {
	return `$(${isTicked ? "check" : "blank"}) ${escapeLabel(label)}`;
}

/** "200k · $3 in, $15 out per million tokens" */
export function formatModelDetails({ window, price }: ModelInfo): string {
	return [window === undefined ? "" : compact(window), price ? pricesOf(price) : ""].filter((part) => part !== "").join(" · ");
}

function pricesOf({ input, output }: Price): string {
	if (input === 0 && output === 0) return t("free");
	return t("{0} in, {1} out per million tokens", dollars(input), dollars(output));
}

function compact(tokens: number): string {
	const [unit, size] = tokens >= 1_000_000 ? ["M", 1_000_000] : ["k", 1_000];
	return `${Number((tokens / (size as number)).toPrecision(3))}${unit}`;
}

function dollars(amount: number): string {
	return `$${Number(amount.toPrecision(3))}`;
}

/** Clears the role's own model. A workspace setting overrides the user's, so if there is one it is changed. */
async function useForAll(role: string, model: string): Promise<void> {
	await useForRole(role, undefined);
	const configuration = vscode.workspace.getConfiguration("troupe");
	const here = configuration.inspect("model")?.workspaceValue !== undefined;
	await configuration.update("model", model, here ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global);
}

async function useForRole(role: string, model: string | undefined): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("troupe");
	const { [role]: before, ...others } = configuration.inspect<Record<string, string>>("roleModels")?.globalValue ?? {};
	if (before === model) return;
	await configuration.update("roleModels", model === undefined ? others : { ...others, [role]: model }, vscode.ConfigurationTarget.Global);
}

/** Sets, checks or removes an API key. Without `provider`, the user picks one. Doesn't wait for the notification of the result. */
export async function promptForApiKey(engine: Engine, provider?: string): Promise<"done" | undefined> {
	const holders = await engine.apiKeyProviders();
	const given = holders.find(({ id }) => id === provider);
	const holder = given ?? (await pickHolder(engine, holders));
	if (!holder) return undefined;
	const key = await vscode.window.showInputBox({
		title: visibleLine(t("API key for {0}", holder.label)),
		password: true,
		ignoreFocusOut: true,
		placeHolder: holder.keyUrl ? t("Create a key at {0}", formatAddress(holder.keyUrl)) : "",
		prompt: t("Stored in VS Code's secret storage, never in settings. Leave empty to remove the key."),
	});
	if (key === undefined) return undefined;
	await engine.setApiKey(holder.id, key.trim());
	if (key.trim() === "") {
		notifyRemoved(holder);
		return undefined;
	}
	await check(engine, holder);
	return "done";
}

interface HolderItem extends vscode.QuickPickItem {
	holder: ApiKeyProvider;
}

/** Stored keys have a Remove button. */
function pickHolder(engine: Engine, holders: readonly ApiKeyProvider[]): Promise<ApiKeyProvider | undefined> {
	const remove = { iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Remove API Key") };
	return new Promise((resolve) => {
		const list = vscode.window.createQuickPick<HolderItem>();
		list.title = t("Set API Key");
		list.placeholder = t("Select a provider for the API key");
		list.matchOnDescription = true;
		list.items = holders.map((holder) => ({
			label: escapeLabel(holder.label),
			description: stateOf(holder),
			buttons: holder.keySource === "stored" ? [remove] : [],
			holder,
		}));
		list.onDidAccept(() => {
			resolve(list.selectedItems[0]?.holder);
			list.hide();
		});
		list.onDidTriggerItemButton(async ({ item }) => {
			await engine.setApiKey(item.holder.id, "");
			list.hide();
			notifyRemoved(item.holder);
		});
		list.onDidHide(() => {
			resolve(undefined);
			list.dispose();
		});
		list.show();
	});
}

function stateOf({ keySource: source, environmentVariable: variable }: ApiKeyProvider): string {
	if (source === "stored") return t("$(check) API key set");
	if (source === "environment") return t("$(check) API key from environment variable {0}", variable ?? "");
	return "";
}

function notifyRemoved({ label, environmentVariable: variable, keySource: source }: ApiKeyProvider): void {
	const text =
		source === "environment"
			? t("API key for {0} removed. The environment variable {1} still provides a key.", label, variable ?? "")
			: t("API key for {0} removed.", label);
	void showNotification("info", text);
}

async function check(engine: Engine, { label, id }: ApiKeyProvider): Promise<void> {
	const checking = { location: vscode.ProgressLocation.Notification, title: escapeMessage(t("Checking the API key for {0}…", label)) };
	const { proven, problem } = await vscode.window.withProgress(checking, () =>
		engine.testConnection(id).then(
			(sure) => ({ proven: sure, problem: undefined }),
			(error: unknown) => ({ proven: false, problem: reasonOf(error, engine.log) }),
		),
	);
	const notified = problem === undefined ? notifyChecked(label, proven) : notifyUnchecked(engine, { label, id }, problem);
	notified.catch((error: unknown) => showError(error, engine.log));
}

async function notifyChecked(label: string, proven: boolean): Promise<void> {
	const select = t("Select Model");
	const message = proven
		? t("The API key for {0} works.", label)
		: t("API key for {0} saved. This server lists its models without a key, so the key is checked with your first message.", label);
	const answer = await showNotification("info", message, select);
	if (answer === select) await vscode.commands.executeCommand("troupe.selectModel");
}

async function notifyUnchecked(engine: Engine, { label, id }: Pick<ApiKeyProvider, "label" | "id">, problem: string): Promise<void> {
	const [again, remove] = [t("Enter Again"), t("Remove")];
	const message = t("API key for {0} saved, but the check failed: {1}", label, problem);
	const answer = await showNotification("warning", message, again, remove);
	if (answer === again) await promptForApiKey(engine, id);
	if (answer !== remove) return;
	await engine.setApiKey(id, "");
	notifyRemoved({ id, label });
}
