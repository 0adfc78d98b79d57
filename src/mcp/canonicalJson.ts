// Canonical JSON, and the hashes that approvals and read-only marks are bound to.
import { escapeHidden } from "../core/hiddenText.ts";
import type { McpServerConfig, McpServerSummary } from "../core/ports/mcp.ts";
import { sha256 } from "../shared/node/hash.ts";
import { cleanLine } from "./wire/sanitize.ts";

/** Returns the same text for equal values, regardless of field order. Throws RangeError if nested too deeply. */
export function canonicalJson(value: unknown, depth = 0): string {
	if (depth > 64) throw new RangeError("nested too deeply");
	if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
	if (Array.isArray(value)) return `[${value.map((item) => canonicalJson(item, depth + 1)).join(",")}]`;
	const fields = Object.entries(value)
		.filter(([, item]) => item !== undefined)
		.sort(([left], [right]) => (left < right ? -1 : 1));
	return `{${fields.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item, depth + 1)}`).join(",")}}`;
}

export function hashJson(value: unknown): string {
	return sha256(canonicalJson(value));
}

/** Hash for a server's approval: everything except the values of variables and headers, which are secrets. */
export function hashServer(config: McpServerConfig): string {
	if ("url" in config)
		return hashJson({ url: config.url, headers: Object.keys(config.headers ?? {}).sort(), client: config.signIn?.clientId });
	const { command, args = [], env = {}, cwd, workspace } = config;
	return hashJson({ command, args, env: Object.keys(env).sort(), cwd: cwd ?? null, workspace });
}

/** Key of a server's stored approval; separate for each workspace if the server depends on it. */
export function approvalKey({ id, ...config }: McpServerConfig): string {
	return "workspace" in config && config.workspace !== undefined ? `${id} ${config.workspace}` : id;
}

export function summarizeServer(config: McpServerConfig, before: string | undefined): McpServerSummary {
	const { id, name, source } = config;
	const hash = hashServer(config);
	const same = { id, name: cleanLine(name, 80), source, hash, changed: before !== undefined && before !== hash };
	if ("url" in config) return { ...same, runs: shown(config.url), given: Object.keys(config.headers ?? {}).map(shown) };
	const { command, args = [], env = {}, cwd } = config;
	const words = [command, ...args].map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : JSON.stringify(word)));
	return { ...same, runs: shown(words.join(" ")), given: Object.keys(env).map(shown), ...(cwd !== undefined && { cwd: shown(cwd) }) };
}

/** Returns the full text with invisible characters escaped. For display only: no hash includes it. */
function shown(text: string): string {
	return escapeHidden(text);
}
