// Assembles the workspace and the gate for a session that works in an isolated copy.
import { lstat, realpath } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { relativePathWithin } from "../core/paths.ts";
import type { CopyFolder, WorkspaceCopy } from "../core/ports/copies.ts";
import type { Gate, GateContext } from "../core/ports/gate.ts";
import type { BlobStore } from "../core/ports/sessions.ts";
import { ToolError } from "../core/ports/tool.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { createGate } from "../gate/gate.ts";
import { protectedName } from "../gate/hostProtection.ts";
import { createPlatform, type PlatformOptions } from "../platform/platform.ts";
import type { Programs } from "../platform/programs/programs.ts";
import type { WorkspaceSettings } from "./windowWorkspace.ts";

export interface CopyWorkspaceOptions extends Pick<PlatformOptions, "identity" | "findRipgrep" | "onShellMissing"> {
	/** Our storage folders, which contain the copies. */
	storage: readonly string[];
	/** Folder of the programs that we wrote for plugins. */
	programsFolder: string;
	/** The gate's environment in the window. */
	host: Omit<GateContext, "disk" | "folders" | "storage" | "copied" | "host">;
	/** Programs of the window, for a question to git about the original. */
	programs: Pick<Programs, "gitOutput">;
	blobs: BlobStore;
	settings(): Pick<WorkspaceSettings, "environment" | "shell">;
	log(line: string): void;
}

export interface CopyWorkspace {
	workspace: Workspace;
	gate: Gate;
	/** Ends its commands. The copy stays. */
	dispose(): Promise<void>;
}

/**
 * Keeps the folder names, settings, and identity of the original workspace, so that instructions, rules, and approvals apply to both.
 * Sandboxed commands write nothing else, not even the user's caches. There are no editors and no trash.
 */
export async function createCopyWorkspace(
	copy: Pick<WorkspaceCopy, "home" | "folders">,
	{ storage, programsFolder, host, programs, settings, log, ...options }: CopyWorkspaceOptions,
): Promise<CopyWorkspace> {
	const copied = await Promise.all(copy.folders.map(resolveFolder));
	const folders = copied.map(({ name, path }) => ({ name, path }));
	const { home } = copy;
	const found = await Promise.all(copied.map((folder) => originalObjects(folder, programs)));
	const hidden = await Promise.all(storage.map((path) => realpath(path).catch(() => path)));
	// A link in the original's git folder could lead to another copy.
	const objects = found.flat().filter((path) => !hidden.some((folder) => isEitherWithin(path, folder)));
	const platform = createPlatform({
		...options,
		folders: () => folders,
		originalFolders: copied.flatMap(({ originals }) => originals.map((path) => ({ name: basename(path), path }))),
		outputFolder: join(home, "output"),
		extraVariables: () => settings().environment,
		shellSetting: () => settings().shell,
		log,
		sandbox: {
			hiddenFolders: storage,
			readableFolders: [programsFolder, ...objects],
			cacheFolder: join(home, "caches"),
			writableCaches: () => [],
			isProtected: (inside) => protectedName(inside, "write") !== undefined,
			log,
		},
	});
	const { programs: ownPrograms, sandbox, outputStore, dispose, ...files } = platform;
	const workspace: Workspace = {
		...files,
		diagnostics: () =>
			notInCopy("The editor's problems are not available in a copy of the workspace. Run the project's checks with execute_command."),
		symbols: () =>
			notInCopy("Symbols are not available in a copy of the workspace. Find definitions with search_code, and files with find_files."),
	};
	const gate = createGate({ ...host, disk: workspace, folders: () => folders, storage, copied, host: ownPrograms });
	return { workspace, gate, dispose };
}

/** Links are resolved once, so that a path has one spelling. */
async function resolveFolder({
	name,
	path,
	original,
}: CopyFolder): Promise<{ name: string; path: string; originals: [string, ...string[]] }> {
	const real = await realpath(original).catch(() => original);
	return { name, path: await realpath(path), originals: real === original ? [real] : [real, original] };
}

/** The folder of the original's objects, which git in the copy reads; none if the copy has no repository. */
async function originalObjects(
	{ path, originals: [original] }: { path: string; originals: readonly [string, ...string[]] },
	programs: Pick<Programs, "gitOutput">,
): Promise<string[]> {
	if (!(await lstat(join(path, ".git", "objects", "info", "alternates")).catch(() => undefined))) return [];
	const answer = await programs.gitOutput(original, ["rev-parse", "--git-path", "objects"]);
	const objects = answer && (await realpath(resolve(original, answer.toString("utf8").replace(/\r?\n$/, ""))).catch(() => undefined));
	return objects === undefined ? [] : [objects];
}

function isEitherWithin(one: string, other: string): boolean {
	return relativePathWithin(one, other) !== undefined || relativePathWithin(other, one) !== undefined;
}

function notInCopy(reason: string): Promise<never> {
	return Promise.reject(new ToolError(reason));
}
