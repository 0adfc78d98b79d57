// Read-only documents with the versions of files in a task's copy, for diff and merge editors.
import * as vscode from "vscode";
import type { CopyVersions } from "../../core/ports/copies.ts";
import type { ApplyChanges } from "../../delegation/applyChanges/applyChanges.ts";
import { t } from "../../shared/l10n.ts";
import { reasonOf } from "../../shared/reasonOf.ts";
import { registerReadOnlyFileSystem } from "../readOnlyFileSystem.ts";

/** A version of a change, as it was shown. */
export interface CopyDocument {
	/** Id of the task. */
	task: string;
	/** Display path in the workspace. */
	path: string;
	side: keyof CopyVersions;
	/** Identifies what is shown of the change; in a merge, of the workspace's version, which may change while the change stays the same. */
	shown: string;
}

/** A file system, so that the editor recognizes encodings and images as in any file. */
export class CopyDocuments implements vscode.Disposable {
	private readonly applyChanges: Pick<ApplyChanges, "versions">;
	private readonly log: (line: string) => void;
	private readonly scheme: string;
	private readonly contents = new Map<string, Uint8Array>();
	private readonly registration: vscode.Disposable;

	constructor(applyChanges: Pick<ApplyChanges, "versions">, log: (line: string) => void, scheme = SCHEME) {
		this.applyChanges = applyChanges;
		this.log = log;
		this.scheme = scheme;
		const refusal = t("The task's copy can only be compared here.");
		this.registration = registerReadOnlyFileSystem(scheme, (uri) => this.read(uri), refusal, { isCaseSensitive: true });
	}

	/** A document with that content; empty where there is no such file. Its name and language are those of `uri`. */
	add(uri: vscode.Uri, { task, path, side, shown }: CopyDocument, content: Uint8Array | undefined): vscode.Uri {
		const query = new URLSearchParams({ task, path, side, shown }).toString();
		const added = uri.with({ scheme: this.scheme, authority: "", query });
		const key = added.toString();
		this.contents.delete(key);
		this.contents.set(key, content ?? EMPTY);
		for (const old of [...this.contents.keys()].slice(0, -MAX_CONTENTS)) this.contents.delete(old);
		return added;
	}

	/** Returns undefined if the URI is of no such document. */
	parse({ scheme, query }: vscode.Uri): CopyDocument | undefined {
		const { task, path, side, shown } = Object.fromEntries(new URLSearchParams(query));
		if (scheme !== this.scheme || task === undefined || path === undefined || shown === undefined) return undefined;
		return side === "base" || side === "copied" || side === "original" ? { task, path, side, shown } : undefined;
	}

	dispose(): void {
		this.registration.dispose();
	}

	/** An editor that was restored after a reload shows the file as it is now. */
	private async read(uri: vscode.Uri): Promise<Uint8Array> {
		const known = this.contents.get(uri.toString());
		const document = this.parse(uri);
		if (known || !document) return known ?? EMPTY;
		const versions = await this.applyChanges.versions(document.task, document.path).catch((error: unknown) => {
			throw vscode.FileSystemError.FileNotFound(reasonOf(error, this.log));
		});
		return versions[document.side] ?? EMPTY;
	}
}

/** Menus in package.json name it. */
const SCHEME = "troupe-copy";
const EMPTY = new Uint8Array();
const MAX_CONTENTS = 300;
