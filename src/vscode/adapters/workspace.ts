// The editor's workspace: folders, open documents, language services, trash and ripgrep.
import * as vscode from "vscode";
import { sha256 } from "../../shared/node/hash.ts";
import { getDiagnostics, openBuffers, searchSymbols } from "./languageServices.ts";
import { findBundledRipgrep } from "./ripgrep.ts";
import {
	createVirtualFileSystem,
	diskWorkspaceFolders,
	uriForPath,
	virtualWorkspaceFolders,
	workspaceFolders,
} from "./virtualFileSystem.ts";

export const editorWorkspace = {
	diskFolders: diskWorkspaceFolders,
	virtual: { fs: createVirtualFileSystem(uriForPath), folders: virtualWorkspaceFolders, all: workspaceFolders },
	identity,
	findRipgrep: async (find: (name: string) => Promise<string | undefined>) => (await findBundledRipgrep()) ?? (await find("rg")),
	buffers: openBuffers,
	moveToTrash,
	diagnostics: getDiagnostics,
	symbols: searchSymbols,
};

/** Hash of the workspace folders, independent of their order. */
function identity(): string {
	const uris = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.toString()).sort();
	return sha256(uris.join("\n")).slice(0, 32);
}

/** Local disks have a trash; most others don't. */
async function moveToTrash(path: string): Promise<boolean> {
	return vscode.workspace.fs.delete(vscode.Uri.file(path), { useTrash: true }).then(
		() => true,
		() => false,
	);
}
