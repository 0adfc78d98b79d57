// Loads providers on first use, and caches them with their lists of models.
import { ModelError, type ModelInfo, type ModelProvider } from "../../core/ports/model.ts";
import type { SecretStore } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { withTimeout } from "../../shared/node/withTimeout.ts";
import { createProvider, findApiKey, listConnections, type ProviderConnection } from "./connections.ts";
import { EDITOR_PROVIDER_ID, OFFLINE_MODEL } from "./modelSelection.ts";
import { PROVIDER_PRESETS, type ProviderPreset, type ProviderType } from "./providerPresets.ts";
import type { ProviderSetting } from "./providerSettings.ts";

export interface ProviderOptions {
	settings(): { providers: Readonly<Record<string, ProviderSetting>> };
	secrets: SecretStore;
	/** The editor's own models, where available. */
	createEditorProvider?: () => Promise<ModelProvider>;
	presets?: Readonly<Record<string, ProviderPreset>>;
	environment?: Readonly<Record<string, string | undefined>>;
}

interface LoadedProviders {
	connections(): ProviderConnection[];
	connectionTo(id: string): ProviderConnection | undefined;
	findKey(connection: ProviderConnection): ReturnType<typeof findApiKey>;
	/** Rejects with ModelError if there is no provider with that id. */
	load(id: string): Promise<ModelProvider>;
	/** The connection with another wire format than its own. */
	loadInFormat(connection: ProviderConnection, format: ProviderType): Promise<ModelProvider>;
	/** Asks the provider. Rejects with ModelError. */
	listModels(id: string, signal: AbortSignal): Promise<readonly ModelInfo[]>;
	/** The models that the provider has last listed; undefined before that. */
	cachedModels(id: string): readonly ModelInfo[] | undefined;
	/** Asks the editor once. Never rejects: an editor without models is not an error. */
	listEditorModels(): Promise<readonly ModelInfo[]>;
	/** Asks the editor again. Never rejects. */
	listEditorModelsAgain(): Promise<readonly ModelInfo[]>;
	/** Returns true if the editor was asked. */
	isListingEditorModels(): boolean;
	clear(): void;
}

/** The editor's models come from other extensions, which may have to start and sign in. */
export const EDITOR_MS = 5_000;

export function createLoadedProviders(options: ProviderOptions): LoadedProviders {
	const { settings, secrets, presets = PROVIDER_PRESETS, environment = process.env, createEditorProvider } = options;
	const providers = new Map<string, Promise<ModelProvider>>();
	const lists = new Map<string, readonly ModelInfo[]>();
	/** Secrets that were read, by name: the editor keeps them in another process and tells when one changes. */
	const known = new Map<string, string | undefined>();
	let editorModels: Promise<readonly ModelInfo[]> | undefined;
	/** Incremented by invalidation; responses to older requests are not cached. */
	let age = 0;

	const connections = (): ProviderConnection[] => listConnections(settings().providers, presets);
	const connectionTo = (id: string): ProviderConnection | undefined => connections().find((connection) => connection.id === id);
	const findKey = (connection: ProviderConnection) => findApiKey(connection, { get: readSecret }, environment);
	const create = (connection: ProviderConnection) => createProvider(connection, async () => (await findKey(connection))?.key);

	async function readSecret(name: string): Promise<string | undefined> {
		if (known.has(name)) return known.get(name);
		const asked = age;
		const secret = await secrets.get(name);
		if (asked === age) known.set(name, secret);
		return secret;
	}

	async function createById(id: string): Promise<ModelProvider> {
		if (id === OFFLINE_MODEL.provider) return (await import("../offline/offline.ts")).createOfflineProvider();
		if (id === EDITOR_PROVIDER_ID && createEditorProvider) return createEditorProvider();
		const connection = connectionTo(id);
		if (connection) return create(connection);
		throw new ModelError(
			"not_found",
			t("The provider {0} isn't configured. Add the provider to troupe.providers, or select another model.", id),
		);
	}

	const load = (id: string): Promise<ModelProvider> => cached(providers, id, () => createById(id));

	async function listModels(id: string, signal: AbortSignal): Promise<readonly ModelInfo[]> {
		const asked = age;
		try {
			const models = await (await load(id)).models(signal);
			if (asked === age) lists.set(id, models);
			return models;
		} catch (error) {
			if (error instanceof ModelError || !signal.aborted) throw error;
			throw new ModelError("timeout", t("{0} didn't respond in time.", connectionTo(id)?.label ?? id));
		}
	}

	function listEditorModels(): Promise<readonly ModelInfo[]> {
		if (!createEditorProvider) return Promise.resolve([]);
		editorModels ??= withTimeout(listModels(EDITOR_PROVIDER_ID, AbortSignal.timeout(EDITOR_MS)), EDITOR_MS, () => {
			throw new ModelError("timeout", "");
		}).catch(() => {
			lists.set(EDITOR_PROVIDER_ID, []);
			return [];
		});
		return editorModels;
	}

	return {
		connections,
		connectionTo,
		findKey,
		load,
		loadInFormat: (connection, format) => cached(providers, `${connection.id} as ${format}`, () => create(connection)),
		listModels,
		cachedModels: (id) => lists.get(id),
		listEditorModels,
		listEditorModelsAgain() {
			editorModels = undefined;
			return listEditorModels();
		},
		isListingEditorModels: () => editorModels !== undefined,
		clear() {
			age += 1;
			editorModels = undefined;
			lists.clear();
			providers.clear();
			known.clear();
		},
	};
}

function cached<Value>(known: Map<string, Promise<Value>>, id: string, make: () => Promise<Value>): Promise<Value> {
	const loading = known.get(id) ?? make();
	if (known.get(id) === loading) return loading;
	known.set(id, loading);
	loading.catch(() => known.get(id) === loading && known.delete(id));
	return loading;
}
