// The editor's file systems as the workspace over folders that are on no disk reads and writes them.
import * as vscode from "vscode";
import { relativePathWithin } from "../../core/paths.ts";
import type { FileStat, VirtualFileSystem, WorkspaceFolder } from "../../core/ports/workspace.ts";

/** `uriOf` is the way from a workspace path to what the editor opens. */
export function createVirtualFileSystem(uriOf: (path: string) => vscode.Uri): VirtualFileSystem {
	return {
		async stat(path) {
			const found = await coded(vscode.workspace.fs.stat(uriOf(path))).catch((error: unknown) => {
				if ((error as { code?: unknown }).code === "ENOENT") return undefined;
				throw error;
			});
			return found && { type: typeOf(found.type), size: found.size, mtime: found.mtime, link: isLink(found.type) };
		},
		readFile: (path) => coded(vscode.workspace.fs.readFile(uriOf(path))),
		writeFile: (path, content) => coded(vscode.workspace.fs.writeFile(uriOf(path), content)),
		async readDirectory(path) {
			const entries = await coded(vscode.workspace.fs.readDirectory(uriOf(path)));
			return entries.map(([name, type]) => ({ name, type: typeOf(type), link: isLink(type) }));
		},
		createDirectory: (path) => coded(vscode.workspace.fs.createDirectory(uriOf(path))),
		async delete(path, trash) {
			const uri = uriOf(path);
			// Most of these file systems have no trash.
			const trashed =
				trash &&
				(await vscode.workspace.fs.delete(uri, { useTrash: true }).then(
					() => true,
					() => false,
				));
			if (!trashed) await coded(vscode.workspace.fs.delete(uri, { useTrash: false }));
		},
		rename: (from, to) => coded(vscode.workspace.fs.rename(uriOf(from), uriOf(to), { overwrite: false })),
	};
}

function typeOf(type: vscode.FileType): FileStat["type"] {
	if (type & vscode.FileType.Directory) return "directory";
	return type & vscode.FileType.File ? "file" : "other";
}

function isLink(type: vscode.FileType): boolean {
	return (type & vscode.FileType.SymbolicLink) !== 0;
}

/** By the codes of VS Code's own errors. */
const CODES: Readonly<Record<string, string>> = {
	FileNotFound: "ENOENT",
	FileExists: "EEXIST",
	FileNotADirectory: "ENOTDIR",
	FileIsADirectory: "EISDIR",
	NoPermissions: "EACCES",
};

async function coded<T>(work: Thenable<T>): Promise<T> {
	try {
		return await work;
	} catch (error) {
		const code = error instanceof vscode.FileSystemError ? CODES[error.code] : undefined;
		throw code === undefined ? error : Object.assign(new Error((error as Error).message), { code });
	}
}

/** No disk has such a folder: below it stand the scheme, the authority and the path of a folder that is on none. */
const VIRTUAL = process.platform === "win32" ? "C:/vscode-virtual" : "/vscode-virtual";

type EditorFolder = WorkspaceFolder & { uri: vscode.Uri };

/** All of them, in the editor's order. */
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

/** Of a workspace path, as tools, events and the gate have it. */
export function uriForPath(path: string): vscode.Uri {
	for (const folder of virtualWorkspaceFolders()) {
		const inside = relativePathWithin(folder.path, path);
		if (inside !== undefined) return inside === "" ? folder.uri : vscode.Uri.joinPath(folder.uri, ...inside.split("/"));
	}
	return vscode.Uri.file(path);
}

/** Undefined for what is neither on a disk nor in a folder of the workspace. */
export function pathForUri(uri: vscode.Uri): string | undefined {
	if (uri.scheme === "file") return uri.fsPath;
	const folder = virtualWorkspaceFolders().find(({ uri: { scheme, authority, path } }) => {
		return scheme === uri.scheme && authority === uri.authority && relativePathWithin(path, uri.path) !== undefined;
	});
	const inside = folder && relativePathWithin(folder.uri.path, uri.path);
	return folder && [folder.path, inside].filter(Boolean).join("/");
}
