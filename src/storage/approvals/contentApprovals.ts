// Stores approvals of workspace content by workspace, path and hash.

// They are kept in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import type { ContentApprovals } from "../../core/ports/skills.ts";
import { t } from "../../shared/l10n.ts";
import { isNotFound, makeFolder, nodeFileSystem, parseJson, readText, type StorageFileSystem, writeAtomically } from "../fileSystem.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";

type Kept = Record<string, Record<string, string>>;

/** `name`: the file in `folder`, one of the extension's, that keeps them. A damaged one is moved aside, and nothing in it counts. */
export function createContentApprovals(
	folder: string,
	name: string,
	{ log = () => undefined, files = nodeFileSystem }: { log?(line: string): void; files?: StorageFileSystem } = {},
): ContentApprovals {
	const path = join(folder, name);

	async function current(): Promise<Kept> {
		const text = await readText(files, path);
		if (text === undefined) return {};
		const value = parseJson(text);
		if (isKept(value)) return value;
		log(`${path} was damaged: nothing in it counts, and it is kept as ${path}.corrupt`);
		await files.rename(path, `${path}.corrupt`).catch((cause: unknown) => {
			if (!isNotFound(cause)) throw cause;
		});
		return {};
	}

	return {
		async list(workspace) {
			const kept = await current();
			return new Map(Object.hasOwn(kept, workspace) ? Object.entries(kept[workspace] ?? {}) : []);
		},
		async set(workspace, file, hash) {
			try {
				await makeFolder(files, folder);
				await withFileLock(files, `${path}.lock`, async () => {
					const kept = new Map(Object.entries(await current()));
					const own = new Map(Object.entries(kept.get(workspace) ?? {}));
					if (hash === undefined) own.delete(file);
					else own.set(file, hash);
					kept.set(workspace, Object.fromEntries(own));
					if (own.size === 0) kept.delete(workspace);
					await writeAtomically(files, path, `${JSON.stringify(Object.fromEntries(kept), undefined, "\t")}\n`);
				});
			} catch (cause) {
				throw toStorageError(cause, hash === undefined ? t("Could not revoke the approval.") : t("Could not save the approval."));
			}
		},
	};
}

function isKept(value: unknown): value is Kept {
	return (
		isRecord(value) &&
		Object.values(value).every((paths) => isRecord(paths) && Object.values(paths).every((hash) => typeof hash === "string"))
	);
}
