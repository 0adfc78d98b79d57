// Stores MCP servers' secrets, referenced as `${secret:NAME}` in settings, in VS Code's secret storage.

// They are separate from model API keys, never shown again, and passed only to servers that reference them.
import type * as vscode from "vscode";
import type { McpHost } from "../../core/ports/mcp.ts";
import { UserError } from "../../core/userError.ts";
import { t } from "../../shared/l10n.ts";
import type { SecretStorage } from "./secretStorage.ts";

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

export function isMcpSecretName(name: string): boolean {
	return /^[A-Za-z0-9_-]{1,64}$/.test(name);
}

export function createMcpSecrets(storage: SecretStorage, memory: vscode.Memento): McpSecrets {
	const names = (): string[] => {
		const stored = memory.get<unknown>(NAMES);
		return Array.isArray(stored) ? stored.filter((name): name is string => typeof name === "string" && isMcpSecretName(name)) : [];
	};
	return {
		names,
		get: async (name) => (isMcpSecretName(name) ? storage.get(MCP_SECRET_KEY_PREFIX + name) : undefined),
		async set(name, value) {
			if (!isMcpSecretName(name)) throw new UserError(t("A secret's name must be 1 to 64 characters: letters, digits, - or _."));
			if (value === undefined) await storage.delete(MCP_SECRET_KEY_PREFIX + name);
			else await storage.store(MCP_SECRET_KEY_PREFIX + name, value);
			const others = names().filter((other) => other !== name);
			await memory.update(NAMES, (value === undefined ? others : [...others, name]).sort());
		},
	};
}

export function createMcpTokens(storage: SecretStorage): McpHost["tokens"] {
	return {
		get: async (server) => storage.get(MCP_TOKEN_KEY_PREFIX + server),
		set: async (server, value) =>
			value === undefined ? storage.delete(MCP_TOKEN_KEY_PREFIX + server) : storage.store(MCP_TOKEN_KEY_PREFIX + server, value),
	};
}
