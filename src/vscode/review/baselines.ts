// What files under review are compared with, as documents for diff editors and for the marks beside the lines.
import * as vscode from "vscode";
import type { Blobs } from "../../core/ports/sessions.ts";
import type { UnderReview } from "../../session/history/pendingChanges.ts";
import { uriOf } from "../adapters/folderUris.ts";

export const ORIGINAL = "troupe-original";

export class Originals implements vscode.TextDocumentContentProvider, vscode.Disposable {
	private readonly blobs: Blobs;
	private readonly changed = new vscode.EventEmitter<vscode.Uri>();
	private readonly registration: vscode.Disposable;
	private files: ReadonlyMap<string, UnderReview> = new Map();
	readonly onDidChange = this.changed.event;

	constructor(blobs: Blobs) {
		this.blobs = blobs;
		this.registration = vscode.workspace.registerTextDocumentContentProvider(ORIGINAL, this);
	}

	/** By absolute path. Documents that show another text now are told to. */
	show(files: ReadonlyMap<string, UnderReview>): void {
		const before = this.files;
		this.files = files;
		for (const path of new Set([...before.keys(), ...files.keys()])) {
			if (before.get(path)?.original?.blob !== files.get(path)?.original?.blob || !files.has(path)) this.changed.fire(originalUri(path));
		}
	}

	async provideTextDocumentContent({ path, query }: vscode.Uri): Promise<string> {
		if (query === NOTHING) return "";
		const file = this.files.get(vscode.Uri.file(path).fsPath);
		if (file) return this.textOf(file);
		// Nothing is left to compare: it is as it is.
		return vscode.workspace.openTextDocument(uriOf(path)).then(
			(document) => document.getText(),
			() => "",
		);
	}

	async textOf({ original, absolute }: UnderReview): Promise<string> {
		const bytes = original && (await this.blobs.get(original.blob));
		return bytes ? decode(bytes, uriOf(absolute)) : "";
	}

	dispose(): void {
		this.registration.dispose();
		this.changed.dispose();
	}
}

const NOTHING = "nothing";

export function originalUri(absolute: string): vscode.Uri {
	return vscode.Uri.file(absolute).with({ scheme: ORIGINAL });
}

/** An empty document in place of a file that is not there. */
export function nothingUri(absolute: string): vscode.Uri {
	return originalUri(absolute).with({ query: NOTHING });
}

/** As the editor would read the file's bytes. */
async function decode(bytes: Uint8Array, uri: vscode.Uri): Promise<string> {
	return vscode.workspace.decode(bytes, { uri });
}

/** As the editor would write them. */
export async function encode(text: string, document: vscode.TextDocument): Promise<Uint8Array> {
	return vscode.workspace.encode(text, { encoding: document.encoding });
}
