// How a file of the editor is named in a message, so that its content comes along.
import * as vscode from "vscode";
import { formatPathMention } from "../../chat/mentions/mention.ts";

/** `lines` from 1, both included. */
export function formatMention(uri: vscode.Uri, lines?: [number, number], folder = false): string {
	const path = vscode.workspace.asRelativePath(uri);
	return formatPathMention(folder ? `${path}/` : path, lines ? { lines } : {});
}

/** Lines that a selection touches; one that ends before the first character of a line does not touch it. */
export function selectedLines({ start, end }: vscode.Range): [number, number] {
	const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
	return [start.line + 1, last + 1];
}
