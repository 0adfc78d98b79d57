// Registers the editor integrations: code actions and VS Code's chat; each loads on first use.

import * as vscode from "vscode";
import { createProblemActionProvider, type Destination } from "./codeActions.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** Id in the manifest. */
const PARTICIPANT = "troupe.chatParticipant";

export function registerIntegrations(doors: IntegrationContext): vscode.Disposable[] {
	return [
		vscode.languages.registerCodeActionsProvider("*", createProblemActionProvider(goesTo(doors)), {
			providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
		}),
		...participant(doors),
		...askTool(doors),
	];
}

/** Loads nothing to answer. */
function goesTo(doors: IntegrationContext): (readsOnly: boolean) => Promise<Destination> {
	return async (readsOnly) => {
		const engine = doors.engine.current();
		if (!engine) return undefined;
		const shown = (await doors.views.active())?.sessionId;
		return shown === undefined ? undefined : (await import("./sendToChat.ts")).findDestination(engine, shown, readsOnly);
	};
}

/** Registers `@troupe` if the editor has a chat. */
function participant(doors: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.chat?.createChatParticipant !== "function") return [];
	const created = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
		(await import("./chatParticipant.ts")).handleChatRequest(doors, { request, context, stream, token }),
	);
	created.iconPath = new vscode.ThemeIcon("comment-discussion");
	return [created];
}

/** Registers `troupe_ask` if the editor supports language model tools. */
function askTool(doors: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.lm?.registerTool !== "function") return [];
	const tool: vscode.LanguageModelTool<unknown> = {
		prepareInvocation: async ({ input }) => (await import("./askTool.ts")).prepareAskInvocation(input),
		invoke: async (options, token) => (await import("./askTool.ts")).invokeAskTool(doors, options, token),
	};
	return [vscode.lm.registerTool("troupe_ask", tool)];
}
