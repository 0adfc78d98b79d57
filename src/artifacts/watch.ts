// Watches the artifact folders for changes by other windows and editors.
import { type FSWatcher, mkdirSync, watch } from "node:fs";

export interface FolderWatcher {
	dispose(): void;
}

/** Milliseconds over which changes are merged. */
const REST = 50;

/** Creates the first three folders if missing; logs a failure to watch one of these and ignores others. */
export function watchFolders(folders: readonly string[], changed: () => void, log: (line: string) => void): FolderWatcher {
	let resting: NodeJS.Timeout | undefined;
	const watchers: FSWatcher[] = [];
	const hear = (): void => {
		resting ??= setTimeout(() => {
			resting = undefined;
			changed();
		}, REST);
	};
	for (const [place, folder] of folders.entries()) {
		try {
			if (place < 3) mkdirSync(folder, { recursive: true, mode: 0o700 });
			const watcher = watch(folder, { persistent: false }, hear);
			watcher.on("error", (error) => log(`the folder of artifacts is not watched any more: ${String(error)}`));
			watchers.push(watcher);
		} catch (error) {
			if (place < 3) log(`a folder of artifacts cannot be watched: ${String(error)}`);
		}
	}
	return {
		dispose() {
			clearTimeout(resting);
			for (const watcher of watchers) watcher.close();
		},
	};
}
