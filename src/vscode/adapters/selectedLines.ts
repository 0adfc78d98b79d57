// Converts an editor's selection to line numbers.
import type * as vscode from "vscode";

/** Lines that a selection touches, 1-based; a selection that ends at column 0 excludes that line. */
export function selectedLines({ start, end }: vscode.Range): [number, number] {
	const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
	return [start.line + 1, last + 1];
}
