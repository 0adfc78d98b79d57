// Read-only file system that opens message images in VS Code's image viewer.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";

const SCHEME = "troupe-picture";

/** The extension in the path lets the editor choose its viewer. */
export function imageUri(blob: string, mime: string): vscode.Uri {
	return vscode.Uri.from({ scheme: SCHEME, path: `/${blob}/Image.${mime.replace("image/", "")}` });
}

export function registerImageFileSystem(blobs: BlobStore): vscode.Disposable {
	const changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
	const read = async ({ path }: vscode.Uri): Promise<Uint8Array> => {
		const bytes = await blobs.get(path.split("/")[1] ?? "");
		if (!bytes) throw vscode.FileSystemError.FileNotFound(t("The image no longer exists."));
		return bytes;
	};
	const refuse = (): never => {
		throw vscode.FileSystemError.NoPermissions(t("Images in messages are read-only."));
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
	return vscode.Disposable.from(changed, vscode.workspace.registerFileSystemProvider(SCHEME, files, { isReadonly: true }));
}
