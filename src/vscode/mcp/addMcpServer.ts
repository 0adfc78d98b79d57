// "Add MCP Server…": program or address, name, key, then a start that lists its tools, without JSON.
import * as vscode from "vscode";
import type { McpActions } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { showNotification } from "../dialogs.ts";
import { promptForInput, suggestUnusedId, updateSettingEntry, validateId, validateUrl, waitUntil } from "../models/setupSteps.ts";
import { manageMcpServers } from "./mcpPicker.ts";
import type { McpSecrets } from "./mcpSecrets.ts";

export async function addMcpServer(desk: McpActions, secrets: Pick<McpSecrets, "set">): Promise<void> {
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
	const taken = desk.list().map(({ config }) => config.id);
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
	await waitUntil(() => desk.list().some(({ config }) => config.id === id));
	const start = t("Start and List Tools");
	const said = t("MCP server {0} added. It starts only for agents that list it, and only after you approve it.", id);
	if ((await showNotification("info", said, start)) === start) await manageMcpServers(desk, id);
}

interface Key {
	/** Of the entry. */
	part: { headers?: Record<string, string>; env?: Record<string, string> };
	secret?: { name: string; value: string };
}

/** Undefined where the person gives up; the key itself never stands in the settings. */
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
	const words = splitCommandLine(text);
	if (!words) return t("A closing quotation mark is missing.");
	return words.length === 0 ? t("Enter a command.") : undefined;
}

/** Words with quotes as people write them; undefined where one is left open. */
export function splitCommandLine(line: string): string[] | undefined {
	const words: string[] = [];
	let word: string | undefined;
	let quote = "";
	for (const letter of line) {
		if (quote !== "" && letter === quote) quote = "";
		else if (quote !== "") word = (word ?? "") + letter;
		else if (letter === '"' || letter === "'") {
			quote = letter;
			word ??= "";
		} else if (/\s/.test(letter)) {
			if (word !== undefined) words.push(word);
			word = undefined;
		} else word = (word ?? "") + letter;
	}
	if (word !== undefined) words.push(word);
	return quote === "" ? words : undefined;
}

/** Of `npx -y @org/server-files@1.0` the package, of others the program. */
function programName(command: string, args: readonly string[]): string {
	const runner = ["npx", "uvx", "bunx", "pnpm", "docker"].includes(command);
	const meant = (runner ? args.find((word) => !word.startsWith("-") && !["run", "dlx"].includes(word)) : undefined) ?? command;
	return (meant.split(/[\\/]/).at(-1) ?? meant).replace(/(?<=.)@.*$/, "").replace(/\.\w+$/, "");
}
