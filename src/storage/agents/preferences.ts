// Stores agent preferences: the last used agent and the default agent's allowed tools.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

/** Folder in the extension's global storage; the `folder` of every function here and in agentFiles.ts. */
export const AGENTS_FOLDER = "agents";
export const PREFERENCES_FILE = "_preferences.json";

export interface Preferences {
	lastUsedAgentId?: string;
	/** Corresponds to `allowedTools` of an agent in a file. */
	defaultAgentAllowedTools?: string[];
}

/** Fields of the wrong type are absent; if the file cannot be read, all are. */
export async function readPreferences(folder: string, files: StorageFileSystem = nodeFileSystem): Promise<Preferences> {
	return parsePreferences(
		await storeOf(folder, files)
			.read()
			.catch(() => ({})),
	);
}

/**
 * Changes one field of the file on disk, where `raw` is its current value; `undefined` removes it. Other fields, including
 * unknown ones, are preserved. Rejects with StorageError, leaving the file unchanged.
 */
export async function changePreference<Field extends keyof Preferences>(
	folder: string,
	field: Field,
	next: (old: Preferences[Field], raw: unknown) => unknown,
	files: StorageFileSystem = nodeFileSystem,
): Promise<void> {
	await storeOf(folder, files).update((old) => {
		const value = next(parsePreferences(old)[field], old[field]);
		return JSON.stringify(value) === JSON.stringify(old[field]) ? old : { ...old, [field]: value };
	}, t("Could not save the preferences."));
}

function storeOf(folder: string, files: StorageFileSystem): JsonStore<Record<string, unknown>> {
	return createJsonStore<Record<string, unknown>>({
		files,
		path: join(folder, PREFERENCES_FILE),
		lock: agentsLockPath(folder),
		empty: {},
		parse(text) {
			const value = parseJson(text);
			return isRecord(value) ? value : undefined;
		},
	});
}

function parsePreferences({ lastUsedAgentId, defaultAgentAllowedTools }: Record<string, unknown>): Preferences {
	return {
		...(typeof lastUsedAgentId === "string" && { lastUsedAgentId }),
		...(isTexts(defaultAgentAllowedTools) && { defaultAgentAllowedTools }),
	};
}

/** One lock for the whole folder, because an agent's file is found and changed under it. */
export function agentsLockPath(folder: string): string {
	return join(folder, ".lock");
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
