// Setup helpers: validated input boxes, unused ids and settings updates.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { visibleLine } from "../../shared/safeText.ts";

interface Box {
	prompt: string;
	value?: string;
	placeHolder?: string;
	password?: boolean;
	check?(value: string): string | undefined;
}

/** Resolves to undefined if canceled. */
export async function promptForInput(title: string, { prompt, value, placeHolder, password, check }: Box): Promise<string | undefined> {
	const typed = await vscode.window.showInputBox({
		title: visibleLine(title),
		prompt,
		ignoreFocusOut: true,
		...(value !== undefined && { value }),
		...(placeHolder !== undefined && { placeHolder }),
		...(password && { password }),
		validateInput: (text) => check?.(text.trim()),
	});
	return typed?.trim();
}

/** Accepts http and https URLs without credentials; returns the error message. */
export function validateUrl(text: string): string | undefined {
	const url = URL.canParse(text) ? new URL(text) : undefined;
	if (!url || !["http:", "https:"].includes(url.protocol)) return t("Enter an address that starts with http:// or https://.");
	if (url.username !== "" || url.password !== "")
		return t("Remove the user name and password from the address. You can enter a key in the next step.");
	return undefined;
}

const ID = /^[a-z0-9][a-z0-9-]{0,39}$/;

export function validateId(id: string, taken: readonly string[]): string | undefined {
	if (!ID.test(id)) return t("Use only lowercase letters, digits, and hyphens, up to 40 characters.");
	return taken.includes(id) ? t("“{0}” is already in use.", id) : undefined;
}

/** "api.example.com" → "example", with a number appended if taken. */
export function suggestUnusedId(from: string, taken: readonly string[]): string {
	const parts = (URL.canParse(from) ? new URL(from).hostname : from).split(".").filter((part) => !["www", "api", "mcp"].includes(part));
	const name =
		(parts[0] ?? "")
			.toLowerCase()
			.replace(/[^a-z0-9]+/g, "-")
			.replace(/^-+|-+$/g, "")
			.slice(0, 36) || "server";
	const id = /^\d+$/.test(name) ? "server" : name;
	let number = 2;
	if (!taken.includes(id)) return id;
	while (taken.includes(`${id}-${number}`)) number += 1;
	return `${id}-${number}`;
}

/** Sets an entry of an object in the user settings; undefined removes it. */
export async function updateSettingEntry(name: string, id: string, entry: object | undefined): Promise<void> {
	const configuration = vscode.workspace.getConfiguration("troupe");
	const { [id]: _, ...others } = configuration.inspect<Record<string, object>>(name)?.globalValue ?? {};
	const next = entry === undefined ? others : { ...others, [id]: entry };
	await configuration.update(name, next, vscode.ConfigurationTarget.Global);
}

/** Resolves when `there` returns true, or after two seconds: settings updates arrive with a delay. */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
	for (let tries = 0; tries < 40 && !(await condition()); tries += 1) await new Promise((resolve) => setTimeout(resolve, 50));
}
