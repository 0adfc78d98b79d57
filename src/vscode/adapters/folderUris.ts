// The workspace's folders as paths, those that are on no disk too, and the way between such paths and the editor's URIs.
import * as vscode from "vscode";
import { relativePathWithin } from "../../core/paths.ts";
import type { WorkspaceFolder } from "../../core/ports/workspace.ts";

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
