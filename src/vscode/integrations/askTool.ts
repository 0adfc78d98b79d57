// Implements `troupe_ask`, a tool that lets other extensions' models ask Troupe's Planner.

import * as vscode from "vscode";
import { ExplainedError } from "../../core/userError.ts";
import { askPlanner } from "../../integrations/askPlanner.ts";
import { t } from "../../shared/l10n.ts";
import { visibleText } from "../../shared/safeText.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** Session ids by the chat's id. */
const askedSessions = new Map<string, string>();

export function prepareAskInvocation(input: unknown): vscode.PreparedToolInvocation {
	return {
		invocationMessage: t("Asking Troupe…"),
		confirmationMessages: {
			title: t("Ask Troupe?"),
			message: new vscode.MarkdownString()
				.appendMarkdown(
					t("Troupe's Planner reads this workspace to answer, using Troupe's current model. It doesn't change anything. Question:"),
				)
				.appendMarkdown("\n\n")
				.appendText(visibleText(questionIn(input))),
		},
	};
}

export async function invokeAskTool(
	{ engine }: IntegrationContext,
	{ input, toolInvocationToken }: vscode.LanguageModelToolInvocationOptions<unknown>,
	token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolResult> {
	const question = questionIn(input).trim();
	if (question === "") throw new ExplainedError("Say in `question` what you want to know.");
	const { sessions } = await engine.load();
	const stop = new AbortController();
	const stopping = token.onCancellationRequested(() => stop.abort());
	const session = chatIdOf(toolInvocationToken);
	const previous = session === undefined ? undefined : askedSessions.get(session);
	try {
		const { text, sessionId } = await askPlanner(sessions, { question, sessionId: previous, signal: stop.signal });
		if (session !== undefined) askedSessions.set(session, sessionId);
		return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
	} finally {
		stopping.dispose();
	}
}

function questionIn(input: unknown): string {
	const question = typeof input === "object" && input !== null && "question" in input ? input.question : undefined;
	return typeof question === "string" ? question : "";
}

/** The API keeps the token opaque; editors put the chat's id into it. Without an id, each question starts a new session. */
function chatIdOf(token: unknown): string | undefined {
	const fields = typeof token === "object" && token !== null ? (token as Record<string, unknown>) : {};
	const id = fields["sessionId"] ?? fields["sessionResource"];
	return id === undefined ? undefined : String(id);
}
