// What editors hold unsaved: it is read first, and changes to it go through the editor and its undo.
import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import type { OpenBuffers } from "../../core/ports/workspace.ts";
import { pathForUri } from "./folderUris.ts";

export const openBuffers: OpenBuffers = {
	dirty(path) {
		const document = find(path);
		return document?.isDirty ? encode(document) : undefined;
	},
	refusal(path) {
		const notebook = vscode.workspace.notebookDocuments.some((candidate) => pathForUri(candidate.uri) === path);
		if (notebook || path.endsWith(".ipynb")) return "Notebooks cannot be changed by tools. Change the cells in the notebook editor.";
		const document = find(path);
		if (document?.isDirty && !ENCODINGS.has(document.encoding)) {
			return `${path} has unsaved changes in the encoding ${document.encoding}. Save it first, then try again.`;
		}
		return undefined;
	},
	async replace(path, content) {
		const document = find(path);
		if (!document) throw new Error(`${path} is no longer open.`);
		const edit = new vscode.WorkspaceEdit();
		const end = document.lineAt(document.lineCount - 1).range.end;
		edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), new TextDecoder().decode(content));
		if (!(await vscode.workspace.applyEdit(edit))) throw new Error(`The editor of ${path} did not take the change.`);
		if (!(await document.save())) throw new Error(`${path} could not be saved. The change is in its editor, unsaved.`);
	},
};

/** Encodings in which unsaved text can be written byte for byte as the editor would. */
const ENCODINGS = new Set(["utf8", "utf8bom"]);
const BYTE_ORDER_MARK = "\ufeff";

function find(path: string): vscode.TextDocument | undefined {
	if (!isAbsolute(path)) return undefined;
	return vscode.workspace.textDocuments.find((document) => pathForUri(document.uri) === path);
}

function encode(document: vscode.TextDocument): Uint8Array {
	const mark = document.encoding === "utf8bom" ? BYTE_ORDER_MARK : "";
	return new TextEncoder().encode(mark + document.getText());
}
