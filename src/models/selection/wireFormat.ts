// The wire format that an agent's `chat.provider` asks for: which provider answers then, and in which words.

import { ModelError } from "../../core/ports/model.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { type AutomaticModel, chooseAutomaticModel, chooseCachedModel, type ModelSources } from "./automatic.ts";
import type { ProviderConnection } from "./connections.ts";
import { isAutomatic, type ModelChoice } from "./modelSelection.ts";
import { PROVIDER_TYPES, type ProviderType } from "./providerPresets.ts";

/** Undefined where the agent asks for none. */
export function requestedWireFormat({ chat }: AgentDefinition): ProviderType | undefined {
	return PROVIDER_TYPES.find((type) => type === chat?.provider);
}

/** Whether the definition itself says which model answers. */
export function definesModel({ model }: AgentDefinition, { id }: Role): boolean {
	const named = typeof model === "object" ? model[id] : model;
	return named !== undefined && !isAutomatic(named);
}

/**
 * The connection by which the agent's own model is asked in its format. A server that the person has set up is asked in it,
 * whatever format it has for others; a known provider has one kind. Throws ModelError.
 */
export function connectionInFormat(
	agent: AgentDefinition,
	format: ProviderType,
	wanted: ModelChoice,
	connection: ProviderConnection | undefined,
): ProviderConnection {
	if (connection?.type === format) return connection;
	const related = connection !== undefined && (connection.type === "anthropic") === (format === "anthropic");
	if (connection && related) return { ...connection, type: format };
	if (connection && connection.preset === undefined) return { ...connection, type: format, baseUrl: baseOf(connection.baseUrl, format) };
	throw new ModelError(
		"not_found",
		t(
			"{0} requires the format {1} (chat.provider), but its model {2} doesn't support this format. Nothing was sent. Change the format or the model in the agent's definition.",
			agent.displayName,
			format,
			wanted.model,
		),
	);
}

/** One format's addresses count from before the version, the others' from behind it. */
function baseOf(baseUrl: string, format: ProviderType): string {
	const root = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
	return format === "anthropic" ? root : `${root}/v1`;
}

/** A model of a provider that has the format, as where nobody names one. With `known` nobody is asked. Throws ModelError. */
export async function chooseModelInFormat(
	agent: AgentDefinition,
	format: ProviderType,
	known: ModelSources,
	only?: "known",
): Promise<AutomaticModel> {
	const connections = known.connections().filter(({ type }) => type === format);
	const fitting: ModelSources = {
		...known,
		connections: () => connections,
		listEditorModels: async () => [],
		cachedEditorModels: () => [],
	};
	const found = only ? await chooseCachedModel(fitting) : await chooseAutomaticModel(fitting);
	const why = t("{0} requires the format {1}.", agent.displayName, format);
	if (!found) return { provider: "", name: undefined, label: t("Auto"), why };
	if (connections.some(({ id }) => id === found.provider)) return { ...found, why };
	throw new ModelError(
		"auth",
		t(
			"{0} requires the format {1} (chat.provider), but no available provider supports this format. Nothing was sent. Set an API key for a provider that does, or change the agent's definition.",
			agent.displayName,
			format,
		),
	);
}
