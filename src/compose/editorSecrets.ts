// Collects the secrets in the editor's storage, which results must not show.
import type * as vscode from "vscode";
import { allMcpServerIds } from "../mcp/settings.ts";
import { apiKeySecretName, listConnections } from "../models/selection/connections.ts";
import { createRedactedValues, type RedactedValues } from "../session/transcript/redactedValues.ts";
import type { TroupeSettings } from "../settings/settings.ts";
import { MCP_SECRET_KEY_PREFIX, MCP_TOKEN_KEY_PREFIX } from "../vscode/adapters/mcpSecrets.ts";

interface Editor {
	storage: vscode.SecretStorage;
	/** Names of the secrets that the user has defined. */
	named(): readonly string[];
	settings(): Pick<TroupeSettings, "providers" | "mcpServers">;
}

/** All secrets in the storage if the editor can list them, as newer versions can; otherwise all that we may have stored. */
export function createEditorRedactedValues({ storage, named, settings }: Editor): RedactedValues {
	const listing = storage as { keys?(): Thenable<readonly string[]> };
	const names = async () => (await listing.keys?.()) ?? ours();
	const ours = () => {
		const { providers, mcpServers } = settings();
		return [
			...listConnections(providers).map(({ id }) => apiKeySecretName(id)),
			...named().map((name) => MCP_SECRET_KEY_PREFIX + name),
			...allMcpServerIds(mcpServers).map((id) => MCP_TOKEN_KEY_PREFIX + id),
		];
	};
	return createRedactedValues({ names, secrets: { get: async (name) => storage.get(name) }, environment: process.env });
}
