// Reads and changes the approval lists: `allowedTools` in agent files, and the default agent's in the preferences.

import { join } from "node:path";
import type { GrantListLocation, GrantListStore } from "../../core/grant.ts";
import { isRecord } from "../../core/isRecord.ts";
import { StorageError } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { changeAgentField } from "../agents/agentFiles.ts";
import { changePreference, PREFERENCES_FILE } from "../agents/preferences.ts";
import { MAX_FILE_BYTES } from "../agents/workspaceAgents.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";

/** `folder` is the `agents` folder in the extension's global storage. Unchanged files are not read again. */
export function createGrantLists(folder: string, files: StorageFileSystem = nodeFileSystem): GrantListStore {
	const known = new Map<string, { mark: string; value: unknown }>();

	/** The file's JSON; undefined if it does not exist or cannot be read. */
	async function parseCached(path: string): Promise<unknown> {
		const stat = await files.stat(path).catch(() => undefined);
		if (!stat?.isFile() || stat.size > MAX_FILE_BYTES) return undefined;
		const mark = `${stat.ino} ${stat.size} ${stat.mtimeMs} ${stat.ctimeMs}`;
		const before = known.get(path);
		if (before?.mark === mark) return before.value;
		const text = await files.readFile(path, "utf8").catch(() => "");
		const value = path.endsWith(PREFERENCES_FILE) ? parseJson(text) : await parseWithComments(text.replace(/^\uFEFF/, ""));
		known.set(path, { mark, value });
		return value;
	}

	const stored = async (list: GrantListLocation): Promise<unknown> =>
		listIn(list, await parseCached(list.kind === "file" ? list.path : join(folder, PREFERENCES_FILE)));

	async function rewrite(list: GrantListLocation, next: (old: unknown) => unknown[]): Promise<void> {
		if (list.kind === "preferences") return changePreference(folder, "defaultAgentAllowedTools", (_, raw) => next(raw), files);
		const found = await changeAgentField(folder, list.agentId, "allowedTools", next, files);
		if (!found) throw new StorageError(t("The agent's file no longer exists, so its list can't be changed."), "ENOENT");
	}

	return {
		read: async (list) => texts(await stored(list)),
		unreadable: async (list) => others(await stored(list)).map((entry) => JSON.stringify(entry)),
		change: (list, next) => rewrite(list, (old) => [...next(texts(old)), ...others(old)]),
		discard: (list, text) => rewrite(list, (old) => [...texts(old), ...others(old).filter((entry) => JSON.stringify(entry) !== text)]),
	};
}

function listIn(list: GrantListLocation, value: unknown): unknown {
	if (!isRecord(value)) return undefined;
	if (list.kind === "preferences") return value["defaultAgentAllowedTools"];
	const entries = Array.isArray(value["agents"]) ? (value["agents"] as unknown[]) : [value];
	const entry = entries.find((one) => isRecord(one) && (one["agentId"] ?? one["id"]) === list.agentId);
	return isRecord(entry) ? entry["allowedTools"] : undefined;
}

function texts(value: unknown): string[] {
	return Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === "string") : [];
}

/** Entries that are not strings; they have no effect, but are kept. */
function others(value: unknown): unknown[] {
	return Array.isArray(value) ? value.filter((entry) => typeof entry !== "string") : [];
}

/** Returns undefined if the file is damaged, so that nothing in it applies. */
async function parseWithComments(text: string): Promise<unknown> {
	const { parse } = await import("jsonc-parser");
	const errors: unknown[] = [];
	try {
		const value: unknown = parse(text, errors as never[], { allowTrailingComma: true });
		return errors.length === 0 ? value : undefined;
	} catch {
		// Nested too deeply to be parsed.
		return undefined;
	}
}
