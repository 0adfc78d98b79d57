// Stores agent preferences: the last used agent and the default agent's allowed tools.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore, type JsonStore } from "../json/jsonStore.ts";

/** Below the extension's global storage; every `folder` of this file and of agentFiles.ts is this one. */
export const AGENTS_FOLDER = "agents";
export const PREFERENCES_FILE = "_preferences.json";

export interface Preferences {
	lastUsedAgentId?: string;
	/** What `allowedTools` is for an agent in a file. */
	defaultAgentAllowedTools?: string[];
}

/** Fields of the wrong type are absent, and so is everything where the file cannot be read. */
export async function readPreferences(folder: string, files: StorageFileSystem = nodeFileSystem): Promise<Preferences> {
	return known(
		await storeOf(folder, files)
			.read()
			.catch(() => ({})),
	);
}

/**
 * Changes one field as it is on disk now, where `raw` is what stands there; `undefined` takes it away. All other fields stay,
 * those nobody knows included. Rejects with StorageError; the file is then as it was.
 */
export async function changePreference<Field extends keyof Preferences>(
	folder: string,
	field: Field,
	next: (old: Preferences[Field], raw: unknown) => unknown,
	files: StorageFileSystem = nodeFileSystem,
): Promise<void> {
	await storeOf(folder, files).update((old) => {
		const value = next(known(old)[field], old[field]);
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

function known({ lastUsedAgentId, defaultAgentAllowedTools }: Record<string, unknown>): Preferences {
	return {
		...(typeof lastUsedAgentId === "string" && { lastUsedAgentId }),
		...(isTexts(defaultAgentAllowedTools) && { defaultAgentAllowedTools }),
	};
}

/** One lock for all of the folder: an agent's file is looked for and changed under it. */
export function agentsLockPath(folder: string): string {
	return join(folder, ".lock");
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
