// Provides models from VS Code, providers and the offline model, each loaded on first use.

import {
	type ApiKeyProvider,
	type Effort,
	ModelError,
	type ModelInfo,
	type ModelListing,
	type SelectedModel,
} from "../../core/ports/model.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { type AutomaticModel, chooseAutomaticModel, chooseCachedModel, type ModelSources } from "./automatic.ts";
import { apiKeySecretName, createProvider, describeModel } from "./connections.ts";
import { createLoadedProviders, EDITOR_MS, type ProviderOptions } from "./loadedProviders.ts";
import {
	configuredModel,
	EDITOR_PROVIDER_ID,
	isAutomatic,
	type ModelChoice,
	OFFLINE_MODEL,
	parseModelId,
	resolveModelId,
} from "./modelSelection.ts";
import type { ProviderType } from "./providerPresets.ts";
import type { ProviderSetting } from "./providerSettings.ts";
import { chooseModelInFormat, connectionInFormat, definesModel, requestedWireFormat } from "./wireFormat.ts";

export interface ModelServices {
	/** With `known`, makes no requests and returns "auto" if the choice would need one. Throws ModelError. */
	choose(agent: AgentDefinition, role: Role, only?: "known"): Promise<SelectedModel>;
	listModels(): Promise<ModelListing>;
	apiKeyProviders(): Promise<ApiKeyProvider[]>;
	/** An empty key deletes the stored one. */
	setApiKey(provider: string, key: string): Promise<void>;
	/**
	 * Lists the provider's models; rejects with ModelError. Resolves to true only if that proves the key valid, since some
	 * providers list models without one.
	 */
	testConnection(provider: string): Promise<boolean>;
	/** Call after the settings or a key have changed. */
	invalidate(): void;
	/** Call when the editor's models may have changed. Never rejects. */
	refreshEditorModels(): Promise<void>;
}

/** The user's model settings. */
interface ModelSettings {
	model: string;
	/** Role id → `provider/model`. */
	roleModels: Readonly<Record<string, string>>;
	providers: Readonly<Record<string, ProviderSetting>>;
}

export interface ModelServicesOptions extends ProviderOptions {
	settings(): ModelSettings;
	/** While this returns a reason, no requests are made. */
	restrictedReason(): string | undefined;
	log(line: string): void;
	/** Milliseconds. */
	now(): number;
	/** Called when more is known than at the last query. */
	onChange?: () => void;
}

/** Time before missing local servers are probed again. */
const MISSING_MS = 30_000;

const CHECK_MS = 10_000;

