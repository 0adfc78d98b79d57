// "Fix with Troupe" and "Explain with Troupe" code actions for the editor's diagnostics.
import * as vscode from "vscode";
import { t } from "../../shared/l10n.ts";
import { escapeLabel } from "../../shared/safeText.ts";

/** Argument of both commands: a file and its problems; lines are 1-based. */
export interface FoundProblems {
	uri: vscode.Uri;
	problems: { line: number; endLine: number; message: string; source?: string; code?: string }[];
}

/** Destination of a message: a session by title, or a new one; undefined if no chat is shown. */
export type Destination = { title: string } | "new" | undefined;

/**
 * Registered for every document: a less specific selector sorts last, after the language's own fixes. `goesTo` returns the
 * session that gets the message; explaining requires a read-only one.
 */
export const createProblemActionProvider = (goesTo: (readsOnly: boolean) => Promise<Destination>): vscode.CodeActionProvider => ({
	async provideCodeActions(document, _range, { diagnostics }) {
		if (diagnostics.length === 0 || document.uri.scheme !== "file") return [];
		const found = toFoundProblems(document.uri, diagnostics);
		const [fix, explain] = await Promise.all([goesTo(false), goesTo(true)]);
		const action = (title: string, command: string): vscode.CodeAction => {
			const made = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
			made.command = { title, command, arguments: [found] };
			made.diagnostics = [...diagnostics];
			return made;
		};
		return [action(fixTitle(fix), "troupe.fixProblem"), action(explainTitle(explain), "troupe.explainProblem")];
	},
});

function fixTitle(to: Destination): string {
	if (to === undefined) return t("Fix with Troupe");
	return to === "new" ? t("Fix with Troupe in a New Session") : t("Fix with Troupe in “{0}”", short(to.title));
}

function explainTitle(to: Destination): string {
	if (to === undefined) return t("Explain with Troupe");
	return to === "new" ? t("Explain with Troupe in a New Session") : t("Explain with Troupe in “{0}”", short(to.title));
}

/** Truncates to a menu's width. */
function short(title: string): string {
	const letters = [...escapeLabel(title)];
	return letters.length > 40 ? `${letters.slice(0, 39).join("").trimEnd()}…` : letters.join("");
}

export function toFoundProblems(uri: vscode.Uri, diagnostics: readonly vscode.Diagnostic[]): FoundProblems {
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
