// Adds folders of Troupe's storage to a workspace's files: read, changed, and undone there, and listed nowhere.
import { mkdir } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { relativePathWithin } from "../core/paths.ts";
import type { BlobStore } from "../core/ports/sessions.ts";
import { ToolError } from "../core/ports/tool.ts";
import type { OpenBuffers } from "../core/ports/workspace/editor.ts";
import { FileConflict, type FileEdit, type WorkspaceFolder } from "../core/ports/workspace/files.ts";
import type { Workspace } from "../core/ports/workspace.ts";
import { createWorkspaceFiles } from "../platform/files/files.ts";
import { createFileWriter } from "../platform/files/fileWriter.ts";

interface KeptFolderOptions {
	/** Each is named so that no display path of the workspace begins like it, and lies directly in a storage folder. */
	folders: readonly WorkspaceFolder[];
	blobs: BlobStore;
	buffers?: OpenBuffers | undefined;
	moveToTrash?: ((path: string) => Promise<boolean>) | undefined;
	log?(line: string): void;
}

type WorkspacePart = Omit<Workspace, "diagnostics" | "symbols">;

/** Files in these folders are always on disk, also where the workspace is virtual. */
export function withKeptFolders(workspace: WorkspacePart, { folders, blobs, buffers, moveToTrash, log }: KeptFolderOptions): WorkspacePart {
	const kept = () => folders;
	const files = createWorkspaceFiles(kept, buffers);
	const writer = createFileWriter({ files, folders: kept, buffers, blobs, moveToTrash, log });
	const isKept = (path: string) => folders.some((folder) => Boolean(relativePathWithin(folder.path, path)));
	const partOf = (path: string) => (isKept(path) ? files : workspace);

	/** Returns where these files lie if neither they nor their folder are links; the writer refuses to write elsewhere. */
	async function realPathsOf(edits: readonly FileEdit[]): Promise<Map<string, string>> {
		const real = new Map<string, string>();
		for (const { path, action } of edits) {
			const folder = folders.find((candidate) => dirname(path) === candidate.path);
			if (!folder || action === "rename") throw new ToolError("Files kept by Troupe are not moved. Nothing was changed.");
			if (action === "create" && (await files.lstat(path)))
				throw new FileConflict(`${folder.name}/${basename(path)} has just been created elsewhere. Nothing was changed.`);
			// Only the user may read what is kept.
			await mkdir(folder.path, { recursive: true, mode: 0o700 });
			const storage = (await files.realpath(dirname(folder.path))) ?? dirname(folder.path);
			real.set(path, join(storage, basename(folder.path), basename(path)));
		}
		return real;
	}

	function isKeptChange(edits: readonly FileEdit[]): boolean {
		const count = edits.filter(({ path }) => isKept(path)).length;
		if (count > 0 && count < edits.length)
			throw new ToolError("A change is either in the workspace or in files kept by Troupe. Make it in two. Nothing was changed.");
		return count > 0;
	}

	return {
		...workspace,
		keptFolders: kept,
		lstat: (path) => partOf(path).lstat(path),
		realpath: (path) => partOf(path).realpath(path),
		stat: (path) => partOf(path).stat(path),
		read: (path, range) => partOf(path).read(path, range),
		version: (path) => partOf(path).version(path),
		unsaved: (path) => (isKept(path) ? buffers?.dirty(path) !== undefined : (workspace.unsaved?.(path) ?? false)),
		apply: async (edits, real) => (isKeptChange(edits) ? writer.apply(edits, await realPathsOf(edits)) : workspace.apply(edits, real)),
		preview: async (edits) => (isKeptChange(edits) ? writer.preview(edits) : workspace.preview(edits)),
		undo: async (change) => (isKept(change.path) ? writer.undo(change) : workspace.undo(change)),
	};
}
