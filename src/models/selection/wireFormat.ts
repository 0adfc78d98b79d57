// Resolves the wire format in an agent's `chat.provider` to a provider and a model.

import { ModelError } from "../../core/ports/model.ts";
import type { AgentDefinition, Role } from "../../core/role.ts";
import { t } from "../../shared/l10n.ts";
import { type AutomaticModel, chooseAutomaticModel, chooseCachedModel, type ModelSources } from "./automatic.ts";
import type { ProviderConnection } from "./connections.ts";
import { isAutomatic, type ModelChoice } from "./modelSelection.ts";
import { PROVIDER_TYPES, type ProviderType } from "./providerPresets.ts";

/** Returns undefined if the agent requires none. */
export function requestedWireFormat({ chat }: AgentDefinition): ProviderType | undefined {
	return PROVIDER_TYPES.find((type) => type === chat?.provider);
}

/** Returns true if the definition itself specifies the model. */
export function definesModel({ model }: AgentDefinition, { id }: Role): boolean {
	const named = typeof model === "object" ? model[id] : model;
	return named !== undefined && !isAutomatic(named);
}

/**
 * Returns the connection for the agent's own model in the required format. A server configured by the user is used in this
 * format, whatever its configured one; a known provider has only its own. Throws ModelError.
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

/** Anthropic base URLs exclude the version; OpenAI's include it. */
function baseOf(baseUrl: string, format: ProviderType): string {
	const root = baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "");
	return format === "anthropic" ? root : `${root}/v1`;
}

/** Chooses a default model among providers of this format. With `known`, makes no requests. Throws ModelError. */
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
