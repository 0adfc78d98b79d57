// Accesses workspace folders that aren't on disk through the editor's file systems.
import * as vscode from "vscode";
import { relativePathWithin } from "../../core/paths.ts";
import type { FileStat, VirtualFileSystem, WorkspaceFolder } from "../../core/ports/workspace/files.ts";

/** `uriOf` maps a workspace path to the editor's URI. */
export function createVirtualFileSystem(uriOf: (path: string) => vscode.Uri): VirtualFileSystem {
	return {
		async stat(path) {
			const found = await withErrorCode(vscode.workspace.fs.stat(uriOf(path))).catch((error: unknown) => {
				if ((error as { code?: unknown }).code === "ENOENT") return undefined;
				throw error;
			});
			return found && { type: typeOf(found.type), size: found.size, mtime: found.mtime, link: isLink(found.type) };
		},
		readFile: (path) => withErrorCode(vscode.workspace.fs.readFile(uriOf(path))),
		writeFile: (path, content) => withErrorCode(vscode.workspace.fs.writeFile(uriOf(path), content)),
		async readDirectory(path) {
			const entries = await withErrorCode(vscode.workspace.fs.readDirectory(uriOf(path)));
			return entries.map(([name, type]) => ({ name, type: typeOf(type), link: isLink(type) }));
		},
		createDirectory: (path) => withErrorCode(vscode.workspace.fs.createDirectory(uriOf(path))),
		async delete(path, trash) {
			const uri = uriOf(path);
			// Most of these file systems have no trash.
			const trashed =
				trash &&
				(await vscode.workspace.fs.delete(uri, { useTrash: true }).then(
					() => true,
					() => false,
				));
			if (!trashed) await withErrorCode(vscode.workspace.fs.delete(uri, { useTrash: false }));
		},
		rename: (from, to) => withErrorCode(vscode.workspace.fs.rename(uriOf(from), uriOf(to), { overwrite: false })),
	};
}

function typeOf(type: vscode.FileType): FileStat["type"] {
	if (type & vscode.FileType.Directory) return "directory";
	return type & vscode.FileType.File ? "file" : "other";
}

function isLink(type: vscode.FileType): boolean {
	return (type & vscode.FileType.SymbolicLink) !== 0;
}

/** Node's error codes by those of vscode.FileSystemError. */
const CODES: Readonly<Record<string, string>> = {
	FileNotFound: "ENOENT",
	FileExists: "EEXIST",
	FileNotADirectory: "ENOTDIR",
	FileIsADirectory: "EISDIR",
	NoPermissions: "EACCES",
};

async function withErrorCode<T>(work: Thenable<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const code = error instanceof vscode.FileSystemError ? CODES[error.code] : undefined;
		throw code === undefined ? error : Object.assign(new Error((error as Error).message), { code });
	}
}

/** No such folder exists on disk; scheme, authority and path of a virtual folder follow it. */
const VIRTUAL = process.platform === "win32" ? "C:/vscode-virtual" : "/vscode-virtual";

type EditorFolder = WorkspaceFolder & { uri: vscode.Uri };

/** All workspace folders, in the editor's order. */
export function workspaceFolders(): EditorFolder[] {
	return (vscode.workspace.workspaceFolders ?? []).map(({ name, uri }) => ({ name, uri, path: folderPath(uri) }));
}

export function diskWorkspaceFolders(): EditorFolder[] {
	return workspaceFolders().filter(({ uri }) => uri.scheme === "file");
}

export function virtualWorkspaceFolders(): EditorFolder[] {
	return workspaceFolders().filter(({ uri }) => uri.scheme !== "file");
}

function folderPath({ scheme, authority, path, fsPath }: vscode.Uri): string {
	if (scheme === "file") return fsPath;
	const at = [scheme, encodeURIComponent(authority) || "-", ...path.split("/")].filter((part) => part !== "");
	return `${VIRTUAL}/${at.join("/")}`;
}

/** Accepts a workspace path as used by tools, events and the gate. */
export function uriForPath(path: string): vscode.Uri {
	for (const folder of virtualWorkspaceFolders()) {
		const relative = relativePathWithin(folder.path, path);
		if (relative !== undefined) return relative === "" ? folder.uri : vscode.Uri.joinPath(folder.uri, ...relative.split("/"));
	}
	return vscode.Uri.file(path);
}

/** Returns undefined for a URI neither on disk nor in a workspace folder. */
export function pathForUri(uri: vscode.Uri): string | undefined {
	if (uri.scheme === "file") return uri.fsPath;
	const folder = virtualWorkspaceFolders().find(({ uri: { scheme, authority, path } }) => {
		return scheme === uri.scheme && authority === uri.authority && relativePathWithin(path, uri.path) !== undefined;
	});
	const relative = folder && relativePathWithin(folder.uri.path, uri.path);
	return folder && [folder.path, relative].filter(Boolean).join("/");
}
