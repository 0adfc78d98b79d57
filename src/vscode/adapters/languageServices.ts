// Diagnostics and symbols from the editor's language services.

import { isAbsolute } from "node:path";
import * as vscode from "vscode";
import type { OpenBuffers } from "../../core/ports/workspace/editor.ts";
import type { Diagnostic, SymbolMatch } from "../../core/ports/workspace/language.ts";
import { ExplainedError } from "../../core/userError.ts";
import { pathForUri } from "./virtualFileSystem.ts";

const SEVERITIES = ["error", "warning", "info", "hint"] as const;

export async function getDiagnostics(path?: string): Promise<Diagnostic[]> {
	return vscode.languages.getDiagnostics().flatMap(([uri, found]) => {
		const file = pathForUri(uri);
		if (file === undefined || !isBelow(file, path)) return [];
		return found.map((diagnostic) => ({
			path: file,
			line: diagnostic.range.start.line + 1,
			severity: SEVERITIES[diagnostic.severity] ?? "info",
			message: diagnostic.message,
			...(diagnostic.source && { source: diagnostic.source }),
		}));
	});
}

export async function searchSymbols(query: string, signal: AbortSignal): Promise<SymbolMatch[]> {
	const found = await vscode.commands.executeCommand<vscode.SymbolInformation[]>("vscode.executeWorkspaceSymbolProvider", query);
	if (signal.aborted) return [];
	return (found ?? []).map((symbol) => ({
		name: symbol.name,
		kind: vscode.SymbolKind[symbol.kind] ?? "Symbol",
		path: pathForUri(symbol.location.uri) ?? symbol.location.uri.fsPath,
		line: symbol.location.range.start.line + 1,
		end: symbol.location.range.end.line + 1,
	}));
}

function isBelow(path: string, folder: string | undefined): boolean {
	return folder === undefined || path === folder || path.startsWith(`${folder}/`) || path.startsWith(`${folder}\\`);
}

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
	async setText(path, content) {
		const document = findOpen(path);
		const edit = new vscode.WorkspaceEdit();
		const end = document.lineAt(document.lineCount - 1).range.end;
		edit.replace(document.uri, new vscode.Range(new vscode.Position(0, 0), end), new TextDecoder().decode(content));
		if (!(await vscode.workspace.applyEdit(edit))) throw new ExplainedError("its editor did not take the change");
	},
	async save(path) {
		if (!(await findOpen(path).save())) throw new ExplainedError(CANNOT_SAVE);
	},
};

/** Follows the file's name and a colon. */
const CANNOT_SAVE = "its editor could not save it, perhaps because the file has changed on disk; ask the user to save or revert it";

/** Encodings in which we write unsaved text byte for byte as the editor would. */
const ENCODINGS = new Set(["utf8", "utf8bom"]);
const BYTE_ORDER_MARK = "\ufeff";

function find(path: string): vscode.TextDocument | undefined {
	if (!isAbsolute(path)) return undefined;
	return vscode.workspace.textDocuments.find((document) => pathForUri(document.uri) === path);
}

function findOpen(path: string): vscode.TextDocument {
	const document = find(path);
	if (!document) throw new ExplainedError("it is no longer open in an editor");
	return document;
}

function encode(document: vscode.TextDocument): Uint8Array {
	const mark = document.encoding === "utf8bom" ? BYTE_ORDER_MARK : "";
	return new TextEncoder().encode(mark + document.getText());
}
