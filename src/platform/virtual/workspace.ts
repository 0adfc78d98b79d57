// Implements the workspace for virtual folders: read, find, search, edit and undo, but no commands.
import { relativePathWithin } from "../../core/paths.ts";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { ToolError } from "../../core/ports/tool.ts";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import { FileConflict, type FileEdit, type VirtualFileSystem, type WorkspaceFolder } from "../../core/ports/workspace/files.ts";
import type { Workspace } from "../../core/ports/workspace.ts";
import type { GetWorkspaceFolders } from "../files/files.ts";
import { createFileWriter } from "../files/fileWriter.ts";
import type { SearchOptions } from "../search/search.ts";
import { createVirtualEditApplier, createVirtualFiles } from "./files.ts";
import { createVirtualSearch } from "./search.ts";

interface VirtualWorkspaceOptions extends Omit<SearchOptions, "folders"> {
	fs: VirtualFileSystem;
	folders: GetWorkspaceFolders;
	identity(): string;
	blobs: BlobStore;
	buffers?: OpenBuffers;
	/** Maximum number of files one search inspects; 2,000 if absent. */
	maxFiles?: number;
	log?(line: string): void;
}

export interface VirtualWorkspace extends Omit<Workspace, "diagnostics" | "symbols"> {
	/** Returns true if the path is in one of its folders or is an ancestor of one. */
	contains(path: string): boolean;
}

const COMMANDS_UNAVAILABLE =
	"The workspace is virtual: its files are on no disk, so no command can run on them. Read, search and change them with the file tools.";

export function createVirtualWorkspace(options: VirtualWorkspaceOptions): VirtualWorkspace {
	const { fs, folders, identity, blobs, buffers, log } = options;
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
		...createFileWriter({ files, folders, buffers, blobs, applyEdit: createVirtualEditApplier(fs), log }),
		...createVirtualSearch(options),
		unsaved: (path) => buffers?.dirty(path) !== undefined,
		commands: () => COMMANDS_UNAVAILABLE,
		run: refuse,
		output: refuse,
		watch: async () => async () => [],
		commit: async () => undefined,
	};
}

type WorkspacePart = Omit<Workspace, "diagnostics" | "symbols">;

/** `folders`: those of both parts, in the editor's order. */
export function createCombinedWorkspace(
	disk: WorkspacePart,
	virtual: VirtualWorkspace,
	folders: () => readonly WorkspaceFolder[],
): WorkspacePart {
	const partOf = (path: string): WorkspacePart => (virtual.contains(path) ? virtual : disk);
	const parts = (): WorkspacePart[] => [disk, virtual].filter((part) => part.folders().length > 0);

	/** The part that all edits belong to. */
	function partOfAll(edits: readonly FileEdit[]): WorkspacePart {
		const [part = disk, other] = new Set(
			edits.flatMap((edit) => (edit.action === "rename" ? [partOf(edit.path), partOf(edit.to)] : [partOf(edit.path)])),
		);
		if (other) throw new ToolError("A change is either in folders on a disk or in virtual ones. Make it in two. Nothing was changed.");
		return part;
	}

	return {
		folders,
		identity: disk.identity,
		lstat: (path) => partOf(path).lstat(path),
		realpath: (path) => partOf(path).realpath(path),
		peek: (path, limit) => partOf(path).peek(path, limit),
		walk: async (folder, options) => (virtual.contains(folder) ? undefined : disk.walk?.(folder, options)),
		inspect: async (paths) => (await disk.inspect?.(paths.filter((path) => !virtual.contains(path)))) ?? [],
		stat: (path) => partOf(path).stat(path),
		read: (path, range) => partOf(path).read(path, range),
		version: (path) => partOf(path).version(path),
		list: (path) => partOf(path).list(path),
		async find(glob, options) {
			if (options.under !== undefined) return partOf(options.under).find(glob, options);
			const found = await Promise.all(parts().map((part) => part.find(glob, options)));
			const paths = found.flatMap((one) => one.paths).sort();
			const bounded = found.find((one) => one.bounded !== undefined)?.bounded;
			const more = found.some((one) => one.more) || paths.length > options.limit;
			return { paths: paths.slice(0, options.limit), more, ...(bounded !== undefined && { bounded }) };
		},
		async search(query, signal) {
			if (query.under !== undefined) return partOf(query.under).search(query, signal);
			const found = await Promise.all(parts().map((part) => part.search(query, signal)));
			const bounded = found.find((one) => one.bounded !== undefined)?.bounded;
			return {
				matches: found.flatMap(({ matches }) => matches),
				more: found.some(({ more }) => more),
				...(bounded !== undefined && { bounded }),
			};
		},
		apply: async (edits, real) => partOfAll(edits).apply(edits, real),
		preview: async (edits) => partOfAll(edits).preview(edits),
		async undo(change) {
			const part = partOf(change.path);
			if (change.from !== undefined && partOf(change.from) !== part)
				throw new FileConflict("It was moved between a disk and a virtual folder.");
			return part.undo(change);
		},
		unsaved: (path) => partOf(path).unsaved?.(path) ?? false,
		commands: () => (disk.folders().length > 0 || virtual.folders().length === 0 ? undefined : COMMANDS_UNAVAILABLE),
		run(command, options) {
			if (!virtual.contains(options.cwd)) return disk.run(command, options);
			const names = disk.folders().map(({ name }) => name);
			const instead = names.length > 0 ? ` Give one of these folders as cwd: ${names.join(", ")}.` : "";
			return Promise.reject(new ToolError(COMMANDS_UNAVAILABLE + instead));
		},
		output: disk.output,
		watch: disk.watch,
		commit: async () => (virtual.contains(folders()[0]?.path ?? "/") ? undefined : disk.commit()),
	};
}
