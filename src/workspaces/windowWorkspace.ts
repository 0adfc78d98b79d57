// Assembles the workspace of a window: local files, processes, and search, plus virtual folders.
import { join } from "node:path";
import type { BlobStore } from "../core/ports/sessions.ts";
import type { VirtualFileSystem, WorkspaceFolder } from "../core/ports/workspace/files.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { protectedName } from "../gate/hostProtection.ts";
import { createPlatform, type Platform, type PlatformOptions } from "../platform/platform.ts";
import { type CommandDisplay, createShownRun } from "../platform/processes/shownRun.ts";
import { createCombinedWorkspace, createVirtualWorkspace } from "../platform/virtual/workspace.ts";
import { withKeptFolders } from "./keptFolders.ts";

/** The workspace as provided by the host. */
export interface WorkspacePorts
	extends Pick<PlatformOptions, "identity" | "findRipgrep" | "onShellMissing" | "buffers" | "moveToTrash">,
		Pick<Workspace, "diagnostics" | "symbols"> {
	/** Folders on a local disk. */
	diskFolders(): readonly WorkspaceFolder[];
	/** Virtual folders; absent if they are not supported. `all` also includes folders on disk, in the user's order. */
	virtual?: { fs: VirtualFileSystem; folders(): readonly WorkspaceFolder[]; all(): readonly WorkspaceFolder[] };
	/** Displays running commands; they are not displayed if absent. */
	display?: CommandDisplay;
}

/** Values that commands get from the settings of the same names. */
export interface WorkspaceSettings {
	environment: readonly string[];
	shell: string;
	sandboxWritable: readonly string[];
}

interface WorkspaceOptions extends WorkspacePorts {
	/** Storage folders: for this workspace, for all workspaces, and additional read-only ones. */
	storage: { root: string; shared: string; also: readonly string[] };
	/** Folders of that storage whose files tools change. */
	keptFolders: readonly WorkspaceFolder[];
	blobs: BlobStore;
	settings(): WorkspaceSettings;
	log(line: string): void;
}

export interface AppWorkspace extends Workspace, Pick<Platform, "programs" | "sandbox" | "dispose"> {
	/** Folders on disk, without those that are reached through a link in the workspace. */
	diskFolders: Platform["folders"];
}

export function createWorkspace(options: WorkspaceOptions): AppWorkspace {
	const { storage, blobs, settings, log, identity, buffers, virtual, display, diagnostics, symbols } = options;
	const { root, shared, also } = storage;
	const platform = createPlatform({
		...options,
		folders: options.diskFolders,
		...(virtual && { allFolders: virtual.all }),
		outputFolder: join(root, "output"),
		extraVariables: () => settings().environment,
		shellSetting: () => settings().shell,
		sandbox: {
			hiddenFolders: [root, shared, ...also],
			readableFolders: [join(shared, "programs")],
			cacheFolder: join(root, "caches"),
			writableCaches: () => settings().sandboxWritable,
			isProtected: (inside) => protectedName(inside, "write") !== undefined,
			log,
		},
	});
	const { programs, outputStore } = platform;
	const parts = { identity, blobs, outputStore, programs, log, ...(buffers && { buffers }) };
	const files = virtual
		? createCombinedWorkspace(
				platform,
				createVirtualWorkspace({ ...parts, fs: virtual.fs, folders: virtual.folders, allFolders: virtual.all }),
				virtual.all,
			)
		: platform;
	return {
		...withKeptFolders(files, { ...options, folders: options.keptFolders }),
		diskFolders: platform.folders,
		programs,
		sandbox: platform.sandbox,
		dispose: platform.dispose,
		...(display && { run: createShownRun(files.run, display) }),
		diagnostics,
		symbols,
	};
}
