// The workspace over folders that are on no disk: read, find, search, change and undo; no commands.
import { relativePathWithin } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { OpenBuffers, VirtualFileSystem, Workspace } from "../../core/ports/workspace.ts";
import type { GetWorkspaceFolders } from "../files/files.ts";
import { createFileWriter } from "../files/write.ts";
import type { SearchOptions } from "../search/search.ts";
import { createVirtualEditApplier } from "./carryOut.ts";
import { createVirtualFiles } from "./files.ts";
import { createVirtualSearch } from "./search.ts";

export interface VirtualWorkspaceOptions extends Omit<SearchOptions, "folders"> {
	fs: VirtualFileSystem;
	folders: GetWorkspaceFolders;
	identity(): string;
	blobs: BlobStore;
	buffers?: OpenBuffers;
	/** Files that one search looks at; 2,000 when absent. */
	maxFiles?: number;
}

export interface VirtualWorkspace extends Omit<Workspace, "diagnostics" | "symbols"> {
	/** Whether the path lies in one of its folders, or leads to one. */
	contains(path: string): boolean;
}

export const COMMANDS_UNAVAILABLE =
	"The workspace is virtual: its files are on no disk, so no command can run on them. Read, search and change them with the file tools.";

export function createVirtualWorkspace(options: VirtualWorkspaceOptions): VirtualWorkspace {
	const { fs, folders, identity, blobs, buffers } = options;
	const files = createVirtualFiles(fs, folders, buffers);
	const refuse = () => Promise.reject(new ToolError(COMMANDS_UNAVAILABLE));
	return {
		folders,
		identity,
		contains: (path) =>
			folders().some(
				(folder) =>
					relativePathWithin(folder.path, path) !== undefined || (path !== "/" && relativePathWithin(path, folder.path) !== undefined),
			),
		...files,
		...createFileWriter({ files, folders, buffers, blobs, applyEdit: createVirtualEditApplier(fs) }),
		...createVirtualSearch(options),
		unsaved: (path) => buffers?.dirty(path) !== undefined,
		commands: () => COMMANDS_UNAVAILABLE,
		run: refuse,
		output: refuse,
		watch: async () => async () => [],
		commit: async () => undefined,
	};
}
