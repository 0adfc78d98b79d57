// "Add MCP Server…": asks for program or address, name and key, then starts it to list its tools.
import * as vscode from "vscode";
import type { McpActions } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import type { McpSecrets } from "../adapters/mcpSecrets.ts";
import { promptForInput, suggestUnusedId, updateSettingEntry, validateId, validateUrl, waitUntil } from "../models/setupSteps.ts";
import { showNotification } from "../notifications.ts";
import { manageMcpServers } from "./mcpPicker.ts";

export async function addMcpServer(actions: McpActions, secrets: Pick<McpSecrets, "set">, log: (line: string) => void): Promise<void> {
	const title = t("Add MCP Server");
	const program = { label: `$(terminal) ${t("Program")}`, detail: t("Run a command on this computer, such as npx or uvx") };
	const address = { label: `$(globe) ${t("Address")}`, detail: t("Connect to a server over HTTP") };
	const kind = await vscode.window.showQuickPick([program, address], { title, placeHolder: t("Select how to connect to the server") });
	if (!kind) return;
	const byAddress = kind.label === address.label;
	const where = await promptForInput(title, {
		prompt: byAddress ? t("Server address, as given in its documentation") : t("Command with arguments, run without a shell"),
		placeHolder: byAddress ? "https://example.com/mcp" : "npx -y @example/mcp-server",
		check: (text) => (byAddress ? validateUrl(text) : lineProblem(text)),
	});
	if (where === undefined) return;
	const [command = "", ...args] = byAddress ? [] : (splitCommandLine(where) ?? []);
	const taken = actions.list().map(({ config }) => config.id);
	const id = await promptForInput(title, {
		prompt: t("Server name. Agents use this name in their list of MCP servers."),
		value: suggestUnusedId(byAddress ? where : programName(command, args), taken),
		check: (text) => validateId(text, taken),
	});
	if (id === undefined) return;
	const given = await askKey(title, id, byAddress);
	if (!given) return;
	if (given.secret) await secrets.set(given.secret.name, given.secret.value);
	const entry = byAddress
		? { name: id, url: where, ...given.part }
		: { name: id, command, ...(args.length > 0 && { args }), ...given.part };
	await updateSettingEntry("mcpServers", id, entry);
	await waitUntil(() => actions.list().some(({ config }) => config.id === id));
	const start = t("Start and List Tools");
	const message = t("MCP server {0} added. It starts only for agents that list it, and only after you approve it.", id);
	if ((await showNotification("info", message, start)) === start) await manageMcpServers(actions, log, id);
}

interface Key {
	/** Fields of the settings entry. */
	part: { headers?: Record<string, string>; env?: Record<string, string> };
	secret?: { name: string; value: string };
}

/** Resolves to undefined if canceled; the key itself is never stored in settings. */
async function askKey(title: string, id: string, byAddress: boolean): Promise<Key | undefined> {
	const variable = byAddress
		? ""
		: await promptForInput(title, {
				prompt: t("Environment variable for the server's key. Leave empty if the server needs none."),
				placeHolder: "API_KEY",
				check: (text) => (/^([A-Za-z_][A-Za-z0-9_]*)?$/.test(text) ? undefined : t("Use letters, digits, and underscores.")),
			});
	if (variable === undefined) return undefined;
	if (!byAddress && variable === "") return { part: {} };
	const prompt = byAddress
		? t("API key, sent as a bearer token and stored in VS Code's secret storage. Leave empty to sign in with a browser or without a key.")
		: t("Value of {0}, stored in VS Code's secret storage", variable);
	const value = await promptForInput(title, { prompt, password: true });
	if (value === undefined) return undefined;
	if (value === "") return { part: {} };
	const name = `${id}-key`;
	const place = `\${secret:${name}}`;
	return { part: byAddress ? { headers: { Authorization: `Bearer ${place}` } } : { env: { [variable]: place } }, secret: { name, value } };
}

function lineProblem(text: string): string | undefined {
	const parts = splitCommandLine(text);
	if (!parts) return t("A closing quotation mark is missing.");
	return parts.length === 0 ? t("Enter a command.") : undefined;
}

/** Splits a command line at spaces outside quotes; undefined if a quote is unclosed. */
export function splitCommandLine(line: string): string[] | undefined {
	const parts: string[] = [];
	let part: string | undefined;
	let quote = "";
	for (const letter of line) {
		if (quote !== "" && letter === quote) quote = "";
		else if (quote !== "") part = (part ?? "") + letter;
		else if (letter === '"' || letter === "'") {
			quote = letter;
			part ??= "";
		} else if (/\s/.test(letter)) {
			if (part !== undefined) parts.push(part);
			part = undefined;
		} else part = (part ?? "") + letter;
	}
	if (part !== undefined) parts.push(part);
	return quote === "" ? parts : undefined;
}

/** The package in `npx -y @org/server-files@1.0`; otherwise the program. */
function programName(command: string, args: readonly string[]): string {
	const runner = ["npx", "uvx", "bunx", "pnpm", "docker"].includes(command);
	const meant = (runner ? args.find((part) => !part.startsWith("-") && !["run", "dlx"].includes(part)) : undefined) ?? command;
	return (meant.split(/[\\/]/).at(-1) ?? meant).replace(/(?<=.)@.*$/, "").replace(/\.\w+$/, "");
}
