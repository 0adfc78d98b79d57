// Asks the user for an MCP server's secret.
import * as vscode from "vscode";
import type { McpActions } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel, visibleLine } from "../../shared/safeText.ts";
import { isMcpSecretName, type McpSecrets } from "../adapters/mcpSecrets.ts";
import { showNotification } from "../notifications.ts";

const PLACEHOLDER = `\${secret:NAME}`;

interface SecretItem extends vscode.QuickPickItem {
	name?: string;
}

export async function promptForMcpSecret(secrets: McpSecrets, servers: Pick<McpActions, "requiredSecrets">, given?: string): Promise<void> {
	const name = given !== undefined && isMcpSecretName(given) ? given : await pickName(secrets, servers.requiredSecrets());
	if (name === undefined) return;
	const value = await vscode.window.showInputBox({
		title: visibleLine(t("Secret {0}", name)),
		password: true,
		ignoreFocusOut: true,
		prompt: t("Stored in VS Code's secret storage and passed only to servers that refer to it. Leave empty to remove the secret."),
	});
	if (value === undefined) return;
	await secrets.set(name, value === "" ? undefined : value);
	void showNotification("info", value === "" ? t("Secret {0} removed.", name) : t("Secret {0} saved.", name));
}

async function pickName(secrets: McpSecrets, wanted: readonly string[]): Promise<string | undefined> {
	const stored = secrets.names();
	const items: SecretItem[] = [
		...[...new Set([...wanted, ...stored])].sort().map((name) => ({
			label: `$(key) ${escapeLabel(name)}`,
			description: stored.includes(name) ? t("set") : t("not set"),
			name,
		})),
		{ label: t("$(add) Another Name…"), alwaysShow: true },
	];
	const picked = await vscode.window.showQuickPick(items, { title: t("Set MCP Secret"), placeHolder: t("Select a secret") });
	if (!picked || picked.name !== undefined) return picked?.name;
	return vscode.window.showInputBox({
		title: t("Set MCP Secret"),
		prompt: t("Name of the secret, as used in {0} in a server's settings", PLACEHOLDER),
		validateInput: (text) =>
			isMcpSecretName(text) ? undefined : t("A secret's name must be 1 to 64 characters: letters, digits, - or _."),
	});
}
