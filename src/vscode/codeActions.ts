// "Fix with Troupe" and "Explain with Troupe" where the editor has found a problem.
import * as vscode from "vscode";
import { t } from "../l10n.ts";

/** What the two commands are given: a file and what was found there, lines from 1. */
export interface FoundProblems {
	uri: vscode.Uri;
	problems: { line: number; endLine: number; message: string; source?: string; code?: string }[];
}

/** Registered for every document, since a selector that says less comes last: after the fixes of the language itself. */
export const problemActions: vscode.CodeActionProvider = {
	provideCodeActions(document, _range, { diagnostics }) {
		if (diagnostics.length === 0 || document.uri.scheme !== "file") return [];
		const found = foundProblems(document.uri, diagnostics);
		const action = (title: string, command: string): vscode.CodeAction => {
			const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
			made.command = { title, command, arguments: [found] };
			made.diagnostics = [...diagnostics];
			return made;
		};
		return [action(t("Fix with Troupe"), "troupe.fixProblem"), action(t("Explain with Troupe"), "troupe.explainProblem")];
	},
};

export function foundProblems(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): FoundProblems {
	const problems = diagnostics.map(({ range, message, source, code }) => {
		const plain = typeof code === "object" ? code.value : code;
		return {
			line: range.start.line + 1,
			endLine: range.end.line + 1,
			message,
			...(source && { source }),
			...(plain !== undefined && { code: String(plain) }),
		};
	});
	return { uri, problems };
}
