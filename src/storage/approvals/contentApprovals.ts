// Stores approvals of workspace content by workspace, path and hash.

// Stored in the extension's own storage, where no workspace can write.

import { join } from "node:path";
import { isRecord } from "../../core/isRecord.ts";
import type { ContentApprovals } from "../../core/ports/skills.ts";
import { t } from "../../shared/l10n.ts";
import { nodeFileSystem, parseJson, type StorageFileSystem } from "../fileSystem.ts";
import { createJsonStore } from "../json/jsonStore.ts";

type StoredApprovals = Record<string, Record<string, string>>;

/** `name`: the file in `folder`, one of the extension's own. A damaged file is moved aside, and nothing in it applies. */
export function createContentApprovals(
	folder: string,
	name: string,
	{ log = () => undefined, files = nodeFileSystem }: { log?(line: string): void; files?: StorageFileSystem } = {},
): ContentApprovals {
	const path = join(folder, name);
	const store = createJsonStore<StoredApprovals>({
		files,
		path,
		empty: {},
		parse(text) {
			const value = parseJson(text);
			return isStoredApprovals(value) ? value : undefined;
		},
		onDamage: () => log(`${path} was damaged: nothing in it counts, and it is kept as ${path}.corrupt`),
	});

	return {
		async list(workspace) {
			const stored = await store.read();
			return new Map(Object.hasOwn(stored, workspace) ? Object.entries(stored[workspace] ?? {}) : []);
		},
		async set(workspace, file, hash) {
			await store.update(
				(before) => {
					const approvals = new Map(Object.entries(before));
					const ofWorkspace = new Map(Object.entries(approvals.get(workspace) ?? {}));
					if (hash === undefined) ofWorkspace.delete(file);
					else ofWorkspace.set(file, hash);
					approvals.set(workspace, Object.fromEntries(ofWorkspace));
					if (ofWorkspace.size === 0) approvals.delete(workspace);
					return Object.fromEntries(approvals);
				},
				hash === undefined ? t("Could not revoke the approval.") : t("Could not save the approval."),
			);
		},
	};
}

function isStoredApprovals(value: unknown): value is StoredApprovals {
	return (
		isRecord(value) &&
		Object.values(value).every((paths) => isRecord(paths) && Object.values(paths).every((hash) => typeof hash === "string"))
	);
}
