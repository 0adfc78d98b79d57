// The models that can be used here: configured providers and the offline one, each loaded when it is first asked.
import type { ChosenModel } from "../app/services.ts";
import { ModelError, type ModelInfo, type ModelProvider } from "../core/model.ts";
import type { AgentDefinition } from "../core/permissions.ts";
import type { Secrets } from "../core/ports.ts";
import { chooseModel, type ModelFacts, OFFLINE } from "../models/registry.ts";
import type { ProviderSetting, TroupeSettings } from "./settings.ts";

export interface Models {
	choose(agent: AgentDefinition): Promise<ChosenModel>;
	list(): Promise<{ models: ModelInfo[]; missing: string[] }>;
	keyProviders(): string[];
	setKey(provider: string, key: string): Promise<void>;
	/** The settings or a key have changed. */
	forget(): void;
}

/** A local server that has not answered by then is not there. */
const PROBE_MS = 1_000;

export function createModels(settings: () => TroupeSettings, secrets: Secrets): Models {
	const providers = new Map<string, Promise<ModelProvider>>();
	let facts: Promise<ModelFacts> | undefined;

	function provider(id: string): Promise<ModelProvider> {
		let loading = providers.get(id);
		if (loading === undefined) {
			loading = load(id);
			providers.set(id, loading);
			loading.catch(() => providers.delete(id));
		}
		return loading;
	}

	async function load(id: string): Promise<ModelProvider> {
		if (id === OFFLINE.provider) {
			const { createOffline } = await import("../models/offline/offline.ts");
			return createOffline();
		}
		const setting = settings().providers[id];
		if (!setting)
			throw new ModelError("not_found", `The provider ${id} is not set up. Add it under troupe.providers or select another model.`);
		if (setting.type !== "openai-compatible" || setting.baseUrl === undefined) {
			throw new ModelError("not_found", `The provider ${id} cannot be used yet: give it the type openai-compatible and a baseUrl.`);
		}
		const { createOpenAiCompatible } = await import("../models/openaiCompatible.ts");
		const { baseUrl, headers, models } = setting;
		return createOpenAiCompatible({ id, baseUrl, key: () => keyOf(id, setting), ...(headers && { headers }), ...(models && { models }) });
	}

	/** SecretStorage first, then the named environment variable. */
	async function keyOf(id: string, setting: ProviderSetting): Promise<string | undefined> {
		return (await secrets.get(secretName(id))) || (setting.apiKeyEnv ? process.env[setting.apiKeyEnv] : undefined);
	}

	async function gather(): Promise<ModelFacts> {
		const entries = Object.entries(settings().providers);
		const keyed = await Promise.all(entries.map(async ([id, setting]) => ((await keyOf(id, setting)) ? [id] : [])));
		const offered = await Promise.all(
			entries.map(async ([id, setting]) => ({ id, local: isLocal(setting), models: setting.models ?? (await namesOf(id)) })),
		);
		return { providers: offered, keys: keyed.flat() };
	}

	async function namesOf(id: string): Promise<string[]> {
		try {
			const listed = await (await provider(id)).models(AbortSignal.timeout(PROBE_MS));
			return listed.map((model) => model.id.slice(id.length + 1));
		} catch {
			return [];
		}
	}

	return {
		async choose(agent) {
			const wanted = agent.model ?? settings().model;
			facts ??= gather();
			const chosen = chooseModel(wanted, await facts);
			if ("problem" in chosen) throw new ModelError("not_found", chosen.problem);
			const name = chosen.provider === OFFLINE.provider ? "Offline" : chosen.name;
			const why = agent.model ? `${agent.displayName} names it.` : chosen.why;
			return { id: `${chosen.provider}/${chosen.name}`, name, why, provider: await provider(chosen.provider), model: chosen.name };
		},
		async list() {
			const ids = [...Object.keys(settings().providers), OFFLINE.provider];
			const missing: string[] = [];
			const listed = await Promise.all(
				ids.map(async (id) => {
					try {
						return await (await provider(id)).models(AbortSignal.timeout(5_000));
					} catch (error) {
						missing.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
						return [];
					}
				}),
			);
			return { models: listed.flat(), missing };
		},
		keyProviders: () => Object.keys(settings().providers),
		async setKey(id, key) {
			await secrets.set(secretName(id), key);
			facts = undefined;
		},
		forget() {
			facts = undefined;
			providers.clear();
		},
	};
}

function secretName(provider: string): string {
	return `troupe.key.${provider}`;
}

function isLocal({ baseUrl }: ProviderSetting): boolean {
	if (baseUrl === undefined) return false;
	return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(baseUrl).hostname);
}
