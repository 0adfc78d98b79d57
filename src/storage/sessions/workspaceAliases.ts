// Which storages a workspace folder has had: a workspace that changes identity still finds its sessions.
import { createHash } from "node:crypto";
import { join } from "node:path";
import { t } from "../../shared/l10n.ts";
import { isRecord, makeFolder, nodeFileSystem, parseJson, readText, type StorageFileSystem, writeAtomically } from "../files.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";

const FOLDERS = "folders";

/** Notes that these folders are kept in `storage` now. Rejects with StorageError. */
export async function rememberStorage(
	globalRoot: string,
	folderUris: readonly string[],
	storage: string,
	files: StorageFileSystem = nodeFileSystem,
): Promise<void> {
	try {
		for (const folder of folderUris) {
			if ((await storagesIn(files, globalRoot, folder)).includes(storage)) continue;
			await makeFolder(files, join(globalRoot, FOLDERS));
			const path = fileOf(globalRoot, folder);
			await withFileLock(files, `${path}.lock`, async () => {
				const storages = await storagesIn(files, globalRoot, folder);
				if (storages.includes(storage)) return;
				await writeAtomically(files, path, `${JSON.stringify({ folder, storages: [...storages, storage] }, undefined, "\t")}\n`);
			});
		}
	} catch (cause) {
		throw toStorageError(cause, t("note where the sessions of this folder are kept"));
	}
}

/** Every storage any of these folders has had, the oldest first; those that are gone are left out. */
export async function listStorages(
	globalRoot: string,
	folderUris: readonly string[],
	files: StorageFileSystem = nodeFileSystem,
): Promise<string[]> {
	const storages = new Set<string>();
	for (const folder of folderUris) {
		for (const storage of await storagesIn(files, globalRoot, folder)) {
			const stat = await files.stat(storage).catch(() => undefined);
			if (stat?.isDirectory()) storages.add(storage);
		}
	}
	return [...storages];
}

async function storagesIn(files: StorageFileSystem, globalRoot: string, folder: string): Promise<string[]> {
	const text = await readText(files, fileOf(globalRoot, folder)).catch(() => undefined);
	const value = text === undefined ? undefined : parseJson(text);
	// The hash could be another folder's only if the file was copied there by hand.
	if (!isRecord(value) || value["folder"] !== folder || !Array.isArray(value["storages"])) return [];
	return value["storages"].filter((storage) => typeof storage === "string");
}

function fileOf(globalRoot: string, folder: string): string {
	return join(globalRoot, FOLDERS, `${createHash("sha256").update(folder).digest("hex")}.json`);
}