export function createModelServices(around: ModelServicesOptions): ModelServices {
	const { settings, secrets, restrictedReason: restricted, log, now, onChange: changed, createEditorProvider } = around;
	const providers = createLoadedProviders(around);
	const { connections, connectionTo, findKey, listModels, cachedModels, listEditorModels } = providers;
	let chosen: { found: Promise<AutomaticModel>; settled?: AutomaticModel; until: number } | undefined;
	/** True once a message was sent or the list was opened; from then on, probing may be repeated in the background. */
	let looked = false;

	const known: ModelSources = {
		connections,
		hasKey: async (connection) => (await findKey(connection)) !== undefined,
		listEditorModels,
		cachedEditorModels: () => cachedModels(EDITOR_PROVIDER_ID) ?? [],
		listModels: (connection, signal) => listModels(connection.id, signal),
		cachedModels: (connection) => cachedModels(connection.id),
	};

	/** Caches the choice until something changes; local servers that were missing are probed again after a while. */
	async function automatic(): Promise<AutomaticModel> {
		if (chosen && chosen.until > now()) return chosen.found;
		looked = true;
		const choice: NonNullable<typeof chosen> = { found: chooseAutomaticModel(known), until: Number.POSITIVE_INFINITY };
		chosen = choice;
		try {
			const found = await choice.found;
			choice.settled = found;
			if (found.provider === OFFLINE_MODEL.provider) choice.until = now() + MISSING_MS;
			changed?.();
			return found;
		} catch (error) {
			if (chosen === choice) chosen = undefined;
			throw error;
		}
	}

	/** The choice as known without making requests. */
	async function inSight(): Promise<AutomaticModel> {
		const reason = restricted();
		if (reason !== undefined) return { ...OFFLINE_MODEL, label: t("Offline"), why: reason };
		if (chosen?.settled) return chosen.settled;
		if (looked && !chosen) automatic().catch(() => undefined);
		const found = await chooseCachedModel(known);
		if (!cachedModels(EDITOR_PROVIDER_ID) && createEditorProvider && !providers.isListingEditorModels())
			void listEditorModels().then((models) => models.length > 0 && changed?.());
		return found ?? { provider: "", name: undefined, label: t("Auto"), why: LATER() };
	}

	async function whole({ provider: id, name, label, why }: AutomaticModel): Promise<SelectedModel> {
		const about = name === undefined ? undefined : aboutModel(id, name);
		const shown = label ?? about?.info.name ?? id;
		return {
			id: about?.info.id ?? "auto",
			...(id === "" && { undecided: true as const }),
			name: shown,
			why,
			provider: await providers.load(about ? id : OFFLINE_MODEL.provider),
			model: name ?? OFFLINE_MODEL.name,
			info: about?.info ?? { id: "auto", name: shown },
			...(about?.effort && { effort: about.effort }),
		};
	}

	function aboutModel(id: string, name: string): { info: ModelInfo; effort?: Effort | undefined } {
		const heard = cachedModels(id)?.find((model) => model.id === `${id}/${name}`);
		const connection = connectionTo(id);
		if (connection)
			return { info: describeModel(connection, name, heard), effort: connection.models.find((model) => model.id === name)?.effort };
		if (id === OFFLINE_MODEL.provider) return { info: { name: t("Offline"), ...heard, id: `${id}/${name}`, tools: true } };
		return { info: heard ?? { id: `${id}/${name}`, name } };
	}

	/** Fetches a provider's list in the background, so that callers don't wait for it. */
	function hearLater(id: string): void {
		if (id === OFFLINE_MODEL.provider || cachedModels(id) || restricted() !== undefined) return;
		const heard = id === EDITOR_PROVIDER_ID ? listEditorModels() : listModels(id, AbortSignal.timeout(CHECK_MS));
		heard.then(
			() => changed?.(),
			() => undefined,
		);
	}

	async function named(wanted: ModelChoice, only: "known" | undefined): Promise<SelectedModel> {
		const ids = [...connections().map(({ id }) => id), OFFLINE_MODEL.provider, ...(createEditorProvider ? [EDITOR_PROVIDER_ID] : [])];
		const found = resolveModelId(wanted, ids);
		if ("problem" in found) throw new ModelError("not_found", found.problem);
		if (only === undefined) hearLater(found.provider);
		return whole({ ...found, why: wanted.reason });
	}

	/** The agent's own model takes precedence over the format, and the format over the user's default. */
	async function formatted(
		asked: { agent: AgentDefinition; role: Role; wanted: ModelChoice; format: ProviderType },
		only: "known" | undefined,
	) {
		const { agent, role, wanted, format } = asked;
		const own = definesModel(agent, role);
		const fits = !isAutomatic(wanted.model) && connectionTo(parseModelId(wanted.model)?.provider ?? "")?.type === format;
		if (fits) return named(wanted, only);
		const reason = restricted();
		if (!own)
			return { ...(await whole(await chooseModelInFormat(agent, format, known, reason === undefined ? only : "known"))), automatic: true };
		const chosen = await named(wanted, only);
		const connection = connectionInFormat(agent, format, wanted, connectionTo(parseModelId(wanted.model)?.provider ?? ""));
		return { ...chosen, provider: await providers.loadInFormat(connection, format) };
	}

	const models: ModelServices = {
		async choose(agent, role, only) {
			const wanted = configuredModel(agent, role, settings());
			const format = requestedWireFormat(agent);
			if (format) return formatted({ agent, role, wanted, format }, only);
			if (!isAutomatic(wanted.model)) return named(wanted, only);
			return { ...(await whole(only || restricted() !== undefined ? await inSight() : await automatic())), automatic: true };
		},
		listModels: async () =>
			(await import("./modelListing.ts")).createModelListing({
				...known,
				restricted,
				log,
				automatic: async () => await whole(restricted() === undefined ? await automatic() : await inSight()),
				editor: async () => (createEditorProvider ? listModels(EDITOR_PROVIDER_ID, AbortSignal.timeout(EDITOR_MS)) : []),
				keySource: async (connection) => (await findKey(connection))?.source,
			}),
		async apiKeyProviders() {
			const remote = connections().filter(({ isLocal: local, isConfigured: configured }) => configured || !local);
			return Promise.all(
				remote.map(async (connection) => {
					const { id, label, docsUrl: docs, apiKeyEnv } = connection;
					const source = (await findKey(connection))?.source;
					return {
						id,
						label,
						...(docs && { keyUrl: docs }),
						...(apiKeyEnv && { environmentVariable: apiKeyEnv }),
						...(source && { keySource: source }),
					};
				}),
			);
		},
		async setApiKey(id, key) {
			await secrets.set(apiKeySecretName(id), key);
			models.invalidate();
		},
		async testConnection(id) {
			const reason = restricted();
			if (reason !== undefined) throw new ModelError("network", reason);
			await listModels(id, AbortSignal.timeout(CHECK_MS));
			const connection = connectionTo(id);
			if (!connection || !(await findKey(connection))) return false;
			const stranger = await createProvider(connection, async () => undefined);
			return stranger.models(AbortSignal.timeout(CHECK_MS)).then(
				() => false,
				(error) => error instanceof ModelError && error.kind === "auth",
			);
		},
		invalidate() {
			chosen = undefined;
			providers.clear();
		},
		async refreshEditorModels() {
			const before = namesIn(cachedModels(EDITOR_PROVIDER_ID));
			if (before === undefined || restricted() !== undefined) return;
			if (namesIn(await providers.listEditorModelsAgain()) === before) return;
			chosen = undefined;
			changed?.();
		},
	};
	return models;
}

const LATER = (): string =>
	t("Picks a model when you send your first message: a local server such as Ollama if one is running, otherwise the offline model.");

function namesIn(models: readonly ModelInfo[] | undefined): string | undefined {
	return models?.map(({ id }) => id).join("\n");
}
