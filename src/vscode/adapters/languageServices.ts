// Problems and symbols as the editor's language services know them.
import * as vscode from "vscode";
import type { Diagnostic, SymbolMatch } from "../../core/ports/workspace.ts";
import { pathForUri } from "./folderUris.ts";

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
