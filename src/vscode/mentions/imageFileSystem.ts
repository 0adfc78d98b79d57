// Read-only file system that opens message images in VS Code's image viewer.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import { t } from "../../shared/l10n.ts";
import { registerReadOnlyFileSystem } from "../readOnlyFileSystem.ts";

const SCHEME = "troupe-picture";

/** The extension in the path lets the editor choose its viewer. */
export function imageUri(blob: string, mime: string): vscode.Uri {
	return vscode.Uri.from({ scheme: SCHEME, path: `/${blob}/Image.${mime.replace("image/", "")}` });
}

export function registerImageFileSystem(blobs: BlobStore): vscode.Disposable {
	const read = async ({ path }: vscode.Uri): Promise<Uint8Array> => {
		const bytes = await blobs.get(path.split("/")[1] ?? "");
		if (!bytes) throw vscode.FileSystemError.FileNotFound(t("The image no longer exists."));
		return bytes;
	};
	return registerReadOnlyFileSystem(SCHEME, read, t("Images in messages are read-only."));
}
