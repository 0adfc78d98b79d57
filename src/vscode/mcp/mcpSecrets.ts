// Stores MCP servers' secrets, referenced as `${secret:NAME}` in settings, in VS Code's secret storage.

// They are separate from model API keys, never shown again, and passed only to servers that reference them.
import * as vscode from "vscode";
import type { McpActions, McpHost } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel, visibleLine } from "../../shared/safeText.ts";
import { showNotification } from "../dialogs.ts";

export interface McpSecrets {
	/** Names with a stored value on this computer. */
	names(): string[];
	get(name: string): Promise<string | undefined>;
	/** Undefined deletes the secret. */
	set(name: string, value: string | undefined): Promise<void>;
}

/** Key prefix in the secret storage. */
export const MCP_SECRET_KEY_PREFIX = "troupe.secret.";
/** Key prefix of sign-in tokens, followed by the server's id. */
export const MCP_TOKEN_KEY_PREFIX = "troupe.mcp.";
const NAMES = "troupe.secretNames";
const PLACEHOLDER = `\${secret:NAME}`;
const NAME = /^[A-Za-z0-9_-]{1,64}$/;

export function createMcpSecrets(storage: vscode.SecretStorage, memory: vscode.Memento): McpSecrets {
	const names = (): string[] => {
		const stored = memory.get<unknown>(NAMES);
		return Array.isArray(stored) ? stored.filter((name): name is string => typeof name === "string" && NAME.test(name)) : [];
	};
	return {
		names,
		get: async (name) => (NAME.test(name) ? storage.get(MCP_SECRET_KEY_PREFIX + name) : undefined),
		async set(name, value) {
			if (!NAME.test(name)) throw new Error(t("A secret's name must be 1 to 64 characters: letters, digits, - or _."));
			if (value === undefined) await storage.delete(MCP_SECRET_KEY_PREFIX + name);
			else await storage.store(MCP_SECRET_KEY_PREFIX + name, value);
			const others = names().filter((other) => other !== name);
			await memory.update(NAMES, (value === undefined ? others : [...others, name]).sort());
		},
	};
}

export function createMcpTokens(storage: vscode.SecretStorage): McpHost["tokens"] {
	return {
		get: async (server) => storage.get(MCP_TOKEN_KEY_PREFIX + server),
		set: async (server, value) =>
			value === undefined ? storage.delete(MCP_TOKEN_KEY_PREFIX + server) : storage.store(MCP_TOKEN_KEY_PREFIX + server, value),
	};
}

interface SecretItem extends vscode.QuickPickItem {
	name?: string;
}

export async function promptForMcpSecret(secrets: McpSecrets, servers: Pick<McpActions, "requiredSecrets">, given?: string): Promise<void> {
	const name = given !== undefined && NAME.test(given) ? given : await pickName(secrets, servers.requiredSecrets());
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
		validateInput: (text) => (NAME.test(text) ? undefined : t("A secret's name must be 1 to 64 characters: letters, digits, - or _.")),
	});
}
