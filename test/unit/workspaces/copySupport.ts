// A workspace with a repository, our storage in the editor's folder, and copies that are open for tasks.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { rgPath } from "@vscode/ripgrep";
import { createGate } from "../../../src/gate/gate.ts";
import type { CopyWorkspace, CopyWorkspaceOptions } from "../../../src/workspaces/copyWorkspace.ts";
import { createTaskCopies } from "../../../src/workspaces/taskCopies.ts";
import { type AppWorkspace, createWorkspace } from "../../../src/workspaces/windowWorkspace.ts";
import { layParser, parser } from "../gate/world.ts";
import { commitAll } from "../platform/sandboxSupport.ts";
import { memoryBlobs } from "../platform/support.ts";

export interface CopyYard {
	/** The real workspace folder. */
	folder: string;
	/** The folder in which all copies are. */
	copiesFolder: string;
	/** Our storage folders: for this workspace, and for all. */
	storage: { root: string; shared: string };
	workspace: AppWorkspace;
	gate: CopyWorkspace["gate"];
	copies: ReturnType<typeof createTaskCopies>;
	/** Makes a copy and opens it. */
	open(id: string): Promise<OpenedCopy>;
	put(path: string, content: string): string;
	dispose(): Promise<void>;
}

export interface OpenedCopy extends CopyWorkspace {
	/** Its first folder. */
	folder: string;
	path(name: string): string;
}

export const CANARY = "canary-7e57ab1e";

/** `around`: not a folder for temporary files by default, which sandboxed commands do not see anyway. */
export async function copyYard(files: Record<string, string>, { around = homedir(), second = false } = {}): Promise<CopyYard> {
	await layParser();
	const home = realpathSync(mkdtempSync(join(around, ".troupe-copies-")));
	const editor = join(home, ".config", "Code", "User");
	const storage = { root: join(editor, "workspaceStorage", "one", "troupe"), shared: join(editor, "globalStorage", "troupe"), also: [] };
	const folder = join(home, "project");
	const put = (path: string, content: string): string => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, content);
		return path;
	};
	for (const [name, content] of Object.entries(files)) put(join(folder, name), content);
	commitAll(folder);
	if (second) put(join(home, "library", "lib.txt"), "lib\n");
	put(join(storage.root, "sessions", "s1", "current.jsonl"), CANARY);
	put(join(storage.shared, "preferences.json"), "{}");
	const folders = [{ name: "project", path: folder }, ...(second ? [{ name: "library", path: join(home, "library") }] : [])];
	const opened: CopyWorkspace[] = [];
	const common = { identity: () => "the real workspace", findRipgrep: async () => rgPath, blobs: memoryBlobs(), log: () => undefined };
	const settings = () => ({ environment: [], shell: "", sandboxWritable: [], tasks: { copyIgnored: ["**/node_modules"] } });
	const workspace = createWorkspace({
		...common,
		diskFolders: () => folders,
		storage,
		keptFolders: [],
		settings,
		diagnostics: async () => [],
		symbols: async () => [],
	});
	const hostFolders = [{ path: editor, kind: "data" as const }];
	const host: CopyWorkspaceOptions["host"] = { hostFolders: () => hostFolders, homes: [home], parser };
	const protectedStorage = [storage.root, storage.shared];
	const gate = createGate({ ...host, disk: workspace, folders: workspace.folders, storage: protectedStorage, host: workspace.programs });
	const copiesFolder = join(storage.shared, "copies");
	const copies = createTaskCopies({
		...common,
		copiesFolders: [copiesFolder],
		storage: protectedStorage,
		programsFolder: join(storage.shared, "programs"),
		window: { workspace, gate, host },
		settings,
	});
	return {
		folder,
		copiesFolder,
		storage,
		workspace,
		gate,
		copies,
		put,
		async open(id) {
			await copies.create(id, new AbortController().signal);
			const copy = await copies.open(id);
			if (!copy) throw new Error(`There is no copy ${id}.`);
			opened.push(copy);
			const [first] = copy.workspace.folders();
			const path = first?.path as string;
			return { ...copy, folder: path, path: (name) => join(path, name) };
		},
		async dispose() {
			for (const copy of opened) await copy.dispose();
			await workspace.dispose();
			rmSync(home, { recursive: true, force: true });
		},
	};
}

export function git(folder: string, ...words: string[]): string {
	return execFileSync("git", words, { cwd: folder, encoding: "utf8" });
}
