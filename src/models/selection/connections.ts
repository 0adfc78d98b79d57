// Lists the available model providers from settings and presets, with their endpoints and API keys.
import { ModelError, type ModelInfo, type ModelProvider } from "../../core/ports/model.ts";
import type { SecretStore } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import type { OpenAiOptions } from "../openai/openai.ts";
import { findModelSpecs } from "./modelTable.ts";
import { PROVIDER_PRESETS, type ProviderPreset, type ProviderType } from "./providerPresets.ts";
import type { ModelSetting, ProviderSetting } from "./providerSettings.ts";

export interface ProviderConnection {
	id: string;
	label: string;
	type: ProviderType;
	baseUrl: string;
	api?: "responses" | "chat";
	apiKeyEnv?: string;
	headers?: Record<string, string>;
	/** Models from the settings, in their order. */
	models: readonly ModelSetting[];
	/** The server runs on this machine. */
	isLocal: boolean;
	/** True if it is defined in the settings; the others are presets. */
	isConfigured: boolean;
	/** True if it is probed on this machine even if it is not configured. */
	isProbed: boolean;
	/** Page for creating a key or setting up the server. */
	docsUrl?: string;
	/** The preset that these models belong to. */
	preset?: string;
	preferredModels: readonly RegExp[];
}

/** Returns the connections of the settings first, in their order. */
export function listConnections(
	settings: Readonly<Record<string, ProviderSetting>>,
	presets: Readonly<Record<string, ProviderPreset>> = PROVIDER_PRESETS,
): ProviderConnection[] {
	const configured = Object.entries(settings).map(([id, setting]) => connectionOf(id, setting, presets));
	const others = Object.entries(presets).filter(([id]) => !(id in settings));
	return [...configured, ...others.map(([id, preset]) => connectionOf(id, { type: preset.type }, presets, false))];
}

function connectionOf(
	id: string,
	setting: ProviderSetting,
	presets: Readonly<Record<string, ProviderPreset>>,
	configured = true,
): ProviderConnection {
	const same = presets[id]?.type === setting.type ? presets[id] : undefined;
	// A differently named provider with OpenAI's or Anthropic's format uses their URL, with a key of its own.
	const home = same ?? (setting.type === "openai-compatible" ? undefined : presets[setting.type]);
	const baseUrl = setting.baseUrl ?? home?.baseUrl ?? "";
	const apiKeyEnv = setting.apiKeyEnv ?? same?.apiKeyEnv;
	const local = isLoopback(baseUrl);
	const preset = Object.entries(presets).find(([, known]) => !local && originOf(known.baseUrl) === originOf(baseUrl))?.[0];
	return {
		id,
		label: same?.label ?? id,
		type: setting.type,
		baseUrl,
		models: (setting.models ?? []).map((model) => (typeof model === "string" ? { id: model } : model)),
		isLocal: local,
		isConfigured: configured,
		isProbed: !configured && same?.isProbed === true,
		preferredModels: (same ?? presets[preset ?? ""])?.preferredModels ?? [],
		...(setting.api && { api: setting.api }),
		...(apiKeyEnv && { apiKeyEnv }),
		...(setting.headers && { headers: setting.headers }),
		...(same && { docsUrl: same.docsUrl }),
		...(preset && { preset }),
	};
}

/** Loads a provider's SDK on first use. */
export async function createProvider(connection: ProviderConnection, key: () => Promise<string | undefined>): Promise<ModelProvider> {
	const { id, type, baseUrl, api, headers, models } = connection;
	if (!baseUrl) throw new ModelError("not_found", t("The provider {0} has no baseUrl. Add a baseUrl in troupe.providers.", id));
	return formats[type].create({
		id,
		baseUrl,
		apiKey: key,
		...(api && { api }),
		...(headers && { headers }),
		...(models.length > 0 && { models: models.map((model) => model.id) }),
	});
}

type ProviderOptions = OpenAiOptions & { baseUrl: string };

const openai = () => import("../openai/openai.ts");
const anthropic = () => import("../anthropic/anthropic.ts");

const formats: Readonly<Record<ProviderType, { load(): Promise<unknown>; create(options: ProviderOptions): Promise<ModelProvider> }>> = {
	openai: { load: openai, create: async (options) => (await openai()).createOpenAiProvider(options) },
	"openai-compatible": { load: openai, create: async (options) => (await openai()).createOpenAiCompatibleProvider(options) },
	anthropic: { load: anthropic, create: async (options) => (await anthropic()).createAnthropicProvider(options) },
};

/** Loads the implementation of a wire format. */
export function loadWireFormat(type: ProviderType): Promise<unknown> {
	return formats[type].load();
}

/** Merges a model's properties: settings override the provider's list, which overrides our table. */
export function describeModel({ id, preset, models, type }: ProviderConnection, name: string, listed?: ModelInfo): ModelInfo {
	const { id: _, effort: __, ...said } = models.find((model) => model.id === name) ?? { id: name };
	const known = Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
	const figures = findModelSpecs(preset ?? "", name);
	// All models in the table, and of the two other formats, can call tools.
	const tools = figures || type !== "openai-compatible" ? { tools: true } : {};
	return { name, ...tools, ...figures, ...listed, ...known, id: `${id}/${name}` };
}

export type KeySource = "stored" | "environment";

/** Looks in SecretStorage first, then in the configured environment variable. */
export async function findApiKey(
	{ id, apiKeyEnv }: ProviderConnection,
	secrets: Pick<SecretStore, "get">,
	environment: Readonly<Record<string, string | undefined>>,
): Promise<{ key: string; source: KeySource } | undefined> {
	const stored = (await secrets.get(apiKeySecretName(id)))?.trim();
	if (stored) return { key: stored, source: "stored" };
	const variable = apiKeyEnv === undefined ? undefined : environment[apiKeyEnv]?.trim();
	return variable ? { key: variable, source: "environment" } : undefined;
}

export function apiKeySecretName(provider: string): string {
	return `troupe.key.${provider}`;
}

function isLoopback(baseUrl: string): boolean {
	return URL.canParse(baseUrl) && ["127.0.0.1", "localhost", "[::1]"].includes(new URL(baseUrl).hostname);
}

function originOf(baseUrl: string): string {
	return URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
}
