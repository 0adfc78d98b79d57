// Stores agent preferences: the last used agent and the default agent's allowed tools.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import { t } from "../../shared/l10n.ts";
import { isNotFound, makeFolder, nodeFileSystem, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";

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
	const { lastUsedAgentId, defaultAgentAllowedTools } = (await kept(folder, files).catch(() => undefined)) ?? {};
	return {
		...(typeof lastUsedAgentId === "string" && { lastUsedAgentId }),
		...(isTexts(defaultAgentAllowedTools) && { defaultAgentAllowedTools }),
	};
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
	const path = join(folder, PREFERENCES_FILE);
	try {
		await makeFolder(files, folder);
		await withFileLock(files, agentsLockPath(folder), async () => {
			const old = await kept(folder, files);
			// What cannot be read is not written over.
			if (!old) await files.rename(path, `${path}.corrupt`);
			const checked = await readPreferences(folder, files);
			const value = next(checked[field], old?.[field]);
			const same = JSON.stringify(value) === JSON.stringify(old?.[field]);
			if (!same) await writeAtomically(files, path, `${JSON.stringify({ ...old, [field]: value }, undefined, "\t")}\n`);
		});
	} catch (cause) {
		throw toStorageError(cause, t("Could not save the preferences."));
	}
}

/** One lock for all of the folder: an agent's file is looked for and changed under it. */
export function agentsLockPath(folder: string): string {
	return join(folder, ".lock");
}

/** Undefined where it is damaged; throws what the disk throws. */
async function kept(folder: string, files: StorageFileSystem): Promise<Record<string, unknown> | undefined> {
	try {
		const text = await readText(files, join(folder, PREFERENCES_FILE));
		const value = text === undefined ? {} : parseJson(text);
		return isRecord(value) ? value : undefined;
	} catch (cause) {
		if (isNotFound(cause)) return {};
		throw cause;
	}
}

function isTexts(value: unknown): value is string[] {
	return Array.isArray(value) && value.every((entry) => typeof entry === "string");
}
