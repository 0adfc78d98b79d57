// The person's settings as the editor has them, unchecked. What is machine-scoped no workspace can say.

import * as vscode from "vscode";
import { isRecord } from "../../core/isRecord.ts";
import { resolveProxyUrl } from "../../core/proxy.ts";
import type { RawSettings } from "../../settings/settings.ts";

export function readRawSettings(): RawSettings {
	const configuration = vscode.workspace.getConfiguration("troupe");
	/** What a workspace says of these does not count, whatever the editor makes of it. */
	const own = (key: string): unknown => {
		const found = configuration.inspect(key);
		return found?.globalValue ?? found?.defaultValue;
	};
	return {
		model: configuration.get("model"),
		maxSteps: configuration.get("maxSteps"),
		providers: own("providers"),
		roleModels: own("roleModels"),
		agents: own("agents"),
		roles: own("roles"),
		mcpServers: own("mcpServers"),
		approval: own("approval"),
		approvalLimit: own("approvalLimit"),
		approvalPolicy: policyOf(configuration),
		readingCommands: own("readingCommands"),
		permissions: own("permissions"),
		environment: own("environment"),
		shell: own("shell"),
		sandbox: own("sandbox"),
		sandboxWritable: own("sandboxWritable"),
		defaultRole: own("defaultRole"),
		disabledPlugins: pluginsOff(configuration),
	};
}

/** Of the manifest: another one in its place comes from a policy. */
const DEFAULT_APPROVAL = "plan";

/** A policy stands above what the person has set, or takes the place of the default; nothing else tells of it. */
function policyOf(configuration: vscode.WorkspaceConfiguration): unknown {
	const found = configuration.inspect("approval");
	const set = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
	const inForce = configuration.get("approval");
	if (set !== undefined && inForce !== set) return inForce;
	return found?.defaultValue === DEFAULT_APPROVAL ? undefined : found?.defaultValue;
}

/** Off where the person says so; a workspace can only switch off. */
function pluginsOff(configuration: vscode.WorkspaceConfiguration): string[] {
	const found = configuration.inspect<Record<string, boolean>>("plugins");
	const off = (value: unknown): string[] => (isRecord(value) ? Object.keys(value).filter((plugin) => value[plugin] === false) : []);
	return [...new Set([...off(found?.globalValue), ...off(found?.workspaceValue), ...off(found?.workspaceFolderValue)])];
}

/** May hold a name and a password: never shown, never logged. */
export function proxyForUrl(url: URL): string | undefined {
	const http = vscode.workspace.getConfiguration("http");
	if (http.get("proxySupport") === "off") return undefined;
	const settings = { proxy: http.get<string>("proxy", ""), noProxy: http.get<string[]>("noProxy", []) };
	return resolveProxyUrl({ ...settings, variable: (name) => process.env[name] }, url);
}
