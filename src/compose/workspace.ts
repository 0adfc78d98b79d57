// Puts the workspace together: files, processes and search of this machine, and folders that are on no disk.
import { join } from "node:path";
import type { BlobStore } from "../core/ports/sessions.ts";
import type { VirtualFileSystem, Workspace, WorkspaceFolder } from "../core/ports/workspace.ts";
import { protectedName } from "../gate/hostProtection.ts";
import { createPlatform, type Platform, type PlatformOptions } from "../platform/platform.ts";
import { type CommandDisplay, createShownRun } from "../platform/processes/shownRun.ts";
import { createCombinedWorkspace, createVirtualWorkspace } from "../platform/virtual/workspace.ts";
import type { TroupeSettings } from "../settings/settings.ts";

/** The workspace as whoever runs the app has it. */
export interface WorkspacePorts
	extends Pick<PlatformOptions, "identity" | "findRipgrep" | "onShellMissing" | "buffers" | "moveToTrash">,
		Pick<Workspace, "diagnostics" | "symbols"> {
	/** Its folders on a disk of this machine. */
	diskFolders(): readonly WorkspaceFolder[];
	/** Its other folders; absent where there can be none. `all`: those on a disk, too, in the person's order. */
	virtual?: { fs: VirtualFileSystem; folders(): readonly WorkspaceFolder[]; all(): readonly WorkspaceFolder[] };
	/** Where commands can be seen as they run; nowhere when absent. */
	display?: CommandDisplay;
}

interface WorkspaceOptions extends WorkspacePorts {
	/** Our storages: for this workspace, for all, and further ones that are read. */
	storage: { root: string; shared: string; also: readonly string[] };
	blobs: BlobStore;
	settings(): Pick<TroupeSettings, "environment" | "shell" | "sandboxWritable">;
	log(line: string): void;
}

export interface AppWorkspace extends Workspace, Pick<Platform, "programs" | "sandbox" | "dispose"> {
	/** Its folders on a disk, without those that a link in the workspace leads to. */
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
	const parts = { identity, blobs, outputStore, programs, ...(buffers && { buffers }) };
	const files = virtual
		? createCombinedWorkspace(
				platform,
				createVirtualWorkspace({ ...parts, fs: virtual.fs, folders: virtual.folders, allFolders: virtual.all }),
				virtual.all,
			)
		: platform;
	return {
		...files,
		diskFolders: platform.folders,
		programs,
		sandbox: platform.sandbox,
		dispose: platform.dispose,
		...(display && { run: createShownRun(files.run, display) }),
		diagnostics,
		symbols,
	};
}
