// Watches the folders that hold agent definitions as they are created and removed.

// VS Code reports most changes. On Linux it misses the contents of a folder that is created together with its parent,
// as a checkout does, so we watch those ourselves.
import { type FSWatcher, lstatSync, watch } from "node:fs";
import { basename, posix } from "node:path";
import * as vscode from "vscode";

export interface AgentFolderWatcher extends vscode.Disposable {
	/** The workspace has other folders now. */
	restart(): void;
}

/** Places of agents' files. */
export interface AgentPlaces {
	/** Folder of the person's agents. */
	own: string;
	/** Whether a name in that folder is that of a file with agents. */
	isOwnFile(name: string): boolean;
	/** Absolute paths of the workspace's folders. */
	folders(): readonly string[];
	/** Folders with agents and those around them, below a folder of the workspace. */
	inside: readonly string[];
	/** Matches all of that. */
	glob: string;
}

export function watchAgentFolders({ own, isOwnFile, folders, inside, glob }: AgentPlaces, changed: () => void): AgentFolderWatcher {
	let watchers: vscode.Disposable[] = [];
	let settling: NodeJS.Timeout | undefined;
	const heard = (): void => {
		ours.look();
		changed();
	};
	const ours = process.platform === "linux" ? ownWatchers(heard) : { look() {}, set() {}, dispose() {} };

	function theirs(folder: string, pattern: string, counts: Counts): vscode.Disposable {
		const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(vscode.Uri.file(folder), pattern));
		const seen = ({ path }: vscode.Uri): void => {
			if (counts(posix.basename(path))) heard();
		};
		return vscode.Disposable.from(watcher, watcher.onDidCreate(seen), watcher.onDidChange(seen), watcher.onDidDelete(seen));
	}

	function stop(): void {
		clearTimeout(settling);
		for (const watcher of watchers.splice(0)) watcher.dispose();
	}

	function again(): void {
		stop();
		watchers = [theirs(own, "*.json", isOwnFile), ...folders().map((folder) => theirs(folder, glob, always))];
		const brought = folders().flatMap((folder) => inside.map((place) => vscode.Uri.joinPath(vscode.Uri.file(folder), place)));
		ours.set([{ path: own, counts: isOwnFile }, ...brought.map(({ fsPath }) => ({ path: fsPath, counts: always }))]);
		settling = setTimeout(heard, SETTLED);
	}

	again();
	return {
		restart: again,
		dispose() {
			stop();
			ours.dispose();
		},
	};
}

/** Milliseconds until the editor watches a folder; what happens meanwhile it does not tell. */
const SETTLED = 1_500;

type Counts = (name: string) => boolean;
const always: Counts = () => true;

interface Place {
	path: string;
	/** Whether a name in that folder is one to hear of. */
	counts: Counts;
}

/** On those of the places that are folders, also after they were gone for a while. */
function ownWatchers(heard: () => void) {
	let places: readonly Place[] = [];
	const watched = new Map<string, { watcher: FSWatcher; inode: number }>();

	function end(path: string): void {
		watched.get(path)?.watcher.close();
		watched.delete(path);
	}

	function begin({ path, counts }: Place, inode: number): void {
		try {
			const watcher = watch(path, { persistent: false }, (_, name) => {
				// A folder that is moved or removed tells its own name; the next one there can have the same number.
				const itself = name === basename(path);
				if (itself) end(path);
				if (name === null || itself || counts(name)) heard();
			});
			watcher.on("error", () => end(path));
			watched.set(path, { watcher, inode });
		} catch {
			// Too many are watched, or it has just gone: what the editor tells remains.
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

/** Its number on disk; of a link, or where there is no folder, there is none. */
function folderAt(path: string): number | undefined {
	try {
		const stats = lstatSync(path, { throwIfNoEntry: false });
		return stats?.isDirectory() ? stats.ino : undefined;
	} catch {
		return undefined;
	}
}
