// Asks the user for an MCP elicitation field by field and confirms the answers before sending.
import * as vscode from "vscode";
import type { Elicitation, ElicitationContent, ElicitationField } from "../../core/ports/mcp.ts";
import { t } from "../../shared/l10n.ts";
import { escapeLabel, visibleLine, visibleText } from "../../shared/safeText.ts";
import { askForConsent, type Clock } from "../consent.ts";

type Value = string | number | boolean;

/** Resolves to undefined if the user declines at any step. */
export async function showElicitationForm(
	question: Elicitation,
	signal: AbortSignal,
	clock?: Clock,
): Promise<ElicitationContent | undefined> {
	const server = question.server.name;
	const [answer, send] = [t("Answer…"), t("Send Answers")];
	const asks = t("The MCP server “{0}” is requesting information", server);
	const warning = t("Don't enter passwords or keys. The server receives everything that you enter.");
	const fields = question.fields.map((field) => `• ${titleOf(field)}`);
	const lines = [{ written: visibleText(question.message) }, "", ...fields, "", warning];
	// Without fields, this confirmation is the answer.
	if ((await askForConsent(asks, lines, [answer], clock)) === undefined || signal.aborted) return undefined;
	const values: Record<string, Value | undefined> = {};
	for (const field of question.fields) {
		const value = await askField(field, server, signal);
		if (value === REFUSED || signal.aborted) return undefined;
		// Cleared fields are set, too; otherwise the server's default would be sent without the user seeing it.
		Object.defineProperty(values, field.name, { value, enumerable: true });
	}
	if (question.fields.length === 0) return values;
	const given = question.fields.map((field) => `${titleOf(field)}: ${JSON.stringify(values[field.name]) ?? t("nothing")}`);
	const sure = await askForConsent(t("Send this to “{0}”?", server), given, [send], clock);
	return sure !== undefined && !signal.aborted ? values : undefined;
}

const REFUSED = Symbol("refused");

async function askField(field: ElicitationField, server: string, signal: AbortSignal): Promise<Value | undefined | typeof REFUSED> {
	const source = new vscode.CancellationTokenSource();
	const stop = (): void => source.cancel();
	signal.addEventListener("abort", stop, { once: true });
	try {
		const title = visibleLine(t("{0} asks: {1}", server, titleOf(field)));
		const prompt = visibleLine(field.description);
		const choices = choicesOf(field);
		if (choices) {
			const options = { title, placeHolder: prompt, ignoreFocusOut: true };
			return (await vscode.window.showQuickPick(choices, options, source.token))?.value ?? REFUSED;
		}
		const text = await vscode.window.showInputBox(
			{
				title,
				prompt,
				ignoreFocusOut: true,
				...(field.default !== undefined && { value: String(field.default) }),
				validateInput: (given) => problemOf(field, given),
			},
			source.token,
		);
		if (text === undefined || problemOf(field, text) !== undefined) return REFUSED;
		if (text === "" && !field.required) return undefined;
		return field.type === "string" ? text : Number(text);
	} finally {
		signal.removeEventListener("abort", stop);
		source.dispose();
	}
}

function choicesOf({ type, choices }: ElicitationField): (vscode.QuickPickItem & { value: Value })[] | undefined {
	if (choices) return choices.map(({ value, title }) => ({ label: escapeLabel(title), description: escapeLabel(value), value }));
	if (type !== "boolean") return undefined;
	return [
		{ label: t("Yes"), value: true },
		{ label: t("No"), value: false },
	];
}

function problemOf({ type, required }: ElicitationField, text: string): string | undefined {
	if (text === "") return required ? t("This field is required.") : undefined;
	if (type === "string") return undefined;
	const number = Number(text);
	if (type === "integer" ? Number.isSafeInteger(number) : Number.isFinite(number)) return undefined;
	return type === "integer" ? t("Enter a whole number.") : t("Enter a number.");
}

function titleOf({ title, name }: ElicitationField): string {
	return title || name;
}
