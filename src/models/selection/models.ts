// Provides models from VS Code, providers and the offline model, each loaded on first use.

import {
	type ApiKeyProvider,
	type Effort,
	ModelError,
	type ModelInfo,
	type ModelListing,
	type ModelProvider,
	type SelectedModel,
} from "../../core/ports/model.ts";
import type { SecretStore } from "../../core/ports/sessions.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import { type AutomaticModel, chooseAutomaticModel, chooseCachedModel, type ModelSources } from "./automatic.ts";
import { apiKeySecretName, createProvider, describeModel, findApiKey, listConnections, type ProviderConnection } from "./connections.ts";
import {
	configuredModel,
	EDITOR_PROVIDER_ID,
	isAutomatic,
	type ModelChoice,
	OFFLINE_MODEL,
	parseModelId,
	resolveModelId,
} from "./modelSelection.ts";
import { PROVIDER_PRESETS, type ProviderPreset, type ProviderType } from "./providerPresets.ts";
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

export interface ModelServicesOptions {
	settings(): ModelSettings;
	secrets: SecretStore;
	/** While this returns a reason, no requests are made. */
	restrictedReason(): string | undefined;
	/** Milliseconds. */
	now(): number;
	/** The editor's own models, where available. */
	createEditorProvider?: () => Promise<ModelProvider>;
	/** Called when more is known than at the last query. */
	onChange?: () => void;
	presets?: Readonly<Record<string, ProviderPreset>>;
	environment?: Readonly<Record<string, string | undefined>>;
}

/** Time before missing local servers are probed again. */
const MISSING_MS = 30_000;

/** The editor's models come from other extensions, which may have to start and sign in. */
const EDITOR_MS = 5_000;
const CHECK_MS = 10_000;

