// Registers the editor integrations: code actions and VS Code's chat; each loads on first use.

import * as vscode from "vscode";
import { createProblemActionProvider, type Destination } from "./codeActions.ts";
import type { IntegrationContext } from "./integrationContext.ts";

/** The id in the manifest. */
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

/** Nothing is loaded to say it. */
function goesTo(doors: IntegrationContext): (readsOnly: boolean) => Promise<Destination> {
	return async (readsOnly) => {
		const engine = doors.engine.current();
		if (!engine) return undefined;
		const shown = (await doors.views.active())?.sessionId;
		return shown === undefined ? undefined : (await import("../chat/sendToChat.ts")).findDestination(engine, shown, readsOnly);
	};
}

/** `@troupe` in VS Code's own chat, where the editor has one. */
function participant(doors: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.chat?.createChatParticipant !== "function") return [];
	const created = vscode.chat.createChatParticipant(PARTICIPANT, async (request, context, stream, token) =>
		(await import("./chatParticipant.ts")).handleChatRequest(doors, { request, context, stream, token }),
	);
	created.iconPath = new vscode.ThemeIcon("comment-discussion");
	return [created];
}

/** `troupe_ask` for models of other extensions, where the editor has such tools. */
function askTool(doors: IntegrationContext): vscode.Disposable[] {
	if (typeof vscode.lm?.registerTool !== "function") return [];
	const tool: vscode.LanguageModelTool<unknown> = {
		prepareInvocation: async ({ input }) => (await import("./askTool.ts")).prepareAskInvocation(input),
		invoke: async (options, token) => (await import("./askTool.ts")).invokeAskTool(doors, options, token),
	};
	return [vscode.lm.registerTool("troupe_ask", tool)];
}
