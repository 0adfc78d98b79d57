// The secrets in the editor's storage, for results that must not show them.
import type * as vscode from "vscode";
import { NAMED_SECRET } from "../vscode/mcp/mcpSecrets.ts";
import { type HiddenValues, hiddenValues } from "./hiddenValues.ts";
import { TOKENS } from "./mcp/mcp.ts";
import { connectionsOf, secretName } from "./models/connections.ts";
import { idsOf } from "./settings/mcpSettings.ts";
import type { TroupeSettings } from "./settings/settings.ts";

interface Editor {
	storage: vscode.SecretStorage;
	/** Of the secrets that the person has named. */
	named(): readonly string[];
	settings(): Pick<TroupeSettings, "providers" | "mcpServers">;
}

/** All of the storage where the editor tells its names, as newer ones do; else all that we can have put there. */
export function editorSecrets({ storage, named, settings }: Editor): HiddenValues {
	const listing = storage as { keys?(): Thenable<readonly string[]> };
	const names = async () => (await listing.keys?.()) ?? ours();
	const ours = () => {
		const { providers, mcpServers } = settings();
		return [
			...connectionsOf(providers).map(({ id }) => secretName(id)),
			...named().map((name) => NAMED_SECRET + name),
			...idsOf(mcpServers).map((id) => TOKENS + id),
		];
	};
	return hiddenValues({ names, secrets: { get: async (name) => storage.get(name) }, environment: process.env });
}
