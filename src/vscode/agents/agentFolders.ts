// Watches the folders that hold agent definitions as they are created and removed.

// VS Code reports most changes. On Linux it misses the contents of a folder created together with its parent, as in a checkout,
// so we watch those folders ourselves.
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, posix } from "node:path";
import * as vscode from "vscode";

export interface AgentFolderWatcher extends vscode.Disposable {
	/** Call when the workspace folders change. */
	restart(): void;
}

/** Locations of agent files. */
export interface AgentPlaces {
	/** Folder of the user's agents. */
	own: string;
	/** Returns true if the file name in that folder is one of an agents file. */
	isOwnFile(name: string): boolean;
	/** Absolute paths of the workspace's folders. */
	folders(): readonly string[];
	/** Folders that hold agents and their parents, relative to a workspace folder. */
	inside: readonly string[];
	/** Matches everything in `inside`. */
	glob: string;
}

export function watchAgentFolders({ own, isOwnFile, folders, inside, glob }: AgentPlaces, changed: () => void): AgentFolderWatcher {
	let watchers: vscode.Disposable[] = [];
	let settleTimer: NodeJS.Timeout | undefined;
	const notify = (): void => {
		folderWatchers.look();
		changed();
	};
	const folderWatchers = process.platform === "linux" ? createFolderWatchers(notify) : { look() {}, set() {}, dispose() {} };

	function watchWithEditor(folder: string, pattern: string, counts: Counts): vscode.Disposable {
		const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), pattern));
		const onFile = ({ path }: vscode.Uri): void => {
			if (counts(posix.basename(path))) notify();
		};
		return vscode.Disposable.from(watcher, watcher.onDidCreate(onFile), watcher.onDidChange(onFile), watcher.onDidDelete(onFile));
	}

	function stop(): void {
		clearTimeout(settleTimer);
		for (const watcher of watchers.splice(0)) watcher.dispose();
	}

	function restart(): void {
		stop();
		watchers = [watchWithEditor(own, "*.json", isOwnFile), ...folders().map((folder) => watchWithEditor(folder, glob, always))];
		const workspacePlaces = folders().flatMap((folder) => inside.map((place) => vscode.Uri.joinPath(vscode.Uri.file(folder), place)));
		folderWatchers.set([{ path: own, counts: isOwnFile }, ...workspacePlaces.map(({ fsPath }) => ({ path: fsPath, counts: always }))]);
		settleTimer = setTimeout(notify, SETTLED);
	}

	restart();
	return {
		restart: restart,
		dispose() {
			stop();
			folderWatchers.dispose();
		},
	};
}

/** Milliseconds until the editor's watcher is active; changes before that are not reported. */
const SETTLED = 1_500;

type Counts = (name: string) => boolean;
const always: Counts = () => true;

interface Place {
	path: string;
	/** Returns true for file names whose changes matter. */
	counts: Counts;
}

/** Watches the places that are folders, also after they are recreated. */
function createFolderWatchers(notify: () => void) {
	let places: readonly Place[] = [];
	const watched = new Map<string, { watcher: FSWatcher; inode: number }>();

	function end(path: string): void {
		watched.get(path)?.watcher.close();
		watched.delete(path);
	}

	function begin({ path, counts }: Place, inode: number): void {
		try {
			const watcher = watch(path, { persistent: false }, (_, name) => {
				// A moved or deleted folder reports its own name; its replacement can reuse the inode.
				const itself = name === basename(path);
				if (itself) end(path);
				if (name === null || itself || counts(name)) notify();
			});
			watcher.on("error", () => end(path));
			watched.set(path, { watcher, inode });
		} catch {
			// Too many watches, or the folder no longer exists: the editor's watcher remains.
		}
	}

	function look(): void {
		for (const place of places) {
			const inode = folderAt(place.path);
			if (watched.get(place.path)?.inode === inode) continue;
			end(place.path);
			if (inode !== undefined) begin(place, inode);
		}
	}

	return {
		look,
		set(next: readonly Place[]) {
			for (const path of [...watched.keys()]) end(path);
			places = next;
			look();
		},
		dispose() {
			for (const path of [...watched.keys()]) end(path);
		},
	};
}

/** The folder's inode; undefined for a link or if there is no folder. */
function folderAt(path: string): number | undefined {
	try {
		const stats = lstatSync(path, { throwIfNoEntry: false });
		return stats?.isDirectory() ? stats.ino : undefined;
	} catch {
		return undefined;
	}
}
