// The workspace over folders that are on no disk: read, find, search, change and undo; no commands.
import { insideOf } from "../../core/paths.ts";
import type { Blobs } from "../../core/ports/sessions.ts";
import { ToolProblem } from "../../core/ports/tool.ts";
import type { VirtualFileSystem } from "../../core/ports/virtualFileSystem.ts";
import type { OpenBuffers, Workspace } from "../../core/ports/workspace.ts";
import type { Folders } from "../files/files.ts";
import { createWriting } from "../files/write.ts";
import type { SearchOptions } from "../search/search.ts";
import { virtualCarryOut } from "./carryOut.ts";
import { virtualFiles } from "./files.ts";
import { virtualSearch } from "./search.ts";

export interface VirtualOptions extends Omit<SearchOptions, "folders"> {
	fs: VirtualFileSystem;
	folders: Folders;
	identity(): string;
	blobs: Blobs;
	buffers?: OpenBuffers;
	/** Files that one search looks at; 2,000 when absent. */
	most?: number;
}

export interface VirtualWorkspace extends Omit<Workspace, "diagnostics" | "symbols"> {
	/** Whether the path lies in one of its folders, or leads to one. */
	holds(path: string): boolean;
}

export const NO_COMMANDS =
	"The workspace is virtual: its files are on no disk, so no command can run on them. Read, search and change them with the file tools.";

export function createVirtualWorkspace(options: VirtualOptions): VirtualWorkspace {
	const { fs, folders, identity, blobs, buffers } = options;
	const files = virtualFiles(fs, folders, buffers);
	const refuse = () => Promise.reject(new ToolProblem(NO_COMMANDS));
	return {
		folders,
		identity,
		holds: (path) =>
			folders().some((folder) => insideOf(folder.path, path) !== undefined || (path !== "/" && insideOf(path, folder.path) !== undefined)),
		...files,
		...createWriting({ files, folders, buffers, blobs, carryOut: virtualCarryOut(fs) }),
		...virtualSearch(options),
		unsaved: (path) => buffers?.dirty(path) !== undefined,
		commands: () => NO_COMMANDS,
		run: refuse,
		output: refuse,
		watch: async () => async () => [],
		commit: async () => undefined,
	};
}
