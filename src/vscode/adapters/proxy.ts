// The proxy as the editor has it: its settings first, then the variables it was started with.
import * as vscode from "vscode";
import { resolveProxyUrl } from "../../core/proxy.ts";

/** May hold a name and a password: never shown, never logged. */
export function proxyForUrl(url: URL): string | undefined {
	const http = vscode.workspace.getConfiguration("http");
	if (http.get("proxySupport") === "off") return undefined;
	const settings = { proxy: http.get<string>("proxy", ""), noProxy: http.get<string[]>("noProxy", []) };
	return resolveProxyUrl({ ...settings, variable: (name) => process.env[name] }, url);
}