export function createModelServices(around: ModelServicesOptions): ModelServices {
	const {
		settings,
		secrets,
		restrictedReason: restricted,
		now,
		onChange: changed,
		presets = PROVIDER_PRESETS,
		environment = process.env,
	} = around;
	const providers = new Map<string, Promise<ModelProvider>>();
	const lists = new Map<string, readonly ModelInfo[]>();
	let chosen: { found: Promise<AutomaticModel>; settled?: AutomaticModel; until: number } | undefined;
	/** Set once a message was sent or the list was opened; from then on, probing may be repeated in the background. */
	let looked = false;
	/** Incremented by invalidation; responses to older requests are not cached. */
	let age = 0;

	const connections = (): ProviderConnection[] => listConnections(settings().providers, presets);
	const connectionTo = (id: string): ProviderConnection | undefined => connections().find((connection) => connection.id === id);

	function provider(id: string): Promise<ModelProvider> {
		return cached(id, () => load(id));
	}

	function cached(id: string, make: () => Promise<ModelProvider>): Promise<ModelProvider> {
		const known = providers.get(id);
		if (known) return known;
		const loading = make();
		providers.set(id, loading);
		loading.catch(() => providers.delete(id));
		return loading;
	}

	async function load(id: string): Promise<ModelProvider> {
		if (id === OFFLINE_MODEL.provider) return (await import("../offline/offline.ts")).createOfflineProvider();
		if (id === EDITOR_PROVIDER_ID && around.createEditorProvider) return around.createEditorProvider();
		const connection = connectionTo(id);
		if (connection) return createProvider(connection, async () => (await findApiKey(connection, secrets, environment))?.key);
		throw new ModelError(
			"not_found",
			t("The provider {0} isn't configured. Add the provider to troupe.providers, or select another model.", id),
		);
	}

	/** Throws ModelError. */
	async function listed(id: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
		const asked = age;
		try {
			const models = await (await provider(id)).models(signal);
			if (asked === age) lists.set(id, models);
			return models;
		} catch (error) {
			if (error instanceof ModelError || !signal.aborted) throw error;
			throw new ModelError("timeout", t("{0} didn't respond in time.", connectionTo(id)?.label ?? id));
		}
	}

	let hearing: Promise<readonly ModelInfo[]> | undefined;
	/** Never rejects: an editor without models is not an error. */
	function editorModels(): Promise<readonly ModelInfo[]> {
		if (!around.createEditorProvider) return Promise.resolve([]);
		hearing ??= withTimeout(listed(EDITOR_PROVIDER_ID, AbortSignal.timeout(EDITOR_MS)), EDITOR_MS, () => {
			throw new ModelError("timeout", "");
		}).catch(() => {
			lists.set(EDITOR_PROVIDER_ID, []);
			return [];
		});
		return hearing;
	}

	const known: ModelSources = {
		connections,
		hasKey: async (connection) => (await findApiKey(connection, secrets, environment)) !== undefined,
		listEditorModels: editorModels,
		cachedEditorModels: () => lists.get(EDITOR_PROVIDER_ID) ?? [],
		listModels: (connection, signal) => listed(connection.id, signal),
		cachedModels: (connection) => lists.get(connection.id),
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
		if (!lists.has(EDITOR_PROVIDER_ID) && around.createEditorProvider && !hearing)
			void editorModels().then((models) => models.length > 0 && changed?.());
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
			provider: await provider(about ? id : OFFLINE_MODEL.provider),
			model: name ?? OFFLINE_MODEL.name,
			info: about?.info ?? { id: "auto", name: shown },
			...(about?.effort && { effort: about.effort }),
		};
	}

	function aboutModel(id: string, name: string): { info: ModelInfo; effort?: Effort | undefined } {
		const heard = lists.get(id)?.find((model) => model.id === `${id}/${name}`);
		const connection = connectionTo(id);
		if (connection)
			return { info: describeModel(connection, name, heard), effort: connection.models.find((model) => model.id === name)?.effort };
		if (id === OFFLINE_MODEL.provider) return { info: { name: t("Offline"), ...heard, id: `${id}/${name}`, tools: true } };
		return { info: heard ?? { id: `${id}/${name}`, name } };
	}

	/** Fetches a provider's list in the background, so that callers don't wait for it. */
	function hearLater(id: string): void {
		if (id === OFFLINE_MODEL.provider || lists.has(id) || restricted() !== undefined) return;
		const heard = id === EDITOR_PROVIDER_ID ? editorModels() : listed(id, AbortSignal.timeout(CHECK_MS));
		heard.then(
			() => changed?.(),
			() => undefined,
		);
	}

	async function named(wanted: ModelChoice, only: "known" | undefined): Promise<SelectedModel> {
		const ids = [
			...connections().map(({ id }) => id),
			OFFLINE_MODEL.provider,
			...(around.createEditorProvider ? [EDITOR_PROVIDER_ID] : []),
		];
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
		const key = async () => (await findApiKey(connection, secrets, environment))?.key;
		return { ...chosen, provider: await cached(`${connection.id} as ${format}`, () => createProvider(connection, key)) };
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
				automatic: async () => await whole(restricted() === undefined ? await automatic() : await inSight()),
				editor: async () => (around.createEditorProvider ? listed(EDITOR_PROVIDER_ID, AbortSignal.timeout(EDITOR_MS)) : []),
				keySource: async (connection) => (await findApiKey(connection, secrets, environment))?.source,
			}),
		async apiKeyProviders() {
			const remote = connections().filter(({ isLocal: local, isConfigured: configured }) => configured || !local);
			return Promise.all(
				remote.map(async (connection) => {
					const { id, label, docsUrl: docs, apiKeyEnv } = connection;
					const source = (await findApiKey(connection, secrets, environment))?.source;
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
			await listed(id, AbortSignal.timeout(CHECK_MS));
			const connection = connectionTo(id);
			if (!connection || !(await findApiKey(connection, secrets, environment))) return false;
			const stranger = await createProvider(connection, async () => undefined);
			return stranger.models(AbortSignal.timeout(CHECK_MS)).then(
				() => false,
				(error) => error instanceof ModelError && error.kind === "auth",
			);
		},
		invalidate() {
			age += 1;
			chosen = undefined;
			hearing = undefined;
			lists.clear();
			providers.clear();
		},
		async refreshEditorModels() {
			const before = namesIn(lists.get(EDITOR_PROVIDER_ID));
			if (before === undefined || restricted() !== undefined) return;
			hearing = undefined;
			if (namesIn(await editorModels()) === before) return;
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
