// The port to the language services of a workspace.

export interface Diagnostic {
	path: string;
	line: number;
	severity: "error" | "warning" | "info" | "hint";
	message: string;
	source?: string;
}

export interface SymbolMatch {
	name: string;
	kind: string;
	path: string;
	line: number;
	/** Last line, if known. */
	end?: number;
}

/** Information from the editor's language services. */
export interface WorkspaceLanguage {
	diagnostics(path?: string): Promise<Diagnostic[]>;
	symbols(query: string, signal: AbortSignal): Promise<SymbolMatch[]>;
}
