// Registers a file system whose files the editor can only read.
import * as vscode from "vscode";

/** `refusal`: said when the editor is to change something. */
export function registerReadOnlyFileSystem(
	scheme: string,
	read: (uri: vscode.Uri) => Promise<Uint8Array>,
	refusal: string,
	options: { isCaseSensitive?: boolean } = {},
): vscode.Disposable {
	const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	const refuse = (): never => {
		throw vscode.FileSystemError.NoPermissions(refusal);
	};
	const files: vscode.FileSystemProvider = {
		onDidChangeFile: changed.event,
		watch: () => new vscode.Disposable(() => undefined),
		stat: async (uri) => ({ type: vscode.FileType.File, ctime: 0, mtime: 0, size: (await read(uri)).byteLength }),
		readFile: read,
		readDirectory: () => [],
		createDirectory: refuse,
		writeFile: refuse,
		delete: refuse,
		rename: refuse,
	};
	return vscode.Disposable.from(changed, vscode.workspace.registerFileSystemProvider(scheme, files, { ...options, isReadonly: true }));
}
