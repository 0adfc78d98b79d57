// The storages of a workspace: the one it writes to, and those that its folders had under other identities.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { listStorages, rememberStorage } from "./sessionPaths.ts";

/** Writes to the first and finds what any of them has: sessions of another identity bring their pre-images along. */
export function combineBlobs(all: readonly BlobStore[]): BlobStore {
	return {
		put: (bytes) => (all[0] as BlobStore).put(bytes),
		async get(hash) {
			for (const blobs of all) {
				const found = await blobs.get(hash);
				if (found) return found;
			}
			return undefined;
		},
	};
}

/** Sessions of the same folders under another identity of the workspace. */
export async function findOtherStorages(shared: string, root: string, log: (line: string) => void): Promise<string[]> {
	const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString());
	try {
		const known = await listStorages(shared, folders);
		if (folders.length > 0 && !known.includes(root)) await rememberStorage(shared, folders, root);
		return known.filter((storage) => storage !== root);
	} catch (error) {
		log(`the storages of this workspace's folders could not be read: ${String(error)}`);
		return [];
	}
}
