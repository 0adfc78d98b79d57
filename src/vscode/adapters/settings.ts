// The user's settings as the editor returns them, unvalidated; workspaces can't set the machine-scoped ones.

import * as vscode from "vscode";
import { isRecord } from "../../core/isRecord.ts";
import type { RawSettings } from "../../settings/settings.ts";
import { resolveProxyUrl } from "../../shared/node/proxy.ts";

export function readRawSettings(): RawSettings {
	const configuration = vscode.workspace.getConfiguration("troupe");
	/** Ignores workspace values, whatever the editor resolves. */
	const readUserSetting = (key: string): unknown => {
		const found = configuration.inspect(key);
		return found?.globalValue ?? found?.defaultValue;
	};
	return {
		model: configuration.get("model"),
		maxSteps: configuration.get("maxSteps"),
		providers: readUserSetting("providers"),
		roleModels: readUserSetting("roleModels"),
		agents: readUserSetting("agents"),
		roles: readUserSetting("roles"),
		mcpServers: readUserSetting("mcpServers"),
		approval: readUserSetting("approval"),
		approvalLimit: readUserSetting("approvalLimit"),
		approvalPolicy: policyOf(configuration),
		readingCommands: readUserSetting("readingCommands"),
		permissions: readUserSetting("permissions"),
		environment: readUserSetting("environment"),
		shell: readUserSetting("shell"),
		sandbox: readUserSetting("sandbox"),
		sandboxWritable: readUserSetting("sandboxWritable"),
		defaultRole: readUserSetting("defaultRole"),
		delegation: readUserSetting("delegation"),
		tasks: readUserSetting("tasks"),
		persona: readUserSetting("persona"),
		disabledPlugins: disabledPlugins(configuration),
	};
}

/** The manifest's default; any other default comes from a policy. */
const DEFAULT_APPROVAL = "plan";

/** A policy overrides the user's value or replaces the default; the API exposes it in no other way. */
function policyOf(configuration: vscode.WorkspaceConfiguration): unknown {
	const found = configuration.inspect("approval");
	const set = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
	const effective = configuration.get("approval");
	if (set !== undefined && effective !== set) return effective;
	return found?.defaultValue === DEFAULT_APPROVAL ? undefined : found?.defaultValue;
}

/** Returns the plugins that the user or the workspace disables; a workspace can only disable. */
function disabledPlugins(configuration: vscode.WorkspaceConfiguration): string[] {
	const found = configuration.inspect<Record<string, boolean>>("plugins");
	const disabledIn = (value: unknown): string[] => (isRecord(value) ? Object.keys(value).filter((plugin) => value[plugin] === false) : []);
	return [
		...new Set([...disabledIn(found?.globalValue), ...disabledIn(found?.workspaceValue), ...disabledIn(found?.workspaceFolderValue)]),
	];
}

/** May contain credentials: never show or log it. */
export function proxyForUrl(url: URL): string | undefined {
	const http = vscode.workspace.getConfiguration("http");
	if (http.get("proxySupport") === "off") return undefined;
	const settings = { proxy: http.get<string>("proxy", ""), noProxy: http.get<string[]>("noProxy", []) };
	return resolveProxyUrl({ ...settings, variable: (name) => process.env[name] }, url);
}
