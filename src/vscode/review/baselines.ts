// Provides the baselines of files under review as documents, for diff editors and quick diff.
import * as vscode from "vscode";
import type { BlobStore } from "../../core/ports/sessions.ts";
import type { FileUnderReview } from "../../sessions/pendingChanges.ts";
import { uriForPath } from "../adapters/virtualFileSystem.ts";

export const BASELINE_SCHEME = "troupe-original";

export class BaselineContentProvider implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly blobs: BlobStore;
	private readonly changed = new vscode.EventEmitter<vscode.Uri>();
	private readonly registration: vscode.Disposable;
	private files: ReadonlyMap<string, FileUnderReview> = new Map();
	readonly onDidChange = this.changed.event;

	constructor(blobs: BlobStore) {
		this.blobs = blobs;
		this.registration = vscode.workspace.registerTextDocumentContentProvider(BASELINE_SCHEME, this);
	}

	/** Takes files by absolute path. Fires change events for affected documents. */
	setFiles(files: ReadonlyMap<string, FileUnderReview>): void {
		const before = this.files;
		this.files = files;
		for (const path of new Set([...before.keys(), ...files.keys()])) {
			if (before.get(path)?.original?.blob !== files.get(path)?.original?.blob || !files.has(path)) this.changed.fire(baselineUri(path));
		}
	}

	async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
		if (query === NOTHING) return "";
		const file = this.files.get(vscode.Uri.file(path).fsPath);
		if (file) return this.readBaseline(file);
		// Nothing is left to compare: show the current content.
		return vscode.workspace.openTextDocument(uriForPath(path)).then(
			(document) => document.getText(),
			() => "",
		);
	}

	async readBaseline({ original, absolute }: FileUnderReview): Promise<string> {
		const bytes = original && (await this.blobs.get(original.blob));
		return bytes ? decode(bytes, uriForPath(absolute)) : "";
	}

	dispose(): void {
		this.registration.dispose();
		this.changed.dispose();
	}
}

const NOTHING = "nothing";

export function baselineUri(absolute: string): vscode.Uri {
	return vscode.Uri.file(absolute).with({ scheme: BASELINE_SCHEME });
}

/** Empty document in place of a nonexistent file. */
export function emptyBaselineUri(absolute: string): vscode.Uri {
	return baselineUri(absolute).with({ query: NOTHING });
}

/** Decodes like the editor. */
async function decode(bytes: Uint8Array, uri: vscode.Uri): Promise<string> {
	return vscode.workspace.decode(bytes, { uri });
}

/** Encodes like the editor. */
export async function encodeDocument(text: string, document: vscode.TextDocument): Promise<Uint8Array> {
	return vscode.workspace.encode(text, { encoding: document.encoding });
}
