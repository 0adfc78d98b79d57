// The models that can be used here: configured providers and the offline one, each loaded when it is first asked.
import type { ChosenModel } from "../app/services.ts";
import { ModelError, type ModelInfo, type ModelProvider } from "../core/model.ts";
import type { AgentDefinition } from "../core/permissions.ts";
import type { Secrets } from "../core/ports.ts";
import { chooseModel, isAutomatic, type ModelFacts, OFFLINE } from "../models/registry.ts";
import type { ProviderSetting, TroupeSettings } from "./settings.ts";

export interface Models {
	choose(agent: AgentDefinition): Promise<ChosenModel>;
	list(): Promise<{ models: ModelInfo[]; missing: string[] }>;
	keyProviders(): string[];
	setKey(provider: string, key: string): Promise<void>;
	/** The settings or a key have changed. */
	forget(): void;
}

interface Surroundings {
	settings(): Pick<TroupeSettings, "model" | "providers">;
	secrets: Secrets;
	/** While this gives a reason, no server is asked anything. */
	restricted(): string | undefined;
	/** Milliseconds. */
	now(): number;
}

/** A server that has not listed its models by then is not there. */
const PROBE_MS = 1_000;

/** How long a server that was not there is not looked for again. */
const MISSING_MS = 30_000;

interface Gathered {
	facts: ModelFacts;
	/** When to look again. */
	until: number;
}

export function createModels({ settings, secrets, restricted, now }: Surroundings): Models {
	const providers = new Map<string, Promise<ModelProvider>>();
	let gathered: Promise<Gathered> | undefined;

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
		return connect(id, setting, setting.models);
	}

	/** `models` stand in for a list that the server does not give. */
	async function connect(id: string, setting: ProviderSetting, models?: readonly string[]): Promise<ModelProvider> {
		const { type, baseUrl, headers } = setting;
		if (type !== "openai-compatible" || baseUrl === undefined) {
			throw new ModelError("not_found", `The provider ${id} cannot be used yet: give it the type openai-compatible and a baseUrl.`);
		}
		const { createOpenAiCompatible } = await import("../models/openaiCompatible.ts");
		return createOpenAiCompatible({ id, baseUrl, key: () => keyOf(id, setting), ...(headers && { headers }), ...(models && { models }) });
	}

	/** SecretStorage first, then the named environment variable. */
	async function keyOf(id: string, setting: ProviderSetting): Promise<string | undefined> {
		return (await secrets.get(secretName(id))) || (setting.apiKeyEnv ? process.env[setting.apiKeyEnv] : undefined);
	}

	/** What `auto` chooses from. Where a server was missing it is looked for again later: it may have been started meanwhile. */
	async function surroundings(): Promise<ModelFacts> {
		if (restricted() !== undefined) return gather(async (_, setting) => (isLocal(setting) ? [] : (setting.models ?? [])));
		gathered ??= look();
		const last = gathered;
		const { facts, until } = await last;
		if (until > now()) return facts;
		if (gathered === last) gathered = look();
		return (await (gathered ?? look())).facts;
	}

	function look(): Promise<Gathered> {
		const looking = gather(namesOf).then((facts) => {
			const missing = facts.providers.some(({ models }) => models.length === 0);
			return { facts, until: missing ? now() + MISSING_MS : Number.POSITIVE_INFINITY };
		});
		looking.catch(() => {
			if (gathered === looking) gathered = undefined;
		});
		return looking;
	}

	async function gather(names: (id: string, setting: ProviderSetting) => Promise<readonly string[]>): Promise<ModelFacts> {
		const known = await Promise.all(
			Object.entries(settings().providers).map(async ([id, setting]) => {
				const [key, models] = await Promise.all([keyOf(id, setting), names(id, setting)]);
				return { id, local: isLocal(setting), models, hasKey: Boolean(key) };
			}),
		);
		return { providers: known, keys: known.filter(({ hasKey }) => hasKey).map(({ id }) => id) };
	}

	/** Names that are configured come first; a server on this machine must answer to count, whatever is configured. */
	async function namesOf(id: string, setting: ProviderSetting): Promise<readonly string[]> {
		if (setting.models && !isLocal(setting)) return setting.models;
		try {
			const listed = await (await connect(id, setting)).models(AbortSignal.timeout(PROBE_MS));
			return setting.models ?? listed.map((model) => model.id.slice(id.length + 1));
		} catch (error) {
			const answered = error instanceof ModelError && error.kind !== "network" && error.kind !== "timeout";
			return answered ? (setting.models ?? []) : [];
		}
	}

	/** What a model that is named needs to be known: nobody is asked. */
	function configured(): ModelFacts {
		return { providers: Object.keys(settings().providers).map((id) => ({ id, local: false, models: [] })), keys: [] };
	}

	return {
		async choose(agent) {
			const wanted = agent.model ?? settings().model;
			const automatic = isAutomatic(wanted);
			const chosen = chooseModel(wanted, automatic ? await surroundings() : configured());
			if ("problem" in chosen) throw new ModelError("not_found", chosen.problem);
			const isOffline = chosen.provider === OFFLINE.provider;
			return {
				id: `${chosen.provider}/${chosen.name}`,
				name: isOffline ? "Offline" : chosen.name,
				why: agent.model && !automatic ? `${agent.displayName} names it.` : (isOffline && automatic && restricted()) || chosen.why,
				provider: await provider(chosen.provider),
				model: chosen.name,
				info: { id: `${chosen.provider}/${chosen.name}`, name: isOffline ? "Offline" : chosen.name },
			};
		},
		async list() {
			const missing: string[] = [];
			const reason = restricted();
			const ask = async (id: string): Promise<ModelInfo[]> => {
				try {
					if (reason !== undefined && id !== OFFLINE.provider)
						return (settings().providers[id]?.models ?? []).map((name) => named(id, name));
					return await (await provider(id)).models(AbortSignal.timeout(5_000));
				} catch (error) {
					missing.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
					return [];
				}
			};
			const listed = await Promise.all([...Object.keys(settings().providers), OFFLINE.provider].map(ask));
			if (reason !== undefined) missing.push(reason);
			return { models: listed.flat(), missing };
		},
		keyProviders: () => Object.keys(settings().providers),
		async setKey(id, key) {
			await secrets.set(secretName(id), key);
			gathered = undefined;
		},
		forget() {
			gathered = undefined;
			providers.clear();
		},
	};
}

function secretName(provider: string): string {
	return `troupe.key.${provider}`;
}

function named(provider: string, name: string): ModelInfo {
	return { id: `${provider}/${name}`, name };
}

function isLocal({ baseUrl }: ProviderSetting): boolean {
	if (baseUrl === undefined) return false;
	return ["127.0.0.1", "localhost", "[::1]"].includes(new URL(baseUrl).hostname);
}
