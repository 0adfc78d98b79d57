// Finds storages used by a workspace's folders under other workspace ids.
import { listStorages, rememberStorage } from "./sessionPaths.ts";

/** `folders`: URIs of the workspace folders. Never rejects. */
export async function findOtherStorages(
	shared: string,
	root: string,
	folders: readonly string[],
	log: (line: string) => void,
): Promise<string[]> {
	try {
		const known = await listStorages(shared, folders);
		if (folders.length > 0 && !known.includes(root)) await rememberStorage(shared, folders, root);
		return known.filter((storage) => storage !== root);
	} catch (error) {
		log(`the storages of this workspace's folders could not be read: ${String(error)}`);
		return [];
	}
}
