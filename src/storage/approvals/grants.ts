// Approvals that last, in the extension's own storage and nowhere a workspace could write them.
import { join } from "node:path";
import type { GrantRecordStore } from "../../core/grant.ts";
import { t } from "../../shared/l10n.ts";
import { isNotFound, makeFolder, nodeFileSystem, type StorageFileSystem, writeAtomically } from "../files.ts";
import { createHealth, type HealthSource } from "../health.ts";
import { withFileLock } from "../json/fileLock.ts";
import { toStorageError } from "../storageErrors.ts";
import { type GrantFile, parseGrantFile, serializeGrantFile } from "./grantRecords.ts";

export type GrantStore = GrantRecordStore & HealthSource;

const NONE: GrantFile = { grants: [], unreadable: [] };

/** `folder` is the extension's global storage. */
export function createGrantStore(folder: string, options: { log?(line: string): void; files?: StorageFileSystem } = {}): GrantStore {
	const { files = nodeFileSystem, log = () => undefined } = options;
	const path = join(folder, "grants.json");
	const health = createHealth(log);
	let cache: { mark: string; file: GrantFile } | undefined;

	/** Throws what the disk throws. */
	async function current(): Promise<GrantFile> {
		const missing = (cause: unknown): undefined => {
			if (!isNotFound(cause)) throw cause;
		};
		const stat = await files.stat(path).catch(missing);
		if (!stat) return NONE;
		const mark = `${stat.ino} ${stat.size} ${stat.mtimeMs}`;
		if (cache?.mark === mark) return cache.file;
		const bytes = await files.readFile(path).catch(missing);
		const file = bytes ? parseGrantFile(bytes) : NONE;
		if (!file) return setAside();
		cache = { mark, file };
		return file;
	}

	async function setAside(): Promise<GrantFile> {
		await files.rename(path, `${path}.corrupt`).catch((cause: unknown) => {
			if (!isNotFound(cause)) throw cause;
		});
		health.report(
			"grants",
			t(
				"The file with your saved approvals was damaged, so none of them applies. It was kept as {0}.corrupt. Approve again what you need.",
				path,
			),
		);
		return NONE;
	}

	async function rewrite(what: string, next: (file: GrantFile) => GrantFile): Promise<void> {
		try {
			await makeFolder(files, folder);
			await withFileLock(files, `${path}.lock`, async () => {
				cache = undefined;
				await writeAtomically(files, path, serializeGrantFile(next(await current())));
			});
			health.report("grants", undefined);
		} catch (cause) {
			throw toStorageError(cause, what);
		}
	}

	return {
		onHealth: health.onHealth,
		change: (what, next) => rewrite(what, ({ grants, unreadable }) => ({ grants: next(grants), unreadable })),
		discard: (what, record) =>
			rewrite(what, ({ grants, unreadable }) => ({ grants, unreadable: unreadable.filter((other) => other !== record) })),
		async read() {
			try {
				const { grants, unreadable } = await current();
				return { grants, unreadable, whole: unreadable.length === 0 && !(await exists(`${path}.corrupt`)) };
			} catch (cause) {
				health.report("grants", toStorageError(cause, t("read the saved approvals, so none of them applies")).message);
				return { ...NONE, whole: false };
			}
		},
	};

	/** As long as what was damaged lies there, nobody knows what it covered. */
	async function exists(name: string): Promise<boolean> {
		return files.stat(name).then(
			() => true,
			(cause: unknown) => !isNotFound(cause),
		);
	}
}
